"""What goes when a conversation is longer than the window, in which order, and how it is said."""

from dataclasses import replace
from functools import partial

import pytest

from recto.context import (
    Conversation,
    Prompt,
    TokenCalibration,
    TokenCounter,
    TooLong,
    build_prompt,
    tokens,
)
from recto.context.conversation import ModelFacts, Window
from recto.context.repair import LEFT_OUT
from recto.messages import (
    Document,
    ProviderData,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.context.facts import BOUND, HERE, PLAIN, Story, attached, count_words, with_room, words


def build(story: Story, model: ModelFacts) -> Prompt:
    prompt = build_prompt(Conversation("", tuple(story.spoken)), model)
    assert isinstance(prompt, Prompt)
    assert prompt.tokens <= model.window.room
    return prompt


def refused(story: Story, model: ModelFacts) -> TooLong:
    answer = build_prompt(Conversation("", tuple(story.spoken)), model)
    assert isinstance(answer, TooLong)
    return answer


def turns(count: int, size: int = 10) -> Story:
    story = Story()
    for number in range(count):
        story.say(f"Question {number} {words(size)}").say(assistant(f"Answer {number}"))
    return story.say("The last question")


def step(number: int, size: int) -> tuple[ToolCall, ToolResult]:
    call_id = f"c{number}"
    result = ToolResult(call_id, "read", (Text(f"result {number} {words(size)}"),))
    return ToolCall(call_id, "read", {}), result


def test_the_first_and_the_last_request_stay_and_the_middle_goes() -> None:
    prompt = build(turns(20), with_room(150))
    told = "\n".join(message.text for message in prompt.messages)
    assert prompt.messages[0].text.startswith("Question 0")
    assert prompt.messages[-1].text == "The last question"
    assert "Question 1 " not in told
    assert "Question 19" in told


def test_a_word_stands_where_messages_are_missing_and_each_is_named() -> None:
    prompt = build(turns(20), with_room(150))
    dropped = [item.entry_id for item in prompt.left_out]
    assert dropped == [str(number) for number in range(2, 2 + len(dropped))]
    assert len(dropped) % 2 == 0
    assert LEFT_OUT in prompt.messages[2].text
    assert {item.why for item in prompt.left_out} == {
        "the conversation is longer than the model's window"
    }
    assert [item.what for item in prompt.left_out[:2]] == ["your message", "the answer"]


def test_most_requests_begin_with_the_one_before_although_turns_are_left_out() -> None:
    model, story, broken = with_room(400, BOUND), turns(0), 0
    before = build(story, model)
    for number in range(60):
        after = build(story.say(assistant("Yes.")).say(f"Question {number} {words(5)}"), model)
        is_same = after.messages[: len(before.messages)] == before.messages
        assert is_same or len(after.left_out) > len(before.left_out)
        broken += not is_same
        before = after
    assert 0 < broken <= 10


def test_a_pinned_message_is_never_left_out() -> None:
    story = turns(20)
    story.spoken[4] = replace(story.spoken[4], pinned=True)
    prompt = build(story, with_room(150))
    assert any("Question 2 " in message.text for message in prompt.messages)
    assert "4" not in {item.entry_id for item in prompt.left_out}


def test_a_call_and_its_result_go_together() -> None:
    story = Story().say("First")
    for number in range(20):
        call, result = step(number, 5)
        story.say(f"Question {number}").say(assistant(call)).say(user(result))
        story.say(assistant("Done."))
    prompt = build(story.say("Last"), with_room(300))
    calls = {call.id for message in prompt.messages for call in message.calls}
    results = {item.call_id for message in prompt.messages for item in message.results}
    assert calls == results
    assert 0 < len(calls) < 20


def test_the_older_steps_of_a_long_turn_go_before_the_newer() -> None:
    story = Story().say("Do it.")
    for number in range(30):
        call, result = step(number, 20)
        story.say(assistant(call)).say(user(result))
    prompt = build(story, with_room(400))
    kept = [call.id for message in prompt.messages for call in message.calls]
    assert kept == [f"c{number}" for number in range(30 - len(kept), 30)]
    assert len(kept) > 3
    assert prompt.messages[0].text.startswith("Do it.")


def test_a_file_that_is_larger_than_the_window_is_cut_and_says_so() -> None:
    story = Story().say("Read it.", attached("a.md", f"begin {words(5000)} end"))
    prompt = build(story, with_room(1000))
    (message,) = prompt.messages
    assert "begin word" in message.text
    assert "characters are left out here.]" in message.text
    assert "word end\n</file" in message.text
    (cut,) = prompt.left_out
    assert (cut.entry_id, cut.what) == ("0", "a.md")
    assert cut.why.startswith("only its beginning and end are sent, ")


def test_a_tool_result_that_is_too_long_is_cut() -> None:
    call, result = step(1, 5000)
    story = Story().say("Read.").say(assistant(call)).say(user(result))
    prompt = build(story, with_room(1000))
    assert [item.what for item in prompt.left_out] == ["the result of read"]
    assert prompt.messages[-1].results[0].call_id == "c1"


def test_a_large_file_leaves_room_for_the_conversation() -> None:
    story = turns(3)
    story.spoken.pop()
    prompt = build(story.say("Now this.", attached("a.md", words(5000))), with_room(1000))
    assert [item.what for item in prompt.left_out] == ["a.md"]


def test_a_first_message_that_is_too_long_is_cut_once_it_is_not_the_last() -> None:
    story = Story().say(words(5000)).say(assistant("What?")).say("Go on.")
    prompt = build(story, with_room(1000))
    assert [(item.entry_id, item.what) for item in prompt.left_out] == [("0", "your message")]
    assert "characters are left out here.]" in prompt.messages[0].text


def test_a_request_that_is_too_long_by_itself_is_refused_with_words() -> None:
    answer = refused(Story().say("First").say(assistant("1")).say(words(5000)), with_room(1000))
    assert (answer.what, answer.what_tokens, answer.room) == ("your message", 5000, 1000)
    assert answer.failure.kind == "context_length"
    assert "The largest part is your message, with 5,000." in answer.failure.message


def test_a_refused_request_does_not_stand_in_the_way_of_the_next() -> None:
    story = Story().say("First").say(assistant("1")).say(words(5000)).say("Short now.")
    prompt = build(story, with_room(1000))
    assert prompt.messages[-1].text.endswith("Short now.")
    assert [item.entry_id for item in prompt.left_out] == ["2"]


def test_a_system_prompt_that_is_too_long_is_named() -> None:
    conversation = Conversation(words(500), tuple(Story().say("Hi").spoken))
    answer = build_prompt(conversation, with_room(100))
    assert isinstance(answer, TooLong)
    assert answer.what == "the system prompt"


def test_a_document_that_is_too_large_is_named() -> None:
    story = Story().say(user("Read.", Document("application/pdf", b"", "big.pdf")))
    assert refused(story, with_room(20)).what == "big.pdf"


def test_pinned_words_are_never_cut() -> None:
    story = Story().say(words(900), pinned=True).say(assistant("1")).say(words(200))
    assert refused(story, with_room(1000)).what == "your message"


def test_thoughts_take_room() -> None:
    thought = Thinking(words(400), ProviderData(HERE, {"signature": "s"}))
    story = Story().say("One").say(assistant(thought, "1")).say("Two").say(assistant("2"))
    prompt = build(story.say("Three"), with_room(300))
    assert "1" in {item.entry_id for item in prompt.left_out}


def test_old_versions_of_a_file_go_first_when_room_is_short() -> None:
    story = Story()
    for number in range(10):
        story.say(f"Version {number}", attached("a.md", f"{number} {words(100)}"))
        story.say(assistant("Seen."))
    prompt = build(story.say("Compare."), with_room(800, BOUND))
    assert {item.what for item in prompt.left_out} == {"a.md"}
    assert "9 word" in prompt.messages[-3].text


def test_a_file_that_was_only_referred_to_is_shown_when_its_first_copy_goes() -> None:
    story = Story().say("First").say(assistant("1"))
    story.say("See", attached("a.md", "the content")).say(assistant(words(300)))
    story.say("Again", attached("a.md", "the content")).say(assistant(words(300)))
    prompt = build(story.say("Last"), with_room(500, BOUND))
    told = "".join(message.text for message in prompt.messages)
    assert "2" in {item.entry_id for item in prompt.left_out}
    assert told.count("the content") == 1
    assert "is unchanged" not in told


def test_what_was_counted_once_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "KNOWN", {})
    story = Story()
    for number in range(5000):
        story.say(f"Question {number}. {words(60)}").say(assistant(f"Answer {number}. {words(60)}"))
    story.say("Last")
    counter = TokenCounter(TokenCalibration())
    model = ModelFacts(HERE, Window(200_000, 16_000), partial(counter.part, model="m"))
    first = build(story, model)

    def no_tokenizer(text: str) -> None:
        raise AssertionError(f"counted again: {text[:40]}")

    monkeypatch.setattr(tokens, "tokenize", no_tokenizer)
    assert build(story, model) == first


def test_work_grows_with_the_conversation_and_not_faster() -> None:
    def counted(length: int) -> int:
        calls = 0

        def count(part: object) -> int:
            nonlocal calls
            calls += 1
            assert isinstance(part, Text)
            return count_words(part)

        build(turns(length), replace(with_room(2000, PLAIN), count=count))
        return calls

    assert counted(4000) < 2.5 * counted(2000)
