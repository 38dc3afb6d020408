"""Reading words, thoughts, ends and errors of a stream."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.llm.protocols.openai_chat import PROTOCOL
from recto.messages import (
    Failure,
    Finished,
    Message,
    ProviderData,
    Started,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    TokenProbability,
    ToolCall,
    Usage,
    UsageReported,
    assistant,
)
from tests.examples import examples
from tests.llm.openai_chat.streams import (
    DONE,
    ORIGIN,
    call,
    chunk,
    finish_of,
    frame,
    head,
    read,
    read_pieces,
    role,
    text,
    usage,
)

FINAL = Usage(input=10, output=4)
STARTED = Started("chatcmpl-1", "llama")
NOTHING = Message("assistant", ())


def thinking(words: str, field: str) -> Thinking:
    return Thinking(words, ProviderData(ORIGIN, {"field": field}))


def test_C1_role_text_finish_usage_and_done_are_read() -> None:
    events = read(role(), text("Hel"), text("lo"), chunk({}, "stop"), usage(), DONE)
    assert events == [
        STARTED,
        TextDelta("Hel"),
        TextDelta("lo"),
        UsageReported(FINAL),
        Finished("end_turn", assistant("Hello"), FINAL, raw_reason="stop"),
    ]


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        ({"content": None}, ""),
        ({"content": ""}, ""),
        ({}, ""),
        ({"content": [{"type": "text", "text": "par"}, {"type": "text", "text": "ts"}]}, "parts"),
    ],
    ids=["C13-null", "C13-empty", "C13-missing", "C13-list"],
)
def test_content_may_be_nothing_or_a_list_of_parts(delta: object, words: str) -> None:
    finished = finish_of(read(chunk(delta), text("!"), chunk({}, "stop"), DONE))
    assert finished.message == assistant(f"{words}!")


def test_C14_thoughts_under_two_names_are_told_once() -> None:
    both = chunk({"reasoning_content": "Hm. ", "reasoning": "Hm. "})
    events = read(role(), both, text("Yes"), chunk({}, "stop"), DONE)
    assert events == [
        STARTED,
        ThinkingStarted(),
        ThinkingDelta("Hm. "),
        ThinkingEnded(ProviderData(ORIGIN, {"field": "reasoning_content"})),
        TextDelta("Yes"),
        Finished(
            "end_turn",
            assistant(thinking("Hm. ", "reasoning_content"), "Yes"),
            raw_reason="stop",
        ),
    ]


def test_thoughts_under_the_newer_name_remember_it() -> None:
    finished = finish_of(read(chunk({"reasoning": "Hm."}), chunk({}, "stop"), DONE))
    assert finished.message == assistant(thinking("Hm.", "reasoning"))


def test_thoughts_that_are_no_text_are_passed_over() -> None:
    odd = chunk({"reasoning": {"effort": "low"}, "content": "Yes"})
    assert finish_of(read(odd, chunk({}, "stop"), DONE)).message == assistant("Yes")


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100], ids=lambda size: f"C15-{size}")
def test_think_tags_split_over_chunks_become_thoughts(size: int) -> None:
    words = "\n<think>a < b </thin</think>\n\nYes, <think> is a tag."
    pieces = [text(words[at : at + size]) for at in range(0, len(words), size)]
    finished = finish_of(read_pieces([*pieces, chunk({}, "stop"), DONE]))
    thought = thinking("a < b </thin", "reasoning_content")
    assert finished.message == assistant(thought, "Yes, <think> is a tag.")


def test_several_thoughts_before_the_words_are_all_thoughts() -> None:
    words = ["<thi", "nk>a</th", "ink>", "<think>b</think>\n", "<think>", "c</think> <b>", " Yes"]
    finished = finish_of(read(*map(text, words), chunk({}, "stop"), DONE))
    assert finished.message == assistant(thinking("abc", "reasoning_content"), "<b> Yes")


@pytest.mark.parametrize("words", ["<thi", "\n <", "<b>x</b>", " "])
def test_words_that_only_begin_like_a_think_tag_are_words(words: str) -> None:
    finished = finish_of(read(text(words), chunk({}, "stop"), DONE))
    assert finished.message == assistant(words)


@pytest.mark.parametrize("words", ["<think>Hm", "<think>Hm</think>", "<think>Hm</think>\n"])
def test_an_answer_of_nothing_but_tagged_thoughts_has_no_words(words: str) -> None:
    finished = finish_of(read(text(words), chunk({}, "stop"), DONE))
    assert finished.message == assistant(thinking("Hm", "reasoning_content"))


def test_C16_a_refusal_ends_as_one() -> None:
    pieces = [chunk({"refusal": "I can't "}), chunk({"refusal": "do that."})]
    finished = finish_of(read(role(), *pieces, chunk({}, "stop"), DONE))
    assert finished == Finished("refusal", assistant("I can't do that."), raw_reason="stop")


@pytest.mark.parametrize(
    ("raw", "told"),
    [(None, None), ("", None), ("eos", "eos")],
    ids=["C17-null", "C18-empty", "C18-unknown"],
)
def test_an_end_without_a_known_reason_is_an_end(raw: str | None, told: str | None) -> None:
    finished = finish_of(read(text("Hi"), chunk({}, raw), DONE))
    assert finished == Finished("end_turn", assistant("Hi"), raw_reason=told)


def test_C19_after_a_finish_reason_nothing_more_needs_to_come() -> None:
    finished = finish_of(read(text("Hi"), chunk({}, "stop")))
    assert finished == Finished("end_turn", assistant("Hi"), raw_reason="stop")


def test_a_connection_lost_after_the_finish_reason_is_no_loss() -> None:
    lost = Failure("network", "The connection was lost.")
    finished = finish_of(read(text("Hi"), chunk({}, "stop"), failure=lost))
    assert finished == Finished("end_turn", assistant("Hi"), raw_reason="stop")


def test_an_answer_that_breaks_off_keeps_its_words() -> None:
    finished = finish_of(read(role(), text("Hal")))
    failure = Failure("network", "The answer broke off before its end.")
    assert finished == Finished("error", assistant("Hal"), failure=failure)


def test_an_answer_cut_by_a_failure_names_it() -> None:
    failure = Failure("timeout", "No answer in 90 seconds.")
    finished = finish_of(read(role(), text("Hal"), failure=failure))
    assert finished == Finished("error", assistant("Hal"), failure=failure)


def test_a_last_chunk_cut_in_the_middle_broke_off() -> None:
    finished = finish_of(read(text("Hal"), text("lo")[:-40]))
    assert finished.message == assistant("Hal")
    assert finished.failure == Failure("network", "The answer broke off before its end.")


@pytest.mark.parametrize("after", [text("lo"), DONE])
def test_data_that_is_no_chunk_is_an_error_when_more_follows(after: bytes) -> None:
    finished = finish_of(read(text("Hal"), b"data: <html>\n\n", after))
    assert (finished.reason, finished.message) == ("error", assistant("Hal"))
    assert finished.failure is not None
    assert (finished.failure.kind, finished.failure.code) == ("upstream", "malformed")


def test_events_of_other_names_are_passed_over() -> None:
    named = b"event: metadata\ndata: not json\n\n"
    own = frame({"metadata": {"confidence": 0.9}})
    finished = finish_of(read(named, text("Hi"), named, chunk({}, "stop"), own, DONE))
    assert finished.message == assistant("Hi")


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        ({"error": {"message": "Busy", "code": "server_is_overloaded"}}, "overloaded", None),
        ({"error": {"message": "Slow down", "code": 429}}, "rate_limit", "429"),
        ({"error": "Out of memory"}, "upstream", None),
        ({"object": "error", "message": "Bad", "code": 400}, "invalid_request", "400"),
    ],
    ids=["C20-object", "C20-number", "C20-text", "C20-flat"],
)
def test_an_error_in_the_stream_ends_it(error: object, kind: str, code: str | None) -> None:
    finished = finish_of(read(role(), text("Hal"), frame(error), text("lo"), DONE))
    assert (finished.reason, finished.message) == ("error", assistant("Hal"))
    assert finished.failure is not None
    assert finished.failure.kind == kind
    assert finished.failure.code in (code, "server_is_overloaded")


@pytest.mark.parametrize("data", [b"Out of memory", b'{"message": "Out of memory"}'])
def test_an_event_named_error_is_one_whatever_its_shape(data: bytes) -> None:
    finished = finish_of(read(role(), b"event: error\ndata: " + data + b"\n\n"))
    assert finished.failure == Failure("upstream", "Out of memory")


@pytest.mark.parametrize(
    "odd",
    [
        frame({**head(), "choices": None}),
        frame({**head(), "choices": []}),
        frame(head()),
        chunk(None),
        frame({}),
    ],
    ids=["C21-choices-null", "C21-choices-empty", "C21-no-choices", "C21-delta-null", "C21-{}"],
)
def test_chunks_without_content_are_skipped(odd: bytes) -> None:
    finished = finish_of(read(odd, text("a"), odd, text("b"), odd, chunk({}, "stop"), DONE))
    assert finished == Finished("end_turn", assistant("ab"), raw_reason="stop")


def test_an_answer_begins_with_its_id_not_with_the_filters_before_it() -> None:
    filters = frame({"id": "", "model": "", "choices": [], "prompt_filter_results": []})
    assert read(filters, text("Hi"), chunk({}, "stop"), DONE)[0] == STARTED


def test_C24_a_filtered_answer_keeps_its_words() -> None:
    finished = finish_of(read(text("Half an"), chunk({}, "content_filter"), DONE))
    assert finished == Finished("refusal", assistant("Half an"), raw_reason="content_filter")


def test_C25_only_the_first_of_several_choices_is_read() -> None:
    choices = [{"index": at, "delta": {"content": f"{at}"}, "finish_reason": None} for at in (1, 0)]
    finished = finish_of(read(frame({**head(), "choices": choices}), chunk({}, "stop"), DONE))
    assert finished.message == assistant("0")


def test_C30_comments_are_passed_over() -> None:
    note = b": OPENROUTER PROCESSING\n\n"
    finished = finish_of(read(note, role(), note, text("Hi"), note, chunk({}, "stop"), DONE))
    assert finished.message == assistant("Hi")


def test_an_end_at_the_limit_is_told() -> None:
    finished = finish_of(read(text("Hal"), chunk({}, "length"), DONE))
    assert finished == Finished("max_tokens", assistant("Hal"), raw_reason="length")


def test_an_empty_answer_with_a_reason_is_an_empty_answer() -> None:
    finished = finish_of(read(role(), chunk({}, "stop"), DONE))
    assert finished == Finished("end_turn", NOTHING, raw_reason="stop")


@pytest.mark.parametrize(
    "frames", [[DONE], [role(), DONE], [role(), chunk({}, "tool_calls"), DONE]]
)
def test_an_answer_without_content_or_reason_is_an_error(frames: list[bytes]) -> None:
    finished = finish_of(read(*frames))
    assert finished.reason == "error"
    assert finished.failure is not None
    assert (finished.failure.kind, finished.failure.code) == ("upstream", "empty_answer")


def test_a_finish_that_says_error_is_an_error() -> None:
    finished = finish_of(read(text("Hal"), chunk({}, "error"), DONE))
    assert (finished.reason, finished.raw_reason) == ("error", "error")
    assert finished.message == assistant("Hal")


def test_what_follows_the_end_is_passed_over() -> None:
    finished = finish_of(read(text("Hi"), chunk({}, "stop"), DONE, text("more"), DONE))
    assert finished.message == assistant("Hi")


def test_how_likely_tokens_were_comes_with_their_words_even_if_those_waited() -> None:
    def told(token: str) -> bytes:
        logprobs: Any = {"content": [{"token": token, "logprob": -0.5}]}
        choice = {"index": 0, "delta": {"content": token}, "logprobs": logprobs}
        return frame({**head(), "choices": [choice]})

    def likely(token: str) -> TokenProbability:
        return TokenProbability(token, -0.5)

    events = read(told("\n"), told("a"), told("b"), chunk({}, "stop"), DONE)
    assert events[1:3] == [
        TextDelta("\na", (likely("\n"), likely("a"))),
        TextDelta("b", (likely("b"),)),
    ]


def test_a_pair_of_surrogates_over_two_chunks_is_one_character() -> None:
    finished = finish_of(read(text("\ud83d"), text("\ude00"), chunk({}, "stop"), DONE))
    assert finished.message == assistant("😀")


@pytest.mark.parametrize("field", ["usage", "error", "unknown"])
def test_data_nested_too_deeply_is_an_error_not_a_crash(field: str) -> None:
    deep = b'data: {"%s": %s%s}\n\n' % (field.encode(), b"[" * 100_000, b"]" * 100_000)
    finished = finish_of(read_pieces([text("Hi"), deep, DONE]))
    assert finished.message == assistant("Hi")
    assert finished.failure is not None
    assert finished.failure.code == "malformed"


def test_numbers_as_text_are_no_reason_to_stop_reading() -> None:
    odd = frame({**head(), "choices": [{"index": "0", "delta": {"content": "Hi"}}]})
    assert finish_of(read(odd, chunk({}, "stop"), DONE)).message == assistant("Hi")


LONG = b"".join(
    [
        role(),
        chunk({"reasoning_content": "Let me see… "}),
        *(text(f"wörd {at} 😀\u2028") for at in range(40)),
        call(index=0, id="a", name="read", arguments=""),
        *(call(index=0, arguments=piece) for piece in '{"path": "ä.md"}'),
        chunk({}, "tool_calls"),
        usage(),
        DONE,
    ]
)


@settings(deadline=None, max_examples=examples(20))
@given(st.randoms(use_true_random=False))
def test_a_long_stream_reads_the_same_in_any_pieces(chance: random.Random) -> None:
    cuts = sorted(chance.sample(range(len(LONG)), chance.randint(0, 200)))
    pieces = [LONG[start:end] for start, end in zip([0, *cuts], [*cuts, len(LONG)], strict=True)]
    assert read_pieces(pieces) == read_pieces([LONG])


def test_a_long_stream_is_exact() -> None:
    finished = finish_of(read_pieces([LONG[at : at + 1] for at in range(len(LONG))]))
    assert finished.message == assistant(
        thinking("Let me see… ", "reasoning_content"),
        "".join(f"wörd {at} 😀\u2028" for at in range(40)),
        ToolCall("a", "read", {"path": "ä.md"}),
    )


def test_a_whole_answer_is_read_as_its_stream_would_be() -> None:
    message = {"role": "assistant", "content": "Hello", "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    whole = {**head(), "choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 4}}
    assert PROTOCOL.read_whole(json.dumps(whole).encode(), ORIGIN) == [
        STARTED,
        TextDelta("Hello"),
        UsageReported(FINAL),
        Finished("end_turn", assistant("Hello"), FINAL, raw_reason="stop"),
    ]


def test_a_whole_answer_has_calls_without_index_and_thoughts_between_tags() -> None:
    calls = [{"function": {"name": "read", "arguments": {"at": at}}} for at in (1, 2)]
    message = {"content": "<think>Hm</think>\n\nNow", "tool_calls": calls}
    whole = {**head(), "choices": [{"message": message, "finish_reason": "stop"}]}
    finished = finish_of(PROTOCOL.read_whole(json.dumps(whole).encode(), ORIGIN))
    assert finished.reason == "tool_use"
    assert finished.message.text == "Now"
    assert [dict(call.arguments) for call in finished.message.calls] == [{"at": 1}, {"at": 2}]
    assert len({call.id for call in finished.message.calls}) == 2


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (
            b"<html>Bad gateway</html>",
            Failure("upstream", "<html>Bad gateway</html>", code="malformed"),
        ),
        (b'{"error": {"message": "No", "code": 402}}', Failure("quota", "No", "", 402, "402")),
        (
            b'{"object": "error", "message": "No", "code": 500}',
            Failure("upstream", "No", "", 500, "500"),
        ),
        (
            b'{"choices": []}',
            Failure("upstream", "The provider sent an empty answer.", code="empty_answer"),
        ),
    ],
)
def test_a_whole_answer_that_is_none_is_an_error(body: bytes, failure: Failure) -> None:
    assert finish_of(PROTOCOL.read_whole(body, ORIGIN)) == Finished(
        "error", NOTHING, failure=failure
    )


FIELDS = ["choices", "delta", "content", "tool_calls", "function", "arguments", "name", "id"]
MORE = ["index", "finish_reason", "usage", "error", "message", "reasoning", "text", "logprobs"]
hostile = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "stop", "{}", "<think>"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(FIELDS + MORE), inner, max_size=4)
        | inner.map(lambda delta: {"choices": [{"delta": delta}]})
        | inner.map(lambda call: {"choices": [{"delta": {"tool_calls": [call]}}]})
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=examples(40))
@given(
    st.lists(hostile.map(frame) | st.binary(max_size=20).map(lambda raw: b"data: " + raw + b"\n\n"))
)
def test_whatever_comes_there_is_one_end(frames: list[bytes]) -> None:
    finish_of(read_pieces([text("Hi"), *frames, chunk({}, "stop"), DONE]))
    for item in frames:
        finish_of(PROTOCOL.read_whole(item.removeprefix(b"data: "), ORIGIN))
