"""Writes answers for a foreign client, as the API itself would: the inverse of `read`.

Frames come in the API's order and are ASCII, so that no client trips over U+2028. What must go back
with thoughts travels in their `encrypted_content`. There is no clock here: `created_at` is 0.
"""

from collections.abc import Mapping
from typing import Any

from recto.llm.carrier import carry
from recto.llm.names import wire_name
from recto.llm.protocols.openai_responses.client_calls import arguments_of, call_item, free_text
from recto.llm.protocols.openai_responses.offered_tools import ClientTool
from recto.llm.protocols.openai_responses.read_failures import ID
from recto.llm.protocols.openai_responses.write_failures import encode, write_error
from recto.messages import (
    Finished,
    Message,
    Native,
    PromptProgress,
    ProviderData,
    Started,
    StreamEvent,
    Text,
    TextDelta,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    TokenProbability,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
    UsageReported,
)

Frames = list[dict[str, Any]]
NO_TOOLS: Mapping[str, ClientTool] = {}


class ResponsesWriter:
    """Writes one streamed answer."""

    def __init__(
        self,
        answer_id: str,
        model: str,
        *,
        created: int = 0,
        tools: Mapping[str, ClientTool] = NO_TOOLS,
    ) -> None:
        self.answer: dict[str, Any] = blank_answer(answer_id, model) | {"created_at": created}
        """The whole answer, complete once `Finished` was written."""
        self._tools = tools
        self._sequence = 0
        self._is_started = False
        self._open: int | None = None
        """The index of the message or the thoughts being written."""
        self._calls: dict[int, int] = {}
        """The index of each call being written, by slot."""
        self._output: list[dict[str, Any]] = []
        self._pieces: dict[int, list[str]] = {}
        self._logprobs: dict[int, list[dict[str, Any]]] = {}

    def write(self, event: StreamEvent) -> bytes:
        """The frames an event becomes; possibly none."""
        return b"".join(map(self._encode, [*self._start(), *self._frames(event)]))

    def keep_alive(self) -> bytes:
        """What the API itself sends while it has nothing to say."""
        return b"".join(map(self._encode, [*self._start(), {"type": "keepalive"}]))

    def whole(self) -> bytes:
        """The answer in one piece, once its end was written."""
        return encode(self.answer)

    def _encode(self, frame: dict[str, Any]) -> bytes:
        frame["sequence_number"] = self._sequence
        self._sequence += 1
        return b"event: %b\ndata: %b\n\n" % (frame["type"].encode(), encode(frame))

    def _start(self) -> Frames:
        if self._is_started:
            return []
        self._is_started = True
        begun = {**self.answer, "status": "in_progress"}
        return [
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
        ]

    def _frames(self, event: StreamEvent) -> Frames:
        match event:
            case TextDelta():
                return self._write_text(event)
            case ToolCallDelta():
                return self._write_arguments(event)
            case ThinkingDelta():
                return self._write_thinking(event.text)
            case ThinkingStarted():
                return [*self._close(), *self._open_thinking()]
            case ThinkingEnded():
                return self._end_thinking(event.provider)
            case ToolCallStarted():
                return self._open_call(event)
            case ToolCallEnded():
                return self._end_call(event.slot, event.raw, "completed")
            case Finished():
                return self._finish(event)
            case Started() | UsageReported() | PromptProgress():
                return []

    def _add(self, item: dict[str, Any], prefix: str) -> tuple[int, Frames]:
        index = len(self._output)
        item = {"id": f"{prefix}_{self.answer['id']}_{index}", **item, "status": "in_progress"}
        self._output.append(item)
        self._pieces[index] = []
        return index, [item_frame("added", index, dict(item))]

    def _frame(self, kind: str, index: int, **fields: Any) -> dict[str, Any]:
        item_id = self._output[index]["id"]
        return {"type": f"response.{kind}", "item_id": item_id, "output_index": index, **fields}

    def _done(self, index: int, status: str = "completed") -> dict[str, Any]:
        self._output[index]["status"] = status
        return item_frame("done", index, dict(self._output[index]))

    def _write_text(self, event: TextDelta) -> Frames:
        frames: Frames = []
        if self._open is None or self._output[self._open]["type"] != "message":
            frames = [*self._close(), *self._open_message(output_text("", []))]
        assert self._open is not None
        logprobs = list(map(write_logprob, event.logprobs))
        self._pieces[self._open].append(event.text)
        self._logprobs.setdefault(self._open, []).extend(logprobs)
        delta = {"content_index": 0, "delta": event.text, "logprobs": logprobs}
        frames.append(self._frame("output_text.delta", self._open, **delta))
        return frames

    def _open_message(self, part: dict[str, Any]) -> Frames:
        message: dict[str, Any] = {"type": "message", "role": "assistant", "content": []}
        self._open, frames = self._add(message, "msg")
        opened = self._frame("content_part.added", self._open, content_index=0, part=part)
        return [*frames, opened]

    def _open_thinking(self) -> Frames:
        self._open, frames = self._add({"type": "reasoning", "summary": []}, "rs")
        return frames

    def _write_thinking(self, text: str) -> Frames:
        frames: Frames = []
        if self._open is None or self._output[self._open]["type"] != "reasoning":
            frames = [*self._close(), *self._open_thinking()]
        assert self._open is not None
        index = self._open
        if not self._pieces[index]:
            added = {"summary_index": 0, "part": summary_text("")}
            frames.append(self._frame("reasoning_summary_part.added", index, **added))
        self._pieces[index].append(text)
        delta = {"summary_index": 0, "delta": text}
        return [*frames, self._frame("reasoning_summary_text.delta", index, **delta)]

    def _end_thinking(self, data: ProviderData | None) -> Frames:
        if self._open is None or self._output[self._open]["type"] != "reasoning":
            return []
        if data is not None:
            self._output[self._open]["encrypted_content"] = carry(data)
        return self._close()

    def _open_call(self, event: ToolCallStarted) -> Frames:
        closed = self._close()
        tool = self._tools.get(event.name)
        prefix, call = call_item(event.id, wire_name(event.name), tool)
        index, frames = self._add(call, prefix)
        self._calls[event.slot] = index
        return [*closed, *frames]

    def _write_arguments(self, event: ToolCallDelta) -> Frames:
        index = self._calls[event.slot]
        self._pieces[index].append(event.text)
        if self._output[index]["type"] != "function_call":
            # What another kind of call carries can be told once its arguments are complete.
            return []
        return [self._frame("function_call_arguments.delta", index, delta=event.text)]

    def _end_call(self, slot: int, raw: str, status: str) -> Frames:
        index = self._calls.pop(slot)
        item = self._output[index]
        match item["type"]:
            case "custom_tool_call":
                item["input"] = text = free_text(raw)
                kind = "custom_tool_call_input"
                frames = [
                    self._frame(f"{kind}.delta", index, delta=text),
                    self._frame(f"{kind}.done", index, input=text),
                ]
            case "tool_search_call":
                item["arguments"] = arguments_of(raw)
                frames = []
            case _:
                item["arguments"] = raw or "{}" if status == "completed" else raw
                done = {"arguments": item["arguments"]}
                frames = [self._frame("function_call_arguments.done", index, **done)]
        return [*frames, self._done(index, status)]

    def _close(self, status: str = "completed") -> Frames:
        """End the message or the thoughts being written."""
        if self._open is None:
            return []
        index, self._open = self._open, None
        text = "".join(self._pieces[index])
        is_message = self._output[index]["type"] == "message"
        ended = self._end_text(index, text) if is_message else self._end_summary(index, text)
        return [*ended, self._done(index, status)]

    def _end_text(self, index: int, text: str) -> Frames:
        part = output_text(text, self._logprobs.get(index, []))
        self._output[index]["content"] = [part]
        told = {"content_index": 0, "text": text, "logprobs": part["logprobs"]}
        return [
            self._frame("output_text.done", index, **told),
            self._frame("content_part.done", index, content_index=0, part=part),
        ]

    def _end_summary(self, index: int, text: str) -> Frames:
        if not text:
            return []
        part = summary_text(text)
        self._output[index]["summary"] = [part]
        return [
            self._frame("reasoning_summary_text.done", index, summary_index=0, text=text),
            self._frame("reasoning_summary_part.done", index, summary_index=0, part=part),
        ]

    def _finish(self, end: Finished) -> Frames:
        status, details = write_reason(end)
        frames = self._close("completed" if status == "completed" else "incomplete")
        for slot, index in list(self._calls.items()):
            frames += self._end_call(slot, "".join(self._pieces[index]), "incomplete")
        frames += self._add_natives(end.message)
        write_phases(self._output, end.message)
        if end.reason == "refusal" and status == "completed":
            frames += self._refuse(end.explanation or "")
        self.answer |= {
            "status": status,
            "incomplete_details": details,
            "error": None if end.failure is None else write_error(end.failure),
            "output": self._output,
            "usage": None if end.usage is None else write_usage(end.usage),
        }
        return [*frames, {"type": f"response.{status}", "response": self.answer}]

    def _add_natives(self, message: Message) -> Frames:
        """What no event tells: the provider's own items, and what others gave with calls."""
        frames: Frames = []
        for part in message.parts:
            item: dict[str, Any] = {}
            match part:
                case Native() if part.provider.origin.protocol == ID:
                    item |= part.provider.payload
                case ToolCall() if part.provider is not None:
                    seal = carry(part.provider, part.id)
                    item |= {"type": "reasoning", "summary": [], "encrypted_content": seal}
                    item["id"] = f"rs_{self.answer['id']}_{len(self._output)}"
                case _:
                    continue
            index = len(self._output)
            self._output.append(item)
            frames += [item_frame("added", index, item), item_frame("done", index, item)]
        return frames

    def _refuse(self, words: str) -> Frames:
        frames = self._open_message({"type": "refusal", "refusal": ""})
        assert self._open is not None
        index, self._open = self._open, None
        part = {"type": "refusal", "refusal": words}
        self._output[index]["content"] = [part]
        return [
            *frames,
            self._frame("refusal.delta", index, content_index=0, delta=words),
            self._frame("refusal.done", index, content_index=0, refusal=words),
            self._frame("content_part.done", index, content_index=0, part=part),
            self._done(index),
        ]


