"""Running a turn again from its record: the same loop, the same prompts, nothing from outside.

The model's side and the store to play in are handed in; tools answer what they answered then.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from recto.chats.history.archive import Archive
from recto.chats.history.codec import blob_hashes
from recto.chats.library.repository import as_it_was
from recto.chats.prompts.request import PINS
from recto.chats.prompts.surroundings import THOUGHTS_FROM
from recto.chats.prompts.turn_input import input_of
from recto.chats.record.cursor import EntryIds, RecordCursor, RecordEnded, ReplayDiffers
from recto.chats.record.recorded_run import RecordedRun, booked, load_recorded_run
from recto.chats.record.replay_environment import ReplayEnvironment
from recto.chats.record.run_items import RunDifference, RunItem, compare, list_run_items
from recto.chats.services import ChatServices
from recto.chats.turns.runner import TurnRunner
from recto.chats.turns.summarizer import Summarizer
from recto.storage import EntryRecord, Run, Storage

BATCH = 500
FAR = 1 << 62
GOES_ON = "Now the turn goes on where the record has its end."
ENDS_BEFORE = "Now the turn ends before this."


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """How a replay ended."""

    run_id: str
    steps: int
    """How many steps were played."""
    difference: RunDifference | None
    ends_early: bool
    """Whether the record stops before the end of the turn: it was stopped, or cut off."""

    @property
    def is_identical(self) -> bool:
        """Whether everything came out as it was recorded."""
        return self.difference is None


BuildMeans = Callable[[RecordCursor, Archive], Awaitable[ChatServices]]
"""Puts together what a turn works with: models that answer from the record, and a store."""


async def replay(source: Storage, scratch: Storage, run_id: str, build: BuildMeans) -> ReplayResult:
    """Run a turn again in an empty store, and compare. Raises RecordNotFound, NotReplayable."""
    recorded = await load_recorded_run(source, run_id)
    cursor = RecordCursor(recorded, scratch)
    run = await seed(source, scratch, recorded)
    services = await build(cursor, Archive(scratch, EntryIds(recorded)))
    chat = await scratch.chats.get(recorded.chat.id)
    kind = Summarizer if input_of(run.body).purpose == "summary" else TurnRunner
    turn = kind(services, chat, run, ReplayEnvironment(cursor, source, scratch))
    stop: ReplayDiffers | RecordEnded | None = None
    try:
        await turn.work()
    except* (ReplayDiffers, RecordEnded) as group:
        stop = first_of(group)
    own = [event for event in recorded.events if event.seq > recorded.began]
    old = await list_run_items(source, own, await booked(source, recorded.run))
    events = await scratch.events.of_run(run_id)
    if cursor.cut_at is not None:
        events = tuple(event for event in events if event.seq <= cursor.cut_at)
    rows = await scratch.ledger.between(0, FAR)
    new = await list_run_items(scratch, events, rows, is_whole=stop is None)
    return ReplayResult(run_id, cursor.step, judge(recorded, old, new, stop), stop is not None)


def judge(
    recorded: RecordedRun,
    old: Sequence[RunItem],
    new: Sequence[RunItem],
    stop: ReplayDiffers | RecordEnded | None,
) -> RunDifference | None:
    """The first difference between what was and what is now."""
    found = compare(old, new)
    if found is not None:
        return found
    if isinstance(stop, ReplayDiffers):
        return stop.difference
    if stop is not None:
        is_complete = recorded.run.state in ("finished", "failed")
        return RunDifference(old[-1].place, GOES_ON) if is_complete else None
    if len(old) > len(new):
        return RunDifference(old[len(new)].place, ENDS_BEFORE)
    return RunDifference(new[len(old)].place, GOES_ON) if len(new) > len(old) else None


def first_of(group: BaseExceptionGroup[ReplayDiffers | RecordEnded]) -> ReplayDiffers | RecordEnded:
    """The exception in the innermost of nested groups."""
    first = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first


async def seed(source: Storage, scratch: Storage, recorded: RecordedRun) -> Run:
    """Put everything that there was before the run into an empty store."""
    chat, run, snapshot = recorded.chat, recorded.run, recorded.snapshot
    project = await source.projects.get(as_it_was(chat, run.created_ms).project_id)
    meta = {PINS: list(snapshot.pins), THOUGHTS_FROM: snapshot.ground.thoughts_from}
    async with scratch.write() as write:
        await scratch.projects.add(
            write, id=project.id, name=project.name, path=project.path, settings={}
        )
        await scratch.chats.add(
            write, id=chat.id, project_id=project.id, title=chat.title, meta=meta
        )
        for entry in await history(source, recorded):
            for digest in blob_hashes(entry.body):
                await scratch.blobs.put(write, await source.blobs.get(digest), chat.id)
            await scratch.chats.append(
                write, chat.id, id=entry.id, kind=entry.kind, body=entry.body
            )
        return await scratch.runs.add(
            write, id=run.id, chat_id=chat.id, state="running", body=run.body
        )


async def history(source: Storage, recorded: RecordedRun) -> list[EntryRecord]:
    """The entries that the run began with."""
    found: list[EntryRecord] = []
    while len(found) < recorded.from_seq:
        limit = min(BATCH, recorded.from_seq - len(found))
        found += await source.chats.entries(recorded.chat.id, len(found) + 1, limit)
    return found
