"""The environment of a replay: all is as it was, and tools answer what they answered then."""

from collections import defaultdict

from recto.chats.record.cursor import RecordCursor, RecordEnded, ReplayDiffers
from recto.chats.record.recorded_run import RecordedCall
from recto.chats.record.run_items import difference, plain
from recto.chats.turns.clock_readings import ClockReadings, RecordedReadings
from recto.chats.turns.environment import ToolExecutor
from recto.chats.turns.snapshot import TurnSnapshot
from recto.chats.turns.tool_runner import note_changes
from recto.chats.turns.transcript import Transcript
from recto.messages import Document, Text, ToolCall
from recto.reviews import read_change
from recto.storage import Storage
from recto.tools import Moved, ToolOutcome, unwrapped

NEVER_ENDED = "cancelled", "unknown"


class RecordedToolExecutor:
    """Tools that answer what they answered then."""

    def __init__(
        self, cursor: RecordCursor, source: Storage, transcript: Transcript, scratch: Storage
    ) -> None:
        self._cursor = cursor
        self._source = source
        self._transcript = transcript
        self._scratch = scratch
        self._asked: dict[tuple[int, str], int] = defaultdict(int)
        self._changed: dict[str, list[str]] = {}

    def is_safe(self, call: ToolCall) -> bool:
        """Whether a call changes nothing."""
        return unwrapped(call).name not in self._cursor.recorded.snapshot.changing

    async def permit(self, call: ToolCall) -> str | None:
        """What was decided then."""
        found = await self._find(call)
        if found.result is not None and found.result.state == "denied":
            self._asked[self._cursor.step, call.id] += 1
            (words,) = found.result.result.content
            assert isinstance(words, Text)
            return words.text
        if found.arguments is None:
            await self._cursor.stop(RecordEnded())
        return None

    async def call(self, call: ToolCall) -> ToolOutcome:
        """What the tool answered then, if it is asked for the same."""
        found = await self._find(call)
        self._asked[self._cursor.step, call.id] += 1
        meant = unwrapped(call)
        asked = {"name": meant.name, "arguments": dict(meant.arguments)}
        known = {"name": found.name, "arguments": found.arguments}
        if plain(asked) != plain(known):
            place = f"step {self._cursor.step}, call {call.id}: what the tool was given"
            here = difference(place, plain(known), plain(asked), "character")
            await self._cursor.stop(ReplayDiffers(here))
        await self._repeat_changes(call, found)
        result = found.result
        if result is None or result.state in NEVER_ENDED:
            await self._cursor.stop(RecordEnded())
        # A tool answers with words and pictures only.
        content = tuple(part for part in result.result.content if not isinstance(part, Document))
        return ToolOutcome(
            content,
            result.result.is_error,
            result.fact,
            found.not_covered,
            result.artifact,
            result.shortened,
        )

    def changed(self, call_id: str) -> tuple[str, ...]:
        """The paths that a call changed then."""
        return tuple(dict.fromkeys(self._changed.pop(call_id, ())))

    async def _find(self, call: ToolCall) -> RecordedCall:
        key = self._cursor.step, call.id
        known = self._cursor.recorded.calls.get(key, [])
        if self._asked[key] >= len(known):
            await self._cursor.stop(RecordEnded())
        return known[self._asked[key]]

    async def _repeat_changes(self, call: ToolCall, found: RecordedCall) -> None:
        """Note the same changes, whose contents must be whole; no file is touched."""
        for kept in found.changes:
            changes = tuple([await read_change(item, self._source) for item in kept])
            await note_changes(self._transcript, self._scratch, call.id, changes)
            for change in changes:
                paths = (
                    (change.path, change.new_path) if isinstance(change, Moved) else (change.path,)
                )
                self._changed.setdefault(call.id, []).extend(paths)


class ReplayEnvironment:
    """The environment of a replay: what the turn was given then, and the time it was."""

    def __init__(self, cursor: RecordCursor, source: Storage, scratch: Storage) -> None:
        self.draws: ClockReadings = RecordedReadings(cursor.recorded.events)
        self._cursor = cursor
        self._source = source
        self._scratch = scratch

    async def set(self, transcript: Transcript) -> tuple[TurnSnapshot, ToolExecutor]:
        """What the turn was given then."""
        executor = RecordedToolExecutor(self._cursor, self._source, transcript, self._scratch)
        return self._cursor.recorded.snapshot, executor