def write_whole(events: list[StreamEvent], answer_id: str, model: str) -> bytes:
    """Write an answer that is not streamed."""
    writer = ResponsesWriter(answer_id, model)
    for event in events:
        writer.write(event)
    return writer.whole()


def write_reason(end: Finished) -> tuple[str, dict[str, str] | None]:
    """The status of an answer, and why it is incomplete."""
    raw = end.raw_reason or ""
    match end.reason:
        case "error":
            return "failed", None
        case "max_tokens":
            return "incomplete", {"reason": "max_output_tokens"}
        case "pause":
            return "incomplete", {"reason": raw if raw == "max_messages" else "steered"}
        case "refusal" if not raw.startswith("refusal"):
            return "incomplete", {"reason": "content_filter"}
        case _:
            return "completed", None


def write_usage(usage: Usage) -> dict[str, Any]:
    """The count in the API's terms: cached tokens are part of the input."""
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
            "cache_write_tokens_details": {
                "ttl_30m_tokens": usage.cache_write - usage.cache_write_long,
                "ttl_12h_tokens": usage.cache_write_long,
            },
        },
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.context,
    }


def write_phases(output: list[dict[str, Any]], message: Message) -> None:
    """Give the messages their phases, which only the end tells; not if words were joined."""
    said = [item for item in output if item["type"] == "message"]
    texts = [part for part in message.parts if isinstance(part, Text)]
    if len(said) != len(texts):
        return
    for item, part in zip(said, texts, strict=True):
        data = part.provider
        if data is not None and data.origin.protocol == ID and "phase" in data.payload:
            item["phase"] = data.payload["phase"]


def write_logprob(one: TokenProbability) -> dict[str, Any]:
    """How likely a token was."""
    return {
        "token": one.token,
        "logprob": one.logprob,
        "bytes": list(one.token.encode()),
        "top_logprobs": [],
    }


def item_frame(kind: str, index: int, item: dict[str, Any]) -> dict[str, Any]:
    """The frame that begins or ends an item."""
    return {"type": f"response.output_item.{kind}", "output_index": index, "item": item}


def output_text(text: str, logprobs: list[dict[str, Any]]) -> dict[str, Any]:
    """Words of the model."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": logprobs}


def summary_text(text: str) -> dict[str, str]:
    """What is shown of the thoughts."""
    return {"type": "summary_text", "text": text}


def blank_answer(answer_id: str, model: str) -> dict[str, Any]:
    """An answer with nothing in it yet."""
    return {
        "id": answer_id,
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": [],
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": None,
    }
