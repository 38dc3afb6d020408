"""What git says is shown; what a repository tells git to run is never run."""

import os
import subprocess
from pathlib import Path

import anyio
import pytest

from recto.workspace import FileDiff, Workspace, git
from recto.workspace.git import GitState, read_state

pytestmark = pytest.mark.anyio

PLAIN = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def run_git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=PLAIN, check=check, capture_output=True, text=True
    )
    return done.stdout


def make_repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    run_git(folder, "init", "-q", "-b", "main")
    for name in ("same.md", "changed.md", "removed.md", "old.md"):
        (folder / name).write_text(f"{name}\n" * 20, encoding="utf-8")
    run_git(folder, "add", ".")
    run_git(folder, "commit", "-q", "-m", "first")
    return folder


async def state(folder: Path) -> GitState:
    with anyio.fail_after(60):
        return await read_state(str(folder))


async def test_a_folder_without_a_repository_has_no_state(root: Path) -> None:
    assert await state(root) == GitState(repository=False)


async def test_a_repository_whose_path_has_a_line_break_has_no_state(root: Path) -> None:
    folder = make_repository(root / "two\nlines")
    assert not (await state(folder)).repository


async def test_each_changed_file_has_its_state(root: Path) -> None:
    make_repository(root)
    (root / "changed.md").write_text("new\n", encoding="utf-8")
    (root / "removed.md").unlink()
    run_git(root, "mv", "old.md", "new name.md")
    (root / "added.md").write_text("added\n", encoding="utf-8")
    run_git(root, "add", "added.md")
    (root / "folder").mkdir()
    (root / "folder" / "fresh\n.md").write_text("fresh\n", encoding="utf-8")
    (root / ".recto-tmp-00").write_bytes(b"")
    (root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (root / "a.log").write_bytes(b"")

    assert await state(root) == GitState(
        repository=True,
        branch="main",
        files={
            "changed.md": "modified",
            "removed.md": "deleted",
            "new name.md": "renamed",
            "added.md": "added",
            "folder/fresh\n.md": "untracked",
            ".gitignore": "untracked",
        },
    )


async def test_a_conflict_is_one(root: Path) -> None:
    make_repository(root)
    run_git(root, "checkout", "-q", "-b", "other")
    (root / "same.md").write_text("theirs\n", encoding="utf-8")
    run_git(root, "commit", "-q", "-a", "-m", "theirs")
    run_git(root, "checkout", "-q", "main")
    (root / "same.md").write_text("ours\n", encoding="utf-8")
    run_git(root, "commit", "-q", "-a", "-m", "ours")
    run_git(root, "merge", "-q", "other", check=False)

    assert await state(root) == GitState(True, "main", {"same.md": "conflict"})


async def test_a_repository_without_a_commit_or_without_a_branch(root: Path) -> None:
    run_git(root, "init", "-q", "-b", "trunk")
    (root / "a.md").write_text("a", encoding="utf-8")

    assert await state(root) == GitState(True, "trunk", {"a.md": "untracked"})

    run_git(root, "add", ".")
    run_git(root, "commit", "-q", "-m", "first")
    run_git(root, "checkout", "-q", "--detach")

    assert await state(root) == GitState(True, None, {})


async def test_a_folder_inside_a_repository_sees_only_its_own_files(root: Path) -> None:
    top = make_repository(root.parent)
    (top / "changed.md").write_text("new\n", encoding="utf-8")
    (root / "mine.md").write_text("mine\n", encoding="utf-8")

    assert await state(root) == GitState(True, "main", {"mine.md": "untracked"})


async def test_a_linked_worktree_has_its_own_branch_and_files(root: Path, tmp_path: Path) -> None:
    make_repository(root)
    run_git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side" / "changed.md").write_text("new\n", encoding="utf-8")

    assert await state(tmp_path / "side") == GitState(True, "side", {"changed.md": "modified"})
    assert await state(root) == GitState(True, "main", {})


async def test_harmless_settings_of_the_repository_count(root: Path) -> None:
    make_repository(root)
    (root / "same.md").chmod(0o755)
    assert (await state(root)).files == {"same.md": "modified"}

    run_git(root, "config", "core.fileMode", "false")
    assert (await state(root)).files == {}


HOSTILE = """
[core]
    fsmonitor = {run}
    hooksPath = {hooks}
    pager = {run}
    editor = {run}
    sshCommand = {run}
    askPass = {run}
    gitProxy = {run}
    attributesFile = {attributes}
    alternateRefsCommand = {run}
[alias]
    status = !{run}
    rev-parse = !{run}
    config = !{run}
[diff]
    external = {run}
[diff "evil"]
    textconv = {run}
    command = {run}
[filter "evil"]
    clean = {run}
    smudge = {run}
    process = {run}
    required = true
[filter "a=b"]
    clean = {run}
    process = {run}
[credential]
    helper = !{run}
[gpg]
    program = {run}
[interactive]
    diffFilter = {run}
[pager]
    status = {run}
[extensions]
    partialClone = origin
    worktreeConfig = true
[remote "origin"]
    url = ext::{run}
    promisor = true
    uploadpack = {run}
[submodule]
    recurse = true
[status]
    submoduleSummary = true
[trace2]
    eventTarget = {marks}/trace
"""


def make_hostile(root: Path, marks: Path) -> None:
    """A repository whose every setting names a program that leaves a mark."""
    make_repository(root)
    (root / ".gitattributes").write_text("*.md filter=evil diff=evil\n", encoding="utf-8")
    (root / "b.txt").write_text("b\n", encoding="utf-8")
    run_git(root, "add", ".")
    run_git(root, "commit", "-q", "-m", "second")
    marks.mkdir()
    script = marks.parent / "run.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {marks}/ran\ncat\n', encoding="utf-8")
    script.chmod(0o755)
    hooks = marks.parent / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "post-checkout", "pre-commit"):
        (hooks / hook).symlink_to(script)
        (root / ".git" / "hooks").mkdir(exist_ok=True)
        (root / ".git" / "hooks" / hook).symlink_to(script)
    attributes = marks.parent / "attributes"
    attributes.write_text("*.txt filter=a=b\n", encoding="utf-8")
    config = HOSTILE.format(run=script, hooks=hooks, attributes=attributes, marks=marks)
    (root / "included").write_text(config, encoding="utf-8")
    (root / ".git" / "config.worktree").write_text(config, encoding="utf-8")
    with open(root / ".git" / "config", "a", encoding="utf-8") as file:
        file.write(config + f'[include]\n    path = {root}/included\n[includeIf "gitdir:**"]\n')
        file.write(f"    path = {root}/included\n")
    for name in ("same.md", "b.txt"):  # the same size at another time: git must look inside
        text = (root / name).read_text(encoding="utf-8")
        (root / name).write_text(text.swapcase(), encoding="utf-8")
        os.utime(root / name, (1, 1))


