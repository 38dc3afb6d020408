"""git in the sandbox: commits work, planting a program does not."""

import subprocess
from pathlib import Path

import pytest

from recto.tools.effects import FileState
from tests.tools.shell.place import Place, tree

pytestmark = pytest.mark.anyio

WHO = "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b"


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True)
    return done.stdout.decode()


def controls(repository: Path) -> dict[str, FileState]:
    """What git runs programs for."""
    names = ("config", "hooks", "commondir", "config.worktree")
    return {path: state for path, state in tree(repository).items() if path.startswith(names)}


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("one\n", encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root / ".git"


async def test_a_commit_is_made_and_it_is_said_that_it_is_not_covered(
    apart: Place, repository: Path
) -> None:
    ran = await apart.run(f"echo two >> a.txt; {WHO} git commit -qam second && git status --short")

    assert (ran.code, ran.output) == (0, "")
    assert git(repository.parent, "log", "--format=%s") == "first\n"
    assert ran.repository.controls() == ()
    assert await ran.repository.take_over() == ()
    assert git(repository.parent, "fsck", "--strict") == ""
    assert git(repository.parent, "log", "--format=%s") == "second\nfirst\n"
    assert [change.path for change in ran.changes] == ["a.txt"]
    assert ran.not_covered == "What it did in .git can't be undone."


@pytest.mark.parametrize("there", [True, False])
async def test_no_program_can_be_planted(apart: Place, repository: Path, there: bool) -> None:
    if not there:
        for hook in (repository / "hooks").iterdir():
            hook.unlink()
        (repository / "hooks").rmdir()
    before = controls(repository)

    ran = await apart.run(
        "git config core.fsmonitor evil; echo evil >> .git/config; mkdir -p .git/hooks evil;"
        "echo evil > .git/hooks/post-checkout; echo ../evil > .git/commondir;"
        "echo evil > .git/config.worktree; mv .git/config .git/c; mv .git/hooks .git/h"
    )

    await ran.repository.take_over(only_objects=True)
    assert controls(repository) == before
    wanted = {effect.path for effect in ran.repository.controls()}
    assert wanted >= {"c", "commondir", "config", "config.worktree", "h/post-checkout"}


async def test_packs_of_the_history_survive_its_removal(apart: Place, repository: Path) -> None:
    git(repository.parent, "gc", "-q")
    packs = tree(repository / "objects" / "pack")

    for command in ("rm -rf .git", "rm -rf .git/objects; mkdir .git/objects; rm .git/refs -r"):
        ran = await apart.run(command)
        await ran.repository.take_over()
        assert packs == tree(repository / "objects" / "pack")

    assert packs


async def test_a_link_in_place_of_the_configuration_makes_it_read_only(
    apart: Place, repository: Path
) -> None:
    (repository / "config").rename(repository.parent / "elsewhere")
    (repository / "config").symlink_to("../elsewhere")
    before = tree(repository)

    ran = await apart.run("git log --format=%s; git branch new; echo x > .git/x; true")

    assert ran.output.startswith("first\n")
    assert (tree(repository), ran.not_covered) == (before, "")


async def test_a_new_repository_is_not_taken_over(apart: Place) -> None:
    ran = await apart.run("git init -q; git init -q sub; echo x > sub/a")

    assert [change.path for change in ran.changes] == ["sub", "sub/a"]
    assert ran.found.lost.endswith(": .git, sub/.git.")
