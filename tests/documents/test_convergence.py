"""Peers, a program and the disk edit at random: all agree in the end, and nothing typed is lost."""

import random
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.documents import DocumentState, InvalidPosition, LiveDocument, Splice, UnresolvedConflict
from recto.documents.anchors import anchors_at, places_of
from recto.documents.shared_text import SharedText, first_update
from recto.workspace import PathChanged, content_hash
from tests.documents.folder import ANN, RUN, Folder, MemoryJournal, crash, document, folder
from tests.examples import examples

pytestmark = pytest.mark.anyio

LETTERS = "aé漢😀 \n"
START = "The first line.\nZwei Größen 漢字.\n😀 smiles 😀\nThe last line.\n"


@dataclass
class Peer:
    """A page: edits its own copy, and hands updates over when it is connected."""

    shared: SharedText
    unsent: list[bytes] = field(default_factory=list[bytes])
    line: anyio.Lock = field(default_factory=anyio.Lock)

    def type(self, where: int, text: str) -> None:
        self.unsent.append(self.shared.splice([Splice(where, where, text)]))

    async def meet(self, live: LiveDocument) -> None:
        async with self.line:  # a connection keeps the order
            while self.unsent:
                await live.apply_update(self.unsent.pop(0), ANN)
            self.shared.apply(live.updates_since(self.shared.state()))


@pytest.mark.parametrize("seed", range(12))
async def test_all_converge_and_nothing_typed_is_lost(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    typed: list[str] = []
    async with folder(tmp_path) as home:
        home.put("a.md", START)
        async with document(home, "a.md") as live:
            peers = [Peer(SharedText(live.updates_since(b"\0"))) for _ in range(2)]
            for step in range(120):
                word = f"<{seed}.{step}>"
                await one_step(chance, home, live, peers, typed, word)
            for peer in (*peers, *peers):
                await peer.meet(live)
            assert await live.save() == DocumentState()
            for peer in peers:
                await peer.meet(live)
            texts = {live.text, home.disk("a.md").decode(), *(peer.shared.text for peer in peers)}
            assert texts == {live.text}
            assert [word for word in typed if word not in live.text] == []


async def one_step(
    chance: random.Random,
    home: Folder,
    live: LiveDocument,
    peers: list[Peer],
    typed: list[str],
    word: str,
) -> None:
    """One random thing that happens. Words are never deleted, so that a lost one is a fault."""
    match chance.randrange(6):
        case 0 | 1:
            peer = chance.choice(peers)
            peer.type(word_gap(chance, peer.shared.text), word)
            typed.append(word)
        case 2:
            await chance.choice(peers).meet(live)
        case 3:
            await live.save()
        case 4:
            seen = home.disk("a.md")
            text = put_word(chance, seen.decode(), word)
            try:
                await home.documents.write(
                    "a.md", text.encode(), expected_hash=content_hash(seen), origin=RUN
                )
            except (PathChanged, UnresolvedConflict):
                return
            typed.append(word)
        case _:
            # Another program that looks before it writes, or it would take words away again.
            seen = home.disk("a.md")
            text = put_word(chance, seen.decode(), word)
            try:
                await home.workspace.write("a.md", text.encode(), expected_hash=content_hash(seen))
            except PathChanged:
                return
            state = await live.check_disk()
            if state.conflict is None:
                # Somebody may have chosen the text here over this one in the meantime.
                typed += [word] if word in live.text else []
            else:
                await live.resolve("mine", ANN)


def word_gap(chance: random.Random, text: str) -> int:
    """A place that is not inside a word of ours."""
    places = [at for at in range(len(text) + 1) if text[:at].count("<") == text[:at].count(">")]
    return chance.choice(places)


def put_word(chance: random.Random, text: str, word: str) -> str:
    at = word_gap(chance, text)
    return text[:at] + word + text[at:]


@pytest.mark.parametrize("seed", range(8))
async def test_it_holds_when_everybody_works_at_the_same_time(tmp_path: Path, seed: int) -> None:
    typed: list[str] = []
    async with folder(tmp_path) as home:
        home.put("a.md", START)
        async with document(home, "a.md") as live:
            peers = [Peer(SharedText(live.updates_since(b"\0"))) for _ in range(2)]

            async def work(worker: int) -> None:
                chance = random.Random(seed * 10 + worker)
                for step in range(25):
                    await one_step(chance, home, live, peers, typed, f"<{worker}.{step}>")
                    await anyio.lowlevel.checkpoint()

            with anyio.fail_after(60):
                async with anyio.create_task_group() as tasks:
                    for worker in range(4):
                        tasks.start_soon(work, worker)
            await live.resolve("mine", ANN)
            for peer in (*peers, *peers):
                await peer.meet(live)
            assert await live.save() == DocumentState()
            texts = {live.text, home.disk("a.md").decode(), *(peer.shared.text for peer in peers)}
            assert texts == {live.text}
            assert [word for word in typed if word not in live.text] == []
            left = crash(home)
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.text, live.state) == (texts.pop(), DocumentState())


