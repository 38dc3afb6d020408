"""A commit of some files: those files as they stand, and nothing else that anybody did."""

import os
from pathlib import Path

import pytest

from recto.workspace import NotCommitted, Workspace
from tests.workspace.test_git import make_repository, run_git

pytestmark = pytest.mark.anyio


@pytest.fixture
def repository(root: Path) -> Path:
    """A repository with a commit, whose owner git knows."""
    make_repository(root)
    run_git(root, "config", "user.name", "Ada")
    run_git(root, "config", "user.email", "ada@example.org")
    return root


async def commit(folder: Path, *paths: str, message: str = "Shorten it\n\nRun 1") -> str | None:
    async with await Workspace.open(folder) as workspace:
        return await workspace.commit(paths, message)


def write(folder: Path, name: str, text: str = "new\n") -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def committed(folder: Path) -> list[str]:
    """The files of the last commit, with how they changed."""
    said = run_git(folder, "show", "--name-status", "--format=", "--no-renames", "HEAD")
    return [line.replace("\t", " ") for line in said.splitlines()]


def status(folder: Path) -> list[str]:
    return run_git(folder, "status", "--porcelain", "--untracked-files=all").splitlines()


async def test_the_files_are_committed_in_the_name_of_the_user(repository: Path) -> None:
    write(repository, "changed.md")
    write(repository, "deep/made.md")
    (repository / "removed.md").unlink()

    new = await commit(repository, "changed.md", "deep/made.md", "removed.md", "never.md")

    shown = run_git(repository, "log", "-1", "--format=%H|%an|%ce|%B").strip()
    assert shown == f"{new}|Ada|ada@example.org|Shorten it\n\nRun 1"
    assert committed(repository) == ["M changed.md", "A deep/made.md", "D removed.md"]
    assert status(repository) == []
    assert run_git(repository, "reflog", "-1", "--format=%gs") == "commit: Shorten it\n"
    run_git(repository, "fsck", "--strict")


async def test_what_is_staged_or_changed_elsewhere_stays_so(repository: Path) -> None:
    write(repository, "changed.md")
    write(repository, "same.md", "staged\n")
    write(repository, "added.md")
    run_git(repository, "add", "same.md", "added.md")
    write(repository, "same.md", "staged, and changed again\n")
    write(repository, "old.md", "not staged\n")
    write(repository, "new.md")
    before = [line for line in status(repository) if "changed.md" not in line]

    assert await commit(repository, "changed.md")

    assert committed(repository) == ["M changed.md"]
    assert status(repository) == before
    assert run_git(repository, "show", ":same.md") == "staged\n"


async def test_a_file_that_is_changed_again_meanwhile_shows_as_changed(repository: Path) -> None:
    write(repository, "changed.md")
    assert await commit(repository, "changed.md")
    write(repository, "changed.md", "later\n")
    assert status(repository) == [" M changed.md"]


async def test_a_folder_inside_the_repository_commits_its_own_files(repository: Path) -> None:
    write(repository, "part/a b.md")
    write(repository, "part/-x.md")
    write(repository, "part/:(top)*.md")
    write(repository, "changed.md")
    assert await commit(repository / "part", "a b.md", "-x.md", ":(top)*.md")
    assert committed(repository) == ["A part/-x.md", "A part/:(top)*.md", "A part/a b.md"]
    assert status(repository) == [" M changed.md"]


async def test_nothing_new_makes_no_commit(repository: Path) -> None:
    head = run_git(repository, "rev-parse", "HEAD")
    assert await commit(repository, "same.md", "never.md") is None
    assert run_git(repository, "rev-parse", "HEAD") == head


async def test_without_a_repository_nothing_happens(root: Path) -> None:
    write(root, "a.md")
    assert await commit(root, "a.md") is None


async def test_the_first_commit_of_a_repository_is_possible(root: Path) -> None:
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "config", "user.name", "Ada")
    run_git(root, "config", "user.email", "ada@example.org")
    write(root, "a.md")
    write(root, "b.md")
    assert await commit(root, "a.md")
    assert (committed(root), status(root)) == (["A a.md"], ["?? b.md"])


async def test_ignored_files_and_those_of_other_repositories_are_left_out(
    repository: Path,
) -> None:
    write(repository, ".gitignore", "*.log\n")
    write(repository, "a.log")
    make_repository(repository / "inner")
    write(repository, "inner/changed.md")
    write(repository, "changed.md")
    assert await commit(repository, "a.log", "inner/changed.md", "changed.md")
    assert committed(repository) == ["M changed.md"]


async def test_a_linked_working_tree_commits_on_its_own_branch(
    repository: Path, tmp_path: Path
) -> None:
    run_git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    write(tmp_path / "side", "changed.md")
    new = await commit(tmp_path / "side", "changed.md")
    assert run_git(repository, "rev-parse", "side").strip() == new
    assert (status(tmp_path / "side"), status(repository)) == ([], [])


async def test_a_split_index_stays_readable(repository: Path) -> None:
    run_git(repository, "update-index", "--split-index")
    write(repository, "changed.md")
    assert await commit(repository, "changed.md")
    assert status(repository) == []
    run_git(repository, "fsck", "--strict")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["checkout", "-q", "--detach"], "No branch is checked out"),
        (["add", "changed.md"], "Changes in changed.md are staged already"),
        (["config", "--unset", "user.email"], "Git does not know who you are"),
        (["update-ref", "MERGE_HEAD", "HEAD"], "A merge is under way"),
    ],
)
async def test_what_speaks_against_a_commit_is_said_and_changes_nothing(
    repository: Path, arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(repository))
    write(repository, "changed.md")
    run_git(repository, *arguments)
    before = status(repository), run_git(repository, "rev-parse", "HEAD")
    with pytest.raises(NotCommitted, match=says):
        await commit(repository, "changed.md")
    assert (status(repository), run_git(repository, "rev-parse", "HEAD")) == before


@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
async def test_another_git_at_work_is_left_alone(repository: Path, lock: str) -> None:
    write(repository, "changed.md")
    before = run_git(repository, "rev-parse", "HEAD")
    (repository / ".git" / lock).touch()
    with pytest.raises(NotCommitted, match="git said"):
        await commit(repository, "changed.md")
    (repository / ".git" / lock).unlink()
    assert (run_git(repository, "rev-parse", "HEAD"), status(repository)) == (
        before,
        [" M changed.md"],
    )


async def test_a_file_that_passes_a_filter_is_not_committed_without_it(repository: Path) -> None:
    write(repository, ".gitattributes", "*.md filter=lfs\n")
    write(repository, "changed.md")
    with pytest.raises(NotCommitted, match="passes a filter of git, lfs"):
        await commit(repository, "changed.md")


async def test_nothing_that_the_repository_names_is_run(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{trap}'\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        (hooks / name).symlink_to(program)
    (hooks / "post-index-change").symlink_to(program)
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.process", "gpg.program"):
        run_git(repository, "config", key, str(program))
    run_git(repository, "config", "core.hooksPath", os.fspath(hooks))
    run_git(repository, "config", "commit.gpgSign", "true")
    write(repository, "changed.md")
    assert await commit(repository, "changed.md")
    assert not trap.exists()
