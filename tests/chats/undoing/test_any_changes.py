"""Any changes by tools, any edits after them: what undo leaves is what it must be."""

import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.chats.undo.plan import UndoPlan, plan_undo
from recto.tools import Change, RecordedFiles
from recto.workspace import Workspace, WorkspaceFailure
from tests.chats.undoing.work import Files, files_in, put
from tests.examples import examples

NAMES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a"])
FOLDERS = st.sampled_from(["d", "d/e", "f"])
PATHS = NAMES | FOLDERS
TEXTS = st.sampled_from(["", "one\n", "one\ntwo\n", "no end"])
START: Files = {"a": "one\n", "d/a": "two\n", "d/e/a": "three\n"}

Deed = tuple[str, str, str]
Edit = Callable[[str], str]
DEEDS: st.SearchStrategy[Deed] = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("folder"), FOLDERS, st.just("")),
    st.tuples(st.just("remove"), PATHS, st.just("")),
    st.tuples(st.just("move"), PATHS, PATHS),
)


class Tools:
    """A folder that tools change, and what they noted."""

    def __init__(self, folder: Path, workspace: Workspace) -> None:
        self.folder = folder
        self.workspace = workspace
        self.noted: list[Change] = []
        self.files = RecordedFiles(workspace, self._note)

    async def _note(self, changes: tuple[Change, ...]) -> None:
        self.noted += changes

    async def do(self, deed: Deed) -> None:
        """Do something, if it can be done."""
        kind, path, other = deed
        try:
            match kind:
                case "write":
                    file = self.folder / path
                    known = await self.workspace.read_text(path) if file.is_file() else None
                    base = known.hash if known else None
                    await self.files.write(path, other.encode(), expected_hash=base)
                case "folder":
                    await self.files.create_folder(path)
                case "remove":
                    await self.files.remove(path)
                case _:
                    await self.files.move(path, other)
        except WorkspaceFailure:
            return

    async def undo(self) -> UndoPlan:
        """Take back all that was noted since the last time."""
        plan = await plan_undo(self.workspace, self.noted)
        self.noted.clear()
        assert await self.files.apply(tuple(plan.changes)) == ()
        return plan


def at_work(act: Callable[[Tools], Awaitable[None]]) -> None:
    """Act in a folder of its own."""

    async def run() -> None:
        folder = Path(tempfile.mkdtemp())
        try:
            put(folder, START)
            async with await Workspace.open(folder) as workspace:
                await act(Tools(folder, workspace))
        finally:
            shutil.rmtree(folder)

    anyio.run(run)


@settings(deadline=None, max_examples=examples(12))
@given(st.lists(DEEDS, max_size=8))
def test_where_nobody_did_anything_since_all_is_as_it_was(deeds: list[Deed]) -> None:
    async def act(tools: Tools) -> None:
        before = files_in(tools.folder)
        for deed in deeds:
            await tools.do(deed)
        after = files_in(tools.folder)

        plan = await tools.undo()
        assert {file.action for file in plan.told.values()} <= {
            *("restore", "remove", "recreate", "move", "nothing")
        }
        assert files_in(tools.folder) == before

        await tools.undo()
        assert files_in(tools.folder) == after

    at_work(act)


@st.composite
def edits(draw: st.DrawFn, name: str) -> Edit:
    """An edit of a text: some lines go, some come that are nowhere else."""
    put_in = draw(st.sets(st.integers(0, 7), max_size=3))
    taken = draw(st.sets(st.integers(0, 7), max_size=2))

    def edit(text: str) -> str:
        lines: list[str] = []
        for at, line in enumerate(text.splitlines()):
            lines += [f"{name} {at}"] if at in put_in else []
            lines += [] if at in taken else [line]
        return "".join(f"{line}\n" for line in lines)

    return edit


@settings(deadline=None, max_examples=examples(12))
@given(st.tuples(edits("tool 1"), edits("tool 2"), edits("tool 3")), edits("person"))
def test_a_persons_lines_stay_and_the_tools_lines_go(
    by_tools: tuple[Edit, ...], by_person: Edit
) -> None:
    async def act(tools: Tools) -> None:
        original = "".join(f"line {number}\n" for number in range(8))
        put(tools.folder, {"a": original})
        for edit in by_tools:
            text = files_in(tools.folder)["a"]
            await tools.do(("write", "a", edit(text)))
        made = files_in(tools.folder)["a"]
        now = by_person(made)
        put(tools.folder, {"a": now})

        plan = await tools.undo()

        left = files_in(tools.folder)["a"]
        if any(file.action == "conflict" for file in plan.told.values()):
            assert left == now
            return
        gone = {*made.splitlines()} - {*now.splitlines()}
        mine = {*now.splitlines()} - {*made.splitlines()}
        assert sorted(left.splitlines()) == sorted({*original.splitlines()} - gone | mine)

    at_work(act)
