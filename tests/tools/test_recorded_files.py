"""Every change is noted before it is made, and can be taken back."""

import os
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.tools import Change, Effect, FileState, Moved, RecordedFiles, reversed_changes
from recto.workspace import (
    NotAFile,
    PathChanged,
    PathExists,
    PathHidden,
    PathNotFound,
    PathProtected,
    Workspace,
    content_hash,
)
from tests.examples import examples
from tests.tools.bench import Bench

pytestmark = pytest.mark.anyio

FOLDER = FileState("folder", mode=0o755)


def file(data: bytes, mode: int = 0o644) -> FileState:
    return FileState("file", data, mode)


async def test_a_change_is_noted_before_it_is_made(root: Path) -> None:
    seen: list[tuple[tuple[Change, ...], list[str]]] = []

    async def note(changes: tuple[Change, ...]) -> None:
        seen.append((changes, sorted(os.listdir(root))))

    async with await Workspace.open(root) as workspace:
        files = RecordedFiles(workspace, note)
        new_hash = await files.write("a.md", b"one", expected_hash=None)
        await files.write("a.md", b"two", expected_hash=new_hash)
        await files.create_folder("sub")
        await files.move("a.md", "sub/b.md")
        await files.remove("sub")

    assert seen == [
        ((Effect("a.md", None, file(b"one")),), []),
        ((Effect("a.md", file(b"one"), file(b"two")),), ["a.md"]),
        ((Effect("sub", None, FOLDER),), ["a.md"]),
        ((Moved("a.md", "sub/b.md"),), ["a.md", "sub"]),
        ((Effect("sub/b.md", file(b"two"), None), Effect("sub", FOLDER, None)), ["sub"]),
    ]
    assert os.listdir(root) == []


async def test_a_note_that_fails_stops_the_change(root: Path) -> None:
    async def note(changes: tuple[Change, ...]) -> None:
        raise OSError(f"no room for {len(changes)}")

    async with await Workspace.open(root) as workspace:
        files = RecordedFiles(workspace, note)
        with pytest.raises(OSError, match="no room for 1"):
            await files.write("a.md", b"one", expected_hash=None)

    assert os.listdir(root) == []


async def test_what_can_not_be_done_is_neither_noted_nor_done(bench: Bench) -> None:
    bench.write("a.md", "a")
    bench.write("b.md", "b")
    bench.write("sub/.env", "secret")
    files = bench.context.files

    with pytest.raises(PathExists):
        await files.write("a.md", b"x", expected_hash=None)
    with pytest.raises(PathChanged):
        await files.write("a.md", b"x", expected_hash=content_hash(b"other"))
    with pytest.raises(PathChanged):
        await files.write("gone.md", b"x", expected_hash=content_hash(b"other"))
    with pytest.raises(NotAFile):
        await files.write("sub", b"x", expected_hash=content_hash(b"other"))
    with pytest.raises(PathExists):
        await files.create_folder("a.md")
    with pytest.raises(PathExists):
        await files.move("a.md", "b.md")
    with pytest.raises(PathNotFound):
        await files.remove("gone.md")
    for work in (files.remove("sub"), files.move("sub", "other"), files.move("a.md", ".env")):
        with pytest.raises(PathHidden):
            await work
    with pytest.raises(PathProtected):
        await files.create_folder(".git")

    assert bench.notes == []
    assert bench.files() == {"a.md": "a", "b.md": "b", "sub/.env": "secret"}


async def test_writing_through_a_link_is_noted_where_it_happens(bench: Bench) -> None:
    bench.write("real.md", "old")
    (bench.root / "link.md").symlink_to("real.md")

    await bench.context.files.write("link.md", b"new", expected_hash=content_hash(b"old"))

    assert bench.notes == [(Effect("real.md", file(b"old"), file(b"new")),)]
    assert bench.read("real.md") == b"new"
    assert (bench.root / "link.md").is_symlink()


async def test_the_changes_of_a_command_are_made_in_an_order_that_works(bench: Bench) -> None:
    bench.write("old/deep/a.md", "a")
    bench.write("was-file", "f")
    changes = (
        Effect("new/deep/b.md", None, file(b"b", 0o755)),
        Effect("new/deep", None, FOLDER),
        Effect("new", None, FOLDER),
        Effect("old", FOLDER, None),
        Effect("old/deep", FOLDER, None),
        Effect("old/deep/a.md", file(b"a"), None),
        Effect("was-file", file(b"f"), FOLDER),
        Effect("was-file/c.md", None, file(b"c")),
        Effect("link", None, FileState("link", b"new", 0o777)),
    )

    assert await bench.context.files.apply(changes) == ()

    assert bench.notes == [changes]
    assert bench.files() == {"new/deep/b.md": "b", "was-file/c.md": "c"}
    assert (bench.root / "new/deep/b.md").stat().st_mode & 0o777 == 0o755
    assert os.readlink(bench.root / "link") == "new"
    assert not (bench.root / "old").exists()


