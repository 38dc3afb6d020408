"""Reading what was used."""

from typing import Any

import pytest

from recto.llm.protocols.openai_chat.usage import read_usage, write_usage
from recto.messages import Finished, StreamEvent, Usage, UsageReported, assistant
from tests.llm.openai_chat.streams import (
    DONE,
    USAGE,
    chunk,
    finish_of,
    frame,
    head,
    read,
    text,
    usage,
)


def reports(events: list[StreamEvent]) -> list[Usage]:
    return [event.usage for event in events if isinstance(event, UsageReported)]


def continuous(words: str, output: int, finish: str | None = None) -> bytes:
    numbers = {"prompt_tokens": 10, "completion_tokens": output}
    return chunk({"content": words}, finish, usage=numbers)


def test_C22_usage_on_every_chunk_replaces_what_came_before() -> None:
    events = read(continuous("a", 1), continuous("b", 2), continuous("c", 3, "stop"), DONE)
    assert reports(events) == [
        Usage(10, output=1, source="partial"),
        Usage(10, output=2, source="partial"),
        Usage(10, output=3),
    ]
    assert finish_of(events).usage == Usage(10, output=3)


def test_C23_usage_with_the_finish_is_taken() -> None:
    events = read(
        text("Hi"), chunk({}, "stop", usage={"prompt_tokens": 10, "completion_tokens": 1}), DONE
    )
    assert finish_of(events).usage == Usage(10, output=1)


def test_usage_before_an_end_without_reason_is_final_at_the_end() -> None:
    events = read(text("Hi"), usage(), DONE)
    assert reports(events) == [Usage(10, output=4, source="partial"), Usage(10, output=4)]


def test_an_answer_without_usage_leaves_it_unknown() -> None:
    finished = finish_of(read(text("Hi"), chunk({}, "stop"), DONE))
    assert finished == Finished("end_turn", assistant("Hi"), None, raw_reason="stop")


def test_U4_a_broken_stream_keeps_the_last_report_as_partial() -> None:
    finished = finish_of(read(continuous("a", 1), continuous("b", 2), text("c")))
    assert finished.reason == "error"
    assert finished.usage == Usage(10, output=2, source="partial")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(
            {
                "prompt_tokens": 12000,
                "completion_tokens": 0,
                "prompt_tokens_details": {"cached_tokens": 10000},
            },
            Usage(2000, cache_read=10000),
            id="U2",
        ),
        pytest.param(
            {
                "prompt_tokens": 100,
                "prompt_tokens_details": {"cached_tokens": 500, "cache_write_tokens": 9},
            },
            Usage(0, cache_read=100),
            id="U6",
        ),
        pytest.param(
            {
                "prompt_tokens": 1000,
                "completion_tokens": 50,
                "prompt_tokens_details": {
                    "cached_tokens": 600,
                    "cache_write_tokens": 300,
                    "audio_tokens": 0,
                },
                "completion_tokens_details": {"reasoning_tokens": 40},
            },
            Usage(100, cache_read=600, cache_write=300, output=50, reasoning=40),
            id="all",
        ),
        pytest.param(
            {
                "prompt_tokens": 5,
                "completion_tokens": 6,
                "prompt_tokens_details": None,
                "completion_tokens_details": {"reasoning_tokens": None},
            },
            Usage(5, output=6),
            id="null-details",
        ),
        pytest.param(
            {
                "prompt_tokens": 10,
                "completion_tokens": 9,
                "total_tokens": 331,
                "completion_tokens_details": {"reasoning_tokens": 312},
            },
            Usage(10, output=321, reasoning=312),
            id="xai",
        ),
        pytest.param(
            {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 80},
            Usage(7, output=73),
            id="gemini-compatible",
        ),
        pytest.param(
            {"prompt_tokens": 10, "completion_tokens": 9, "total_tokens": 3},
            Usage(10, output=9),
            id="total-too-small",
        ),
        pytest.param(
            {"prompt_tokens": 19, "completion_tokens": 13, "cached_tokens": 12},
            Usage(7, cache_read=12, output=13),
            id="moonshot",
        ),
        pytest.param({"prompt_tokens": -5, "completion_tokens": 6.0}, Usage(0, output=6), id="odd"),
        pytest.param(
            {"prompt_tokens": float("inf"), "completion_tokens": "many"}, Usage(), id="no-number"
        ),
        pytest.param({}, None, id="empty"),
        pytest.param({"prompt_tokens": None, "completion_tokens": None}, None, id="null"),
        pytest.param([1], None, id="list"),
    ],
)
def test_counts_leave_out_the_cache_and_are_never_negative(
    found: Any, expected: Usage | None
) -> None:
    assert read_usage(found, "final") == expected


def test_usage_of_no_sense_is_no_reason_to_stop_reading() -> None:
    odd = frame({**head(), "choices": [], "usage": "a lot"})
    finished = finish_of(read(text("Hi"), odd, chunk({}, "stop"), odd, DONE))
    assert finished == Finished("end_turn", assistant("Hi"), raw_reason="stop")


def test_groq_tells_what_was_used_in_a_field_of_its_own() -> None:
    first = chunk({"role": "assistant", "content": ""}, x_groq={"id": "req_1"})
    last = chunk({}, "stop", x_groq={"id": "req_1", "usage": {**USAGE, "queue_time": 0.1}})
    assert finish_of(read(first, text("Hi"), last, DONE)).usage == Usage(10, output=4)


def test_usage_is_written_as_it_is_read() -> None:
    used = Usage(100, cache_read=600, cache_write=300, output=50, reasoning=40)
    assert write_usage(used) == {
        "prompt_tokens": 1000,
        "completion_tokens": 50,
        "total_tokens": 1050,
        "prompt_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 300},
        "completion_tokens_details": {"reasoning_tokens": 40},
    }
    assert read_usage(write_usage(used), "final") == used
