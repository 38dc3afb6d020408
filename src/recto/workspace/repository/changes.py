"""Which files differ from the last commit, staged or not, and what git is in the middle of."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.processes import ProcessFailure, ProgramOutput
from recto.workspace.diffs import with_own_index
from recto.workspace.git import FileState, GitRepository, NoRepository, git, is_shown, skeleton_of
from recto.workspace.git_commits import UNDER_WAY, split

MOST_FILES = 5000
LETTERS: dict[str, FileState] = {
    "M": "modified",
    "T": "modified",
    "A": "added",
    "C": "added",
    "D": "deleted",
    "R": "renamed",
    "U": "conflict",
}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs: what is staged of it, and what is not."""

    path: str
    staged: FileState | None = None
    unstaged: FileState | None = None
    from_path: str | None = None
    """Where it was before, when it was renamed."""
    is_submodule: bool = False


@dataclass(frozen=True, slots=True)
class GitChanges:
    """The repository as somebody sees it who is about to commit."""

    repository: bool
    branch: str | None = None
    head: str | None = None
    """The last commit; None before the first one."""
    under_way: str | None = None
    """A merge, a rebase, … that was begun and not ended."""
    files: tuple[ChangedFile, ...] = ()
    staged_elsewhere: int = 0
    """How many files are staged that lie outside the folder: they are committed, too."""
    truncated: bool = False
    reason: str | None = None


async def read_changes(root: str) -> GitChanges:
    """The changes of the repository that holds a folder, for the files below the folder."""
    try:
        async with skeleton_of(root) as (repository, places):
            places = await anyio.to_thread.run_sync(with_own_index, places)
            output = await status(root, places)
            under_way = await anyio.to_thread.run_sync(what_is_under_way, repository)
            prefix = prefix_of(root, repository)
            elsewhere = await staged_elsewhere(repository, prefix, places)
    except NoRepository as none:
        return GitChanges(repository=False, reason=str(none) or None)
    except ProcessFailure as failure:
        return GitChanges(repository=False, reason=f"{failure.message} {failure.remedy}")
    return read_status(output, prefix, under_way, elsewhere)


def prefix_of(root: str, repository: GitRepository) -> str:
    """What stands before the paths of the folder, seen from the top of the repository."""
    prefix = Path(root).relative_to(repository.top).as_posix()
    return "" if prefix == "." else prefix + "/"


async def status(root: str, places: dict[str, str]) -> ProgramOutput:
    """Run git status on the skeleton. Raises NoRepository with git's reason."""
    # What is dirty inside a submodule is its own repository's matter, and would start git there.
    flags = ("--branch", "--untracked-files=all", "--ignore-submodules=dirty", "--find-renames")
    output = await git(root, "status", "--porcelain=v2", "-z", *flags, "--", ".", extra=places)
    if output.code != 0 and not output.truncated:
        reason = output.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise NoRepository(f"git could not read the repository: {reason}")
    return output


def what_is_under_way(repository: GitRepository) -> str | None:
    """What git was asked to do and has not ended, in words."""
    for name, what in UNDER_WAY.items():
        if (repository.git_dir / name).exists():
            return what
    return None


async def staged_elsewhere(repository: GitRepository, prefix: str, places: dict[str, str]) -> int:
    """How many files are staged outside the folder."""
    if not prefix:
        return 0
    flags = ("--cached", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=dirty")
    output = await git(str(repository.top), "diff", *flags, extra=places)
    return sum(not name.startswith(prefix) for name in split(output))


def read_status(
    output: ProgramOutput, prefix: str, under_way: str | None, elsewhere: int
) -> GitChanges:
    """Read `git status --porcelain=v2 --branch -z`; paths lose the prefix of the folder."""
    branch: str | None = None
    head: str | None = None
    files: list[ChangedFile] = []
    for record, origin in records(output):
        if record.startswith("# branch.head "):
            name = record.removeprefix("# branch.head ")
            branch = None if name == "(detached)" else name
        elif record.startswith("# branch.oid "):
            found = record.removeprefix("# branch.oid ")
            head = None if found == "(initial)" else found
        elif not record.startswith("#"):
            file = read_file(record, origin, prefix)
            if file is not None:
                files.append(file)
    cut = output.truncated or len(files) > MOST_FILES
    return GitChanges(
        True, branch, head, under_way, tuple(files[:MOST_FILES]), elsewhere, truncated=cut
    )


def records(output: ProgramOutput) -> Iterator[tuple[str, str | None]]:
    """The complete records that are valid UTF-8, and from where a renamed file came."""
    # What is behind the last NUL is nothing, or cut off by the limit.
    *whole, _ = output.stdout.split(b"\0")
    fields = iter(whole)
    for raw in fields:
        origin = next(fields, None) if raw.startswith(b"2 ") else None
        try:
            yield raw.decode("utf-8"), None if origin is None else origin.decode("utf-8")
        except UnicodeDecodeError:
            continue  # the tree can't open it by name either


def read_file(record: str, origin: str | None, prefix: str) -> ChangedFile | None:
    """What a record says of a file of the folder; None for one that is Recto's own."""
    if record[0] == "?":
        path = inside(record[2:], prefix)
        return None if path is None else ChangedFile(path, unstaged="untracked")
    if record[0] not in "12u":
        return None
    fields = record.split(" ", {"1": 8, "2": 9, "u": 10}[record[0]])
    path = inside(fields[-1], prefix)
    if path is None:
        return None
    is_submodule = fields[2].startswith("S")
    if record[0] == "u":
        return ChangedFile(path, unstaged="conflict", is_submodule=is_submodule)
    staged, unstaged = LETTERS.get(fields[1][0]), LETTERS.get(fields[1][1])
    before = None if origin is None else inside(origin, prefix)
    if staged == "renamed" and before is None:
        staged = "added"
    return ChangedFile(path, staged, unstaged, before, is_submodule)


def inside(path: str, prefix: str) -> str | None:
    """A path of the repository as one of the folder."""
    if not path.startswith(prefix) or not is_shown(path):
        return None
    return path.removeprefix(prefix).rstrip("/")
