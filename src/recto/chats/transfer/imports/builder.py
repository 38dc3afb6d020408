"""A foreign chat told again as entries of ours: turns, answers, and every call with its result."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from recto.chats.history.entries import (
    AnswerSource,
    Assistant,
    AttachedText,
    ChatEntry,
    EntryConfidence,
    EntryContent,
    Notice,
    Result,
    ToolResults,
    User,
)
from recto.chats.history.title_text import first_words, printable
from recto.chats.transfer.imports.fields import is_shallow
from recto.clock import encode
from recto.messages import AssistantPart, Image, Json, Text, ToolCall, ToolResult

MAX_TITLE = 200
NO_RESULT = "The export holds no result of this call."
TEMPLATE = "import"
# What may be left out of a chat, and how several of it are called.
PLURALS = {
    "attachment": "attachments",
    "block of an unknown kind": "blocks of an unknown kind",
    "file": "files",
    "message of an unknown role": "messages of an unknown role",
    "message of another branch": "messages of other branches",
    "picture": "pictures",
    "system prompt": "system prompts",
    "tool input that is nested too deeply": "tool inputs that are nested too deeply",
}


@dataclass(frozen=True, slots=True)
class ImportedChat:
    """A chat from elsewhere. The id is the same whenever it is read."""

    id: str
    title: str
    source: str
    created_ms: int
    last_active_ms: int
    entries: tuple[ChatEntry, ...]


class NotAChat(Exception):
    """A record can't be read as a chat; says why."""


def derived(*keys: str) -> str:
    """An id that follows from what the source calls the thing."""
    joined = "\0".join(keys).encode("utf-8", "surrogatepass")
    return encode(int.from_bytes(hashlib.sha256(joined).digest()[:16], "big"))


def clean_title(title: str, entries: Sequence[ChatEntry]) -> str:
    """The title, or the first words when there is none."""
    said = (entry.content.text for entry in entries if isinstance(entry.content, User))
    return " ".join(printable(title).split())[:MAX_TITLE] or first_words(next(said, ""))


@dataclass(slots=True)
class ImportedChatBuilder:
    """Collects a chat message by message."""

    source: str
    key: str
    when: int
    """The time of what is told now; messages without one have that of the one before."""
    entries: list[ChatEntry] = field(default_factory=list[ChatEntry])
    left_out: Counter[str] = field(default_factory=Counter[str])
    _turn: str = ""
    _step: int = 0
    _model: str = ""
    _parts: list[AssistantPart] = field(default_factory=list[AssistantPart])
    _results: dict[str, Result] = field(default_factory=dict[str, Result])
    _known: dict[str, str] = field(default_factory=dict[str, str])
    _calls: int = 0

    def at(self, when: int | None) -> None:
        """Say when the next thing happened, if that is known."""
        self.when = self.when if when is None else when

    def said(
        self, text: str, attached: Iterable[AttachedText] = (), images: Iterable[Image] = ()
    ) -> None:
        """A person said something."""
        self._close()
        turn = derived(self.source, self.key, "turn", str(len(self.entries)))
        content = User(text, turn, tuple(attached), tuple(images))
        if text.strip() or content.attached or content.images:
            self._turn, self._step = turn, 0
            self._append(content)

    def answered(self, part: AssistantPart, model: str) -> None:
        """A model said, thought or wanted something."""
        if self._results or (self._parts and model != self._model):
            self._close()
        self._model = model
        self._parts.append(part)

    def called(self, name: str, arguments: Json, model: str, call_key: str = "") -> None:
        """A model called a tool."""
        self._calls += 1
        call_id = f"imported_{self._calls}"
        if not is_shallow(arguments):
            self.left_out["tool input that is nested too deeply"] += 1
            arguments = {}
        self._known[call_key or call_id] = call_id
        self.answered(ToolCall(call_id, name or "tool", arguments), model)

    def settled(self, name: str, text: str, *, failed: bool = False, call_key: str = "") -> None:
        """A tool answered: the call it names, or the first one that waits."""
        waiting = [part for part in self._waiting() if part.id not in self._results]
        wanted = self._known.get(call_key, "")
        call = next((item for item in waiting if not call_key or item.id == wanted), None)
        if call is None and waiting and not wanted:
            call = waiting[0]
        if call is None:
            # Some exports hold what a tool answered, but not that it was called.
            self.called(name, {}, self._model)
            (call,) = self._waiting()[-1:]
        content = (Text(text),) if text else ()
        result = ToolResult(call.id, call.name, content, is_error=failed)
        self._results[call.id] = Result(result, "", "error" if failed else "done")

    def finished(self, title: str, *, created: int | None) -> ImportedChat:
        """The whole chat.

        Raises:
            NotAChat: nothing was said in it.
        """
        self._close()
        if not self.entries:
            raise NotAChat("it has no messages.")
        self._append(Notice("import", self._words(), self._turn))
        return ImportedChat(
            derived(self.source, self.key),
            clean_title(title, self.entries),
            self.source,
            self.entries[0].created_ms if created is None else created,
            max(entry.created_ms for entry in self.entries),
            tuple(self.entries),
        )

    def _waiting(self) -> list[ToolCall]:
        return [part for part in self._parts if isinstance(part, ToolCall)]

    def _words(self) -> str:
        counted = [
            f"{count} {what if count == 1 else PLURALS[what]}"
            for what, count in sorted(self.left_out.items())
            if count
        ]
        return f"Imported from {self.source}." + (
            f" Left out: {', '.join(counted)}." if counted else ""
        )

    def _close(self) -> None:
        """End the answer that is being told."""
        if not self._parts:
            return
        calls = self._waiting()
        self._step += 1
        self._append(
            Assistant(
                tuple(self._parts),
                self._turn,
                self._step,
                self._model,
                self._model or self.source,
                "tool_use" if calls else "end_turn",
                None,
                # Nothing of it was paid here.
                0,
                EntryConfidence(None, "unknown", "This answer was imported."),
                AnswerSource("", "", TEMPLATE),
            )
        )
        if calls:
            results = tuple(self._results.get(call.id) or _unknown(call) for call in calls)
            self._append(ToolResults(results, self._turn, self._step))
        self._parts, self._results = [], {}

    def _append(self, content: EntryContent) -> None:
        seq = len(self.entries) + 1
        entry_id = derived(self.source, self.key, "entry", str(seq))
        self.entries.append(ChatEntry(entry_id, seq, self.when, content))


def _unknown(call: ToolCall) -> Result:
    return Result(ToolResult(call.id, call.name, (Text(NO_RESULT),), is_error=True), "", "unknown")
