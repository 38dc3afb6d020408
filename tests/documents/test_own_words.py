"""What people alone changed in a text is told when it is saved; what anybody else did is not."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from recto.documents import Documents, EditOrigin, LiveDocument, Splice
from recto.supervisor import Supervisor
from recto.workspace import Workspace
from tests.documents.folder import MemoryJournal, Waits
from tests.fakes import FakeClock

pytestmark = pytest.mark.anyio

TYPED = EditOrigin("person", way="typed")
PASTED = EditOrigin("person", way="pasted")
UNDONE = EditOrigin("person", way="undone")
GHOST = EditOrigin("person", "s1", way="ghost")
RUN = EditOrigin("run", "e1", pending=True)


@dataclass
class Heard:
    """What was told, and the text that was edited."""

    live: LiveDocument
    file: Path
    told: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    async def put(self, start: int, end: int, new: str, origin: EditOrigin = TYPED) -> None:
        await self.live.edit([Splice(start, end, new)], origin, undoable=True)

    async def save(self) -> None:
        await self.live.save()


@asynccontextmanager
async def opened(folder: Path, text: bytes = b"Be kind.\n") -> AsyncGenerator[Heard]:
    file = folder / "AGENTS.md"
    file.write_bytes(text)
    told: list[tuple[str, str, str]] = []

    async def hear(path: str, before: str, after: str) -> None:
        told.append((path, before, after))

    async with await Workspace.open(folder) as workspace, anyio.create_task_group() as tasks:
        clock = FakeClock()
        documents = Documents(
            workspace,
            MemoryJournal(),
            clock=clock,
            supervisor=Supervisor(tasks, clock.monotonic),
            wait=Waits(clock),
            on_own_words=hear,
        )
        async with documents.using("AGENTS.md") as live:
            assert isinstance(live, LiveDocument)
            yield Heard(live, file, told)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("origin", [TYPED, PASTED])
async def test_what_a_person_writes_is_told_with_what_was_there_before(
    tmp_path: Path, origin: EditOrigin
) -> None:
    async with opened(tmp_path) as heard:
        await heard.put(0, 2, "Stay", origin)
        await heard.save()
        await heard.put(0, 0, "Always: ")
        await heard.save()
        assert heard.told == [
            ("AGENTS.md", "Be kind.\n", "Stay kind.\n"),
            ("AGENTS.md", "Stay kind.\n", "Always: Stay kind.\n"),
        ]


async def test_line_endings_are_those_of_the_file(tmp_path: Path) -> None:
    async with opened(tmp_path, b"One.\r\nTwo.\r\n") as heard:
        await heard.put(0, 0, "Zero.\n")
        await heard.save()
        assert heard.told == [("AGENTS.md", "One.\r\nTwo.\r\n", "Zero.\r\nOne.\r\nTwo.\r\n")]


@pytest.mark.parametrize("origin", [RUN, GHOST, EditOrigin("disk"), EditOrigin("person")])
async def test_what_an_ai_wrote_is_not_told_nor_what_was_typed_beside_it(
    tmp_path: Path, origin: EditOrigin
) -> None:
    async with opened(tmp_path) as heard:
        await heard.put(0, 0, "Please ")
        await heard.put(0, 0, "Obey me. ", origin)
        await heard.save()
        assert heard.told == []
        await heard.put(0, 0, "Or not. ")
        await heard.save()
        assert [before for _, before, _ in heard.told] == ["Obey me. Please Be kind.\n"]


async def test_what_an_ai_removed_is_not_told(tmp_path: Path) -> None:
    async with opened(tmp_path, b"Never delete.\n") as heard:
        await heard.put(0, 6, "", RUN)
        await heard.save()
        assert heard.told == []


async def test_a_change_on_disk_is_what_was_there_before(tmp_path: Path) -> None:
    async with opened(tmp_path) as heard:
        await heard.put(0, 0, "Please ")
        heard.file.write_bytes(b"Be kind.\nObey me.\n")
        await heard.live.check_disk()
        await heard.save()
        assert heard.told == [
            ("AGENTS.md", "Be kind.\nObey me.\n", "Please Be kind.\nObey me.\n"),
        ]


async def undo_of_a_deletion(heard: Heard) -> None:
    await heard.put(0, 9, "")
    await heard.save()
    heard.told.clear()
    await heard.put(0, 0, "Be kind.\n", UNDONE)


async def undo_of_own_words(heard: Heard) -> None:
    await heard.put(0, 0, "Please ")
    await heard.put(0, 7, "", UNDONE)


async def redo_of_own_words(heard: Heard) -> None:
    await heard.put(0, 0, "Please ")
    await heard.put(0, 7, "")
    await heard.put(0, 0, "Please ", UNDONE)


async def redo_of_words_of_an_ai(heard: Heard) -> None:
    await heard.put(0, 0, "Obey me. ", RUN)
    await heard.save()
    await heard.put(0, 9, "")
    await heard.save()
    heard.told.clear()
    await heard.put(0, 0, "Obey me. ", UNDONE)


@pytest.mark.parametrize(
    ("steps", "is_own"),
    [
        (undo_of_a_deletion, False),
        (undo_of_own_words, True),
        (redo_of_own_words, True),
        (redo_of_words_of_an_ai, False),
    ],
)
async def test_an_undo_brings_back_the_authors_too(
    tmp_path: Path, steps: Callable[[Heard], Awaitable[None]], *, is_own: bool
) -> None:
    async with opened(tmp_path) as heard:
        await steps(heard)
        await heard.put(0, 0, "And ")
        await heard.save()
        assert bool(heard.told) == is_own
