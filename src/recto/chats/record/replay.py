"""Running a turn again from its record: the same loop, the same prompts, nothing from outside.

The model's side and the store to play in are handed in; tools answer what they answered then.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from recto.chats.archive import Archive
from recto.chats.codec import blob_hashes
from recto.chats.inputs import input_of
from recto.chats.keeping import as_it_was
from recto.chats.means import Means
from recto.chats.prompting import PINS
from recto.chats.record.cursor import Cursor, Differs, EntryIds, RecordEnds
from recto.chats.record.recalled import RecordedStage
from recto.chats.record.recorded import Recorded, booked, load_recorded
from recto.chats.record.story import Difference, Item, compare, tell_story
from recto.chats.scene import THOUGHTS_FROM
from recto.chats.summarising import SummaryTurn
from recto.chats.turn import LiveTurn
from recto.storage import Entry, Run, Storage

BATCH = 500
FAR = 1 << 62
GOES_ON = "Now the turn goes on where the record has its end."
ENDS_BEFORE = "Now the turn ends before this."


@dataclass(frozen=True, slots=True)
class Replayed:
    """How a replay ended."""

    run_id: str
    steps: int
    """How many steps were played."""
    difference: Difference | None
    ends_early: bool
    """Whether the record stops before the end of the turn: it was stopped, or cut off."""

    @property
    def is_identical(self) -> bool:
        """Whether everything came out as it was recorded."""
        return self.difference is None


BuildMeans = Callable[[Cursor, Archive], Awaitable[Means]]
"""Puts together what a turn works with: models that answer from the record, and a store."""


async def replay(source: Storage, scratch: Storage, run_id: str, build: BuildMeans) -> Replayed:
    """Run a turn again in an empty store, and compare. Raises NotFound, NotReplayable."""
    recorded = await load_recorded(source, run_id)
    cursor = Cursor(recorded, scratch)
    run = await seed(source, scratch, recorded)
    means = await build(cursor, Archive(scratch, EntryIds(recorded)))
    chat = await scratch.chats.get(recorded.chat.id)
    kind = SummaryTurn if input_of(run.body).purpose == "summary" else LiveTurn
    turn = kind(means, chat, run, RecordedStage(cursor, source, scratch))
    stop: Differs | RecordEnds | None = None
    try:
        await turn.work()
    except* (Differs, RecordEnds) as group:
        stop = first_of(group)
    own = [event for event in recorded.events if event.seq > recorded.began]
    old = await tell_story(source, own, await booked(source, recorded.run))
    events = await scratch.events.of_run(run_id)
    if cursor.cut_at is not None:
        events = tuple(event for event in events if event.seq <= cursor.cut_at)
    rows = await scratch.ledger.between(0, FAR)
    new = await tell_story(scratch, events, rows, is_whole=stop is None)
    return Replayed(run_id, cursor.step, judge(recorded, old, new, stop), stop is not None)


def judge(
    recorded: Recorded, old: Sequence[Item], new: Sequence[Item], stop: Differs | RecordEnds | None
) -> Difference | None:
    """The first difference between what was and what is now."""
    found = compare(old, new)
    if found is not None:
        return found
    if isinstance(stop, Differs):
        return stop.difference
    if stop is not None:
        is_complete = recorded.run.state in ("finished", "failed")
        return Difference(old[-1].place, GOES_ON) if is_complete else None
    if len(old) > len(new):
        return Difference(old[len(new)].place, ENDS_BEFORE)
    return Difference(new[len(old)].place, GOES_ON) if len(new) > len(old) else None


def first_of(group: BaseExceptionGroup[Differs | RecordEnds]) -> Differs | RecordEnds:
    """The exception in the innermost of nested groups."""
    first = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first


async def seed(source: Storage, scratch: Storage, recorded: Recorded) -> Run:
    """Put everything that there was before the run into an empty store."""
    chat, run, setting = recorded.chat, recorded.run, recorded.setting
    project = await source.projects.get(as_it_was(chat, run.created_ms).project_id)
    meta = {PINS: list(setting.pins), THOUGHTS_FROM: setting.ground.thoughts_from}
    async with scratch.write() as write:
        await scratch.projects.add(
            write, id=project.id, name=project.name, path=project.path, settings={}
        )
        await scratch.chats.add(
            write, id=chat.id, project_id=project.id, title=chat.title, meta=meta
        )
        for entry in await history(source, recorded):
            for digest in blob_hashes(entry.body):
                await scratch.blobs.put(write, await source.blobs.get(digest))
            await scratch.chats.append(
                write, chat.id, id=entry.id, kind=entry.kind, body=entry.body
            )
        return await scratch.runs.add(
            write, id=run.id, chat_id=chat.id, state="running", body=run.body
        )


async def history(source: Storage, recorded: Recorded) -> list[Entry]:
    """The entries that the run began with."""
    found: list[Entry] = []
    while len(found) < recorded.from_seq:
        limit = min(BATCH, recorded.from_seq - len(found))
        found += await source.chats.entries(recorded.chat.id, len(found) + 1, limit)
    return found
