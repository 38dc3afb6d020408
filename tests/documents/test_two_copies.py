"""Two processes with one journal and one file: whoever does what, both have the same in the end.

The two run beside each other and hear of each other late. `RECTO_SHARED_EDITS` says how many things
happen.
"""

import itertools
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from recto.documents import (
    DocumentState,
    EditOrigin,
    LiveDocument,
    NoSuchHunk,
    Splice,
    UnresolvedConflict,
)
from recto.documents.splices import spliced
from recto.workspace import PathChanged, content_hash
from tests.documents.folder import ANN, RUN, Folder, MemoryJournal, document, folder
from tests.documents.page import Page
from tests.documents.test_everybody import SPACE, letters

pytestmark = pytest.mark.anyio

EDITS = int(os.environ.get("RECTO_SHARED_EDITS", "300"))
REVIEWER = EditOrigin("person")


class Hands:
    """What everybody did, whichever process they did it through."""

    def __init__(self, chance: random.Random, fresh: Iterator[str]) -> None:
        self.chance = chance
        self.typed: set[str] = set()
        self.deleted: set[str] = set()
        self.names = itertools.count(1)
        self._fresh = fresh

    def splice(self, text: str) -> Splice:
        """A change at a random place. Line ends stay, so that changes of others can be merged."""
        chance = self.chance
        start = end = chance.randrange(len(text) + 1)
        if chance.random() < 0.5:
            stop = text.find("\n", start)
            end = min(start + chance.randrange(6), len(text) if stop < 0 else stop)
        new = "".join(
            next(self._fresh) + chance.choice(("", "", "", " ", "\n"))
            for _ in range(chance.randrange(4))
        )
        self.deleted |= set(text[start:end])
        return Splice(start, end, new)


