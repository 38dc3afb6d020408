"""Changes to files, noted with what was there before they are made, so that each can be undone."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from recto.tools.effects import Change, Effect, FileState, Moved
from recto.workspace import (
    NotAFile,
    PathChanged,
    PathExists,
    Workspace,
    WorkspaceFailure,
    content_hash,
    is_same,
)

Note = Callable[[tuple[Change, ...]], Awaitable[None]]
"""Is told of changes before the first of them is made, and returns when that is written down."""


class Texts(Protocol):
    """Changes texts where people see them, and hears of every change that was made."""

    async def checked(self, path: str, before: bytes | None, data: bytes) -> bytes:
        """What shall be written in place of what is to be written; None: the file is new."""
        ...

    async def rewrite(self, path: str, data: bytes, *, expected_hash: str | None) -> str | None:
        """Replace a text, or make a new one when that is None; its new hash.

        None for what is no text: then the disk is the place. Raises a WorkspaceFailure.
        """
        ...

    async def made(self, change: Change) -> None:
        """A change that was noted is there."""
        ...


class RecordedFiles:
    """The only way tools change files. What is kept from the AI can't be changed by it either.

    A change that was noted and then failed is noted all the same: taking back what never happened
    finds something else there, and leaves it.
    """

    def __init__(self, workspace: Workspace, note: Note, *, texts: Texts | None = None) -> None:
        self._workspace = workspace.for_tools()
        self._note = note
        self._texts = texts

    async def write(self, path: str, data: bytes, *, expected_hash: str | None) -> str:
        """Replace the file that has this hash, or create it when that is None; the new hash."""
        real = await self._workspace.real_path(path)
        before = await self._workspace.state(real)
        check_base(path, before, expected_hash)
        data = await self._checked(real, before, data)
        after = FileState("file", data, before.mode if before else 0o644)
        effect = Effect(real, before, after)
        await self._note((effect,))
        written = await self._rewrite(effect)
        if written is None:
            written = await self._workspace.write(real, data, expected_hash=expected_hash)
        await self._made(effect)
        return written

    async def create_folder(self, path: str) -> None:
        """Make one folder."""
        if await self._workspace.state(path) is not None:
            raise PathExists(path)
        effect = Effect(path, None, FileState("folder", mode=0o755))
        await self._note((effect,))
        await self._workspace.create_folder(path)
        await self._made(effect)

    async def move(self, path: str, new_path: str) -> None:
        """Rename or move; never replaces. A folder with something hidden in it stays."""
        # It raises when something below is kept from the AI: a move would take that along.
        await self._workspace.paths_below(path)
        if await self._workspace.state(new_path) is not None:
            raise PathExists(new_path)
        moved = Moved(path, new_path)
        await self._note((moved,))
        await self._workspace.move(path, new_path)
        await self._made(moved)

    async def remove(self, path: str) -> None:
        """Take away a file, a link, or a folder with all that is in it; all of it is noted."""
        tree = await self._workspace.tree(path)
        # Innermost first: a folder can only go when it is empty.
        gone = tuple(Effect(item, state, None) for item, state in reversed(list(tree.items())))
        await self._note(gone)
        for effect in gone:
            await self._workspace.change(effect.path, effect.before, None)
            await self._made(effect)

    async def apply(self, changes: tuple[Change, ...]) -> tuple[str, ...]:
        """Make changes that were found elsewhere, such as those of a command, or of an undo.

        A path that is neither as it was nor as it shall be is left as it is, and answered. One that
        is as it shall be already is only noted.
        """
        left: list[str] = []
        for step in steps(changes):
            if isinstance(step, Moved):
                left += await self._apply_moved(step)
            else:
                left += await self._apply_effects(step)
        return tuple(dict.fromkeys(left))

    async def _apply_moved(self, moved: Moved) -> list[str]:
        try:
            await self.move(moved.path, moved.new_path)
        except WorkspaceFailure:
            return [moved.path]
        return []

    async def _apply_effects(self, effects: Sequence[Effect]) -> list[str]:
        """Effects on as many paths. All that can be made are noted before the first."""
        found = [await self._looked_at(effect) for effect in effects]
        fitting = tuple(effect for effect, now in found if now != "other")
        if fitting:
            await self._note(fitting)
        left = [effect.path for effect, now in found if now == "other"]
        for effect, now in found:
            if now == "after":
                await self._made(effect)
        todo = sorted((effect for effect, now in found if now == "before"), key=turn)
        left += [effect.path for effect in todo if not await self._make(effect)]
        for effect, now in found:
            if now == "after":
                await self._check_made(effect)
        return left

    async def _looked_at(
        self, effect: Effect
    ) -> tuple[Effect, Literal["before", "after", "other"]]:
        """How an effect shall be made, and whether it is made already."""
        now = await self._look(effect)
        after = effect.after
        if now == "before" and after is not None and after.kind == "file":
            data = await self._checked(effect.path, effect.before, after.data)
            effect = replace(effect, after=replace(after, data=data))
        return effect, now

    async def _check_made(self, effect: Effect) -> None:
        """What a command wrote by itself is checked when it is there."""
        after = effect.after
        if after is None or after.kind != "file":
            return
        data = await self._checked(effect.path, effect.before, after.data)
        if data != after.data:
            mended = Effect(effect.path, after, replace(after, data=data))
            await self._note((mended,))
            await self._make(mended)

    async def _checked(self, path: str, before: FileState | None, data: bytes) -> bytes:
        if self._texts is None:
            return data
        known = before.data if before is not None and before.kind == "file" else None
        return await self._texts.checked(path, known, data)

    async def _look(self, effect: Effect) -> Literal["before", "after", "other"]:
        try:
            now = await self._workspace.state(effect.path)
        except WorkspaceFailure:
            return "other"
        if now == effect.after:
            return "after"
        return "before" if is_same(now, effect.before) else "other"

    async def _make(self, effect: Effect) -> bool:
        try:
            if await self._rewrite(effect) is None:
                await self._workspace.change(effect.path, effect.before, effect.after)
            else:
                await self._give_mode(effect)
        except WorkspaceFailure:
            return False
        await self._made(effect)
        return True

    async def _rewrite(self, effect: Effect) -> str | None:
        """Change a file in the text that people see; None when there is no such text."""
        before, after = effect.before, effect.after
        if self._texts is None or after is None or after.kind != "file":
            return None
        # Only the mode changes: that is no edit of a text.
        if before is not None and (before.kind != "file" or before.data == after.data):
            return None
        known = None if before is None else content_hash(before.data)
        return await self._texts.rewrite(effect.path, after.data, expected_hash=known)

    async def _give_mode(self, effect: Effect) -> None:
        """A text that was written has the permissions of its effect."""
        now = await self._workspace.state(effect.path)
        if now is not None and effect.after is not None and now.mode != effect.after.mode:
            await self._workspace.change(effect.path, now, replace(now, mode=effect.after.mode))

    async def _made(self, change: Change) -> None:
        if self._texts is not None:
            await self._texts.made(change)


def check_base(path: str, before: FileState | None, expected_hash: str | None) -> None:
    """Refuse to write over something else than the writer saw."""
    if expected_hash is None:
        if before is not None:
            raise PathExists(path)
        return
    if before is not None and before.kind != "file":
        raise NotAFile(path)
    if before is None or content_hash(before.data) != expected_hash:
        raise PathChanged(path)


def turn(effect: Effect) -> tuple[bool, int, str]:
    """The order in which effects can be made: away from the deepest up, then from the top down."""
    depth = effect.path.count("/")
    return (True, depth, effect.path) if effect.after else (False, -depth, effect.path)


def steps(changes: Sequence[Change]) -> Iterator[Moved | list[Effect]]:
    """The changes in pieces, of which each is looked at when those before it are made."""
    piece: dict[str, Effect] = {}
    for change in changes:
        if piece and (isinstance(change, Moved) or change.path in piece):
            yield list(piece.values())
            piece = {}
        if isinstance(change, Moved):
            yield change
        else:
            piece[change.path] = change
    if piece:
        yield list(piece.values())
