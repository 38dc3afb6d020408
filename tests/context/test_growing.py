"""What grows with its conversation comes to the same as what is made from the beginning."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.access.tokens import most_tokens
from recto.context import build_prompt, drop_unbound, faults, prompt_hash
from recto.context.conversation import Conversation, ConversationMessage, ModelFacts, Window
from recto.context.prompt import GrowingPrompt, Prompt, head_slices
from recto.context.repair import GrowingRepair, begun, ended, repaired_turns
from recto.context.tokens import count_request
from recto.llm import Traits
from recto.llm.protocol_loader import PACKAGES, load_protocol
from recto.messages import (
    CacheMarks,
    Message,
    Origin,
    Part,
    Request,
    ToolSpec,
    assistant,
    fold_all,
    user,
)
from tests.context.facts import BOUND, PLAIN, count_words
from tests.context.histories import HISTORIES, ORIGINS
from tests.context.test_prompt_any import ATTACHMENTS, METAS
from tests.examples import examples

WAYS = st.sampled_from([Traits(), Traits(tools=False, cache_marks=True, images=True)])
TALK = tuple(
    message
    for number in range(300)
    for message in (user(f"question {number}"), assistant(f"answer {number}"))
)


def test_what_fails_half_way_is_worked_out_from_the_beginning_again() -> None:
    """A start that was gone through once has grown, and going on through it breaks."""
    breaks = [False]

    class Fragile:
        def __init__(self, taken: list[Message]) -> None:
            self.taken = taken

        def take(self, message: Message) -> None:
            self.taken.append(message)
            if breaks[0] and len(self.taken) > 5:
                raise ValueError(message)

        def copy(self) -> "Fragile":
            return Fragile([*self.taken])

    def begin() -> Fragile:
        return Fragile([])

    growing = GrowingRepair(PLAIN.origin)
    fold_all(growing.repaired(TALK[:4]), "fragile", begin)
    messages, breaks[0] = growing.repaired(TALK[:12]), True
    with pytest.raises(ValueError, match="answer"):
        fold_all(messages, "fragile", begin)
    breaks[0] = False
    assert fold_all(messages, "fragile", begin).taken == list(messages)


@given(HISTORIES, st.sampled_from(ORIGINS))
@settings(max_examples=examples(30), deadline=None)
def test_a_repair_that_grows(history: list[Message], origin: Origin) -> None:
    growing = GrowingRepair(origin)
    for end in range(len(history) + 1):
        repaired = growing.repaired(history[:end])
        assert repaired == tuple(ended(begun(repaired_turns(history[:end], origin, set()))))


@given(HISTORIES, st.sampled_from(ORIGINS), WAYS, st.sampled_from(["", "Be short."]))
@settings(max_examples=examples(30), deadline=None)
def test_what_is_worked_out_for_a_request_that_grows(
    history: list[Message], origin: Origin, traits: Traits, system: str
) -> None:
    growing = GrowingRepair(origin)
    tools = (ToolSpec("run", "Run it.", {"type": "object"}),)
    for end in range(len(history) + 1):
        messages = growing.repaired(history[:end])
        marks = CacheMarks(system=True, messages=(len(messages) - 1,))
        grown = Request("m", messages, 10, system=system, tools=tools, cache=marks)
        anew = replace(grown, messages=tuple(messages))
        assert faults(grown.messages, origin) == faults(anew.messages, origin)
        assert prompt_hash(grown) == prompt_hash(anew)
        assert drop_unbound(grown) == drop_unbound(anew)
        assert count_request(grown) == count_request(anew)
        assert most_tokens(grown) == most_tokens(anew)
        for name in PACKAGES:
            lower = load_protocol(name).lower
            assert lower(grown, traits, origin) == lower(anew, traits, origin), name


@given(
    st.lists(
        st.builds(
            ConversationMessage,
            st.just("e"),
            HISTORIES.filter(bool).map(lambda some: some[0]),
            ATTACHMENTS,
            METAS,
            st.booleans(),
        ),
        max_size=8,
    ),
    st.integers(10, 300),
    st.booleans(),
)
@settings(max_examples=examples(30), deadline=None)
def test_a_prompt_that_grows(spoken: list[ConversationMessage], room: int, is_bound: bool) -> None:
    model: ModelFacts = replace(BOUND if is_bound else PLAIN, window=Window(room, 0))
    head = tuple(head_slices(Conversation("Be short.", ()), model))
    growing = GrowingPrompt(model, sum(one.tokens for one in head))
    for end, said in enumerate(spoken, 1):
        conversation = Conversation("Be short.", tuple(spoken[:end]))
        growing.add([said])
        assert growing.build(conversation, head) == build_prompt(conversation, model)


def test_the_next_request_of_a_long_chat_counts_only_what_is_new() -> None:
    counted: list[object] = []

    def count(part: Part) -> int:
        counted.append(part)
        return count_words(part)

    growing = GrowingPrompt(replace(PLAIN, count=count), 0)
    growing.add(ConversationMessage(f"e{at}", said) for at, said in enumerate(TALK))
    prompt = growing.build(Conversation("", ()), ())
    assert isinstance(prompt, Prompt)
    assert len(counted) == len(TALK)
    growing.add([ConversationMessage("new", user("And now?"))])
    prompt = growing.build(Conversation("", ()), ())
    assert isinstance(prompt, Prompt)
    assert len(counted) == len(TALK) + 1
    taken = Taken()
    fold_all(prompt.messages, "taken", lambda: taken)
    assert len(prompt.messages) - 3 <= taken.count <= len(prompt.messages)
    growing.add([ConversationMessage("a", assistant("Now.")), ConversationMessage("q", user("?"))])
    grown = growing.build(Conversation("", ()), ())
    assert isinstance(grown, Prompt)
    before = Taken.all
    fold_all(grown.messages, "taken", Taken)
    assert Taken.all - before <= 6


class Taken:
    """Counts the messages that it is given."""

    all = 0

    def __init__(self, count: int = 0) -> None:
        self.count = count

    def take(self, message: Message) -> None:
        """One more."""
        self.count += 1
        Taken.all += 1

    def copy(self) -> "Taken":
        """The same."""
        return Taken(self.count)