@dataclass(eq=False)
class Cell:
    """One character of the oracle, gone or not."""

    letter: str
    is_gone: bool = False


@dataclass
class Oracle:
    """Every character there ever was, in order."""

    cells: list[Cell]

    def visible(self) -> list[Cell]:
        return [cell for cell in self.cells if not cell.is_gone]

    def splice(self, splice: Splice) -> None:
        shown = self.visible()
        for cell in shown[splice.start : splice.end]:
            cell.is_gone = True
        rest = shown[splice.end :]
        at = self.cells.index(rest[0]) if rest else len(self.cells)
        self.cells[at:at] = [Cell(letter) for letter in splice.new]

    def before(self, cell: Cell) -> int:
        """How many characters are shown before this one."""
        return sum(not item.is_gone for item in self.cells[: self.cells.index(cell)])


Edit = tuple[float, int, str]
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 4), st.text(st.sampled_from(LETTERS), max_size=3)),
    max_size=25,
)


@given(st.text(st.sampled_from(LETTERS), max_size=12), EDITS)
@settings(max_examples=examples(50), deadline=None)
def test_anchors_stand_where_a_naive_oracle_says(text: str, edits: list[Edit]) -> None:
    shared = SharedText(first_update(text, "0"))
    oracle = Oracle([Cell(letter) for letter in text])
    cells = oracle.visible()
    right = anchors_at(shared, [(index, "right") for index in range(len(text) + 1)])
    left = anchors_at(shared, [(index, "left") for index in range(len(text) + 1)])
    for share, length, new in edits:
        start = round(share * len(shared.text))
        splice = Splice(start, min(start + length, len(shared.text)), new)
        shared.splice([splice])
        oracle.splice(splice)
    starts = tuple(oracle.before(cell) for cell in cells)
    ends = tuple(oracle.before(cell) + (not cell.is_gone) for cell in cells)
    assert shared.text == "".join(cell.letter for cell in oracle.visible())
    assert places_of(shared, right) == (*starts, len(shared.text))
    assert places_of(shared, left) == (0, *ends)


def test_an_anchor_of_another_document_is_refused() -> None:
    here, elsewhere = SharedText(first_update("here", "1")), SharedText(first_update("there", "2"))
    with pytest.raises(InvalidPosition):
        places_of(here, anchors_at(elsewhere, [(3, "left")]))
    with pytest.raises(InvalidPosition):
        anchors_at(here, [(5, "left")])


async def test_a_crash_after_any_step_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    chance = random.Random(7)
    moments: list[tuple[str, MemoryJournal, bytes]] = []
    (tmp_path / "one").mkdir()
    async with folder(tmp_path / "one") as home:
        home.put("a.md", START)
        async with document(home, "a.md") as live:
            for step in range(40):
                at = chance.randrange(len(live.text) + 1)
                await live.edit([Splice(at, at, f"[{step}]")], ANN)
                if chance.random() < 0.3:
                    await live.save()
                moments.append((live.text, crash(home), home.disk("a.md")))
    (tmp_path / "two").mkdir()
    for text, journal, disk in moments:
        (tmp_path / "two" / "a.md").write_bytes(disk)
        async with folder(tmp_path / "two", journal) as again, document(again, "a.md") as live:
            assert (live.text, live.state) == (text, DocumentState())
