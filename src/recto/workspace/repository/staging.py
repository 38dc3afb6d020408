"""Staging and committing what is staged, by file and by hunk, as `git add -p` and `git commit` do.

Hooks do not run and nothing is signed: both are programs that the repository names.
"""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from recto.processes import ProcessFailure
from recto.workspace.failures import GitRefused
from recto.workspace.git import NoRepository
from recto.workspace.git_commits import Committing, NotCommitted, batches, committing, split
from recto.workspace.repository.changes import prefix_of
from recto.workspace.repository.patches import Patch, read_patch

MAX_DIFF = 4_000_000
DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules=dirty",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--full-index",
    "--unified=3",
)
NO_REPOSITORY = GitRefused(
    "The folder is in no git repository.", "Make one with `git init` in a terminal."
)
IDENTITY = (
    'Say it in a terminal: git config --global user.name "Your Name", '
    "and git config --global user.email you@example.org."
)


@asynccontextmanager
async def working(root: str) -> AsyncGenerator[tuple[Committing, str]]:
    """What changes the index of the folder's repository, and the prefix of the folder's paths.

    Raises GitRefused with git's own words.
    """
    try:
        async with committing(root) as work:
            yield work, prefix_of(root, work.repository)
    except NoRepository as none:
        raise (GitRefused(str(none)) if str(none) else NO_REPOSITORY) from none
    except NotCommitted as refusal:
        remedy = IDENTITY if "who you are" in str(refusal) else None
        raise (
            GitRefused(str(refusal), remedy) if remedy else GitRefused(str(refusal))
        ) from refusal
    except ProcessFailure as failure:
        raise GitRefused(failure.message, failure.remedy) from failure


async def stage(root: str, paths: Sequence[str]) -> None:
    """Stage files as they are on disk, those that are gone as deletions."""
    async with working(root) as (work, prefix):
        names = await work.ours([prefix + path for path in paths])
        if not names:
            raise GitRefused(
                "Git does not keep these files.", "They are ignored, or not there any more."
            )
        for some in batches(names):
            await work.run("update-index", "--add", "--remove", "--", *some)


async def unstage(root: str, paths: Sequence[str]) -> None:
    """Have the index say of files what the last commit says."""
    async with working(root) as (work, prefix):
        names = [prefix + path for path in paths]
        if conflicts := await conflicting(work, names):
            raise GitRefused(
                f"{conflicts[0]} is in conflict.", "Mend it in the text, then stage it."
            )
        head = await work.find("rev-parse", "-q", "--verify", "HEAD^{commit}")
        await work.set_entries(head, names)


async def stage_hunks(root: str, path: str, ids: Collection[str], *, backwards: bool) -> None:
    """Stage some hunks of a file, or take them out of the index again.

    Raises GitRefused when the file differs otherwise by now.
    """
    async with working(root) as (work, prefix):
        name = prefix + path
        await work.ours([name])  # a file behind a filter is no patch of ours
        patch = await read_diff(work, name, staged=backwards)
        if patch is not None and patch.changes_kind:
            raise GitRefused(
                "The file became a link, or a link became a file.", "Stage it as a whole."
            )
        wanted = None if patch is None else patch.only(ids, backwards=backwards)
        if wanted is None:
            raise GitRefused("The file has changed meanwhile.", "Look at the changes again.")
        file = Path(work.places["GIT_DIR"]) / "chosen.patch"
        await anyio.to_thread.run_sync(file.write_bytes, wanted)
        reverse = ["--reverse"] if backwards else []
        await work.run("apply", "--cached", "--whitespace=nowarn", *reverse, "--", str(file))


async def read_diff(work: Committing, name: str, *, staged: bool) -> Patch | None:
    """How a file differs; None when that is too much to be shown."""
    side = ["--cached"] if staged else []
    if not staged and await conflicting(work, [name]):
        side = ["--ours"]
    output = await work.git("diff", *DIFF, *side, "--", name, max_bytes=MAX_DIFF)
    if output.truncated:
        return None
    if output.code != 0:
        raise NotCommitted(f"git said: {output.stderr.decode('utf-8', 'replace').strip()}")
    return read_patch(output.stdout)


async def conflicting(work: Committing, names: Sequence[str]) -> list[str]:
    """Those of these files that a merge left in conflict."""
    found: list[str] = []
    for some in batches(names):
        listed = split(await work.checked("ls-files", "--unmerged", "-z", "--", *some))
        found += [line.partition("\t")[2] for line in listed]
    return found


async def commit_staged(root: str, message: str) -> str:
    """Commit what is staged, in the whole repository; the commit's id."""
    async with working(root) as (work, _):
        await work.refuse_unfinished()
        parent = await work.find("rev-parse", "-q", "--verify", "HEAD^{commit}")
        tree = await work.run("write-tree")
        before = await work.find("rev-parse", f"{parent}^{{tree}}") if parent else ""
        empty = await work.run("hash-object", "-t", "tree", "/dev/null") if not parent else ""
        if tree in (before, empty):
            raise GitRefused("Nothing is staged.", "Stage what the commit is to hold.")
        who = await work.who()
        parents = ["-p", parent] if parent else []
        new = await work.run("commit-tree", tree, *parents, "-m", message, extra=who)
        log = ("-m", f"commit: {message.splitlines()[0]}")
        # With the old value: if somebody committed meanwhile, git refuses.
        await work.run("update-ref", *log, "HEAD", new, parent or "0" * len(new), extra=who)
        return new
