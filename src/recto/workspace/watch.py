"""Which folders change, as it happens.

Every folder that is not ignored is watched by itself: a recursive watch would follow links out of
the workspace. New folders are watched before they are reported, so nothing falls between. They get
a watch beside the first one: a folder that is made costs what is in it, not a walk through all.
"""

import asyncio
import os
import stat
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
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

MAX_FOLDERS = 1_000_000
MOST_NEWER = 5_000
"""With more new folders than this beside them, all are watched anew by one watch."""
THREADS = 16
BATCH_MS = 100
STEP_MS = 20
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


def watched_folders(jail: Jail, rules: IgnoreRules, start: str = "") -> list[str]:
    """The folders from one on that are not ignored, and git's. WatchUnavailable when too many."""
    here = rules_at(rules, start)
    if here is None:
        return []
    found: list[str] = []
    todo: list[tuple[str, FolderRules]] = [(start, here)]
    while todo:
        path, here = todo.pop()
        names = folders_in(jail, path)
        if names is None:
            continue
        found.append(path)
        if len(found) > MAX_FOLDERS:
            raise WatchUnavailable(f"it has more than {MAX_FOLDERS:,} folders")
        if os.path.basename(path) == ".git":
            continue
        for name in names:
            below = f"{path}/{name}" if path else name
            if name == ".git" or not here.ignores(name, folder=True):
                todo.append((below, rules.below(here, name)))
    return found


def rules_at(rules: IgnoreRules, path: str) -> FolderRules | None:
    """What is ignored in a folder; None when it is ignored itself, or lies within git's own."""
    here = rules.at_root()
    parts = path.split("/") if path else []
    for at, name in enumerate(parts):
        if name == ".git":
            return here if at == len(parts) - 1 else None
        if here.ignores(name, folder=True):
            return None
        here = rules.below(here, name)
    return here


def folders_in(jail: Jail, path: str) -> list[str] | None:
    """The names of the folders directly in a folder; None when it is gone or closed to us."""
    try:
        with jail.folder(path) as fd, os.scandir(fd) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (NameRefused, PathNotFound, NotAFolder, OutsideWorkspace, PathUnreadable):
        return None


def arm(jail: Jail, rules: IgnoreRules, starts: Iterable[str] = ("",)) -> "ArmedWatch":
    """Watch folders from some on. Raises WatchUnavailable; those that vanish mean another try."""
    starts = list(starts)
    for _ in range(TRIES):
        jail.check_root()
        found = dict.fromkeys(one for at in starts for one in watched_folders(jail, rules, at))
        paths = [os.path.join(jail.root, path) for path in found]
        try:
            # its own way to ignore closed folders would ignore a full system, too
            return ArmedWatch(RustNotify(paths, False, False, 300, False, False), len(paths))
        except (FileNotFoundError, PermissionError):
            continue
        except (OSError, WatchfilesRustInternalError) as error:
            raise WatchUnavailable(str(error).partition(" about ")[0]) from error
    raise WatchUnavailable("its folders come and go too fast")


@dataclass(eq=False, slots=True)
class ArmedWatch:
    """A watch that stands, with the wait for what it sees."""

    notify: RustNotify
    folders: int
    is_newer: bool = False
    """Whether it is that of the folders that are new since the first one stood."""
    is_last: bool = False
    """Whether another one has taken over: it is read out once more and closed."""


