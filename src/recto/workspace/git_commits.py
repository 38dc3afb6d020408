"""Commits some files of the folder with git, as they stand, and nothing else.

It works on a skeleton of the repository (see `git`), so nothing that the repository names is run:
no hook, no filter, no program that signs. What somebody staged, or changed elsewhere, stays so.
"""

import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.processes import ProcessFailure, ProgramOutput, find_program, run
from recto.workspace.git import (
    DEADLINE_S,
    MAX_OUTPUT,
    GitRepository,
    NoRepository,
    git,
    skeleton_of,
)

UNDER_WAY = {
    "MERGE_HEAD": "A merge",
    "CHERRY_PICK_HEAD": "A cherry-pick",
    "REVERT_HEAD": "A revert",
    "rebase-merge": "A rebase",
    "rebase-apply": "A rebase",
}
UNFILTERED = frozenset({"unspecified", "unset"})
BATCH = 200
BATCH_BYTES = 10_000
"""Names of a batch stand in one command line: on some systems it has no more than 32,000."""


class NotCommitted(Exception):
    """Git could not, or should not, commit; says why."""


async def commit(root: str, paths: Sequence[str], message: str) -> str | None:
    """Commit these files of a folder, those that are gone as deletions; the commit's id.

    None when there is no repository, or nothing in these files to commit. Raises NotCommitted.
    """
    try:
        async with committing(root) as work:
            prefix = Path(root).relative_to(work.repository.top)
            names = [(prefix / path).as_posix() for path in paths]
            return await work.commit(names, message)
    except NoRepository as none:
        if str(none):
            raise NotCommitted(str(none)) from none
        return None
    except ProcessFailure as failure:
        raise NotCommitted(failure.message) from failure


@asynccontextmanager
async def committing(root: str) -> AsyncGenerator["Committing"]:
    """What a commit needs, on a skeleton of the repository."""
    async with skeleton_of(root) as (repository, places):
        skeleton = Path(places["GIT_DIR"])
        await anyio.to_thread.run_sync(link_logs, skeleton, repository)
        yield Committing(repository, {**places, "GIT_LITERAL_PATHSPECS": "1"})


