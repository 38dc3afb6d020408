"""Undoing a run, or one call of it: planned from the record, shown, and done as a run of its own.

So an undo is recorded like everything else, and can itself be undone.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from recto.chats.failures import NothingToDo
from recto.chats.history.entries import ChatEntry, Notice
from recto.chats.prompts.turn_input import TurnInput, body_of, input_of
from recto.chats.services import ChatServices
from recto.chats.turns import event_bodies
from recto.chats.turns.tool_runner import note_changes
from recto.chats.turns.transcript import Transcript
from recto.chats.undo.outcome import UndoneFile, UndoOutcome
from recto.chats.undo.plan import UndoPlan, plan_undo
from recto.reviews import begin_taking_back, read_change
from recto.storage import Chat, ChatEvent, Edit, RecordNotFound, Run, WriteTransaction
from recto.tools import Change, RecordedFiles, Texts
from recto.workspace import Workspace

CALL = "undo"
"""The call id under which the changes of an undo are recorded."""
COMMAND = "run_command"
CUT_OFF = (
    "Recto ended while a command ran. What it did until then, where commands are not sandboxed, "
    "is not recorded."
)
MEANWHILE = "Was changed just now, or can't be written. It is left as it is."
MOST_NAMED = 5
STANDING = frozenset({"pending", "accepted"})


@dataclass(frozen=True, slots=True)
class UndoTarget:
    """What is to be undone: a run, or the calls of it that have one id."""

    run: Run
    call_id: str | None = None

    def covers(self, event: ChatEvent) -> bool:
        """Whether an event of the run belongs to it."""
        return self.call_id is None or self.call_id == call_of(event)


class Undo:
    """Takes back what runs of one chat did to files."""

    def __init__(self, services: ChatServices, chat: Chat) -> None:
        self._services = services
        self._chat = chat

    async def find(self, turn_id: str, call_id: str | None) -> UndoTarget:
        """What is meant. An undo's own id names it like a call of the turn it undid.

        Raises RecordNotFound, NothingToDo.
        """
        run = await self._services.storage.runs.get(turn_id)
        if call_id is None:
            return UndoTarget(run)
        target = UndoTarget(run, call_id)
        events = await self._services.storage.events.of_run(run.id)
        if any(target.covers(event) for event in events):
            return target
        try:
            # The page offers to undo an undo where it stands: under the turn, named by its own run.
            later = await self._services.storage.runs.get(call_id)
        except RecordNotFound:
            later = run
        if later.chat_id != run.chat_id or input_of(later.body).purpose != "undo":
            raise NothingToDo("This turn has no such call.", "Choose one that changed files.")
        return UndoTarget(later)

    async def preview(self, target: UndoTarget) -> UndoOutcome:
        """What undoing would do."""
        plan = await self._plan(target, await self._workspace())
        return UndoOutcome(tuple(plan.told.values()), False, await self._not_covered(target))

    async def do(self, target: UndoTarget) -> UndoOutcome:
        """Undo it. The caller sees to it that no turn runs in the chat meanwhile."""
        workspace = await self._workspace()
        plan = await self._plan(target, workspace)
        not_covered = await self._not_covered(target)
        # Looked up before the files change, so that their marks can be taken off with the text.
        edits = await self._edits_of(target)
        run, files = await self._carry_out(plan, workspace, edits, partial(words_for, target))
        await self._close(edits, files)
        return UndoOutcome(files, True, not_covered, None if run is None else run.id)

    async def take_back(self, changes: tuple[Change, ...]) -> tuple[UndoneFile, ...]:
        """Take changes of the chat back that a person does not want; recorded like an undo."""
        workspace = await self._workspace()
        plan = await plan_undo(workspace, changes)
        _, files = await self._carry_out(plan, workspace, (), words_for_rejected)
        return files

    async def _carry_out(
        self,
        plan: UndoPlan,
        workspace: Workspace,
        edits: Sequence[Edit],
        words: Callable[[Sequence[UndoneFile]], str],
    ) -> tuple[Run | None, tuple[UndoneFile, ...]]:
        """Do what was planned, as a run; none where nothing is to be done."""
        if not plan.changes:
            return None, tuple(plan.told.values())
        run = await self._begin()
        transcript = Transcript(self._services, self._chat, run)

        async def note(changes: tuple[Change, ...]) -> None:
            await note_changes(transcript, self._services.storage, CALL, changes)

        texts = await self._texts(edits)
        left = await RecordedFiles(workspace, note, texts=texts).apply(tuple(plan.changes))
        # A path can change between plan and writing; those are told as conflicts, never forced.
        not_done = {plan.names[path] for path in left}
        files = tuple(stopped(file, not_done) for file in plan.told.values())
        await self._end(run, transcript, words(files))
        return run, files

    async def _texts(self, edits: Sequence[Edit]) -> Texts | None:
        """How texts are put back where people see them."""
        if self._services.edits is None:
            return None
        ids = [edit.id for edit in edits]
        return await begin_taking_back(self._services.edits, self._chat.project_id, ids)

    async def _edits_of(self, target: UndoTarget) -> tuple[Edit, ...]:
        """The edits that go with what is undone."""
        found = await self._services.storage.edits.of_run(target.run.id)
        return tuple(item for item in found if target.call_id in (None, item.call_id))

    async def _close(self, edits: Sequence[Edit], files: Sequence[UndoneFile]) -> None:
        """Edits that are undone wait for nothing any more."""
        kept = {file.path for file in files if file.action == "conflict"}
        now = await self._services.storage.edits.some([edit.id for edit in edits])
        gone = [item for item in now if item.path not in kept and item.status in STANDING]
        if self._services.edits is not None and gone:
            await self._services.edits.close(gone, "undone")

    async def _workspace(self) -> Workspace:
        """The folder, with what people have typed in it."""
        # The plan compares with the disk: what people typed must be there first.
        await self._services.settle(self._chat.project_id)
        return await self._services.open_workspace(self._chat.project_id)

    async def _plan(self, target: UndoTarget, workspace: Workspace) -> UndoPlan:
        storage = self._services.storage
        events = await storage.events.of_run(target.run.id, {"change"})
        changes = [
            await read_change(kept, storage)
            for event in events
            if target.covers(event)
            for kept in event.body["changes"]
        ]
        if not changes:
            raise NothingToDo("No file was changed by this.", "There is nothing to undo.")
        return await plan_undo(workspace, changes)

    async def _not_covered(self, target: UndoTarget) -> str:
        """What the calls did that can't be undone, each thing said once."""
        events = await self._services.storage.events.of_run(
            target.run.id, {"call_started", "call_ended"}
        )
        covered = [event for event in events if target.covers(event)]
        notes = [event.body.get("not_covered", "") for event in covered]
        return " ".join(filter(None, dict.fromkeys([*notes, cut_off(covered)])))

    async def _begin(self) -> Run:
        async with self._services.storage.write() as write:
            return await self._services.storage.runs.add(
                write,
                id=self._services.ids.new(),
                chat_id=self._chat.id,
                state="running",
                body=body_of(TurnInput(purpose="undo")),
            )

    async def _end(self, run: Run, transcript: Transcript, words: str) -> None:
        async def work(write: WriteTransaction) -> list[ChatEntry]:
            await self._services.storage.runs.end(write, run.id, "finished")
            return await transcript.write(write, (Notice("undone", words, run.id),))

        body = event_bodies.turn_body(run.id, "finished", input_of(run.body))
        await transcript.commit_with(
            work, lambda entries: [*transcript.told(entries), transcript.event("turn", body)]
        )


