"""What has to be done to take changes back: the last one first, each merged with what came later.

A path on which one of the changes can't be taken back is left alone altogether.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio.to_thread

from recto.chats.undo.folder import FolderLookup, PlannedFolder, is_below
from recto.chats.undo.merging import merge_files
from recto.chats.undo.outcome import WORDS, Action, UndoneFile, as_text, diff_of
from recto.tools import Change, Effect, FileState, Moved
from recto.word import is_word
from recto.workspace import Workspace, WorkspaceFailure, is_same

HOLDS_OTHERS = "Other files are in it now, so it stays."
FOLDER_GONE = "The folder it was in is gone. It does not come back."
GONE = "Was removed since. It is left so."
TAKEN = "Something else has its place now. It is left as it is."
MOVED_ON = "Is neither where it was moved to nor where it was. It is left so."


class UndoConflict(Exception):
    """A change can't be taken back; says why."""


@dataclass(slots=True)
class UndoPlan:
    """What undoing does: the changes to make, in order, and what is said of each path."""

    changes: list[Change] = field(default_factory=list[Change])
    told: dict[str, UndoneFile] = field(default_factory=dict[str, UndoneFile])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """What the paths of the changes are called today."""

    def tell(self, file: UndoneFile) -> None:
        """Say what happens to a path; doing nothing is not worth a word where something is done."""
        known = self.told.get(file.path)
        if known is None or known.action == "nothing":
            self.told[file.path] = file
        elif file.action == "move":
            self.told[file.path] = replace(known, words=f"{known.words} {file.words}")


async def plan_undo(workspace: Workspace, changes: Sequence[Change]) -> UndoPlan:
    """Plan how to take changes back, in a folder as it is now."""
    # Steps on one path go back as one: what they did to each other's lines does not matter.
    links = chained(changes)
    seen = FolderLookup(workspace.for_tools())
    blocked: dict[str, str] = {}
    while True:
        attempt = UndoAttempt(seen, links, blocked)
        found = await attempt.run()
        if not found:
            return attempt.plan
        # Each try can block more (a file keeps its folder); the number of paths bounds the tries.
        blocked |= found


@dataclass(frozen=True, slots=True)
class EffectChain:
    """Effects on one path that followed each other: each began where the one before it ended."""

    effects: tuple[Effect, ...]

    @property
    def path(self) -> str:
        """The path."""
        return self.effects[0].path

    @property
    def whole(self) -> Effect:
        """All of them as one."""
        return replace(self.effects[0], after=self.effects[-1].after)

    def happened(self, now: FileState | None) -> Effect:
        """All of them that can have happened, as one: the last may be noted and never made."""
        made = self.effects
        # Changes are noted before they are made, so after a crash the last may be a mere intention.
        while len(made) > 1 and not is_same(now, made[-1].after) and is_same(now, made[-1].before):
            made = made[:-1]
        return EffectChain(made).whole


def chained(changes: Sequence[Change]) -> list[Moved | EffectChain]:
    """The changes with those of one path that followed each other taken together."""
    found: list[Moved | EffectChain] = []
    last: dict[str, int] = {}
    for change in changes:
        if isinstance(change, Moved):
            # After a move the same name may mean another file: chains end there.
            last.clear()
            found.append(change)
            continue
        at = last.get(change.path, -1)
        known = found[at] if at >= 0 else None
        if isinstance(known, EffectChain) and known.effects[-1].after == change.before:
            found[at] = EffectChain((*known.effects, change))
            continue
        last[change.path] = len(found)
        found.append(EffectChain((change,)))
    return found


def folded(changes: Sequence[Change]) -> list[Change]:
    """Changes that will be made, with those of one path made at once."""
    whole = [item if isinstance(item, Moved) else item.whole for item in chained(changes)]
    return [item for item in whole if isinstance(item, Moved) or item.before != item.after]


def name_after(path: str, moves: Sequence[Moved]) -> str:
    """What a path is called after some moves."""
    for moved in moves:
        if is_below(path, moved.path):
            path = moved.new_path + path[len(moved.path) :]
    return path