@dataclass(frozen=True, slots=True)
class Committing:
    """One commit in the making. Names are those of files, seen from the top of the repository."""

    repository: GitRepository
    places: dict[str, str]

    async def commit(self, names: Sequence[str], message: str) -> str | None:
        """Make it, after all that could speak against it."""
        await self.refuse_unfinished()
        names = await self.ours(names)
        if not names:
            return None
        parent = await self.find("rev-parse", "-q", "--verify", "HEAD^{commit}")
        # What somebody staged would be lost in a commit that only knows the disk.
        await self._refuse_staged(parent, names)
        tree = await self._build_tree(parent, names)
        if tree == (parent and await self.find("rev-parse", f"{parent}^{{tree}}")):
            return None
        parents = ["-p", parent] if parent else []
        who = await self.who()
        new = await self.run("commit-tree", tree, *parents, "-m", message, extra=who)
        # The index before the branch: else git would show the new files as deleted in between.
        await self.set_entries(tree, names)
        try:
            log = ("-m", f"commit: {message.splitlines()[0]}")
            # With the old value: if somebody committed meanwhile, git refuses.
            await self.run("update-ref", *log, "HEAD", new, parent or "0" * len(new), extra=who)
        except NotCommitted:
            await self.set_entries(parent, names)
            raise
        return new

    async def refuse_unfinished(self) -> None:
        """Raise NotCommitted while git is in the middle of something else."""
        folder = anyio.Path(self.repository.git_dir)
        for name, what in UNDER_WAY.items():
            if await (folder / name).exists():
                raise NotCommitted(f"{what} is under way.")
        if not await self.find("symbolic-ref", "-q", "HEAD"):
            raise NotCommitted("No branch is checked out.")

    async def ours(self, names: Sequence[str]) -> list[str]:
        """Those that git does not ignore, and that belong to no repository further inside."""
        inside = await anyio.to_thread.run_sync(self._in_other_repositories, names)
        listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
        ours: list[str] = []
        for some in batches([name for name in names if name not in inside]):
            ours += dict.fromkeys(split(await self.checked(*listing, *some)))
        for some in batches(ours):
            fields = split(await self.checked("check-attr", "-z", "filter", "--", *some))
            for name, value in zip(fields[::3], fields[2::3], strict=True):
                # A filter, such as LFS, is a program, which is not run here.
                if value not in UNFILTERED:
                    raise NotCommitted(f"{name} passes a filter of git, {value}.")
        return ours

    def _in_other_repositories(self, names: Sequence[str]) -> set[str]:
        top = self.repository.top
        return {
            name
            for name in names
            if any((top / folder / ".git").exists() for folder in list(Path(name).parents)[:-1])
        }

    async def _refuse_staged(self, parent: str, names: Sequence[str]) -> None:
        against = ["diff-index", "--cached", "--name-only", "-z", parent, "--"]
        for some in batches(names):
            arguments = against if parent else ["ls-files", "-z", "--"]
            if staged := split(await self.checked(*arguments, *some)):
                raise NotCommitted(f"Changes in {staged[0]} are staged already.")

    async def _build_tree(self, parent: str, names: Sequence[str]) -> str:
        """The last commit's tree with these files as they are on disk."""
        # An index of our own: the user's keeps what they have staged elsewhere.
        own = {"GIT_INDEX_FILE": str(Path(self.places["GIT_DIR"]) / "commit-index")}
        await self.run("read-tree", parent or "--empty", extra=own)
        for some in batches(names):
            await self.run("update-index", "--add", "--remove", "--", *some, extra=own)
        return await self.run("write-tree", extra=own)

    async def who(self) -> dict[str, str]:
        """Who commits, as git's own configuration says, that of the user included."""
        found: list[str] = []
        for key in ("user.name", "user.email"):
            argv = [find_program("git"), "config", "--get", key]
            top = str(self.repository.top)
            output = await run(argv, cwd=top, timeout_s=DEADLINE_S, max_bytes=MAX_OUTPUT)
            found.append(output.stdout.decode("utf-8", "replace").strip())
        name, email = found
        if not name or not email:
            raise NotCommitted("Git does not know who you are; set user.name and user.email.")
        return {
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": email,
        }

    async def set_entries(self, tree: str, names: Sequence[str]) -> None:
        """Have the index say of these files what a tree says."""
        there: set[str] = set()
        write = ("-c", "core.splitIndex=false", "update-index")
        for some in batches(names):
            listing = ("ls-tree", "--full-tree", "-rz", tree, "--", *some)
            listed = split(await self.checked(*listing)) if tree else []
            entries = [read_entry(item) for item in listed]
            there |= {name for _, _, name in entries}
            added = [part for entry in entries for part in ("--cacheinfo", ",".join(entry))]
            if added:
                await self.run(*write, "--add", *added)
        for some in batches([name for name in names if name not in there]):
            await self.run(*write, "--force-remove", "--", *some)

    async def run(self, *arguments: str, extra: dict[str, str] | None = None) -> str:
        """What git answers, as text. Raises NotCommitted."""
        output = await self.checked(*arguments, extra=extra)
        return os.fsdecode(output.stdout).strip()

    async def find(self, *arguments: str) -> str:
        """What git answers; nothing when it has no answer."""
        output = await self.git(*arguments)
        return os.fsdecode(output.stdout).strip() if output.code == 0 else ""

    async def checked(self, *arguments: str, extra: dict[str, str] | None = None) -> ProgramOutput:
        """What git answers. Raises NotCommitted with its reason."""
        output = await self.git(*arguments, extra=extra)
        if output.code != 0 or output.truncated:
            raise NotCommitted(reason(output))
        return output

    async def git(
        self,
        *arguments: str,
        extra: dict[str, str] | None = None,
        max_bytes: int | None = None,
    ) -> ProgramOutput:
        """What git answers, and how it ended."""
        top = str(self.repository.top)
        places = {**self.places, **(extra or {})}
        return await git(top, *arguments, extra=places, max_bytes=max_bytes)


def link_logs(skeleton: Path, repository: GitRepository) -> None:
    """Let the branch's own log tell of the commit, where the repository keeps one."""
    for folder, name in ((repository.git_dir, "HEAD"), (repository.common_dir, "refs")):
        if (folder / "logs").is_dir():
            (skeleton / "logs").mkdir(exist_ok=True)
            (skeleton / "logs" / name).symlink_to(folder / "logs" / name)


def batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Names in such numbers as a command line holds."""
    some: list[str] = []
    size = 0
    for name in names:
        length = len(os.fsencode(name))
        if some and (len(some) == BATCH or size + length > BATCH_BYTES):
            yield some
            some, size = [], 0
        some.append(name)
        size += length
    if some:
        yield some


def split(output: ProgramOutput) -> list[str]:
    """The fields of an answer, which end in NUL."""
    return os.fsdecode(output.stdout).split("\0")[:-1]


def read_entry(line: str) -> tuple[str, str, str]:
    """Mode, content and name of a line of `git ls-tree`."""
    facts, _, name = line.partition("\t")
    mode, _, content = facts.split(" ")
    return mode, content, name


def reason(output: ProgramOutput) -> str:
    """Why git refused, in its own first words."""
    words = output.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
    return f"git said: {words or 'nothing'}"