class Watching:
    """The watches of one folder tree, with the threads that wait for the system."""

    def __init__(self, jail: Jail, rules: IgnoreRules) -> None:
        self._jail = jail
        self._rules = rules
        self._stop = threading.Event()
        # Threads of their own: they wait for hours, and would block those of the shared pool.
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="watch")
        self._waits: dict[asyncio.Future[set[Raw]], ArmedWatch] = {}
        self._newer: list[str] = []
        """Where the new folders begin that have a watch of their own."""

    async def run(self) -> AsyncGenerator[Changes, None]:
        """Changes in batches, starting with an empty one when the watch stands."""
        try:
            self._wait_for(await self._in_thread(arm, self._jail, self._rules))
            # The follower lists the folder now: a change before the watch stood is in that list.
            yield Changes(frozenset())
            while True:
                raw = await self._next()
                await self._in_thread(self._jail.check_root)
                fresh: list[str] = []
                if new := await self._in_thread(new_folders, self._jail.root, raw):
                    raw |= await self._watch_too(new)
                    fresh = await self._in_thread(folders_from, self._jail, self._rules, new)
                changes = read_changes(self._jail.root, raw, fresh)
                if changes != Changes(frozenset()):
                    yield changes
        finally:
            await self._let_go()

    async def _next(self) -> set[Raw]:
        """What any of the watches sees next."""
        done, _ = await asyncio.wait(self._waits, return_when=asyncio.FIRST_COMPLETED)
        raw: set[Raw] = set()
        for future in done:
            armed = self._waits.pop(future)
            raw |= future.result()
            if armed.is_last:
                armed.notify.close()
            else:
                self._wait_for(armed)
        return raw

    async def _watch_too(self, new: Sequence[str]) -> set[Raw]:
        """Watch folders that are new; all of them anew when other rules apply, or many are new.

        Answers what was seen meanwhile.
        """
        # The watch that takes over stands before the other is read out: nothing falls between.
        newer = dict.fromkeys((*self._newer, *new))
        self._newer = await self._in_thread(still_there, self._jail.root, newer)
        if "" not in self._newer:
            armed = await self._in_thread(arm, self._jail, self._rules, self._newer)
            if armed.folders <= MOST_NEWER:
                self._retire(lambda one: one.is_newer)
                armed.is_newer = True
                self._wait_for(armed)
                return set()
            armed.notify.close()
        armed = await self._in_thread(arm, self._jail, self._rules)
        self._retire(lambda _: True)
        self._newer = []
        raw: set[Raw] = set()
        # To its end: it sees folders that are ignored from now on.
        while self._waits:
            raw |= await self._next()
        self._wait_for(armed)
        return raw

    def _retire(self, which: Callable[["ArmedWatch"], bool]) -> None:
        for armed in self._waits.values():
            armed.is_last = armed.is_last or which(armed)

    def _wait_for(self, armed: "ArmedWatch") -> None:
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, wait, armed.notify, self._stop)
        self._waits[future] = armed

    async def _let_go(self) -> None:
        """End every wait and every watch."""
        self._stop.set()
        with anyio.CancelScope(shield=True):
            if self._waits:
                # The threads can't be cancelled: they look at this within one step.
                await asyncio.wait(self._waits)
        for future, armed in self._waits.items():
            future.exception()
            armed.notify.close()
        self._threads.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[*Given], Answer], *given: *Given) -> Answer:
        """Work in one of our threads; when cancelled, wait until it is done."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, work, *given)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
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


def new_folders(root: str, raw: Iterable[Raw]) -> list[str]:
    """The folders that appeared; the root when there are other rules for which to watch."""
    found: list[str] = []
    for kind, path in raw:
        if os.path.basename(path) in IGNORE_FILES:
            return [""]
        if kind == ADDED and is_folder(path):
            found.append(os.path.relpath(path, root))
    return found


def folders_from(jail: Jail, rules: IgnoreRules, starts: Iterable[str]) -> list[str]:
    """The folders that are new; none where all is looked at anyway."""
    found = (path for at in starts if at for path in watched_folders(jail, rules, at))
    return [path for path in found if os.path.basename(path) != ".git"]


def still_there(root: str, paths: Iterable[str]) -> list[str]:
    """Those that are folders: others have gone since they were made."""
    return [path for path in paths if is_folder(os.path.join(root, path))]


def is_folder(path: str) -> bool:
    """Whether a path is a folder by itself, not by a link."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def read_changes(root: str, raw: set[Raw], fresh: Iterable[str] = ()) -> Changes:
    """What a batch means for the tree and for git; `fresh` are folders watched only since now."""
    # Something may have happened in them before: another watch may have told of their parent.
    folders = set(fresh)
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
