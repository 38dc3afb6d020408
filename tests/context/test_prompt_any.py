"""Whatever was said: a prompt can be sent, only grows where it must, and loses nothing silently."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.context import (
    Attachment,
    Conversation,
    ConversationMessage,
    Prompt,
    build_prompt,
    faults,
    prepare,
)
from recto.context.conversation import ModelFacts, Window
from recto.context.prompt import TooLong
from recto.messages import (
    Message,
    Origin,
    Part,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.context.facts import BOUND, HERE, PLAIN, count_words
from tests.context.histories import HISTORIES, ORIGINS, TEXTS
from tests.examples import examples

pytestmark = pytest.mark.slow

ATTACHMENTS = st.lists(
    st.builds(
        Attachment,
        st.sampled_from(["a.md", "b.md", 'c"\n.md']),
        TEXTS,
        st.sampled_from(["1", "2"]),
        st.sampled_from([None, "the first half"]),
        st.sampled_from(["file", "selection", "skill"]),
    ),
    max_size=2,
).map(tuple)
LONG = st.sampled_from(["1", "2"]).map(lambda hash: (Attachment("a.md", "word " * 2000, hash),))
METAS = st.sampled_from(["", "on main", "on side"])
MODELS = st.builds(
    ModelFacts,
    st.sampled_from(ORIGINS),
    st.builds(Window, st.integers(0, 400), st.just(0)),
    st.just(count_words),
    binds_prefix=st.booleans(),
    sees_images=st.booleans(),
    cache_marks=st.booleans(),
    cache=st.sampled_from([None, PLAIN.cache]),
)


@st.composite
def spoken(draw: st.DrawFn, messages: list[Message]) -> tuple[ConversationMessage, ...]:
    """Messages with what goes along drawn."""
    return tuple(
        ConversationMessage(
            str(n), message, draw(ATTACHMENTS), draw(METAS), draw(st.integers(0, 9)) == 0
        )
        for n, message in enumerate(messages)
    )


def sent(prompt: Prompt, origin: Origin) -> tuple[Message, ...]:
    """The messages as they leave."""
    request = Request("m", prompt.messages, 100, system=prompt.system)
    return prepare(request, origin, binds_prefix=True).messages


@settings(max_examples=examples(40), deadline=None)
@given(HISTORIES.flatmap(spoken), MODELS)
def test_any_conversation_becomes_a_prompt_that_can_be_sent_or_says_what_is_too_long(
    told: tuple[ConversationMessage, ...], model: ModelFacts
) -> None:
    # I4: what is sent is what the prompt builder made of the entries.
    conversation = Conversation("Be brief.", told)
    prompt = build_prompt(conversation, model)
    if isinstance(prompt, TooLong):
        assert prompt.tokens > prompt.room
        return
    assert faults(sent(prompt, model.origin), model.origin) == []
    assert prompt.tokens <= model.window.room
    assert build_prompt(conversation, model) == prompt


WORDS = st.sampled_from([1, 5, 30, 300, 900]).map(lambda count: " ".join(["word"] * count))


@st.composite
def turns(draw: st.DrawFn) -> list[list[ConversationMessage]]:
    """Turns as an agent has them: a request, steps with calls and results, an answer."""
    told: list[list[ConversationMessage]] = []
    number = 0
    for turn in range(draw(st.integers(1, 8))):
        request = user(f"request {turn} {draw(WORDS)}")
        attachments, meta = draw(ATTACHMENTS | LONG), draw(METAS)
        entries = [
            ConversationMessage("", request, attachments, meta, draw(st.integers(0, 9)) == 0)
        ]
        for step in range(draw(st.integers(0, 3))):
            call = ToolCall(f"c{turn}_{step}", "read", {"path": draw(WORDS)})
            result = ToolResult(call.id, "read", (Text(draw(WORDS)),))
            entries += [
                ConversationMessage("", said(draw, call)),
                ConversationMessage("", user(result)),
            ]
        entries.append(ConversationMessage("", said(draw, Text(f"answer {turn}"))))
        told.append([replace(entry, entry_id=str(number + n)) for n, entry in enumerate(entries)])
        number += len(entries)
    return told


def said(draw: st.DrawFn, *parts: Part) -> Message:
    """An answer, with a thought now and then."""
    thought = Thinking("hm", ProviderData(HERE, {"signature": "s"}))
    return assistant(*([thought] if draw(st.booleans()) else []), *parts)


def requests(told: list[list[ConversationMessage]]) -> list[tuple[ConversationMessage, ...]]:
    """The conversation at each moment when a request was sent."""
    everything = [item for turn in told for item in turn]
    ends = (n for n, item in enumerate(everything, 1) if item.message.role == "user")
    return [tuple(everything[:end]) for end in ends]


@settings(max_examples=examples(30), deadline=None)
@given(turns())
def test_for_a_bound_model_each_prompt_begins_with_the_one_before(
    told: list[list[ConversationMessage]],
) -> None:
    before: tuple[Message, ...] = ()
    for conversation in requests(told):
        prompt = build_prompt(Conversation("", conversation), BOUND)
        assert isinstance(prompt, Prompt)
        assert prompt.messages[: len(before)] == before
        assert prompt.left_out == ()
        before = prompt.messages


@settings(max_examples=examples(20), deadline=None)
@given(turns(), st.integers(500, 5000), st.booleans())
def test_nothing_is_left_out_without_a_word_and_calls_keep_their_results(
    told: list[list[ConversationMessage]], room: int, binds: bool
) -> None:
    model = replace(PLAIN, window=Window(room, 0), binds_prefix=binds)
    before: Prompt | None = None
    for conversation in requests(told):
        prompt = build_prompt(Conversation("", conversation), model)
        if isinstance(prompt, TooLong):
            continue
        check_account(conversation, prompt)
        check_pairs(prompt)
        if binds and before is not None and before.left_out == prompt.left_out:
            assert prompt.messages[: len(before.messages)] == before.messages
        before = prompt


def check_account(conversation: tuple[ConversationMessage, ...], prompt: Prompt) -> None:
    """Every entry is sent, or named as left out; the last request and pinned ones are sent."""
    shown = {item.entry_id for item in prompt.slices}
    named = {item.entry_id for item in prompt.left_out}
    assert {item.entry_id for item in conversation} <= shown | named
    must = {item.entry_id for item in conversation if item.pinned}
    must.add([item.entry_id for item in conversation if item.is_request][-1])
    must.add(conversation[0].entry_id)
    assert must <= shown


def check_pairs(prompt: Prompt) -> None:
    """Calls and results come together, none made up."""
    calls = [call.id for message in prompt.messages for call in message.calls]
    results = [item.call_id for message in prompt.messages for item in message.results]
    assert calls == results
    told = "".join(
        part.text
        for message in prompt.messages
        for result in message.results
        for part in result.content
        if isinstance(part, Text)
    )
    assert "There is no result" not in told
