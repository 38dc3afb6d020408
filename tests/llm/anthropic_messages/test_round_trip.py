"""What is written for a client is read as it was."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recto.llm.assembly import Assembly
from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.messages import Finished, Origin, StopReason, StreamEvent, Usage
from tests.llm.anthropic_messages.requests import (
    arguments,
    ids,
    names,
    unhurried,
    values,
    words,
)
from tests.llm.anthropic_messages.streams import ORIGIN, finished, read_pieces

counts = st.integers(0, 10_000)
reasons: tuple[StopReason, ...] = ("end_turn", "stop_sequence", "max_tokens", "refusal", "pause")


def usages() -> st.SearchStrategy[Usage]:
    """Counts as the end of a stream can tell them: not how long a cache is kept."""
    told = st.builds(Usage, counts, counts, counts, output=counts)
    return st.builds(thought_of, told, counts)


def thought_of(usage: Usage, reasoning: int) -> Usage:
    """The same counts, with so many tokens of thought in the output."""
    return replace(usage, output=usage.output + reasoning, reasoning=reasoning)


@st.composite
def answers(draw: st.DrawFn) -> list[StreamEvent]:
    """Answers that this API's stream can tell.

    Left out: sources of words, callers of calls, and native parts that are not last, which no
    event tells; two texts side by side, which neutral events don't tell apart; failures, which end
    a stream without a reason.
    """
    assembly = Assembly(ORIGIN)
    events = assembly.start("msg_1", "claude-test")
    call_ids = draw(st.lists(ids, unique=True, max_size=4))
    kinds = draw(st.lists(st.sampled_from(["text", "thinking", "redacted", "call"]), max_size=6))
    has_calls = False
    for slot, kind in enumerate(kinds):
        match kind:
            case "text" if slot == 0 or kinds[slot - 1] != "text":
                for piece in draw(st.lists(words, min_size=1, max_size=3)):
                    events += assembly.add_text(piece)
            case "thinking":
                events += assembly.add_thinking(draw(st.text(max_size=8)))
                events += assembly.end_thinking({"signature": draw(ids)})
            case "redacted":
                events += assembly.end_thinking({"redacted": draw(ids)})
            case "call" if call_ids:
                has_calls = True
                events += assembly.open_call(slot, call_ids.pop(), draw(names))
                text = json.dumps(draw(arguments))
                cut = draw(st.integers(0, len(text)))
                for piece in (text[:cut], text[cut:]):
                    events += assembly.add_arguments(slot, piece)
                events += assembly.close_call(slot)
            case _:
                pass
    if draw(st.booleans()):
        block = {"type": "surprise", "value": draw(values)}
        events += assembly.add_native({"block": block})
    events += assembly.report_usage(draw(usages()))
    reason = "tool_use" if has_calls else draw(st.sampled_from(reasons))
    stop = draw(words) if reason == "stop_sequence" else None
    return [*events, *assembly.finish(reason, stop_sequence=stop)]


def alike(one: Finished, other: Finished) -> bool:
    """Whether two answers are the same, besides what the provider called their end."""
    return (one.message, one.reason, one.usage, one.stop_sequence) == (
        other.message,
        other.reason,
        other.usage,
        other.stop_sequence,
    )


@unhurried
@given(answers())
def test_an_answer_that_was_written_is_read_as_it_was(events: list[StreamEvent]) -> None:
    writer = PROTOCOL.writer("msg_1", "claude-test")
    stream = b"".join(writer.write(event) for event in events)
    assert alike(finished(read_pieces([stream])), finished(events))


@unhurried
@given(answers())
def test_an_answer_that_was_written_whole_is_read_as_it_was(events: list[StreamEvent]) -> None:
    whole = PROTOCOL.write_whole(events, "msg_1", "claude-test")
    assert alike(finished(PROTOCOL.read_whole(whole, ORIGIN)), finished(events))


def test_the_protocol_has_its_name() -> None:
    assert PROTOCOL.id == "anthropic-messages" == Origin(PROTOCOL.id, "", "").protocol
