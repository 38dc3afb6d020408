"""Reads streamed answers of the Responses API.

Items are told apart by their `output_index`: some servers change an item's id from event to event.
What came in pieces comes again whole when it is done: then what was lost on the way is completed.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from recto.llm.assembly import Assembly
from recto.llm.framing import Frame
from recto.llm.names import own_name
from recto.llm.protocols.openai_responses.answer import (
    EVENTS,
    Answer,
    ContentPiece,
    Event,
    Item,
    decode_slowly,
    read_item,
    read_logprobs,
    read_seal,
)
from recto.llm.protocols.openai_responses.read_failures import read_problem
from recto.llm.protocols.openai_responses.read_usage import read_usage
from recto.llm.protocols.openai_responses.streamed_text import StreamedText
from recto.messages import (
    Failure,
    Origin,
    StopReason,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    TokenProbability,
    encodable,
)

INCOMPLETE: dict[str, StopReason] = {
    "max_output_tokens": "max_tokens",
    "content_filter": "refusal",
    "steered": "pause",
    "max_messages": "pause",
}


class ResponsesReader:
    """Reads one streamed answer."""

    def __init__(self, origin: Origin) -> None:
        self._assembly = Assembly(origin)
        self._is_started = False
        self._answer_id = ""
        self._slots: dict[int, int] = {}
        """The slot of the latest call at each output index."""
        self._slot_count = 0
        self._kinds: dict[int, str] = {}
        """What there is at each output index, as far as it is known."""
        self._done: set[int] = set()
        """The output indexes of what came whole."""
        self._words: dict[int, StreamedText] = {}
        """What was told of each message."""
        self._thoughts: dict[int, StreamedText] = {}
        """What was told of each thought; what is no summary has a negative index."""
        self._refusals: dict[tuple[int, int], list[str]] = {}
        """Why the model declines, in pieces."""

    def feed(self, frame: Frame) -> list[StreamEvent]:
        """What a frame tells. Unknown kinds of frames tell nothing."""
        if self._assembly.is_finished or (frame.event and frame.event not in HANDLERS):
            return []
        try:
            event = EVENTS.decode(frame.data)
        except (msgspec.DecodeError, RecursionError):
            found = decode_slowly(frame.data, HANDLERS)
            if found is None:
                return self._break_off("in the middle of an event")
            event = found
        handler = HANDLERS.get(event.type)
        return [] if handler is None else handler(self, event)

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The connection ended: `Finished`, unless it came before."""
        if failure is not None:
            return self._assembly.finish("error", failure=failure)
        return self._break_off("before its end")

    def _break_off(self, where: str) -> list[StreamEvent]:
        failure = Failure("network", f"The answer broke off {where}.")
        return self._assembly.finish("error", failure=failure)

    def on_start(self, event: Event) -> list[StreamEvent]:
        """The answer begins."""
        answer = event.response
        if self._is_started or answer is None:
            return []
        self._is_started = True
        self._answer_id = answer.id or ""
        return self._assembly.start(self._answer_id, answer.model or "")

    def on_text_delta(self, event: Event) -> list[StreamEvent]:
        """Some more words."""
        logprobs = read_logprobs(event.logprobs) if event.logprobs else ()
        return self._say(event.output_index, event.content_index, event.delta or "", logprobs)

    def on_text_done(self, event: Event) -> list[StreamEvent]:
        """The words of one part, whole."""
        piece = ContentPiece("output_text", event.text, logprobs=event.logprobs)
        return self._complete_content(event.output_index, event.content_index, piece)

    def on_refusal_delta(self, event: Event) -> list[StreamEvent]:
        """Some more of why the model declines: not part of an answer."""
        self._kinds.setdefault(event.output_index, "message")
        key = (event.output_index, event.content_index)
        self._refusals.setdefault(key, []).append(event.delta or "")
        return []

    def on_refusal_done(self, event: Event) -> list[StreamEvent]:
        """Why the model declines, whole."""
        piece = ContentPiece("refusal", refusal=event.refusal)
        return self._complete_content(event.output_index, event.content_index, piece)

    def _say(
        self,
        output_index: int,
        index: int,
        text: str,
        logprobs: tuple[TokenProbability, ...] = (),
    ) -> list[StreamEvent]:
        self._kinds.setdefault(output_index, "message")
        streamed = self._words.setdefault(output_index, StreamedText())
        before = streamed.begin(index)
        events = self._assembly.add_text(before + text, logprobs)
        if any(isinstance(event, TextDelta) for event in events[-1:]):
            streamed.note(index, self._assembly.open_pieces)
        return events

    def _complete_content(
        self, output_index: int, index: int, piece: ContentPiece
    ) -> list[StreamEvent]:
        """One part of a message, whole."""
        if piece.type == "refusal":
            key = (output_index, index)
            known = self._refusals.get(key)
            self._refusals[key] = [piece.refusal] if piece.refusal else known or [""]
            return []
        streamed = self._words.get(output_index)
        if streamed is None or not streamed.places.get(index):
            if streamed is not None and streamed.is_left(self._assembly):
                streamed.put(index, piece.text or "")
                return []
            logprobs = read_logprobs(piece.logprobs or [])
            return self._say(output_index, index, piece.text or "", logprobs)
        rest = streamed.complete(index, piece.text or "", self._assembly)
        return self._say(output_index, index, rest) if rest else []

    def on_summary_delta(self, event: Event) -> list[StreamEvent]:
        """Some more of what it shows of its thoughts."""
        return self._think(event.output_index, event.summary_index, event.delta or "")

    def on_summary_done(self, event: Event) -> list[StreamEvent]:
        """One part of a summary, whole."""
        return self._complete_thought(event.output_index, event.summary_index, event.text or "")

    def on_reasoning_delta(self, event: Event) -> list[StreamEvent]:
        """Some more thoughts in the open."""
        return self._think(event.output_index, ~event.content_index, event.delta or "")

    def on_reasoning_done(self, event: Event) -> list[StreamEvent]:
        """Thoughts in the open, whole."""
        return self._complete_thought(event.output_index, ~event.content_index, event.text or "")

    def _think(self, output_index: int, index: int, text: str) -> list[StreamEvent]:
        """Tell thoughts; a blank line stands between two parts of one item."""
        self._kinds.setdefault(output_index, "reasoning")
        streamed = self._thoughts.setdefault(output_index, StreamedText("\n\n"))
        before = streamed.begin(index)
        events = self._assembly.add_thinking(before + text)
        if any(isinstance(event, ThinkingDelta) for event in events[-1:]):
            streamed.note(index, self._assembly.open_pieces)
        return events

    def _complete_thought(self, output_index: int, index: int, whole: str) -> list[StreamEvent]:
        """One part of some thoughts, whole."""
        streamed = self._thoughts.get(output_index)
        if streamed is None or not streamed.places.get(index):
            if streamed is not None and streamed.is_left(self._assembly):
                streamed.put(index, whole)
                return []
            return self._think(output_index, index, whole)
        rest = streamed.complete(index, whole, self._assembly)
        return self._think(output_index, index, rest) if rest else []

    def on_arguments_delta(self, event: Event) -> list[StreamEvent]:
        """Some more of a call's arguments."""
        slot = self._slots.get(event.output_index)
        return [] if slot is None else self._assembly.add_arguments(slot, event.delta or "")

    def on_arguments_done(self, event: Event) -> list[StreamEvent]:
        """A call's arguments, whole."""
        slot = self._slots.get(event.output_index)
        if slot is None:
            return []
        return self._assembly.complete_arguments(slot, event.arguments or "")

    def on_item_added(self, event: Event) -> list[StreamEvent]:
        """Something begins: calls and thoughts are told at once."""
        item = read_item(event.item)
        self._kinds[event.output_index] = item.type
        if item.type == "function_call":
            return self._open_call(event.output_index, item)
        if item.type == "reasoning":
            events = self._assembly.open_thinking()
            self._thoughts[event.output_index] = StreamedText(
                "\n\n", home=self._assembly.open_pieces
            )
            return events
        if item.type == "message":
            events = self._assembly.open_text()
            self._words[event.output_index] = StreamedText(home=self._assembly.open_pieces)
            return events
        return []

    def _open_call(self, output_index: int, item: Item) -> list[StreamEvent]:
        slot = self._slot_count
        self._slot_count += 1
        self._slots[output_index] = slot
        call_id = item.call_id or item.id or f"{self._answer_id}_{output_index}"
        return self._assembly.open_call(slot, call_id, own_name(item.name or ""))

    def on_item_done(self, event: Event) -> list[StreamEvent]:
        """Something is complete."""
        return self._complete(event.output_index, event.item or {})

    def _complete(self, output_index: int, found: dict[str, Any]) -> list[StreamEvent]:
        item = read_item(found)
        self._kinds[output_index] = item.type
        self._done.add(output_index)
        match item.type:
            case "message":
                return self._complete_message(output_index, item)
            case "function_call":
                return self._complete_call(output_index, item)
            case "reasoning":
                return self._complete_thinking(output_index, item)
            case _:
                return self._assembly.add_native(found) if found else []

    def _complete_message(self, output_index: int, item: Item) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        streamed = self._words.setdefault(output_index, StreamedText())
        is_told = any(streamed.places.values())
        content = list(enumerate(item.content or ()))
        for index, piece in content:
            if piece.type == "refusal" or not is_told:
                events += self._complete_content(output_index, index, piece)
        texts = [(index, piece.text or "") for index, piece in content if piece.type != "refusal"]
        if is_told and texts:
            rest = streamed.complete_all([text for _, text in texts], self._assembly)
            events += self._say(output_index, texts[-1][0], rest) if rest else []
        return events + self._end_message(streamed, item)

    def _end_message(self, streamed: StreamedText, item: Item) -> list[StreamEvent]:
        """The end of words. Where something else followed them already, they ended there."""
        has_words = any(piece.text for piece in item.content or ())
        payload = {"phase": item.phase} if item.phase is not None and has_words else None
        last = streamed.last
        if last is not None and last is not self._assembly.open_pieces:
            if payload is not None:
                self._assembly.sign_late(last, payload)
            return []
        events = [] if payload is None else self._assembly.sign_text(payload)
        self._assembly.end_text()
        return events

    def _complete_call(self, output_index: int, item: Item) -> list[StreamEvent]:
        is_new = output_index not in self._slots
        events = self._open_call(output_index, item) if is_new else []
        slot = self._slots[output_index]
        events += self._assembly.complete_arguments(slot, item.arguments or "")
        # A call that was cut off may look complete by chance: never run it.
        return events if item.status == "incomplete" else events + self._assembly.close_call(slot)

    def _complete_thinking(self, output_index: int, item: Item) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        streamed = self._thoughts.setdefault(output_index, StreamedText("\n\n"))
        if not any(streamed.places.values()):
            for index, piece in enumerate((*(item.summary or ()), *(item.content or ()))):
                events += self._complete_thought(output_index, index, piece.text or "")
        else:
            is_summary = next(iter(streamed.places)) >= 0
            found = (item.summary if is_summary else item.content) or ()
            rest = streamed.complete_all([piece.text or "" for piece in found], self._assembly)
            index = next(reversed(streamed.places))
            events += self._think(output_index, index, rest) if rest else []
        return events + self._end_thoughts(streamed, item)

    def _end_thoughts(self, streamed: StreamedText, item: Item) -> list[StreamEvent]:
        """The end of thoughts. Where something else followed them already, they ended there."""
        seal = read_seal(item)
        last = streamed.last
        if last is None or last is self._assembly.open_pieces:
            return self._assembly.end_thinking(seal)
        if seal is not None:
            self._assembly.sign_late(last, seal)
        return []

    def on_error(self, event: Event) -> list[StreamEvent]:
        """The provider failed; the words stand in `error` or right in the event."""
        flat = {"code": event.code, "message": event.message}
        return self._assembly.finish("error", failure=read_problem(event.error or flat))

    def on_end(self, event: Event) -> list[StreamEvent]:
        """The end, with the whole answer once more: what did not come whole before comes now."""
        answer = event.response or Answer()
        events: list[StreamEvent] = []
        output = answer.output or []
        is_told = self._assembly.has_content or bool(self._refusals)
        # Some servers number the items anew at the end: filling in by number would mix them up.
        if not is_told or self._is_same(output):
            for index, item in enumerate(output):
                if index not in self._done:
                    events += self._complete(index, item)
        usage = read_usage(answer.usage)
        if usage is not None:
            events += self._assembly.report_usage(usage)
        return events + self._finish(event.type.removeprefix("response."), answer)

    def _is_same(self, output: list[dict[str, Any]]) -> bool:
        """Whether the items at the end stand where they stood before: not on every server."""
        kinds = [read_item(item).type for item in output]
        return all(0 <= at < len(kinds) and kinds[at] == kind for at, kind in self._kinds.items())

    def _finish(self, status: str, answer: Answer) -> list[StreamEvent]:
        details = answer.incomplete_details
        raw = (details.reason if details else None) or status
        finish = self._assembly.finish
        if status == "failed":
            return finish("error", raw_reason=raw, failure=read_problem(answer.error))
        if status == "cancelled":
            failure = Failure("cancelled", "The answer was cancelled at the provider.")
            return finish("error", raw_reason=raw, failure=failure)
        if status == "incomplete" and raw in INCOMPLETE:
            return finish(INCOMPLETE[raw], raw_reason=raw)
        if self._refusals:
            words = "".join(piece for pieces in self._refusals.values() for piece in pieces)
            raw = f"refusal: {encodable(words)}"
            return finish("refusal", raw_reason=raw, explanation=words)
        if not self._assembly.has_content:
            failure = Failure("upstream", "The model answered nothing.", code="empty_answer")
            return finish("error", raw_reason=raw, failure=failure)
        return finish("tool_use" if self._assembly.has_calls else "end_turn", raw_reason=raw)


