"""One object for what people do with git in a folder."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import anyio

from recto.workspace import files
from recto.workspace.diffs import with_own_index
from recto.workspace.failures import BinaryFile, GitRefused, PathNotFound, TooLarge
from recto.workspace.git_commits import Committing
from recto.workspace.jail import Jail
from recto.workspace.names import split
from recto.workspace.repository import history, staging
from recto.workspace.repository.changes import GitChanges, read_changes
from recto.workspace.repository.history import FileCommit, LineOrigin
from recto.workspace.repository.patches import DiffHunk, all_added


@dataclass(frozen=True, slots=True)
class FileDifference:
    """How a file differs. `is_cut` when there is more than is shown."""

    path: str
    hunks: tuple[DiffHunk, ...] = ()
    is_binary: bool = False
    is_cut: bool = False


class Repository:
    """The git repository of a folder. Paths are those of the folder.

    Every method raises GitRefused, or what reading raises.
    """

    def __init__(self, jail: Jail, writing: anyio.Lock) -> None:
        self._jail = jail
        self._writing = writing

    async def changes(self) -> GitChanges:
        """What differs from the last commit, and what is staged of it."""
        await self._check()
        return await read_changes(self._jail.root)

    async def diff(self, path: str, *, staged: bool) -> FileDifference:
        """How a file differs from the index, or what of it is staged."""
        await self._check(path)
        async with staging.working(self._jail.root) as (work, prefix):
            work = await looking(work)
            if not staged and not await is_known(work, prefix + path):
                return await self._new_text(path)
            patch = await staging.read_diff(work, prefix + path, staged=staged)
        if patch is None:
            return FileDifference(path, is_cut=True)
        hunks, is_cut = patch.hunks()
        return FileDifference(path, hunks, is_binary=patch.is_binary, is_cut=is_cut)

    async def stage(self, paths: Sequence[str], hunks: Collection[str] | None = None) -> None:
        """Stage files, or some hunks of one."""
        await self._check(*paths)
        async with self._writing:
            if hunks is None:
                await staging.stage(self._jail.root, paths)
            else:
                await staging.stage_hunks(self._jail.root, paths[0], hunks, backwards=False)

    async def unstage(self, paths: Sequence[str], hunks: Collection[str] | None = None) -> None:
        """Take files, or some hunks of one, out of what is staged. The files stay as they are."""
        await self._check(*paths)
        async with self._writing:
            if hunks is None:
                await staging.unstage(self._jail.root, paths)
            else:
                await staging.stage_hunks(self._jail.root, paths[0], hunks, backwards=True)

    async def commit(self, message: str) -> str:
        """Commit what is staged; the commit's id. Hooks do not run."""
        if not message.strip():
            raise GitRefused("The commit has no message.", "Say in a line what it does.")
        await self._check()
        async with self._writing:
            return await staging.commit_staged(self._jail.root, message.strip())

    async def blame(self, path: str, line: int) -> LineOrigin | None:
        """Where a line of a file comes from; None when git does not know it."""
        await self._check(path)
        async with staging.working(self._jail.root) as (work, prefix):
            return await history.blame(await looking(work), prefix + path, line)

    async def history(self, path: str) -> tuple[FileCommit, ...]:
        """The commits that changed a file, the newest first."""
        await self._check(path)
        async with staging.working(self._jail.root) as (work, prefix):
            return await history.history(work, prefix + path, prefix)

    async def text_at(self, commit: str, path: str) -> str | None:
        """A file's text in a commit; None when it was not in it."""
        await self._check(path)
        async with staging.working(self._jail.root) as (work, prefix):
            return await history.text_at(work, commit, prefix + path, path)

    async def _check(self, *paths: str) -> None:
        for path in paths:
            split(path)
        await anyio.to_thread.run_sync(self._jail.check_root)

    async def _new_text(self, path: str) -> FileDifference:
        """A file that git does not know is new from its first line to its last."""
        try:
            file = await anyio.to_thread.run_sync(files.read_text, self._jail, path)
        except BinaryFile:
            return FileDifference(path, is_binary=True)
        except TooLarge:
            return FileDifference(path, is_cut=True)
        except PathNotFound:
            return FileDifference(path)
        hunks, is_cut = all_added(file.text)
        return FileDifference(path, hunks, is_cut=is_cut)


async def looking(work: Committing) -> Committing:
    """The same with a copy of the index: who only looks must not write what git learns of files."""
    places = await anyio.to_thread.run_sync(with_own_index, work.places)
    return Committing(work.repository, places)


async def is_known(work: Committing, name: str) -> bool:
    """Whether the index has a file."""
    return bool((await work.checked("ls-files", "-z", "--cached", "--", name)).stdout)
