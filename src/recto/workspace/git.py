"""What git says about the folder, without ever obeying the folder.

A repository's configuration can name programs (fsmonitor, filters, textconv, hooks) that git runs.
So `git status` never sees it: it works on a skeleton of our own that borrows objects, index, refs,
with a configuration written here from a short list of harmless keys. git's own refusal to read what
belongs to another user stays on.
"""

import os
import re
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio

from recto.durable import TEMPORARY_PREFIX
from recto.processes import ProcessFailure, ProgramOutput, find_program, run

FileState = Literal["modified", "added", "conflict", "deleted", "renamed", "untracked"]

DEADLINE_S = 10.0
MAX_OUTPUT = 16_000_000
MAX_HEAD_BYTES = 4096
ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # A status that refreshes the index would get in the way of the user's own git.
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone must not fetch what it lacks
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
OVERRIDES = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
HARMLESS = re.compile(
    r"core\.(repositoryformatversion|filemode|ignorecase|symlinks|autocrlf|eol|safecrlf"
    r"|precomposeunicode|trustctime|checkstat)|extensions\.(objectformat|refstorage)"
)
PLAIN_VALUE = re.compile(r"[A-Za-z0-9]{1,20}")
BRANCH = "ref: refs/heads/"
NOT_IN_HEAD = ".invalid"
"""The branch that HEAD names where a repository keeps its refs in a table."""
BORROWED = ("packed-refs", "refs", "reftable", "info")


@dataclass(frozen=True, slots=True)
class GitState:
    """The branch and what differs from its last commit; `reason` says why nothing is known.

    `branch` is None when no branch is checked out. `truncated` when there were too many files.
    """

    repository: bool
    branch: str | None = None
    files: dict[str, FileState] = field(default_factory=dict[str, FileState])
    truncated: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class GitRepository:
    """Where a repository keeps its things."""

    git_dir: Path
    common_dir: Path
    top: Path


class NoRepository(Exception):
    """There is no repository that can be read here."""


async def read_state(root: str) -> GitState:
    """The state of the repository that holds a folder, for the files below the folder."""
    try:
        async with skeleton_of(root) as (repository, places):
            output = await status(root, places)
    except NoRepository as none:
        return GitState(repository=False, reason=str(none) or None)
    except ProcessFailure as failure:
        return GitState(repository=False, reason=f"{failure.message} {failure.remedy}")
    prefix = Path(root).relative_to(repository.top).as_posix()
    return read_status(output, "" if prefix == "." else prefix + "/")


@asynccontextmanager
async def skeleton_of(root: str) -> AsyncGenerator[tuple[GitRepository, dict[str, str]]]:
    """The repository that holds a folder, and the variables that make git read a skeleton of it.

    Raises NoRepository, ProcessFailure.
    """
    repository = await find_repository(root)
    config = await harmless_config(repository, root)
    skeleton = await anyio.to_thread.run_sync(build_skeleton, repository, config)
    try:
        yield (
            repository,
            {
                "GIT_DIR": skeleton.name,
                "GIT_WORK_TREE": str(repository.top),
                "GIT_INDEX_FILE": str(repository.git_dir / "index"),
                "GIT_OBJECT_DIRECTORY": str(repository.common_dir / "objects"),
            },
        )
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(skeleton.cleanup)


async def find_repository(root: str) -> GitRepository:
    """The repository that holds a folder. Raises NoRepository; git judges who owns it."""
    # Every message asks: most folders are in no repository, and need no program to know that.
    if not await anyio.to_thread.run_sync(is_marked, root):
        raise NoRepository
    wanted = ("--absolute-git-dir", "--git-common-dir", "--show-toplevel")
    output = await git(root, "rev-parse", "--path-format=absolute", *wanted)
    if output.code != 0:
        text = output.stderr.decode("utf-8", "replace")
        # LC_ALL=C keeps git's words the same in every language.
        if "dubious ownership" in text:
            raise NoRepository("The repository belongs to another user, so it is not read.")
        raise NoRepository
    lines = output.stdout.removesuffix(b"\n").split(b"\n")
    if len(lines) != len(wanted):
        raise NoRepository("The repository's path has a line break in it.")
    git_dir, common_dir, top = (Path(os.fsdecode(line)) for line in lines)
    if not Path(root).is_relative_to(top):
        raise NoRepository("The repository's files are elsewhere.")
    return GitRepository(git_dir, common_dir, top)


def is_marked(root: str) -> bool:
    """Whether git would look for a repository in this folder or one that holds it."""
    return any(os.path.lexists(folder / ".git") for folder in (Path(root), *Path(root).parents))