async def test_where_something_else_happened_it_is_left_and_said(bench: Bench) -> None:
    bench.write("mine.md", "as it was")
    bench.write("theirs.md", "changed meanwhile")
    bench.write("taken.md", "by somebody")
    changes = (
        Effect("mine.md", file(b"as it was"), file(b"new")),
        Effect("theirs.md", file(b"as it was"), file(b"new")),
        Effect("taken.md", None, file(b"new")),
        Effect(".env", None, file(b"new")),
        Effect(".git/hooks/x", None, file(b"new")),
        Effect("../out", None, file(b"new")),
        Effect("no/parent", None, file(b"new")),
    )

    left = await bench.context.files.apply(changes)

    assert left == ("theirs.md", "taken.md", ".env", ".git/hooks/x", "../out", "no/parent")
    assert bench.notes == [(changes[0], changes[6])]
    assert bench.files() == {
        "mine.md": "new",
        "taken.md": "by somebody",
        "theirs.md": "changed meanwhile",
    }


async def test_what_is_made_already_is_only_noted(bench: Bench) -> None:
    bench.write("a.md", "new")
    done = (Effect("a.md", file(b"old"), file(b"new")), Effect("b.md", file(b"b"), None))

    assert await bench.context.files.apply(done) == ()

    assert bench.notes == [done]
    assert bench.files() == {"a.md": "new"}


async def test_a_run_is_taken_back_by_its_changes_reversed(bench: Bench) -> None:
    bench.write("a.md", "first")
    bench.write("sub/b.md", "b")
    files = bench.context.files
    first = await files.write("a.md", b"second", expected_hash=content_hash(b"first"))
    await files.write("a.md", b"third", expected_hash=first)
    await files.move("a.md", "moved.md")
    await files.remove("sub")
    await files.create_folder("fresh")
    await files.write("fresh/c.md", b"c", expected_hash=None)
    run = tuple(change for note in bench.notes for change in note)

    left = await files.apply(reversed_changes(run))

    assert left == ()
    assert bench.files() == {"a.md": "first", "sub/b.md": "b"}
    assert not (bench.root / "fresh").exists()


async def test_taking_back_leaves_what_somebody_did_since(bench: Bench) -> None:
    bench.write("a.md", "first")
    bench.write("b.md", "first")
    files = bench.context.files
    await files.write("a.md", b"second", expected_hash=content_hash(b"first"))
    await files.write("b.md", b"second", expected_hash=content_hash(b"first"))
    run = tuple(change for note in bench.notes for change in note)
    bench.write("a.md", "by hand")

    assert await files.apply(reversed_changes(run)) == ("a.md",)
    assert bench.files() == {"a.md": "by hand", "b.md": "first"}


async def test_a_move_that_can_not_be_taken_back_is_said(bench: Bench) -> None:
    bench.write("a.md", "a")
    await bench.context.files.move("a.md", "b.md")
    bench.write("a.md", "new")

    assert await bench.context.files.apply((Moved("b.md", "a.md"),)) == ("b.md",)
    assert bench.files() == {"a.md": "new", "b.md": "a"}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "move", "remove", "folder"]),
        st.sampled_from(["a", "b", "d/a", "d/b", "d"]),
        st.sampled_from(["a", "b", "c", "d/c", "e"]),
    ),
    max_size=8,
)


@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(STEPS)
def test_any_run_is_taken_back_whole(
    tmp_path_factory: pytest.TempPathFactory, some: list[tuple[str, str, str]]
) -> None:
    anyio.run(run_and_take_back, tmp_path_factory.mktemp("run"), some)


async def run_and_take_back(root: Path, some: list[tuple[str, str, str]]) -> None:
    notes: list[Change] = []

    async def note(changes: tuple[Change, ...]) -> None:
        notes.extend(changes)

    os.mkdir(root / "d")
    for name in ("a", "d/a"):
        await anyio.Path(root / name).write_bytes(name.encode())
    before = tree(root)
    async with await Workspace.open(root) as workspace:
        files = RecordedFiles(workspace, note)
        for number, step in enumerate(some):
            await attempt(workspace, files, number, step)
        assert await files.apply(reversed_changes(notes)) == ()
    assert tree(root) == before


async def attempt(
    workspace: Workspace, files: RecordedFiles, number: int, step: tuple[str, str, str]
) -> None:
    """Do one thing; steps that make no sense here are passed over before they are noted."""
    kind, path, new_path = step
    state = await workspace.state(path)
    parent = await workspace.state(new_path.rpartition("/")[0]) if "/" in new_path else FOLDER
    folder = await workspace.state(path.rpartition("/")[0]) if "/" in path else FOLDER
    target = await workspace.state(new_path)
    if folder is None or folder.kind != "folder":
        return
    match kind:
        case "write" if state is None or state.kind == "file":
            known = None if state is None else content_hash(state.data)
            await files.write(path, str(number).encode(), expected_hash=known)
        case "move" if state and parent and parent.kind == "folder" and target is None:
            if not new_path.startswith(path + "/"):
                await files.move(path, new_path)
        case "remove" if state:
            await files.remove(path)
        case "folder" if state is None:
            await files.create_folder(path)
        case _:
            pass


def tree(root: Path) -> dict[str, bytes | None]:
    """Every path with its content."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in root.rglob("*")
    }
