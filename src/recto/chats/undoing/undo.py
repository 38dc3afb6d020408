"""Undoing a run, or one call of it: planned from the record, shown, and done as a run of its own.

So an undo is recorded like everything else, and can itself be undone.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from recto.chats import telling
from recto.chats.entries import Entry, Notice
from recto.chats.failures import NothingToDo
from recto.chats.inputs import Input, body_of, input_of
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.chats.reach import note_changes
from recto.chats.undoing.outcome import Undone, UndoneFile
from recto.chats.undoing.plan import Plan, plan_undo
from recto.reviews import begin_taking_back, read_change
from recto.storage import Chat, ChatEvent, Edit, NotFound, Run, Write
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
class Target:
    """What is to be undone: a run, or the calls of it that have one id."""

    run: Run
    call_id: str | None = None

    def covers(self, event: ChatEvent) -> bool:
        """Whether an event of the run belongs to it."""
        return self.call_id is None or self.call_id == call_of(event)


class Undo:
    """Takes back what runs of one chat did to files."""

    def __init__(self, means: Means, chat: Chat) -> None:
        self._means = means
        self._chat = chat

    async def find(self, turn_id: str, call_id: str | None) -> Target:
        """What is meant. An undo's own id names it like a call of the turn it undid.

        Raises NotFound, NothingToDo.
        """
        run = await self._means.storage.runs.get(turn_id)
        if call_id is None:
            return Target(run)
        target = Target(run, call_id)
        events = await self._means.storage.events.of_run(run.id)
        if any(target.covers(event) for event in events):
            return target
        try:
            later = await self._means.storage.runs.get(call_id)
        except NotFound:
            later = run
        if later.chat_id != run.chat_id or input_of(later.body).purpose != "undo":
            raise NothingToDo("This turn has no such call.", "Choose one that changed files.")
        return Target(later)

    async def preview(self, target: Target) -> Undone:
        """What undoing would do."""
        plan = await self._plan(target, await self._workspace())
        return Undone(tuple(plan.told.values()), False, await self._not_covered(target))

    async def do(self, target: Target) -> Undone:
        """Undo it. The caller sees to it that no turn runs in the chat meanwhile."""
        workspace = await self._workspace()
        plan = await self._plan(target, workspace)
        not_covered = await self._not_covered(target)
        edits = await self._edits_of(target)
        run, files = await self._carry_out(plan, workspace, edits, partial(words_for, target))
        await self._close(edits, files)
        return Undone(files, True, not_covered, None if run is None else run.id)

    async def take_back(self, changes: tuple[Change, ...]) -> tuple[UndoneFile, ...]:
        """Take changes of the chat back that a person does not want; recorded like an undo."""
        workspace = await self._workspace()
        plan = await plan_undo(workspace, changes)
        _, files = await self._carry_out(plan, workspace, (), words_for_rejected)
        return files

    async def _carry_out(
        self,
        plan: Plan,
        workspace: Workspace,
        edits: Sequence[Edit],
        words: Callable[[Sequence[UndoneFile]], str],
    ) -> tuple[Run | None, tuple[UndoneFile, ...]]:
        """Do what was planned, as a run; none where nothing is to be done."""
        if not plan.changes:
            return None, tuple(plan.told.values())
        run = await self._begin()
        minutes = Minutes(self._means, self._chat, run)

        async def note(changes: tuple[Change, ...]) -> None:
            await note_changes(minutes, self._means.storage, CALL, changes)

        texts = await self._texts(edits)
        left = await RecordedFiles(workspace, note, texts=texts).apply(tuple(plan.changes))
        not_done = {plan.names[path] for path in left}
        files = tuple(stopped(file, not_done) for file in plan.told.values())
        await self._end(run, minutes, words(files))
        return run, files

    async def _texts(self, edits: Sequence[Edit]) -> Texts | None:
        """How texts are put back where people see them."""
        if self._means.edits is None:
            return None
        ids = [edit.id for edit in edits]
        return await begin_taking_back(self._means.edits, self._chat.project_id, ids)

    async def _edits_of(self, target: Target) -> tuple[Edit, ...]:
        """The edits that go with what is undone."""
        found = await self._means.storage.edits.of_run(target.run.id)
        return tuple(one for one in found if target.call_id in (None, one.call_id))

    async def _close(self, edits: Sequence[Edit], files: Sequence[UndoneFile]) -> None:
        """Edits that are undone wait for nothing any more."""
        kept = {file.path for file in files if file.action == "conflict"}
        now = await self._means.storage.edits.some([edit.id for edit in edits])
        gone = [one for one in now if one.path not in kept and one.status in STANDING]
        if self._means.edits is not None and gone:
            await self._means.edits.close(gone, "undone")

    async def _workspace(self) -> Workspace:
        """The folder, with what people have typed in it."""
        await self._means.settle(self._chat.project_id)
        return await self._means.open_workspace(self._chat.project_id)

    async def _plan(self, target: Target, workspace: Workspace) -> Plan:
        storage = self._means.storage
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

    async def _not_covered(self, target: Target) -> str:
        """What the calls did that can't be undone, each thing said once."""
        events = await self._means.storage.events.of_run(
            target.run.id, {"call_started", "call_ended"}
        )
        covered = [event for event in events if target.covers(event)]
        said = [event.body.get("not_covered", "") for event in covered]
        return " ".join(filter(None, dict.fromkeys([*said, cut_off(covered)])))

    async def _begin(self) -> Run:
        async with self._means.storage.write() as write:
            return await self._means.storage.runs.add(
                write,
                id=self._means.ids.new(),
                chat_id=self._chat.id,
                state="running",
                body=body_of(Input(purpose="undo")),
            )

    async def _end(self, run: Run, minutes: Minutes, words: str) -> None:
        async def work(write: Write) -> list[Entry]:
            await self._means.storage.runs.end(write, run.id, "finished")
            return await minutes.write(write, (Notice("undone", words, run.id),))

        body = telling.turn(run.id, "finished", input_of(run.body))
        await minutes.journal.commit_with(
            work, lambda entries: [*minutes.told(entries), minutes.event("turn", body)]
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
            ended.remove(call_of(event))
    return ""


def stopped(file: UndoneFile, not_done: Collection[str]) -> UndoneFile:
    """What became of a path, when it was changed between plan and deed."""
    if file.path not in not_done:
        return file
    return replace(file, action="conflict", words=MEANWHILE, diff="")


def words_for(target: Target, files: Sequence[UndoneFile]) -> str:
    """What the chat says about an undo."""
    done = [file.path for file in files if file.action not in ("nothing", "conflict")]
    kept = [file.path for file in files if file.action == "conflict"]
    what = "a turn" if target.call_id is None else "a call"
    if input_of(target.run.body).purpose == "undo":
        what = "an undo"
    said = f"The changes of {what} were undone: {named(done)}." if done else "Nothing was undone."
    return f"{said} Left as they are: {named(kept)}." if kept else said


def words_for_rejected(files: Sequence[UndoneFile]) -> str:
    """What the chat says about edits that were rejected."""
    done = [file.path for file in files if file.action not in ("nothing", "conflict")]
    return f"Edits were rejected: {named(done)}." if done else "Nothing was put back."


def named(paths: Sequence[str]) -> str:
    """Some paths in a sentence."""
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return ", ".join(paths[:MOST_NAMED]) + more
