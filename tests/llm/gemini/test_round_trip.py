"""What is lowered can be served, and what is written can be read."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from recto.llm.assembly import Assembly
from recto.llm.protocols.gemini import PROTOCOL
from recto.messages import Finished, Request, StopReason, StreamEvent
from tests.llm.gemini.requests import (
    ARGUMENTS,
    NAMES,
    ORIGIN,
    SIGNATURES,
    TRAITS,
    WORDS,
    requests,
    usages,
)
from tests.llm.gemini.sdk import types
from tests.llm.gemini.streams import finished, read_pieces


@settings(deadline=None)
@given(requests())
def test_a_served_request_is_the_one_that_was_lowered(request: Request) -> None:
    wire = PROTOCOL.lower(request, TRAITS, ORIGIN)
    assert PROTOCOL.serve(wire.body, path=wire.path) == request


@settings(deadline=None)
@given(requests())
def test_google_knows_every_field_of_a_lowered_request(request: Request) -> None:
    body = json.loads(PROTOCOL.lower(request, TRAITS, ORIGIN).body)
    for content in (*body["contents"], *filter(None, [body.get("systemInstruction")])):
        types.Content.model_validate(content)
    for tool in body.get("tools", ()):
        types.Tool.model_validate(tool)
    types.ToolConfig.model_validate(body.get("toolConfig", {}))
    types.GenerationConfig.model_validate(body["generationConfig"])


@st.composite
def answers(draw: st.DrawFn) -> list[StreamEvent]:
    """The events of an answer: thoughts, words, a native part or signature, then calls."""
    made = Assembly(ORIGIN)
    events = made.start("r1", ORIGIN.model)
    for text in draw(st.lists(WORDS, max_size=2)):
        events += made.add_thinking(text)
    for text in draw(st.lists(WORDS, min_size=1, max_size=3)):
        events += made.add_text(text)
    if draw(st.booleans()):
        events += made.open_text() + made.sign_text({"signature": draw(SIGNATURES)})
    if draw(st.booleans()):
        events += made.add_native({"part": {"executableCode": {"code": draw(WORDS)}}})
    names = draw(st.lists(NAMES, max_size=2))
    for slot, name in enumerate(names):
        payload = {"signature": draw(SIGNATURES)} if draw(st.booleans()) else None
        events += made.open_call(slot, f"c{slot}", name, payload)
        events += made.add_arguments(slot, json.dumps(draw(ARGUMENTS)))
        events += made.close_call(slot)
    usage = draw(st.none() | usages())
    events += [] if usage is None else made.report_usage(usage)
    ends: list[tuple[StopReason, str]] = [
        ("tool_use" if names else "end_turn", "STOP"),
        ("max_tokens", "MAX_TOKENS"),
        ("refusal", "SAFETY"),
        ("refusal", "RECITATION: Found elsewhere."),
    ]
    reason, raw = draw(st.sampled_from(ends))
    return events + made.finish(reason, raw_reason=raw)


@settings(deadline=None)
@given(answers())
def test_a_written_stream_reads_as_what_was_told(events: list[StreamEvent]) -> None:
    writer = PROTOCOL.writer("r1", ORIGIN.model)
    data = b"".join(writer.write(event) for event in events)
    assert_same(finished(read_pieces([data], ORIGIN)), finished(events))


@settings(deadline=None)
@given(answers())
def test_a_written_answer_reads_as_what_was_told(events: list[StreamEvent]) -> None:
    data = PROTOCOL.write_whole(events, "r1", ORIGIN.model)
    assert_same(finished(PROTOCOL.read_whole(data, ORIGIN)), finished(events))


def assert_same(found: Finished, told: Finished) -> None:
    """Equal in what an answer is: its message, its end, its usage."""
    assert (found.message, found.reason) == (told.message, told.reason)
    assert (found.raw_reason, found.usage) == (told.raw_reason, told.usage)
