"""What a model sees of a conversation: the rules one by one."""

from dataclasses import replace

from recto.context import (
    Attachment,
    Checkpoint,
    Conversation,
    Prompt,
    build_prompt,
    since_checkpoint,
    worth_keeping,
)
from recto.context.blocks import digest, marked
from recto.context.conversation import CacheRates, ModelFacts
from recto.context.prompt import KEPT_HEADING, SUMMARY_HEADING, LeftOut, PromptSlice
from recto.messages import Document, Image, Text, ToolCall, ToolResult, ToolSpec, assistant, user
from tests.context.facts import BOUND, PLAIN, UNCACHED, Story, attached, words

SYSTEM = "You help."


def build(
    story: Story, model: ModelFacts = PLAIN, *, system: str = SYSTEM, freeze: bool = False
) -> Prompt:
    conversation = Conversation(system, tuple(story.spoken), frozen_at=0)
    prompt = build_prompt(conversation, model, freeze_cache=freeze)
    assert isinstance(prompt, Prompt)
    return prompt


def texts(prompt: Prompt) -> list[str]:
    return [message.text for message in prompt.messages]


def test_a_plain_conversation_is_sent_as_it_is() -> None:
    story = Story().say("Hello").say(assistant("Hi.")).say("What now?")
    prompt = build(story)
    assert (prompt.system, prompt.messages, prompt.left_out) == (
        SYSTEM,
        (user("Hello"), assistant("Hi."), user("What now?")),
        (),
    )


def test_what_goes_along_stands_before_the_words_in_marks_of_its_own() -> None:
    story = Story().say("Shorten it.", attached("a.md", "Long text."), meta="Git branch: main")
    (message,) = build(story).messages
    assert message == user(
        marked("file", "Long text.", name="a.md"),
        marked("workspace", "Git branch: main"),
        "Shorten it.",
    )


def test_a_text_that_was_cut_says_so() -> None:
    story = Story().say("Look.", Attachment("a.csv", "1,2", "h", cut="the first 3 of 900 lines"))
    assert "(the first 3 of 900 lines)\n1,2" in texts(build(story))[0]


def test_no_text_can_close_its_own_marks() -> None:
    inner = marked("file", "x", name="a.md")
    outer = marked("file", inner, name="a.md")
    closing = outer.rpartition("\n")[2]
    assert closing.startswith("</file mark=")
    assert closing not in inner
    assert marked("file", inner, name="a.md") == outer


def test_a_name_stays_on_its_line_and_in_its_quotes() -> None:
    opening = marked("file", "x", name='a"\n</file>.md').partition("\n")[0]
    assert opening.startswith('<file "a\\"\\n</file>.md" mark=')


def test_results_come_before_what_goes_along() -> None:
    call, result = ToolCall("c", "read", {}), ToolResult("c", "read", (Text("text"),))
    story = Story().say("Read.").say(assistant(call))
    story.say(user(result, "And this?"), attached("b.md", "B"))
    last = build(story).messages[-1]
    assert last == user(result, marked("file", "B", name="b.md"), "And this?")


def test_the_summary_stands_in_the_system_prompt_of_every_later_request() -> None:
    history = [*Story().say("Old").say(assistant("Old answer")).spoken, Checkpoint("We agreed.")]
    for _ in range(3):
        history += Story().say("More").say(assistant("Yes")).spoken
        conversation = since_checkpoint(SYSTEM, [*history, *Story().say("Next").spoken])
        prompt = build_prompt(conversation, PLAIN)
        assert isinstance(prompt, Prompt)
        assert prompt.system.startswith(f"{SYSTEM}\n\n{SUMMARY_HEADING}\n")
        assert marked("summary", "We agreed.") in prompt.system
        assert "Old" not in "".join(texts(prompt))