async def harmless_config(repository: GitRepository, root: str) -> list[tuple[str, str]]:
    """The keys that change how files are compared and name no program; includes are not read."""
    file = str(repository.common_dir / "config")
    output = await git(root, "config", "--no-includes", "--file", file, "--list", "-z")
    pairs = (
        entry.partition("\n") for entry in output.stdout.decode("utf-8", "replace").split("\0")
    )
    return [
        (key, value)
        for key, _, value in pairs
        # Values, too: a line break in one could start a section of its own.
        if HARMLESS.fullmatch(key) and PLAIN_VALUE.fullmatch(value)
    ]


def build_skeleton(
    repository: GitRepository, config: list[tuple[str, str]]
) -> tempfile.TemporaryDirectory[str]:
    """Make a git folder that shares content with the repository, but not its configuration."""
    folder = tempfile.TemporaryDirectory(prefix="recto-git-")
    try:
        fill_skeleton(Path(folder.name), repository, config)
    except OSError as error:
        folder.cleanup()
        raise NoRepository(f"The repository could not be read: {error.strerror}.") from error
    return folder


def fill_skeleton(skeleton: Path, repository: GitRepository, config: list[tuple[str, str]]) -> None:
    """Write the configuration, copy HEAD, link to the rest."""
    lines = ["[core]\n\tbare = false\n"]
    for key, value in config:
        section, _, name = key.partition(".")
        lines.append(f"[{section}]\n\t{name} = {value}\n")
    (skeleton / "config").write_text("".join(lines), encoding="utf-8")
    with open(repository.git_dir / "HEAD", "rb") as head:
        (skeleton / "HEAD").write_bytes(head.read(MAX_HEAD_BYTES))
    for name in BORROWED:
        if (repository.common_dir / name).exists():
            (skeleton / name).symlink_to(repository.common_dir / name)
    for shared in repository.git_dir.glob("sharedindex.*"):
        (skeleton / shared.name).symlink_to(shared)


def branch_of(skeleton: Path) -> str | None:
    """The branch that is checked out, as HEAD names it; None when it names none."""
    head = (skeleton / "HEAD").read_text("utf-8", "replace").strip()
    name = head.removeprefix(BRANCH)
    return None if name in (head, NOT_IN_HEAD) else name


async def status(root: str, places: dict[str, str]) -> ProgramOutput:
    """Run git status on the skeleton. Raises NoRepository with git's reason."""
    output = await git(
        root,
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--untracked-files=all",
        "--ignore-submodules=all",
        "--",
        ".",
        extra=places,
    )
    if output.code != 0 and not output.truncated:
        reason = output.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise NoRepository(f"git could not read the repository: {reason}")
    return output


async def git(
    root: str,
    *arguments: str,
    extra: dict[str, str] | None = None,
    max_bytes: int | None = None,
) -> ProgramOutput:
    """Run git with everything off that could run something else."""
    overrides = [part for override in OVERRIDES for part in ("-c", override)]
    argv = [find_program("git"), *overrides, "--no-optional-locks", "--no-pager", *arguments]
    env = {**ENVIRONMENT, **(extra or {})}
    most = MAX_OUTPUT if max_bytes is None else max_bytes
    return await run(argv, cwd=root, env=env, timeout_s=DEADLINE_S, max_bytes=most)


def read_status(output: ProgramOutput, prefix: str) -> GitState:
    """Read `git status --porcelain=v2 -z`; paths lose the prefix of the workspace."""
    branch: str | None = None
    files: dict[str, FileState] = {}
    for record in records(output):
        if record.startswith("# branch.head "):
            name = record.removeprefix("# branch.head ")
            branch = None if name == "(detached)" else name
        elif not record.startswith("#"):
            path, state = read_record(record)
            if path.startswith(prefix) and is_shown(path):
                files[path.removeprefix(prefix)] = state
    return GitState(True, branch, files, output.truncated)


def records(output: ProgramOutput) -> Iterator[str]:
    """The complete records that are valid UTF-8; the second path of a rename is skipped."""
    # What is behind the last NUL is nothing, or cut off by the limit.
    *whole, _ = output.stdout.split(b"\0")
    fields = iter(whole)
    for raw in fields:
        if raw.startswith(b"2 "):
            next(fields, None)
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError:
            continue  # the tree can't open it by name either


def read_record(record: str) -> tuple[str, FileState]:
    """The path and state of one changed file."""
    match record[0]:
        case "1":
            return record.split(" ", 8)[8], changed_state(record[2:4])
        case "2":
            return record.split(" ", 9)[9], "renamed"
        case "u":
            return record.split(" ", 10)[10], "conflict"
        case _:
            return record[2:], "untracked"


def changed_state(letters: str) -> FileState:
    """What git's two letters (index, files) mean for somebody who looks at the files."""
    if "D" in letters:
        return "deleted"
    return "added" if "A" in letters else "modified"


def is_shown(path: str) -> bool:
    """Whether a path is the user's: not a file that Recto is just writing."""
    return not path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)