class UndoAttempt:
    """One try at a plan, in which some paths are left alone."""

    def __init__(
        self, seen: FolderLookup, changes: Sequence[Moved | EffectChain], blocked: Mapping[str, str]
    ) -> None:
        self._folder = PlannedFolder(seen)
        self._changes = changes
        self._blocked = dict(blocked)
        self.plan = UndoPlan()

    async def run(self) -> dict[str, str]:
        """Make the plan; answers the paths that must be left alone in the next try, and why."""
        known = len(self._blocked)
        moves: list[Moved] = []
        for change in reversed(self._changes):
            is_move = isinstance(change, Moved)
            today = name_after(change.new_path if is_move else change.path, moves)
            await self._try(change, today)
            if is_move:
                # Walking backwards, each move is earlier than those met before.
                moves.insert(0, change)
        # A dict keeps its order: what this try added stands behind what it was given.
        found = dict(list(self._blocked.items())[known:])
        if not found:
            self.plan.changes = folded(self.plan.changes)
            # Long texts take a while to compare, and others wait for the loop.
            await anyio.to_thread.run_sync(self._add_diffs)
        return found

    async def _try(self, change: Moved | EffectChain, today: str) -> None:
        if today not in self._blocked:
            try:
                await self._take_back(change, today)
            except UndoConflict as conflict:
                self._blocked[today] = str(conflict)
            except WorkspaceFailure as failure:
                self._blocked[today] = failure.message
        if today in self._blocked:
            self.plan.tell(UndoneFile(today, "conflict", self._blocked[today]))

    def _add_diffs(self) -> None:
        for change in self.plan.changes:
            if isinstance(change, Effect):
                file = self.plan.told[self.plan.names[change.path]]
                diff = diff_of(file.path, change.before, change.after)
                self.plan.told[file.path] = replace(file, diff=file.diff + diff)

    async def _take_back(self, change: Moved | EffectChain, today: str) -> None:
        if isinstance(change, Moved):
            await self._move_back(change, today)
        else:
            await self._restore(change, today)

    async def _move_back(self, moved: Moved, today: str) -> None:
        there, back = [await self._folder.state(item) for item in (moved.new_path, moved.path)]
        if there is None:
            if back is None:
                raise UndoConflict(MOVED_ON)
            self._tell(today, "nothing")
            return
        if back is not None:
            raise UndoConflict(TAKEN)
        if not await self._folder.has_room(moved.path):
            raise UndoConflict(FOLDER_GONE)
        reverse = Moved(moved.new_path, moved.path)
        await self._folder.move(reverse)
        self.plan.names[reverse.path] = today
        self.plan.changes.append(reverse)
        self._tell(today, "move", words=f"Moves back to {moved.path}.")

    async def _restore(self, chain: EffectChain, today: str) -> None:
        now = await self._folder.state(chain.path)
        effect = chain.happened(now)
        # A change of mode alone leaves the content: only equality tells which state this is.
        if now == effect.before or (now != effect.after and is_same(now, effect.before)):
            self._tell(today, "nothing")
            return
        if is_same(now, effect.after):
            wanted, action = effect.before, action_of(effect)
        else:
            wanted = await merged(effect, now)
            action = "merge"
        wanted = with_mode(wanted, effect, now)
        # The merge can find that later changes took the effect back already.
        if wanted == now:
            self._tell(today, "nothing")
            return
        await self._check(effect.path, now, wanted)
        self._folder.put(effect.path, wanted)
        self.plan.names[effect.path] = today
        self.plan.changes.append(Effect(effect.path, now, wanted))
        self._tell(today, action)

    async def _check(self, path: str, now: FileState | None, wanted: FileState | None) -> None:
        """Whether the folders allow it. Raises UndoConflict."""
        if now is None and not await self._folder.has_room(path):
            raise UndoConflict(FOLDER_GONE)
        leaves = (
            now is not None and now.kind == "folder" and (not wanted or wanted.kind != "folder")
        )
        if leaves and len(await self._folder.below(path)) > 1:
            raise UndoConflict(HOLDS_OTHERS)

    def _tell(self, path: str, action: Action, *, words: str = "") -> None:
        self.plan.tell(UndoneFile(path, action, words or WORDS[action]))


def action_of(effect: Effect) -> Action:
    """What taking back an effect on an unchanged path is called."""
    if effect.before is None:
        return "remove"
    return "recreate" if effect.after is None else "restore"


async def merged(effect: Effect, now: FileState | None) -> FileState:
    """A file without the effect, and with what came later. Raises UndoConflict."""
    if now is None:
        raise UndoConflict(GONE)
    if effect.after is None:
        raise UndoConflict(TAKEN)
    states = effect.before, effect.after, now
    if effect.before is None or not all(is_mergeable(effect.path, state) for state in states):
        raise UndoConflict(WORDS["conflict"])
    # A three-way merge turned round: from what the AI left, towards the past and towards now.
    found = await merge_files(effect.after.data, now.data, effect.before.data, effect.path)
    if found is None:
        raise UndoConflict(WORDS["conflict"])
    return replace(now, data=found)


def is_mergeable(path: str, state: FileState | None) -> bool:
    """Whether a file is a text, or a document that is merged by its paragraphs."""
    if state is None:
        return False
    return as_text(state) is not None or (state.kind == "file" and is_word(path))


def with_mode(wanted: FileState | None, effect: Effect, now: FileState | None) -> FileState | None:
    """The state with the mode it had, unless somebody gave it another since."""
    if wanted is None or now is None or effect.after is None or effect.before is None:
        return wanted
    is_later = now.mode != effect.after.mode and now.kind == wanted.kind
    return replace(wanted, mode=now.mode if is_later else effect.before.mode)