class Copy:
    """One of the processes: its document, and two pages that show it."""

    def __init__(self, hands: Hands, home: Folder, live: LiveDocument) -> None:
        self.hands = hands
        self.home = home
        self.live = live
        self.pages = [Page(live), Page(live)]

    async def live_through(self, steps: int) -> None:
        """Many things happen, two at a time."""
        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(self._go_on, steps // 2)

    async def _go_on(self, steps: int) -> None:
        for _ in range(steps):
            (step,) = self.hands.chance.choices(list(STEPS), list(STEPS.values()))
            await step(self)

    async def change_a_page(self) -> None:
        page = self.hands.chance.choice(self.pages)
        splice = self.hands.splice(page.text)
        self.hands.typed |= set(splice.new) - set(SPACE)
        page.change(splice)

    async def undo_in_a_page(self) -> None:
        page = self.hands.chance.choice(self.pages)
        before = page.text
        page.take_back(again=self.hands.chance.random() < 0.3)
        self.hands.deleted |= set(before) - set(page.text)

    async def meet_a_page(self) -> None:
        page = self.hands.chance.choice(self.pages)
        await page.send()
        page.hear()

    async def hear(self) -> None:
        await self.home.documents.catch_up_all()

    async def save(self) -> None:
        await self.live.save()

    async def run(self) -> None:
        """A program that has read the file changes one place."""
        seen = self.home.disk("a.md")
        after = spliced(seen.decode(), [self.hands.splice(seen.decode())]).encode()
        pending = self.hands.chance.random() < 0.8
        origin = EditOrigin("run", f"e{next(self.hands.names)}", pending=pending)
        with suppress(PathChanged, UnresolvedConflict):
            await self.home.documents.rewrite(
                "a.md", after, expected_hash=content_hash(seen), origin=origin
            )

    async def write_to_disk(self) -> None:
        """Another program. If it wrote between somebody's look and write, no one could help it."""
        async with self.home.journal.lock("a.md"):
            seen = self.home.disk("a.md")
            after = spliced(seen.decode(), [self.hands.splice(seen.decode())]).encode()
            await self.home.workspace.write("a.md", after, expected_hash=content_hash(seen))
        await self.look()

    async def look(self) -> None:
        if (await self.live.check_disk()).conflict is not None:
            await self.live.resolve("mine", REVIEWER)

    async def decide(self) -> None:
        hunks = self.live.hunks()
        chosen = [self.hands.chance.choice(hunks).id] if hunks else []
        with suppress(NoSuchHunk, UnresolvedConflict, PathChanged):
            if self.hands.chance.random() < 0.5:
                await self.live.accept(hunks=chosen)
            else:
                await self.live.reject(hunks=chosen, origin=REVIEWER)

    async def end(self) -> None:
        """All that the pages know is sent."""
        for page in self.pages:
            await page.send()


STEPS: dict[Callable[[Copy], Awaitable[None]], int] = {
    Copy.change_a_page: 40,
    Copy.meet_a_page: 25,
    Copy.hear: 10,
    Copy.undo_in_a_page: 6,
    Copy.run: 8,
    Copy.decide: 6,
    Copy.write_to_disk: 3,
    Copy.look: 3,
    Copy.save: 4,
}


@pytest.mark.parametrize("seed", range(3))
async def test_two_processes_have_the_same_in_the_end(tmp_path: Path, seed: int) -> None:
    chance, fresh = random.Random(seed), letters()
    text = "".join(next(fresh) + chance.choice(("", "", " ", "\n")) for _ in range(100))
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    journal, hands = MemoryJournal(is_shared=True), Hands(chance, fresh)
    left = EDITS // 2
    while left > 0:
        steps = chance.randrange(20, 120)
        left -= steps
        async with folder(tmp_path, journal) as first, document(first, "a.md") as one:
            async with folder(tmp_path, journal) as second, document(second, "a.md") as two:
                copies = [Copy(hands, first, one), Copy(hands, second, two)]
                async with anyio.create_task_group() as group:
                    for copy in copies:
                        group.start_soon(copy.live_through, steps)
                await all_agree(copies)
            # The other has left; what it left unsaved or not is known here.
            await one.catch_up()
            assert await one.save() == DocumentState()
    assert hands.typed - hands.deleted <= set((tmp_path / "a.md").read_text(encoding="utf-8"))


async def all_agree(copies: list[Copy]) -> None:
    """Everybody has heard of everything: the same text, authors and reviews, on the disk, too."""
    for copy in copies:
        await copy.end()
    for copy in copies:
        await copy.look()
        assert await copy.live.save() == DocumentState()
    for copy in copies:
        await copy.hear()
        for page in copy.pages:
            page.hear()
    first = copies[0]
    texts = {first.home.disk("a.md").decode()}
    texts |= {page.text for copy in copies for page in copy.pages}
    assert texts == {copy.live.text for copy in copies} == {first.live.text}
    hands = first.hands
    assert hands.typed - hands.deleted <= set(first.live.text)
    for other in copies[1:]:
        assert other.live.state == first.live.state == DocumentState()
        assert other.live.written() == first.live.written()
        assert other.live.hunks() == first.live.hunks()
        assert other.live.last_seq == first.live.last_seq


async def test_an_edit_reaches_the_other_process_with_its_author(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("One.\n", encoding="utf-8")
    journal = MemoryJournal(is_shared=True)
    async with (
        folder(tmp_path, journal) as first,
        document(first, "a.md") as one,
        folder(tmp_path, journal) as second,
        document(second, "a.md") as two,
    ):
        await one.edit([Splice(0, 0, "Zero. ")], ANN)
        await two.edit([Splice(4, 4, " Two.")], RUN)
        await first.documents.catch_up_all()
        assert one.text == two.text == "Zero. One. Two.\n"
        assert one.written() == two.written()


async def test_the_other_process_knows_what_was_saved(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("One.\n", encoding="utf-8")
    journal = MemoryJournal(is_shared=True)
    async with (
        folder(tmp_path, journal) as first,
        document(first, "a.md") as one,
        folder(tmp_path, journal) as second,
        document(second, "a.md") as two,
    ):
        await one.edit([Splice(0, 0, "Zero. ")], ANN)
        await second.documents.catch_up_all()
        assert two.state == DocumentState(is_saved=False)
        assert await one.save() == DocumentState()
        await second.documents.catch_up_all()
        assert two.state == DocumentState()
        # What it would write is based on what the other wrote: nobody's change is undone.
        second.put("a.md", "Zero. One.\nThree.\n")
        assert await two.check_disk() == DocumentState()
        assert two.text == "Zero. One.\nThree.\n"


async def test_what_a_process_left_unsaved_is_saved_by_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("One.\n", encoding="utf-8")
    journal = MemoryJournal(is_shared=True)
    async with (
        folder(tmp_path, journal) as second,
        document(second, "a.md") as two,
        folder(tmp_path, journal) as first,
        document(first, "a.md") as one,
    ):
        await one.edit([Splice(0, 0, "Zero. ")], ANN)
        await second.documents.catch_up_all()
        await second.wait.let_pass(3.5)
        with two.follow() as follower:
            while not two.state.is_saved:
                await follower.news()
        assert second.disk("a.md") == b"Zero. One.\n"
        assert await one.save() == DocumentState()


async def test_a_verdict_meets_what_the_other_process_wrote(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("One.\n", encoding="utf-8")
    journal = MemoryJournal(is_shared=True)
    edit = EditOrigin("run", "e1", pending=True)
    async with (
        folder(tmp_path, journal) as first,
        document(first, "a.md") as one,
        folder(tmp_path, journal) as second,
        document(second, "a.md") as two,
    ):
        await one.edit([Splice(4, 4, " Added.")], edit)
        await one.edit([Splice(0, 0, "Typed. ")], ANN)
        await two.reject(edits=["e1"], origin=REVIEWER)
        await two.edit([Splice(0, 0, "Again. ")], ANN)
        await first.documents.catch_up_all()
        assert one.text == two.text == "Again. Typed. One.\n"
        assert (one.hunks(), two.hunks()) == ((), ())
        assert one.written() == two.written()


async def test_a_file_that_the_other_process_has_open_is_made_again_there_too(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.md").write_text("One.\n", encoding="utf-8")
    journal = MemoryJournal(is_shared=True)
    async with (
        folder(tmp_path, journal) as first,
        document(first, "a.md") as one,
        folder(tmp_path, journal) as second,
    ):
        journal.uses["a.md"] += 1  # as the second sees it, somebody else has it open
        (tmp_path / "a.md").unlink()
        assert (await one.check_disk()).is_gone
        await second.documents.create("a.md", b"Anew.\n", origin=RUN)
        await first.documents.catch_up_all()
        journal.uses["a.md"] -= 1
        assert (one.text, one.state) == ("Anew.\n", DocumentState())
