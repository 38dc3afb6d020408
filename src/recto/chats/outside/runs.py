"""The record of what another program changes: a chat of its visit, and a run for each call.

So review, authorship, versions and undo know its edits like those of any turn.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from recto.chats.history.archive import entry_events
from recto.chats.history.entries import (
    AnswerSource,
    Assistant,
    ChatEntry,
    EntryConfidence,
    Error,
    Result,
    ToolResults,
)
from recto.chats.prompts.turn_input import TurnInput, body_of, input_of
from recto.chats.services import ChatServices
from recto.chats.turns import event_bodies
from recto.chats.turns.thread_announcements import announce_threads
from recto.chats.turns.tool_runner import note_changes
from recto.chats.turns.transcript import Transcript
from recto.messages import AssistantPart, ToolCall, ToolResult
from recto.reviews import CallEdits, EditAuthor, begin_call
from recto.storage import Chat, NewEvent, Run, RunEnd, WriteTransaction
from recto.tools import Change, Moved, ToolOutcome

TEMPLATE = "outside"
UNKNOWN = EntryConfidence(None, "unknown", "Another program wrote this.")
STEP = 1


@dataclass(frozen=True, slots=True)
class OutsideClient:
    """A program that calls tools from outside, as people know it."""

    name: str

    @property
    def model(self) -> str:
        """What stands where the id of a model would."""
        return f"mcp/{self.name}"


class OutsideRun:
    """One call that changes something, in the name of another program."""

    def __init__(
        self, services: ChatServices, chat: Chat, client: OutsideClient, call: ToolCall
    ) -> None:
        self._services = services
        self._chat = chat
        self._client = client
        self._call = call
        self._changed: list[str] = []
        self.run_id = services.ids.new()

    async def make(
        self, work: Callable[["OutsideRun", CallEdits], Awaitable[ToolOutcome]]
    ) -> ToolOutcome:
        """Do the work of the call between its beginning and its end in the record.

        The caller sees to it that no turn runs in the chat meanwhile.
        """
        services = self._services
        assert services.edits is not None
        run = await begin_run(services, self._chat, self.run_id, self._client, (self._call,))
        self._transcript = Transcript(services, self._chat, run)
        began = services.clock.monotonic()
        try:
            started = {
                "step": STEP,
                "call_id": self._call.id,
                "name": self._call.name,
                "arguments": dict(self._call.arguments),
            }
            await self._transcript.commit(self._transcript.event("call_started", started))
            edits = await begin_call(services.edits, self._author())
            try:
                outcome = await work(self, edits)
            finally:
                await edits.finish()
        except Exception:
            # Whatever it was, it goes on to the caller; the run must not stand as running for ever.
            await end_run(services, self._chat, run, "failed", broken(run.id))
            raise
        seconds = round(services.clock.monotonic() - began, 3)
        await end_run(services, self._chat, run, "finished", self._results(outcome, seconds))
        if services.commits is not None:
            await services.commits.consider({run.id})
        return outcome

    async def note(self, edits: CallEdits, changes: tuple[Change, ...]) -> None:
        """Write down changes before they are made."""
        await note_changes(self._transcript, self._services.storage, self._call.id, changes, edits)
        for change in changes:
            paths = (change.path, change.new_path) if isinstance(change, Moved) else (change.path,)
            self._changed.extend(paths)

    def _author(self) -> EditAuthor:
        return EditAuthor(
            project_id=self._chat.project_id,
            chat_id=self._chat.id,
            run_id=self.run_id,
            call_id=self._call.id,
            tool=self._call.name,
            model=self._client.model,
            model_name=self._client.name,
            prompt_hash="",
        )

    def _results(self, outcome: ToolOutcome, seconds: float) -> ToolResults:
        told = ToolResult(self._call.id, self._call.name, outcome.content, outcome.is_error)
        state = "error" if outcome.is_error else "done"
        changed = tuple(dict.fromkeys(self._changed))
        return ToolResults(
            (Result(told, outcome.fact, state, seconds, changed),), self.run_id, STEP
        )


def broken(run_id: str) -> Error:
    """What the chat says when something of ours fails."""
    return Error(event_bodies.BROKEN_FAILURE, run_id)


async def begin_run(
    services: ChatServices,
    chat: Chat,
    run_id: str,
    client: OutsideClient,
    parts: tuple[AssistantPart, ...],
) -> Run:
    """Write down that a program begins something in a chat, and what it says or wants."""

    async def work(write: WriteTransaction) -> tuple[Run, list[ChatEntry]]:
        run = await services.storage.runs.add(
            write,
            id=run_id,
            chat_id=chat.id,
            state="running",
            body=body_of(TurnInput(purpose="outside")),
        )
        answer = Assistant(
            parts=parts,
            turn=run_id,
            step=STEP,
            model=client.model,
            model_name=client.name,
            reason="tool_use" if isinstance(parts[-1], ToolCall) else "end_turn",
            usage=None,
            cost_micros=0,
            sureness=UNKNOWN,
            source=AnswerSource("", "", TEMPLATE),
        )
        return run, [await services.archive.append(write, chat.id, answer)]

    def tell(done: tuple[Run, list[ChatEntry]]) -> list[NewEvent]:
        return [turn_event(done[0], "running"), *entry_events(done[1], run_id)]

    run, _ = await services.journals.of(chat.id).commit_with(work, tell)
    return run


async def end_run(
    services: ChatServices, chat: Chat, run: Run, state: RunEnd, *contents: ToolResults | Error
) -> None:
    """Write down how it ended."""

    async def work(write: WriteTransaction) -> list[ChatEntry]:
        await services.storage.runs.end(write, run.id, state)
        await announce_threads(services.storage, write, chat, ())
        return [await services.archive.append(write, chat.id, content) for content in contents]

    def tell(entries: list[ChatEntry]) -> list[NewEvent]:
        return [*entry_events(entries, run.id), turn_event(run, state)]

    await services.journals.of(chat.id).commit_with(work, tell, run_id=run.id)


def turn_event(run: Run, state: str) -> NewEvent:
    """Tells those who watch the chat of a run."""
    return NewEvent("turn", event_bodies.turn_body(run.id, state, input_of(run.body)), run.id)
