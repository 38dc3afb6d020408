"""Tools that wait for a person. Question and answer stand in the chat's log, for all processes."""

import hashlib
import json
from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from recto.chats.history.journal import ChatJournals
from recto.messages import ToolCall
from recto.storage import ChatEvent, NewEvent, Run, Storage, WriteTransaction

ApprovalAnswer = Literal["once", "chat", "always", "deny"]
ANSWERS: TypeAdapter[ApprovalAnswer] = TypeAdapter(ApprovalAnswer)
ASKED, ANSWERED = "approval", "approval_answered"


class NoSuchApproval(Exception):
    """Nobody waits for this answer any more."""

    def __init__(self) -> None:
        self.message = "Nothing waits for this answer any more."
        self.remedy = "The turn has ended, or somebody answered already."
        super().__init__(f"{self.message} {self.remedy}")


@dataclass(frozen=True, slots=True)
class Approval:
    """One question to a person."""

    id: str
    call_id: str
    """Where pages show it; never what it is about."""
    digest: str
    """The exact call that an answer is about."""

    def body(self, answer: ApprovalAnswer | Literal["cancelled"]) -> dict[str, object]:
        """What the chat's log says of the answer."""
        return {
            "approval_id": self.id,
            "call_id": self.call_id,
            "digest": self.digest,
            "answer": answer,
        }


def call_digest(call: ToolCall, turn: str) -> str:
    """What stands for one call of one turn: its tool and every letter of its arguments.

    The id is left out: a provider, or whoever speaks in its name, may use one twice.
    """
    exact = json.dumps([turn, call.name, call.arguments], sort_keys=True)
    return hashlib.sha256(exact.encode()).hexdigest()


async def wait_for_answer(events: AsyncIterable[ChatEvent], approval: Approval) -> ApprovalAnswer:
    """The answer, once it is in the chat's log, through whichever process it came."""
    async for event in events:
        if event.kind == ANSWERED and is_about(event, approval):
            return ANSWERS.validate_python(event.body["answer"])
    raise AssertionError("a chat's log has no end")


def is_about(event: ChatEvent, approval: Approval) -> bool:
    """Whether an answer is to this question and to the very call that it shows."""
    return (event.body["approval_id"], event.body["digest"]) == (approval.id, approval.digest)


async def answer_approval(
    storage: Storage, journals: ChatJournals, approval_id: str, answer: ApprovalAnswer
) -> None:
    """Answer a question of a turn, in whichever process that runs. Raises NoSuchApproval.

    The first answer counts: it stands in the chat's log, where the turn waits for it.
    """
    run, approval = await find_question(storage, approval_id)

    async def work(write: WriteTransaction) -> None:
        # Inside the write: since the look, the turn may have ended or another tab answered.
        if all(item.id != run.id for item in await storage.runs.alive(within=write)):
            raise NoSuchApproval
        answered = await storage.events.of_run(run.id, {ANSWERED}, within=write)
        if any(event.body["approval_id"] == approval_id for event in answered):
            raise NoSuchApproval

    answer_event = NewEvent(ANSWERED, approval.body(answer), run.id)
    await journals.of(run.chat_id).commit_with(work, lambda _: [answer_event])


async def find_question(storage: Storage, approval_id: str) -> tuple[Run, Approval]:
    """The turn that asks this. Raises NoSuchApproval."""
    for run in await storage.runs.alive():
        for event in await storage.events.of_run(run.id, {ASKED}):
            if event.body["approval_id"] == approval_id:
                return run, Approval(approval_id, event.body["call_id"], event.body["digest"])
    raise NoSuchApproval
