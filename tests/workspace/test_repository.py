"""What people do with git in a folder: see what changed, stage it, commit it, see who wrote it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.workspace import GitRefused, NameRefused, Repository, Workspace
from recto.workspace.git_commits import batches
from recto.workspace.repository.patches import read_patch
from tests.examples import examples
from tests.workspace.test_committing import status, write
from tests.workspace.test_git import make_repository, run_git

pytestmark = pytest.mark.anyio

LINES = "".join(f"line {number}\n" for number in range(1, 41))


@pytest.fixture
def folder(root: Path) -> Path:
    """A repository with a commit, whose owner git knows."""
    make_repository(root)
    run_git(root, "config", "user.name", "Ada")
    run_git(root, "config", "user.email", "ada@example.org")
    write(root, "long.md", LINES)
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "begin")
    return root


async def opened(folder: Path) -> Repository:
    return (await Workspace.open(folder)).repository


async def seen(folder: Path) -> dict[str, tuple[str | None, str | None, str | None]]:
    changes = await (await opened(folder)).changes()
    return {file.path: (file.staged, file.unstaged, file.from_path) for file in changes.files}


def staged_text(folder: Path, name: str) -> str:
    return run_git(folder, "show", f":{name}")


async def test_both_sides_of_the_index_are_told_apart(folder: Path) -> None:
    write(folder, "changed.md", "once\n")
    run_git(folder, "add", "changed.md")
    write(folder, "changed.md", "twice\n")
    write(folder, "new file é.md")
    run_git(folder, "mv", "long.md", "renamed.md")
    (folder / "removed.md").unlink()

    assert await seen(folder) == {
        "changed.md": ("modified", "modified", None),
        "new file é.md": (None, "untracked", None),
        "renamed.md": ("renamed", None, "long.md"),
        "removed.md": (None, "deleted", None),
    }


async def test_what_git_is_in_the_middle_of_is_told(folder: Path) -> None:
    repository = await opened(folder)
    assert (await repository.changes()).branch == "main"
    run_git(folder, "checkout", "-q", "-b", "other")
    write(folder, "long.md", LINES.replace("line 5\n", "theirs\n"))
    run_git(folder, "commit", "-qam", "theirs")
    run_git(folder, "checkout", "-q", "main")
    write(folder, "long.md", LINES.replace("line 5\n", "mine\n"))
    run_git(folder, "commit", "-qam", "mine")
    run_git(folder, "merge", "-q", "other", check=False)

    changes = await repository.changes()
    assert changes.under_way == "A merge"
    assert [(file.path, file.unstaged) for file in changes.files] == [("long.md", "conflict")]
    conflict = (await repository.diff("long.md", staged=False)).hunks[0].lines
    assert [line.text for line in conflict if line.kind == "added"][-1] == ">>>>>>> other"
    with pytest.raises(GitRefused, match="is in conflict"):
        await repository.unstage(["long.md"])
    write(folder, "long.md", LINES)
    await repository.stage(["long.md"])
    with pytest.raises(GitRefused, match="A merge is under way"):
        await repository.commit("Not from here")

    run_git(folder, "merge", "--abort")
    run_git(folder, "checkout", "-q", "--detach")
    changes = await repository.changes()
    assert (changes.branch, changes.head) == (None, run_git(folder, "rev-parse", "HEAD").strip())
    write(folder, "changed.md", "detached\n")
    await repository.stage(["changed.md"])
    with pytest.raises(GitRefused, match="No branch is checked out"):
        await repository.commit("Not on a branch")


async def test_files_are_staged_taken_out_again_and_committed(folder: Path) -> None:
    repository = await opened(folder)
    write(folder, "changed.md", "other\n")
    write(folder, "deep/made.md", "made\n")
    (folder / "removed.md").unlink()
    every = ["changed.md", "deep/made.md", "removed.md"]

    await repository.stage(every)
    assert status(folder) == ["M  changed.md", "A  deep/made.md", "D  removed.md"]
    await repository.unstage(every)
    assert status(folder) == [" M changed.md", " D removed.md", "?? deep/made.md"]
    with pytest.raises(GitRefused, match="Nothing is staged"):
        await repository.commit("Empty")
    await repository.stage(["changed.md", "removed.md"])
    new = await repository.commit("Say it otherwise\n\nAt length.\n")

    shown = run_git(folder, "log", "-1", "--format=%H|%an <%ae>|%B").strip()
    assert shown == f"{new}|Ada <ada@example.org>|Say it otherwise\n\nAt length."
    assert status(folder) == ["?? deep/made.md"]
    run_git(folder, "fsck", "--strict")


async def test_the_first_commit_of_a_repository(root: Path) -> None:
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "config", "user.name", "Ada")
    run_git(root, "config", "user.email", "ada@example.org")
    write(root, "a.md", "a\n")
    repository = await opened(root)
    with pytest.raises(GitRefused, match="Nothing is staged"):
        await repository.commit("Empty")
    await repository.stage(["a.md"])
    await repository.unstage(["a.md"])
    assert status(root) == ["?? a.md"]
    await repository.stage(["a.md"])
    assert (await repository.changes()).head is None
    await repository.commit("Begin")
    assert status(root) == []


async def test_hunks_are_staged_one_by_one(folder: Path) -> None:
    repository = await opened(folder)
    text = LINES.replace("line 3\n", "line 3\nnew\nnew\n").replace("line 20\n", "twentieth\n")
    text = text.replace("line 38\n", "")
    write(folder, "long.md", text)
    first, second, third = (await repository.diff("long.md", staged=False)).hunks

    await repository.stage(["long.md"], [second.id])
    assert staged_text(folder, "long.md") == LINES.replace("line 20\n", "twentieth\n")
    with pytest.raises(GitRefused, match="changed meanwhile"):
        await repository.stage(["long.md"], [second.id])
    left = (await repository.diff("long.md", staged=False)).hunks
    assert [hunk.lines for hunk in left] == [first.lines, third.lines]
    await repository.stage(["long.md"], [hunk.id for hunk in left])
    assert staged_text(folder, "long.md") == text
    staged = (await repository.diff("long.md", staged=True)).hunks
    await repository.unstage(["long.md"], [staged[2].id])
    assert staged_text(folder, "long.md") == text.replace("line 37\n", "line 37\nline 38\n")
    assert (folder / "long.md").read_text() == text


async def test_a_file_that_became_a_link_is_staged_as_a_whole_only(folder: Path) -> None:
    repository = await opened(folder)
    write(folder, "other.md", "other\n")
    (folder / "long.md").unlink()
    (folder / "long.md").symlink_to("other.md")

    assert (await repository.diff("long.md", staged=False)).hunks == ()
    with pytest.raises(GitRefused, match="became a link"):
        await repository.stage(["long.md"], ["0" * 20])
    assert staged_text(folder, "long.md") == LINES
    await repository.stage(["long.md"])
    assert staged_text(folder, "long.md") == "other.md"


def test_names_are_given_to_git_in_batches_that_a_command_line_holds() -> None:
    names = [f"{'x' * length}" for length in (1, 9_000, 2_000, 12_000, 1)] + ["y"] * 500
    found = list(batches(names))
    assert [name for some in found for name in some] == names
    assert all(len(some) == 1 or sum(map(len, some)) <= 10_000 for some in found)
    assert max(map(len, found)) == 200


SOME_LINES = st.lists(st.sampled_from(["same\n", "a\n", "b\r\n", "\n"]), max_size=60)


@settings(max_examples=examples(12), deadline=None)
@given(old=SOME_LINES, new=SOME_LINES, ends=st.booleans(), data=st.data())
async def test_any_hunks_of_any_texts_can_be_staged_and_taken_out(
    tmp_path_factory: pytest.TempPathFactory,
    old: list[str],
    new: list[str],
    ends: bool,
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("hunks")
    run_git(folder, "init", "-q", "-b", "main")
    padding = [f"{number}\n" for number in range(8)]
    before = "".join([*old, *padding, *old]).encode()
    after = "".join([*new, *padding, *new]).encode() + (b"" if ends else b"end")
    (folder / "a").write_bytes(before)
    run_git(folder, "add", "a")
    (folder / "a").write_bytes(after)
    repository = await opened(folder)
    hunks = (await repository.diff("a", staged=False)).hunks
    chosen = data.draw(st.lists(st.sampled_from(hunks), unique=True)) if hunks else []
    if chosen:
        await repository.stage(["a"], [hunk.id for hunk in chosen])
    # What is staged and what is left are the whole change: the rest, staged too, gives the file.
    left = (await repository.diff("a", staged=False)).hunks
    assert len(left) <= len(hunks)
    if left:
        await repository.stage(["a"], [hunk.id for hunk in left])
    assert run_git(folder, "cat-file", "-s", ":a").strip() == str(len(after))
    assert run_git(folder, "diff", "--name-only") == ""


async def test_nothing_that_a_repository_names_runs(folder: Path) -> None:
    ran = folder.parent / "ran"
    program = folder.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for hook in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        (folder / ".git/hooks").mkdir(exist_ok=True)
        (folder / ".git/hooks" / hook).symlink_to(program)
    for key in ("core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager", "gpg.program"):
        run_git(folder, "config", key, str(program))
    run_git(folder, "config", "commit.gpgsign", "true")
    write(folder, ".git/info/attributes", "*.md diff=x\n")
    write(folder, "changed.md", "other\n")
    ran.unlink(missing_ok=True)
    repository = await opened(folder)
    await repository.changes()
    await repository.diff("changed.md", staged=False)
    await repository.stage(["changed.md"])
    await repository.diff("changed.md", staged=True)
    await repository.commit("Nothing runs")
    await repository.blame("changed.md", 1)
    await repository.history("changed.md")
    assert not ran.exists()


async def test_a_file_behind_a_filter_is_refused(folder: Path) -> None:
    write(folder, ".gitattributes", "*.bin filter=lfs\n")
    write(folder, "large.bin", "content\n")
    with pytest.raises(GitRefused, match="passes a filter of git, lfs"):
        await (await opened(folder)).stage(["large.bin"])


async def test_git_that_does_not_know_its_user_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_git(folder, "config", "--unset", "user.name")
    monkeypatch.setenv("HOME", str(folder.parent))
    write(folder, "changed.md", "other\n")
    repository = await opened(folder)
    await repository.stage(["changed.md"])
    with pytest.raises(GitRefused, match=r"who you are.*git config --global user\.name"):
        await repository.commit("By nobody")


async def test_no_repository_and_strange_paths_are_told(root: Path) -> None:
    repository = await opened(root)
    assert not (await repository.changes()).repository
    with pytest.raises(GitRefused, match="no git repository"):
        await repository.stage(["a.md"])
    for path in ("../x", "/etc/passwd", "a/../../b"):
        with pytest.raises(NameRefused):
            await repository.diff(path, staged=False)


async def test_a_name_that_looks_like_an_option_or_a_pattern_is_only_a_name(folder: Path) -> None:
    for name in ("--cached", "*", ":(top)x", "a\nb", '"quoted"'):
        write(folder, name, "x\n")
        repository = await opened(folder)
        await repository.stage([name])
        hunks = (await repository.diff(name, staged=True)).hunks
        await repository.unstage([name], [hunks[0].id])
        assert (await seen(folder))[name] == (None, "untracked", None)
        (folder / name).unlink()


async def test_new_binary_and_large_files(folder: Path) -> None:
    repository = await opened(folder)
    write(folder, "new.md", "one\ntwo")
    (folder / "new.bin").write_bytes(b"\0\1")
    write(folder, "many.md", "x\n" * 6000)
    lines = (await repository.diff("new.md", staged=False)).hunks[0].lines
    assert [(line.kind, line.text) for line in lines] == [("added", "one"), ("added", "two")]
    assert (await repository.diff("new.bin", staged=False)).is_binary
    assert (await repository.diff("many.md", staged=False)).is_cut
    await repository.stage(["new.bin", "many.md"])
    assert (await repository.diff("new.bin", staged=True)).is_binary
    assert (await repository.diff("many.md", staged=True)).is_cut


async def test_a_folder_inside_a_repository_shows_its_own_files(folder: Path) -> None:
    write(folder, "deep/inner.md", "inner\n")
    write(folder, "outer.md", "outer\n")
    run_git(folder, "add", "outer.md")
    repository = await opened(folder / "deep")
    changes = await repository.changes()
    assert [file.path for file in changes.files] == ["inner.md"]
    assert changes.staged_elsewhere == 1
    await repository.stage(["inner.md"])
    await repository.commit("Both")
    assert status(folder) == []
    assert [item.path for item in await repository.history("inner.md")] == ["inner.md"]
    head = run_git(folder, "rev-parse", "HEAD").strip()
    assert await repository.text_at(head, "inner.md") == "inner\n"


async def test_a_worktree_and_a_submodule(folder: Path, root: Path) -> None:
    other = root.parent / "worktree"
    run_git(folder, "worktree", "add", "-q", str(other), "-b", "side")
    write(other, "changed.md", "there\n")
    repository = await opened(other)
    assert (await repository.changes()).branch == "side"
    await repository.stage(["changed.md"])
    await repository.commit("There")
    assert run_git(folder, "log", "-1", "--format=%s", "side").strip() == "There"
    assert status(folder) == []

    source = root.parent / "source"
    source.mkdir()
    make_repository(source)
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "sub")
    run_git(folder, *add)
    run_git(folder, "commit", "-qm", "with a submodule")
    write(folder / "sub", "new.md")
    assert await seen(folder) == {}
    run_git(folder / "sub", "add", "-A")
    run_git(folder / "sub", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "x")
    repository = await opened(folder)
    (file,) = (await repository.changes()).files
    assert (file.path, file.unstaged, file.is_submodule) == ("sub", "modified", True)
    await repository.stage(["sub"])
    await repository.commit("Newer submodule")
    assert status(folder) == []


async def test_lines_and_files_have_a_history(folder: Path) -> None:
    repository = await opened(folder)
    run_git(folder, "mv", "long.md", "moved.md")
    run_git(folder, "commit", "-qm", "move it")
    write(folder, "moved.md", LINES.replace("line 2\n", "second | line\n"))
    run_git(folder, "commit", "-qam", "say it otherwise")
    write(folder, "moved.md", (folder / "moved.md").read_text() + "not committed\n")

    first, second = [await repository.blame("moved.md", line) for line in (1, 2)]
    assert first is not None
    assert second is not None
    assert (first.subject, second.subject, second.author) == ("begin", "say it otherwise", "A")
    last = await repository.blame("moved.md", 41)
    assert last is not None
    assert last.commit is None
    assert await repository.blame("moved.md", 400) is None
    assert await repository.blame("unknown.md", 1) is None
    found = await repository.history("moved.md")
    assert [(item.subject, item.path) for item in found] == [
        ("say it otherwise", "moved.md"),
        ("move it", "moved.md"),
        ("begin", "long.md"),
    ]
    assert await repository.text_at(found[-1].commit, "long.md") == LINES
    assert await repository.text_at(found[0].commit, "long.md") is None
    with pytest.raises(GitRefused, match="no commit"):
        await repository.text_at("--help", "long.md")


async def test_a_commit_whose_time_nobody_can_read_is_shown_with_the_others(folder: Path) -> None:
    tree = run_git(folder, "rev-parse", "HEAD^{tree}").strip()
    broken = folder.parent / "broken-commit"
    broken.write_text(f"tree {tree}\nauthor A <a@b.c>\ncommitter A <a@b.c> 1 +0000\n\nimported\n")
    arguments = ("hash-object", "-t", "commit", "-w", "--literally", str(broken))
    run_git(folder, "reset", "-q", "--soft", run_git(folder, *arguments).strip())

    repository = await opened(folder)
    (found,) = await repository.history("long.md")
    assert (found.subject, found.at_ms) == ("imported", 0)
    line = await repository.blame("long.md", 1)
    assert line is not None
    assert line.at_ms == 0


@given(raw=st.binary(max_size=300))
def test_no_diff_breaks_the_reading(raw: bytes) -> None:
    patch = read_patch(b"diff --git a/x b/x\n@@ -1 +1 @@\n" + raw)
    patch.hunks()
    patch.only([piece.id for piece in patch.pieces], backwards=True)