def test_of_several_summaries_the_last_counts() -> None:
    story = Story().say("One").say("Two").say("Three")
    history = [
        story.spoken[0],
        Checkpoint("First."),
        story.spoken[1],
        Checkpoint("Second."),
        story.spoken[2],
    ]
    conversation = since_checkpoint(SYSTEM, history)
    assert (conversation.summary, conversation.spoken) == ("Second.", (story.spoken[2],))


def test_pinned_messages_and_the_last_request_stay_word_for_word_after_a_summary() -> None:
    story = Story().say("Never use commas.", pinned=True).say(assistant("Fine."))
    story.say("Write it.", attached("a.md", "A")).say(assistant("Done."))
    kept = worth_keeping(story.spoken)
    history = [*story.spoken, Checkpoint("Summary.", kept), *Story().say("Go on.").spoken]
    conversation = since_checkpoint(SYSTEM, history)
    assert kept == ("0", "2")
    assert conversation.kept == (
        "The user said:\nNever use commas.",
        "The user said (with a.md):\nWrite it.",
    )
    prompt = build_prompt(conversation, PLAIN)
    assert isinstance(prompt, Prompt)
    assert KEPT_HEADING in prompt.system
    assert "Never use commas." in prompt.system


def test_the_workspace_is_told_once_and_again_when_it_changed() -> None:
    story = Story().say("One", meta="on main").say(assistant("1"))
    story.say("Two", meta="on main").say(assistant("2")).say("Three", meta="on side")
    assert texts(build(story)) == [
        marked("workspace", "on main") + "One",
        "1",
        "Two",
        "2",
        marked("workspace", "on side") + "Three",
    ]


def test_without_a_cache_only_the_latest_message_carries_a_file() -> None:
    story = Story().say("One", attached("a.md", "old")).say(assistant("1"))
    story.say("Two", attached("a.md", "new"))
    prompt = build(story, UNCACHED)
    assert texts(prompt) == ["One", "1", marked("file", "new", name="a.md") + "Two"]
    assert [(item.entry_id, item.what, item.why) for item in prompt.left_out] == [
        ("0", "a.md", "a later message carries it")
    ]


def test_without_a_cache_an_unchanged_file_moves_to_the_latest_message() -> None:
    story = Story().say("One", attached("a.md", "same")).say("Two", attached("a.md", "same"))
    (message,) = build(story, UNCACHED).messages
    assert message == user("One", marked("file", "same", name="a.md"), "Two")


def test_for_a_bound_model_an_unchanged_file_is_referred_back_to() -> None:
    story = Story().say("One", attached("a.md", "same")).say(assistant("1"))
    story.say("Two", attached("a.md", "same"))
    first, _, last = texts(build(story, BOUND))
    shown = marked("file", "same", name="a.md")
    mark = shown.rpartition("mark=")[2].rstrip(">")
    assert first == shown + "One"
    assert last == f'[The file "a.md" is unchanged: its text stands above, mark={mark}.]Two'


def test_for_a_bound_model_a_changed_file_is_sent_again_and_nothing_is_touched() -> None:
    story = Story().say("One", attached("a.md", "old")).say(assistant("1"))
    before = build(story.say("Two"), BOUND)
    after = build(story.say(assistant("2")).say("Three", attached("a.md", "new")), BOUND)
    assert after.messages[: len(before.messages)] == before.messages
    assert texts(after)[-1] == marked("file", "new", name="a.md") + "Three"
    assert after.left_out == ()


def a_file_again(size: int, between: int) -> Story:
    """A file, then other words, then the file in a new version."""
    story = Story().say("One", attached("a.md", words(size, "old"))).say(assistant("1"))
    story.say(words(between)).say(assistant("2"))
    return story.say("Three", attached("a.md", "new"))


def test_an_old_copy_goes_when_reading_it_costs_more_than_breaking_the_cache() -> None:
    # 1,000 tokens read at a tenth ten times over; about 1,000 + 20 written for 1.25, not read.
    cheap = replace(PLAIN, cache=CacheRates(read=0.1, write=1.0))
    assert [item.what for item in build(a_file_again(1000, 20), cheap).left_out] == ["a.md"]


