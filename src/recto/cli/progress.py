"""A turn as it goes on, in a terminal: the answer's words, and a line for whatever happens."""

import json
import sys
from collections.abc import Mapping
from typing import Any, Protocol

from recto.cli.terminal import exact, note, tame
from recto.messages import encodable

Json = Mapping[str, Any]
LIMITS = frozenset({"steps", "time", "spend", "repeat", "max_tokens"})
DONE, FAILED, LIMITED, REFUSED, DENIED, STOPPED = 0, 1, 3, 4, 5, 130
LONGEST_TARGET = 200


class ToolWords(Protocol):
    """What is known of a tool: the words of its line."""

    @property
    def main(self) -> str:
        """The argument that its line shows."""
        ...

    @property
    def done(self) -> str:
        """The verb of its line."""
        ...


class TurnOutcome:
    """What a turn came to, gathered from its events."""

    def __init__(self) -> None:
        self.failure = ""
        self.changed = False
        self.is_stopped = False
        self._denied = False
        self._reason = ""

    def take(self, event: Json) -> None:
        """See an event."""
        match event["kind"]:
            case "entry" if event["entry"]["kind"] == "error":
                entry = event["entry"]
                self.failure = f"{entry['message']} {entry['remedy']}".strip()
            case "entry" if event["entry"]["kind"] == "notice":
                self._reason = event["entry"]["reason"]
            case "call_ended":
                self._denied |= event["result"]["state"] == "denied"
                self.changed |= bool(event["result"]["changed"])
            case "turn":
                self.is_stopped |= event["state"] == "cancelled"
                if event["state"] in ("failed", "interrupted") and not self.failure:
                    self.failure = "The turn broke off. What there was is kept in the chat."
            case _:
                pass

    def deny(self) -> None:
        """Something was not agreed to."""
        self._denied = True

    @property
    def code(self) -> int:
        """The exit code."""
        if self.failure:
            return FAILED
        if self.is_stopped:
            return STOPPED
        if self._reason == "refusal":
            return REFUSED
        if self._reason in LIMITS:
            return LIMITED
        return DENIED if self._denied else DONE


class JsonProgress:
    """Writes what happens as JSON, one event on a line."""

    def take(self, event: Json) -> None:
        """Write an event."""
        print(json.dumps(event), flush=True)

    def end(self) -> None:
        """Nothing is left to write."""


class TextProgress:
    """Writes the answer on the output, and what happens on the error output."""

    def __init__(self, tools: Mapping[str, ToolWords]) -> None:
        self._tools = tools
        self._arguments: dict[str, Json] = {}
        self._is_within_line = False
        self._thought_in = 0
        # Into a file or a pipe the words go as they are; a terminal would obey some of them.
        self._shown = tame if sys.stdout.isatty() else str

    def take(self, event: Json) -> None:
        """Write what there is to write about an event."""
        match event["kind"]:
            case "text":
                self._say(event["text"])
            case "step":
                self._note(f"Step {event['step']}: {event['modelName']}")
            case "thinking" if event["step"] != self._thought_in:
                self._thought_in = event["step"]
                self._note("Thinking…")
            case "call_started" | "approval":
                self._arguments[event["callId"]] = event["arguments"]
            case "call_ended":
                self._note(self._call(event["result"]))
            case "entry":
                self._entry(event["entry"])
            case _:
                pass

    def end(self) -> None:
        """End the line that was begun."""
        if self._is_within_line:
            print(flush=True)
        self._is_within_line = False

    def _say(self, text: str) -> None:
        if text:
            print(self._shown(encodable(text)), end="", flush=True)
            self._is_within_line = not text.endswith("\n")

    def _note(self, line: str) -> None:
        self.end()
        note(line)

    def _entry(self, entry: Json) -> None:
        if entry["kind"] == "assistant":
            self._keep_arguments(entry)
            self.end()
        elif entry["kind"] == "notice" and entry["words"]:
            self._note(entry["words"])

    def _keep_arguments(self, answer: Json) -> None:
        """A call that was refused never starts; what it was about stands in the answer."""
        calls = [block for block in answer["blocks"] if block["type"] == "call"]
        self._arguments |= {call["id"]: call["arguments"] for call in calls}

    def _call(self, result: Json) -> str:
        """A tool's line: verb, target, fact; and why, where it went wrong."""
        name, state = result["name"], result["state"]
        tool = self._tools.get(name)
        main = self._arguments.get(result["callId"], {}).get(tool.main) if tool else None
        target = exact(main)[:LONGEST_TARGET] if isinstance(main, str) else ""
        if state == "done":
            line = f"{tool.done if tool else f'Used {exact(name)}'} {target}".rstrip()
            return f"{line} ({result['fact']})" if result["fact"] else line
        why = exact(result["text"].partition("\n")[0])
        how = {"denied": "not allowed", "cancelled": "stopped"}.get(state, "failed")
        return f"{exact(name)} {target}".rstrip() + f": {how}. {why}"
