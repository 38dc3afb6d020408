"""The words of a model without tools become the edit that it could not ask for."""

from collections.abc import AsyncGenerator

import pytest

from recto.chats.history.entries import (
    AttachedText,
    ChatEntry,
    EntryContent,
    Notice,
    ToolResults,
    User,
)
from recto.chats.prompts.transform import CALL_ID, TransformRequests, bare_request, is_unanswered
from recto.messages import (
    Failure,
    Finished,
    Message,
    StreamEvent,
    TextDelta,
    ToolCall,
    assistant,
)

pytestmark = pytest.mark.anyio


class Model:
    """Answers what it is told to, and counts how often it was asked."""

    def __init__(self, *ends: Finished) -> None:
        self.ends = list(ends)
        self.asked: list[int] = []

    async def ask(self, step: int) -> AsyncGenerator[StreamEvent]:
        self.asked.append(step)
        end = self.ends.pop(0)
        yield TextDelta(end.message.text)
        yield end


async def heard(applying: TransformRequests, step: int) -> list[StreamEvent]:
    return [event async for event in applying.ask(step)]


def whole(text: str) -> Finished:
    return Finished("end_turn", assistant(text))


EDIT = ToolCall(CALL_ID, "edit_document", {"find": " Teh\n", "replace": " The\n"})


async def test_a_whole_answer_becomes_a_call_and_the_model_is_not_asked_again() -> None:
    model = Model(whole("The"))
    applying = TransformRequests(model.ask, " Teh\n", lambda: False)

    assert await heard(applying, 1) == [
        TextDelta("The"),
        Finished("tool_use", Message("assistant", (EDIT,))),
    ]
    assert await heard(applying, 2) == [Finished("end_turn", Message("assistant", ()))]
    assert model.asked == [1]


async def test_what_was_said_meanwhile_is_answered_in_words() -> None:
    model = Model(whole("The"), whole("Because."))
    applying = TransformRequests(model.ask, " Teh\n", lambda: True)
    await heard(applying, 1)

    assert await heard(applying, 2) == [TextDelta("Because."), whole("Because.")]
    assert model.asked == [1, 2]


@pytest.mark.parametrize(
    "end",
    [
        Finished("max_tokens", assistant("Th")),
        Finished("refusal", assistant("No.")),
        Finished("error", assistant("Th"), failure=Failure("network", "Lost.")),
        whole(""),
        whole("Teh"),
    ],
    ids=["cut", "declined", "failed", "empty", "the same"],
)
async def test_what_is_no_new_passage_stays_words(end: Finished) -> None:
    applying = TransformRequests(Model(end).ask, " Teh\n", lambda: False)

    assert (await heard(applying, 1))[-1] == end
    assert applying.passage == " Teh\n"


def entry(seq: int, content: EntryContent) -> ChatEntry:
    return ChatEntry(f"e{seq}", seq, 0, content)


def test_a_small_model_gets_the_request_and_the_passage_alone() -> None:
    asked = User("Fix it.", "t2", (AttachedText("a.md", "x", "h", "selection"),), meta="much")
    history = [entry(1, User("Hello.", "t1")), entry(2, asked), entry(3, Notice("x", "y", "t2"))]

    assert bare_request(history, " Teh\n") == [entry(2, User("Fix it.\n\nTeh", "t2"))]


def test_a_request_is_unanswered_until_somebody_else_spoke() -> None:
    asked = [entry(1, User("Fix it.", "t1")), entry(2, Notice("left_out", "x", "t1"))]
    assert is_unanswered(asked)
    assert not is_unanswered([*asked, entry(3, ToolResults((), "t1", 1))])
    assert not is_unanswered([])
