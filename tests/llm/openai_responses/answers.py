"""Answers as neutral events, for round trips through this API.

Left out, because a stream has no word for it: phases of messages (only the end tells them), words
in two parts in a row, blocks that only the provider knows in the middle of an answer, and thoughts
that say nothing and are not sealed.
"""

from typing import Any

from hypothesis import strategies as st

from recto.llm.assembly import Assembly
from recto.messages import Failure, Finished, StopReason, StreamEvent, Usage
from tests.llm.openai_responses.requests import ids, names, words
from tests.llm.openai_responses.streams import ORIGIN

counts = st.integers(0, 10**6)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    """A count that adds up."""
    written, output = draw(counts), draw(counts)
    return Usage(
        input=draw(counts),
        cache_read=draw(counts),
        cache_write=written,
        cache_write_long=draw(st.integers(0, written)),
        output=output,
        reasoning=draw(st.integers(0, output)),
    )


def pieces(text: str) -> list[str]:
    """A text as a stream tells it."""
    return [text[at : at + 3] for at in range(0, len(text), 3)]


@st.composite
def parts(draw: st.DrawFn, assembly: Assembly, slot: int, before: str) -> tuple[str, list[Any]]:
    """One more part of an answer: its kind and its events."""
    kind = draw(st.sampled_from([item for item in ("text", "thinking", "call") if item != before]))
    events: list[StreamEvent] = []
    if kind == "text":
        for piece in pieces(draw(words)):
            events += assembly.add_text(piece)
    elif kind == "thinking":
        summary = draw(words)
        for piece in pieces(summary):
            events += assembly.add_thinking(piece)
        seal = {"id": "rs_1", "encrypted_content": draw(ids), "summary": [summary]}
        events += assembly.end_thinking(draw(st.sampled_from([seal, None])))
    else:
        events += assembly.open_call(slot, draw(ids), draw(names))
        for piece in pieces(draw(st.sampled_from(["", "{}", '{"a":[1,"é"]}', "{nonsense"]))):
            events += assembly.add_arguments(slot, piece)
        events += assembly.close_call(slot)
    return ("" if kind == "call" else kind), events


@st.composite
def answers(draw: st.DrawFn) -> list[StreamEvent]:
    """Any answer that a stream of the API can tell, from its start to its end."""
    assembly = Assembly(ORIGIN)
    events = assembly.start("resp_1", "gpt-6-sol")
    before = ""
    for slot in range(draw(st.integers(1, 4))):
        before, more = draw(parts(assembly, slot, before))
        events += more
    usage = draw(st.none() | usages())
    if usage is not None:
        events += assembly.report_usage(usage)
    return events + draw(ends(assembly))


@st.composite
def ends(draw: st.DrawFn, assembly: Assembly) -> list[StreamEvent]:
    """The end of an answer."""
    natural: StopReason = "tool_use" if assembly.has_calls else "end_turn"
    reasons: list[StopReason] = [natural, "max_tokens", "refusal", "pause", "error"]
    reason = draw(st.sampled_from(reasons))
    if reason == "error":
        failure = Failure("overloaded", "Busy.", status=503, code="server_is_overloaded")
        return assembly.finish(reason, failure=failure, raw_reason="failed")
    raw = draw(st.sampled_from([None, "refusal: No.", "SAFETY", "max_messages"]))
    return assembly.finish(reason, raw_reason=raw)


def end_of(events: list[StreamEvent]) -> Finished:
    """How an answer ended."""
    end = events[-1]
    assert isinstance(end, Finished)
    return end
