from hypothesis import given
from hypothesis import strategies as st

from recto.messages import (
    Failure,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    assistant,
    encodable,
    encodable_json,
    user,
)


def test_a_message_tells_its_words_calls_and_results() -> None:
    call = ToolCall("c", "read", {})
    result = ToolResult("c", "read", ())
    assert assistant("One ", call, Text("two")).text == "One two"
    assert assistant("x", call).calls == (call,)
    assert user(result, "y").results == (result,)


def test_the_prompt_is_everything_that_was_sent() -> None:
    usage = Usage(input=500, cache_read=10_000, cache_write=1500, output=40)
    assert (usage.prompt, usage.context) == (12_000, 12_040)


def test_a_provider_has_the_last_word_on_trying_again() -> None:
    assert Failure("overloaded", "busy").retryable
    assert not Failure("overloaded", "busy", may_retry=False).retryable
    assert not Failure("auth", "no").retryable


@given(st.text())
def test_any_text_can_be_encoded_and_good_text_stays(text: str) -> None:
    assert encodable(text).encode().decode() == encodable(text)


def test_halves_of_a_pair_are_joined_and_single_ones_replaced() -> None:
    assert encodable("\ud83d\ude00 \ud83d") == "😀 \ufffd"
    assert encodable_json({"a\ud800": ["\ud83d\ude00", 1, None]}) == {"a\ufffd": ["😀", 1, None]}
