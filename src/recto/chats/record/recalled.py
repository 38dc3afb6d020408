"""The stage of a replay: everything is as it was, and tools answer what they answered then."""

from collections import defaultdict

from recto.chats.minutes import Minutes
from recto.chats.reach import note_changes
from recto.chats.record.cursor import Cursor, Differs, RecordEnds
from recto.chats.record.draws import Draws, RecordedDraws
from recto.chats.record.recorded import RecordedCall
from recto.chats.record.setting import Setting
from recto.chats.record.stage import Hands
from recto.chats.record.story import difference, plain
from recto.messages import Document, Text, ToolCall
from recto.reviews import read_change
from recto.storage import Storage
from recto.tools import Moved, Outcome

NEVER_ENDED = "cancelled", "unknown"


class RecordedHands:
    """Tools that answer what they answered then."""

    def __init__(self, cursor: Cursor, source: Storage, minutes: Minutes, scratch: Storage) -> None:
        self._cursor = cursor
        self._source = source
        self._minutes = minutes
        self._scratch = scratch
        self._asked: dict[tuple[int, str], int] = defaultdict(int)
        self._changed: dict[str, list[str]] = {}

    def is_safe(self, call: ToolCall) -> bool:
        """Whether a call changes nothing."""
        return call.name not in self._cursor.recorded.setting.changing

    async def permit(self, call: ToolCall) -> str | None:
        """What was decided then."""
        found = await self._find(call)
        if found.result is not None and found.result.state == "denied":
            self._asked[self._cursor.step, call.id] += 1
            (words,) = found.result.result.content
            assert isinstance(words, Text)
            return words.text
        if found.arguments is None:
            await self._cursor.stop(RecordEnds())
        return None

    async def call(self, call: ToolCall) -> Outcome:
        """What the tool answered then, if it is asked for the same."""
        found = await self._find(call)
        self._asked[self._cursor.step, call.id] += 1
        asked = {"name": call.name, "arguments": dict(call.arguments)}
        known = {"name": found.name, "arguments": found.arguments}
        if plain(asked) != plain(known):
            place = f"step {self._cursor.step}, call {call.id}: what the tool was given"
            here = difference(place, plain(known), plain(asked), "character")
            await self._cursor.stop(Differs(here))
        await self._repeat_changes(call, found)
        result = found.result
        if result is None or result.state in NEVER_ENDED:
            await self._cursor.stop(RecordEnds())
        # A tool answers with words and pictures only.
        content = tuple(one for one in result.result.content if not isinstance(one, Document))
        return Outcome(content, result.result.is_error, result.fact, found.not_covered)

    def changed(self, call_id: str) -> tuple[str, ...]:
        """The paths that a call changed then."""
        return tuple(dict.fromkeys(self._changed.pop(call_id, ())))

    async def _find(self, call: ToolCall) -> RecordedCall:
        key = self._cursor.step, call.id
        known = self._cursor.recorded.calls.get(key, [])
        if self._asked[key] >= len(known):
            await self._cursor.stop(RecordEnds())
        return known[self._asked[key]]

    async def _repeat_changes(self, call: ToolCall, found: RecordedCall) -> None:
        """Note the same changes, whose contents must be whole; no file is touched."""
        for kept in found.changes:
            changes = tuple([await read_change(one, self._source) for one in kept])
            await note_changes(self._minutes, self._scratch, call.id, changes)
            for one in changes:
                paths = (one.path, one.new_path) if isinstance(one, Moved) else (one.path,)
                self._changed.setdefault(call.id, []).extend(paths)


class RecordedStage:
    """The stage of a replay: what the turn was given then, and the time it was."""

    def __init__(self, cursor: Cursor, source: Storage, scratch: Storage) -> None:
        self.draws: Draws = RecordedDraws(cursor.recorded.events)
        self._cursor = cursor
        self._source = source
        self._scratch = scratch

    async def set(self, minutes: Minutes) -> tuple[Setting, Hands]:
        """What the turn was given then."""
        hands = RecordedHands(self._cursor, self._source, minutes, self._scratch)
        return self._cursor.recorded.setting, hands