def call_of(event: ChatEvent) -> str | None:
    """The call that an event is about."""
    if event.kind == "call_ended":
        return event.body["result"]["result"]["call_id"]
    return event.body.get("call_id")


def cut_off(events: Sequence[ChatEvent]) -> str:
    """What to say of a command that had begun when the program died."""
    ended = [call_of(event) for event in events if event.kind == "call_ended"]
    for event in events:
        if event.kind == "call_started" and event.body["name"] == COMMAND:
            if call_of(event) not in ended:
                return CUT_OFF
            # Some models use a call id twice in a turn: one end answers for one start.
            ended.remove(call_of(event))
    return ""


def stopped(file: UndoneFile, not_done: Collection[str]) -> UndoneFile:
    """What became of a path, when it was changed between plan and deed."""
    if file.path not in not_done:
        return file
    return replace(file, action="conflict", words=MEANWHILE, diff="")


def words_for(target: UndoTarget, files: Sequence[UndoneFile]) -> str:
    """What the chat says about an undo."""
    done = [file.path for file in files if file.action not in ("nothing", "conflict")]
    kept = [file.path for file in files if file.action == "conflict"]
    what = "a turn" if target.call_id is None else "a call"
    if input_of(target.run.body).purpose == "undo":
        what = "an undo"
    sentence = (
        f"The changes of {what} were undone: {named(done)}." if done else "Nothing was undone."
    )
    return f"{sentence} Left as they are: {named(kept)}." if kept else sentence


def words_for_rejected(files: Sequence[UndoneFile]) -> str:
    """What the chat says about edits that were rejected."""
    done = [file.path for file in files if file.action not in ("nothing", "conflict")]
    return f"Edits were rejected: {named(done)}." if done else "Nothing was put back."


def named(paths: Sequence[str]) -> str:
    """Some paths in a sentence."""
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return ", ".join(paths[:MOST_NAMED]) + more
