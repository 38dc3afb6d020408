"""Which folders change, as it happens.

Every folder that is not ignored is watched by itself: a recursive watch would follow links out of
the workspace. New folders are watched before they are reported, so nothing falls between.
"""

import asyncio
import os
import stat
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar, TypeVarTuple

import anyio
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from recto.durable import TEMPORARY_PREFIX
from recto.workspace.failures import (
    NameRefused,
    NotAFolder,
    OutsideWorkspace,
    PathNotFound,
    PathUnreadable,
    WatchUnavailable,
)
from recto.workspace.ignore import OWN_FILES, SHARED_FILES, FolderRules, IgnoreRules
from recto.workspace.jail import Jail

MAX_FOLDERS = 100_000
BATCH_MS = 100
STEP_MS = 50
ROOT_CHECK_MS = 1000  # the end of the root itself is not reported
FLOOD = 5_000  # more changes than this at once: the system may have dropped some
ADDED, MODIFIED = 1, 2  # as watchfiles.Change
TRIES = 5
IGNORE_FILES = frozenset({*SHARED_FILES, *OWN_FILES})
GIT_FILES = frozenset({"HEAD", "index", "packed-refs", "ORIG_HEAD", "MERGE_HEAD", "COMMIT_EDITMSG"})

Raw = tuple[int, str]
Answer = TypeVar("Answer")
Given = TypeVarTuple("Given")


@dataclass(frozen=True, slots=True)
class Changes:
    """Folders whose direct contents changed; `git` when the repository did.

    `overflow` means that anything may have changed.
    """

    folders: frozenset[str]
    overflow: bool = False
    git: bool = False


def watched_folders(jail: Jail, rules: IgnoreRules) -> list[str]:
    """Every folder that is not ignored, and git's own. Raises WatchUnavailable when too many."""
    found: list[str] = []
    todo: list[tuple[str, FolderRules]] = [("", rules.at_root())]
    while todo:
        path, here = todo.pop()
        names = folders_in(jail, path)
        if names is None:
            continue
        found.append(path)
        if len(found) > MAX_FOLDERS:
            raise WatchUnavailable(f"it has more than {MAX_FOLDERS:,} folders")
        for name in names:
            below = f"{path}/{name}" if path else name
            if name == ".git":
                found += [below] if folders_in(jail, below) is not None else []
            elif not here.ignores(name, folder=True):
                todo.append((below, rules.below(here, name)))
    return found


def folders_in(jail: Jail, path: str) -> list[str] | None:
    """The names of the folders directly in a folder; None when it is gone or closed to us."""
    try:
        with jail.folder(path) as fd, os.scandir(fd) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (NameRefused, PathNotFound, NotAFolder, OutsideWorkspace, PathUnreadable):
        return None


def arm(jail: Jail, rules: IgnoreRules) -> RustNotify:
    """Start to watch. Raises WatchUnavailable; folders that vanish meanwhile mean another try."""
    for _ in range(TRIES):
        jail.check_root()
        paths = [os.path.join(jail.root, path) for path in watched_folders(jail, rules)]
        try:
            # its own way to ignore closed folders would ignore a full system, too
            return RustNotify(paths, False, False, 300, False, False)
        except (FileNotFoundError, PermissionError):
            continue
        except (OSError, WatchfilesRustInternalError) as error:
            raise WatchUnavailable(str(error).partition(" about ")[0]) from error
    raise WatchUnavailable("its folders come and go too fast")


class Watching:
    """One watch of one folder tree, with the thread that waits for the system."""

    def __init__(self, jail: Jail, rules: IgnoreRules) -> None:
        self._jail = jail
        self._rules = rules
        self._stop = threading.Event()
        # A thread of its own: it waits for hours, and would block one of the shared pool.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="watch")

    async def run(self) -> AsyncGenerator[Changes, None]:
        """Changes in batches, starting with an empty one when the watch stands."""
        notify = await self._in_thread(arm, self._jail, self._rules)
        try:
            # The follower lists the folder now: a change before the watch stood is in that list.
            yield Changes(frozenset())
            while True:
                raw = await self._in_thread(wait, notify, self._stop)
                await self._in_thread(self._jail.check_root)
                if await self._in_thread(needs_new_watch, raw):
                    before = notify
                    notify = await self._in_thread(arm, self._jail, self._rules)
                    # The new watch stands before the old one is read out: nothing falls between.
                    raw |= await self._in_thread(drain, before)
                changes = read_changes(self._jail.root, raw)
                if changes != Changes(frozenset()):
                    yield changes
        finally:
            notify.close()
            self._thread.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[*Given], Answer], *given: *Given) -> Answer:
        """Work in our own thread; when cancelled, wait until the thread has let go."""
        future = asyncio.get_running_loop().run_in_executor(self._thread, work, *given)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            # The thread can't be cancelled: it looks at this within one step.
            self._stop.set()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([future])
            raise


async def watch(jail: Jail, rules: IgnoreRules) -> AsyncGenerator[Changes, None]:
    """Changes in batches, until cancelled or closed. Raises RootGone, WatchUnavailable.

    The first batch is empty: it says that the watch stands, and later changes will be seen.
    """
    async with aclosing(Watching(jail, rules).run()) as batches:
        async for changes in batches:
            yield changes


def wait(notify: RustNotify, stop: threading.Event) -> set[Raw]:
    """The next changes; none when stopped, or when it is time to look after the root again."""
    answer = notify.watch(BATCH_MS, STEP_MS, ROOT_CHECK_MS, stop)
    return set() if isinstance(answer, str) else answer


def drain(notify: RustNotify) -> set[Raw]:
    """What an old watch still had to say."""
    answer = notify.watch(1, 1, 1, None)
    notify.close()
    return set() if isinstance(answer, str) else answer


def needs_new_watch(raw: Iterable[Raw]) -> bool:
    """Whether there are new folders, or other rules for which folders to watch."""
    return any(
        os.path.basename(path) in IGNORE_FILES or (kind == ADDED and is_folder(path))
        for kind, path in raw
    )


def is_folder(path: str) -> bool:
    """Whether a path is a folder by itself, not by a link."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def read_changes(root: str, raw: set[Raw]) -> Changes:
    """What a batch means for the tree and for git."""
    folders: set[str] = set()
    git = False
    overflow = len(raw) > FLOOD
    for kind, path in raw:
        *parents, name = os.path.relpath(path, root).split("/")
        if ".git" in parents or name == ".git":
            git = git or name in GIT_FILES or (name == ".git" and kind != MODIFIED)
        elif name != "." and not name.startswith(TEMPORARY_PREFIX):
            folders.add("/".join(parents))
            # Other ignore rules can show or hide files anywhere below.
            overflow = overflow or name in IGNORE_FILES
    return Changes(frozenset(folders), overflow, git)