async def test_nothing_that_a_repository_names_is_run(root: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    make_hostile(root, marks)

    answer = await state(root)

    assert os.listdir(marks) == []
    assert (answer.branch, answer.files) == (
        "main",
        {"same.md": "modified", "b.txt": "modified", "included": "untracked"},
    )


async def test_the_marks_of_the_hostile_repository_work(root: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    make_hostile(root, marks)

    run_git(root, "status", check=False)

    assert "ran" in os.listdir(marks)


async def test_a_missing_object_is_not_fetched(root: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    make_hostile(root, marks)
    tree = run_git(root, "rev-parse", "HEAD^{tree}").strip()
    for mark in marks.iterdir():
        mark.unlink()
    (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()

    answer = await state(root)

    assert os.listdir(marks) == []
    assert answer.repository is False
    assert "git could not read the repository" in (answer.reason or "")


async def test_a_bare_repository_in_the_folder_is_not_taken_for_the_folders_own(
    root: Path, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    make_hostile(tmp_path / "evil", marks)
    for mark in marks.iterdir():
        mark.unlink()
    os.rename(tmp_path / "evil" / ".git", root / "bare")

    assert await state(root) == GitState(repository=False)
    assert await state(root / "bare") == GitState(repository=False)
    assert os.listdir(marks) == []


async def test_a_repository_whose_files_are_elsewhere_is_not_read(
    root: Path, tmp_path: Path
) -> None:
    make_repository(root)
    (tmp_path / "elsewhere").mkdir()
    run_git(root, "config", "core.worktree", str(tmp_path / "elsewhere"))

    assert (await state(root)).repository is False


async def test_a_repository_of_another_user_is_not_read(root: Path) -> None:
    make_repository(root)
    try:
        for path in (root, root / ".git"):
            os.chown(path, 12345, 12345)
    except PermissionError:
        pytest.skip("this user can't give files away")

    assert await state(root) == GitState(
        repository=False, reason="The repository belongs to another user, so it is not read."
    )


async def test_without_git_the_reason_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_repository(root)
    monkeypatch.setenv("PATH", str(root))

    assert await state(root) == GitState(
        repository=False, reason="The program git was not found. Install git."
    )


async def test_too_many_files_are_cut_and_said_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_git(root, "init", "-q", "-b", "main")
    for number in range(100):
        (root / f"file{number}").write_bytes(b"")
    monkeypatch.setattr(git, "MAX_OUTPUT", 500)

    answer = await state(root)

    assert answer.truncated
    assert 0 < len(answer.files) < 100
    assert set(answer.files) <= {f"file{number}" for number in range(100)}


async def changes(folder: Path) -> tuple[FileDiff, ...]:
    async with await Workspace.open(folder) as workspace:
        with anyio.fail_after(60):
            return (await workspace.recent_changes()).files


async def test_recent_changes_are_those_since_the_index(root: Path) -> None:
    make_repository(root)
    (root / "same.md").write_text("same.md\n" * 20 + "more\n", encoding="utf-8")

    assert await changes(root) == (
        FileDiff(
            "same.md",
            ("@@ -18,3 +18,4 @@ same.md", *([" same.md"] * 3), "+more"),
        ),
    )


async def test_looking_at_changes_leaves_the_index_as_it_is(root: Path) -> None:
    make_repository(root)
    os.utime(root / "same.md", (0, 0))
    index = (root / ".git" / "index").read_bytes()
    assert await changes(root) == ()
    assert (root / ".git" / "index").read_bytes() == index


async def test_without_changes_the_last_commit_is_told(root: Path) -> None:
    make_repository(root)
    assert await changes(root) == ()  # there is no commit before the first

    (root / "new.md").write_text("new\n", encoding="utf-8")
    run_git(root, "add", ".")
    run_git(root, "commit", "-q", "-m", "second")
    assert await changes(root) == (
        FileDiff("new.md", ("new file mode 100644", "@@ -0,0 +1 @@", "+new")),
    )


async def test_a_folder_without_a_repository_has_no_changes(root: Path) -> None:
    assert await changes(root) == ()


async def test_recent_changes_name_the_branch(root: Path) -> None:
    run_git(root, "init", "-q", "-b", "tides/north")

    async with await Workspace.open(root) as workspace:
        unborn = await workspace.recent_changes()
        run_git(root, "commit", "-q", "--allow-empty", "-m", "first")
        run_git(root, "checkout", "-q", "--detach")
        detached = await workspace.recent_changes()

    assert unborn.branch == "tides/north"
    assert detached.branch is None


async def test_a_folder_without_a_repository_starts_no_program(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "run", None)

    assert await changes(root) == ()
    assert await state(root) == GitState(repository=False)


async def test_recent_changes_are_few_files_and_few_lines(root: Path) -> None:
    run_git(root, "init", "-q")
    for number in range(9):
        (root / f"{number}.md").write_text("", encoding="utf-8")
    run_git(root, "add", ".")
    for number in range(9):
        lines = [str(line) for line in range(100)]
        (root / f"{number}.md").write_text("\n".join([*lines, "x" * 9999]), encoding="utf-8")
    (root / "0.md").write_text("x" * 100_000, encoding="utf-8")

    answer = await changes(root)

    assert [item.path for item in answer] == [f"{number}.md" for number in range(5)]
    assert all(len(item.lines) <= 20 for item in answer)
    assert all(item.is_cut for item in answer)
    assert max(len(line) for item in answer for line in item.lines) == 301


async def test_recent_changes_leave_out_what_is_kept_from_the_ai(root: Path) -> None:
    run_git(root, "init", "-q")
    for name in (".env", "a.md", "id_rsa", "private.md"):
        (root / name).write_text("", encoding="utf-8")
    (root / ".rectoignore").write_text("private.md\n", encoding="utf-8")
    run_git(root, "add", "-f", ".")
    for name in (".env", "a.md", "id_rsa", "private.md"):
        (root / name).write_text("canary\n", encoding="utf-8")

    assert [change.path for change in await changes(root)] == ["a.md"]


async def test_recent_changes_of_a_folder_inside_a_repository_are_its_own(root: Path) -> None:
    top = make_repository(root.parent)
    (root / "mine [x]*.md").write_text("one\n", encoding="utf-8")
    run_git(top, "add", ".")
    (top / "changed.md").write_text("new\n", encoding="utf-8")
    (root / "mine [x]*.md").write_text("two\n", encoding="utf-8")

    assert await changes(root) == (FileDiff("mine [x]*.md", ("@@ -1 +1 @@", "-one", "+two")),)


async def test_recent_changes_run_nothing_that_a_repository_names(
    root: Path, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    make_hostile(root, marks)

    answer = await changes(root)

    assert os.listdir(marks) == []
    assert [item.path for item in answer] == ["b.txt", "same.md"]


async def test_the_hostile_repository_would_run_something_for_a_diff(
    root: Path, tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    make_hostile(root, marks)

    run_git(root, "diff", check=False)

    assert "ran" in os.listdir(marks)
