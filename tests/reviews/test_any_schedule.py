"""Whatever runs do and people say: the rows are true to the texts, and a no brings back all."""

import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recto.documents import LiveDocument
from recto.reviews import Reviews
from recto.reviews.edits import FOLLOWED
from recto.workspace import WorkspaceFailure, content_hash
from tests.chats.undoing.work import files_in
from tests.examples import examples
from tests.reviews.bench import Bench, bench_at

START = {"a.md": "one two\nthree\n", "b.py": "x = 1\ny = 2\n"}
NAMES = st.sampled_from(["a.md", "b.py", "c.md"])
WORDS = st.sampled_from(["one", "three", "x = 1", "y", "\n", "new", ""])

Deed = tuple[str, str, str, str]
BY_RUNS: st.SearchStrategy[Deed] = st.one_of(
    st.tuples(st.just("edit"), NAMES, WORDS, WORDS),
    st.tuples(st.just("edit"), NAMES, WORDS, WORDS),
    st.tuples(st.just("delete"), NAMES, st.just(""), st.just("")),
)
BY_ALL: st.SearchStrategy[Deed] = st.one_of(
    BY_RUNS,
    st.tuples(st.just("type"), NAMES, WORDS, WORDS),
    st.tuples(st.sampled_from(["accept", "reject"]), st.sampled_from("012"), WORDS, WORDS),
)


class Work:
    """A folder in which runs and people work."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.folder = bench.home.path
        self.reviews = Reviews(bench.edits, bench.take_back)
        self.made = 0
        self.deleted: set[str] = set()

    async def do(self, deed: Deed) -> None:
        kind, name, old, new = deed
        match kind:
            case "type":
                if (self.folder / name).exists():
                    text = (self.folder / name).read_text(encoding="utf-8")
                    self.bench.home.put(name, text.replace(old, new, 1))
            case "accept" | "reject":
                verdict = "accept" if kind == "accept" else "reject"
                await self.reviews.decide_all("p1", verdict, f"r{name}")
            case _:
                await self.run(kind, name, old, new)

    async def run(self, kind: str, name: str, old: str, new: str) -> None:
        """A run with one call."""
        call, files = await self.bench.begin(f"r{self.made % 3}")
        self.made += 1
        try:
            if kind == "delete":
                await files.remove(name)
                self.deleted.add(name)
            elif (self.folder / name).exists():
                data = (self.folder / name).read_bytes()
                wanted = data.decode().replace(old, new, 1).encode()
                await files.write(name, wanted, expected_hash=content_hash(data))
            elif name not in self.deleted:
                await files.write(name, new.encode(), expected_hash=None)
        except WorkspaceFailure:
            return
        finally:
            await call.finish()

    async def check(self) -> None:
        """The rows say what the texts say."""
        for name in ("a.md", "b.py", "c.md"):
            if not (self.folder / name).exists():
                continue
            async with self.bench.home.documents.using(name) as live:
                assert isinstance(live, LiveDocument)
                await self.bench.edits.settle("p1", live)
                rows = await self.bench.storage.edits.of_path("p1", name)
                waiting = {row.id for row in rows if row.status == "pending"}
                assert waiting & live.pending() == live.pending()
                followed = {row.id for row in rows if row.kind in FOLLOWED}
                made = {row.id for row in rows if row.kind == "created" and not live.text}
                assert waiting & (followed - made) == live.pending() - made
        assert not await self.bench.storage.edits.with_status("writing")


def at_work(act: Callable[[Work], Awaitable[None]]) -> None:
    async def run() -> None:
        path = Path(tempfile.mkdtemp())
        try:
            async with bench_at(path) as bench:
                for name, text in START.items():
                    bench.home.put(name, text)
                await act(Work(bench))
        finally:
            shutil.rmtree(path)

    anyio.run(run)


@settings(deadline=None, max_examples=examples(15))
@example([("edit", "c.md", "one", "one"), ("edit", "c.md", "one", "")])
@given(st.lists(BY_RUNS, max_size=8))
def test_rejecting_all_brings_back_what_was_there(deeds: list[Deed]) -> None:
    async def act(work: Work) -> None:
        for deed in deeds:
            await work.do(deed)
        await work.check()

        assert await work.reviews.decide_all("p1", "reject") == ()

        assert files_in(work.folder) == START

    at_work(act)


@settings(deadline=None, max_examples=examples(15))
@example([("edit", "c.md", "one", "x = 1"), ("edit", "c.md", "x = 1", "")])
@given(st.lists(BY_RUNS, max_size=8))
def test_accepting_all_changes_nothing(deeds: list[Deed]) -> None:
    async def act(work: Work) -> None:
        for deed in deeds:
            await work.do(deed)
        now = files_in(work.folder)

        assert await work.reviews.decide_all("p1", "accept") == ()

        assert files_in(work.folder) == now

    at_work(act)


@settings(deadline=None, max_examples=examples(15))
@given(st.lists(BY_ALL, max_size=12))
def test_the_rows_are_true_to_the_texts_whatever_happens(deeds: list[Deed]) -> None:
    async def act(work: Work) -> None:
        for deed in deeds:
            await work.do(deed)
            await work.check()

    at_work(act)
