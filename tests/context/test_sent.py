"""The account of a request: every part that leaves is in it, in order, under its name."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from recto.context import (
    Conversation,
    ConversationMessage,
    Prompt,
    SentPart,
    TooLong,
    build_prompt,
    prepare,
    sent_parts,
    text_of,
    unsent_parts,
)
from recto.context.conversation import ModelFacts
from recto.context.tokens import MESSAGE_TOKENS
from recto.messages import (
    Document,
    Image,
    Native,
    Part,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)
from tests.context.facts import HERE, PLAIN, Story, attached, count_words, with_room
from tests.context.histories import HISTORIES
from tests.context.test_prompt_any import MODELS, spoken
from tests.examples import examples

TOOL = ToolSpec("read", "Reads.", {})


def account(
    told: tuple[ConversationMessage, ...], model: ModelFacts = PLAIN, *, summary: str | None = None
) -> tuple[Request, tuple[SentPart, ...]]:
    """What is sent of a conversation, and the account of it."""
    prompt = build_prompt(Conversation("Be brief.", told, summary, tools=(TOOL,)), model)
    assert isinstance(prompt, Prompt)
    request = Request("m", prompt.messages, 100, system=prompt.system, tools=(TOOL,))
    ready = prepare(request, model.origin, binds_prefix=model.binds_prefix)
    return ready, sent_parts(ready, prompt.slices, model)


def named(parts: tuple[SentPart, ...]) -> list[tuple[str, str, str]]:
    return [(part.slice.origin, part.slice.name, part.slice.entry_id) for part in parts]


def test_the_tools_stand_first_then_the_prompt_then_the_messages_with_what_goes_along() -> None:
    story = Story().say("Read it.", attached("a.md", "Long text."), meta="Git branch: main")
    story.say(assistant(ToolCall("c", "read", {}))).say(user(ToolResult("c", "read", (Text("x"),))))
    _, parts = account(tuple(story.spoken), summary="So far.")
    assert named(parts) == [
        ("tools", "tools", ""),
        ("system", "system prompt", ""),
        ("summary", "summary", ""),
        ("file", "a.md", "0"),
        ("meta", "workspace", "0"),
        ("message", "your message", "0"),
        ("call", "the call of read", "1"),
        ("result", "the result of read", "2"),
    ]
    assert [part.message for part in parts] == [-1, -1, -1, 0, 0, 0, 1, 2]
    assert [at for at, part in enumerate(parts) if part.ends] == [2, 5, 7], "where a mark can stand"


def test_the_tokens_of_the_parts_are_those_of_the_whole() -> None:
    story = Story().say("Hello").say(assistant("Hi there.")).say("What now?")
    request, parts = account(tuple(story.spoken))
    words = sum(count_words(part) for message in request.messages for part in message.parts)
    body = [item.slice.tokens for item in parts if item.message >= 0]
    assert sum(body) == words + len(request.messages) * MESSAGE_TOKENS


def test_what_is_put_in_to_mend_a_conversation_is_named_as_such() -> None:
    story = Story().say("Run it.").say(assistant(ToolCall("c", "run", {}))).say("And?")
    _, parts = account(tuple(story.spoken))
    assert named(parts)[2:] == [
        ("message", "your message", "0"),
        ("call", "the call of run", "1"),
        ("note", "a word by Recto", ""),
        ("message", "your message", "2"),
    ]


def test_a_call_is_known_by_what_it_says_whatever_id_it_is_sent_with() -> None:
    bad = "functions.Bash:0 with blanks"
    story = Story().say("Run it.").say(assistant(ToolCall(bad, "run", {"n": 1})))
    _, parts = account(tuple(story.say(user(ToolResult(bad, "", (Text("1"),)))).spoken))
    assert [origin for origin, _, _ in named(parts)][-2:] == ["call", "result"]


def test_what_is_too_long_is_listed_as_well() -> None:
    conversation = Conversation("Be brief.", tuple(Story().say("word " * 50).spoken), tools=(TOOL,))
    prompt = build_prompt(conversation, with_room(20))
    assert isinstance(prompt, TooLong)
    assert [origin for origin, _, _ in named(unsent_parts(prompt.slices))] == [
        "tools",
        "system",
        "message",
    ]


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (Text("Hello"), "Hello"),
        (Thinking("", ProviderData(HERE, {})), "[Only the model can read this thought.]"),
        (Image("image/png", b"1234"), "[A picture, image/png, 4 bytes.]"),
        (Document("application/pdf", b"%PDF", "a.pdf"), "[A document, application/pdf, 4 bytes.]"),
        (ToolCall("c", "read", {"path": "ü.md"}), 'read {"path": "ü.md"}'),
        (
            ToolResult("c", "read", (Text("a"), Image("image/png", b""))),
            "a\n[A picture, image/png, 0 bytes.]",
        ),
        (Native(ProviderData(HERE, {})), "[Only the model can read this.]"),
    ],
)
def test_every_part_can_be_read(part: Part, shown: str) -> None:
    assert text_of(part) == shown


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@given(HISTORIES.flatmap(spoken), MODELS)
def test_nothing_leaves_that_is_not_in_the_account(
    told: tuple[ConversationMessage, ...], model: ModelFacts
) -> None:
    roomy = replace(model, window=PLAIN.window)
    request, parts = account(told, roomy)
    body = [item for item in parts if item.message >= 0]
    assert [item.slice.part for item in body] == [
        part for message in request.messages for part in message.parts
    ]
    assert [item.message for item in body] == [
        number for number, message in enumerate(request.messages) for _ in message.parts
    ]