HANDLERS: dict[str, Callable[[ResponsesReader, Event], list[StreamEvent]]] = {
    "response.output_text.delta": ResponsesReader.on_text_delta,
    "response.function_call_arguments.delta": ResponsesReader.on_arguments_delta,
    "response.reasoning_summary_text.delta": ResponsesReader.on_summary_delta,
    "response.reasoning_text.delta": ResponsesReader.on_reasoning_delta,
    "response.refusal.delta": ResponsesReader.on_refusal_delta,
    "response.created": ResponsesReader.on_start,
    "response.queued": ResponsesReader.on_start,
    "response.in_progress": ResponsesReader.on_start,
    "response.output_item.added": ResponsesReader.on_item_added,
    "response.output_item.done": ResponsesReader.on_item_done,
    "response.output_text.done": ResponsesReader.on_text_done,
    "response.refusal.done": ResponsesReader.on_refusal_done,
    "response.reasoning_summary_text.done": ResponsesReader.on_summary_done,
    "response.reasoning_text.done": ResponsesReader.on_reasoning_done,
    "response.function_call_arguments.done": ResponsesReader.on_arguments_done,
    "response.completed": ResponsesReader.on_end,
    "response.incomplete": ResponsesReader.on_end,
    "response.failed": ResponsesReader.on_end,
    "response.cancelled": ResponsesReader.on_end,
    "error": ResponsesReader.on_error,
}