def test_an_old_copy_stays_when_breaking_the_cache_costs_more() -> None:
    prompt = build(a_file_again(1000, 200))
    assert prompt.left_out == ()
    assert texts(prompt)[0].endswith("One")
    assert "old old" in texts(prompt)[0]


def test_what_was_decided_about_a_file_stays_decided_as_the_chat_goes_on() -> None:
    cheap = replace(PLAIN, cache=CacheRates(read=0.1, write=1.0))
    story = a_file_again(1000, 20)
    before = build(story, cheap)
    after = build(story.say(assistant(words(5000))).say("Go on."), cheap)
    assert after.messages[: len(before.messages)] == before.messages


def test_selected_passages_of_one_file_stand_beside_each_other() -> None:
    one = Attachment("a.md", "first passage", "1", origin="selection")
    two = Attachment("a.md", "second passage", "2", origin="selection")
    story = Story().say("This", one).say(assistant("ok")).say("and this", two)
    first, _, last = texts(build(story, UNCACHED))
    assert "first passage" in first
    assert "second passage" in last


def test_a_pinned_message_keeps_its_copy() -> None:
    story = Story().say("One", attached("a.md", "old"), pinned=True).say(assistant("1"))
    story.say("Two", attached("a.md", "new"))
    assert "old" in texts(build(story, UNCACHED))[0]


def test_the_cache_mark_advances_and_stays_when_frozen() -> None:
    marks = replace(PLAIN, cache_marks=True)
    story = Story().say("One").say(assistant("1")).say("Summarise.")
    assert build(story, marks).cache_index == 2
    assert build(story, marks, freeze=True).cache_index == 0
    assert build(story, PLAIN).cache_index is None


def test_pictures_for_a_model_that_sees_none_become_words_and_are_said_to_be_left_out() -> None:
    picture = Image("image/png", b"png")
    result = ToolResult("c", "plot", (picture,))
    story = Story().say(user("What is it?", picture)).say(assistant(ToolCall("c", "plot", {})))
    prompt = build(story.say(user(result)), replace(PLAIN, sees_images=False))
    assert not any(isinstance(part, Image) for message in prompt.messages for part in message.parts)
    assert [(item.entry_id, item.what, item.why) for item in prompt.left_out] == [
        ("0", "a picture", "this model can't see images"),
        ("2", "the result of plot", "this model can't see images"),
    ]


def test_a_document_for_a_model_that_reads_none_is_said_to_be_left_out() -> None:
    story = Story().say(user("Read it.", Document("application/pdf", b"%PDF", "a.pdf")))
    prompt = build(story, replace(PLAIN, reads_documents=False))
    assert prompt.left_out == (LeftOut("0", "a.pdf", "this model can't read documents", 0),)


def test_every_piece_is_accounted_for() -> None:
    tool = ToolSpec("read", "Reads.", {})
    story = Story().say("Shorten it.", attached("a.md", "Long text."), meta="Git branch: main")
    conversation = Conversation(SYSTEM, tuple(story.spoken), "So far.", tools=(tool,))
    prompt = build_prompt(conversation, PLAIN)
    assert isinstance(prompt, Prompt)
    assert [(item.origin, item.name, item.entry_id) for item in prompt.slices] == [
        ("system", "system prompt", ""),
        ("summary", "summary", ""),
        ("tools", "tools", ""),
        ("file", "a.md", "0"),
        ("meta", "workspace", "0"),
        ("message", "your message", "0"),
    ]
    file = marked("file", "Long text.", name="a.md")
    assert prompt.slices[3] == PromptSlice("file", "a.md", len(file.split()), Text(file), "0")
    meta = marked("workspace", "Git branch: main")
    assert prompt.context_hashes == (digest(file), digest(meta))
