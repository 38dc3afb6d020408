"""Questions of MCP servers to a person, in the middle of a call.

Like approvals, question and answer stand in the chat's log, for all processes.
"""

from collections.abc import AsyncIterable
from contextlib import aclosing
from typing import Any, cast

from recto.chats.history.journal import ChatJournals
from recto.chats.services import ChatServices
from recto.chats.turns.approvals import NoSuchApproval
from recto.chats.turns.transcript import Transcript
from recto.messages import ToolCall
from recto.storage import ChatEvent, NewEvent, Run, Storage, WriteTransaction
from recto.tools import Elicitation, ElicitationAnswer

ASKED, ANSWERED = "elicitation", "elicitation_answered"


async def ask_person(
    services: ChatServices, transcript: Transcript, call: ToolCall, question: Elicitation
) -> ElicitationAnswer:
    """Ask whoever follows the chat, and wait as long as it takes."""
    elicitation_id = services.ids.new()
    try:
        # Read before the question is out: an answer that comes at once is not missed.
        after = await services.storage.events.latest(transcript.chat_id)
        asked = {
            "elicitation_id": elicitation_id,
            "call_id": call.id,
            "server": question.server,
            "message": question.message,
            "form": None if question.schema is None else dict(question.schema),
            "url": question.url,
        }
        await transcript.commit(transcript.event(ASKED, asked))
        async with aclosing(transcript.follow(after)) as events:
            return await wait_for_reply(events, elicitation_id)
    except BaseException:
        # Pages show the question until it is answered; `add` has no await to be cut off at.
        transcript.add(ANSWERED, answer_body(elicitation_id, call.id, "cancelled", None))
        raise


def answer_body(
    elicitation_id: str, call_id: str, action: str, content: dict[str, Any] | None
) -> dict[str, object]:
    """What the chat's log says of an answer."""
    return {
        "elicitation_id": elicitation_id,
        "call_id": call_id,
        "action": action,
        "content": content,
    }


async def wait_for_reply(
    events: AsyncIterable[ChatEvent], elicitation_id: str
) -> ElicitationAnswer:
    """The answer, once it is in the chat's log, through whichever process it came."""
    async for event in events:
        if event.kind == ANSWERED and event.body["elicitation_id"] == elicitation_id:
            return ElicitationAnswer(event.body["action"], event.body["content"])
    raise AssertionError("a chat's log has no end")


async def answer_elicitation(
    storage: Storage, journals: ChatJournals, elicitation_id: str, answer: ElicitationAnswer
) -> None:
    """Answer a server's question, in whichever process its turn runs. Raises NoSuchApproval."""
    run, call_id = await find_elicitation(storage, elicitation_id)

    async def work(write: WriteTransaction) -> None:
        # Inside the write: since the look, the turn may have ended or another tab answered.
        if all(item.id != run.id for item in await storage.runs.alive(within=write)):
            raise NoSuchApproval
        answered = await storage.events.of_run(run.id, {ANSWERED}, within=write)
        if any(event.body["elicitation_id"] == elicitation_id for event in answered):
            raise NoSuchApproval

    content = None if answer.content is None else dict(answer.content)
    body = answer_body(elicitation_id, call_id, answer.action, content)
    told = NewEvent(ANSWERED, body, run.id)
    await journals.of(run.chat_id).commit_with(work, lambda _: [told])


async def find_elicitation(storage: Storage, elicitation_id: str) -> tuple[Run, str]:
    """The turn and the call that ask this. Raises NoSuchApproval."""
    for run in await storage.runs.alive():
        for event in await storage.events.of_run(run.id, {ASKED}):
            if event.body["elicitation_id"] == elicitation_id:
                return run, cast(str, event.body["call_id"])
    raise NoSuchApproval
