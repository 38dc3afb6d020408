"""The live documents of one folder: one for each file in use, saved by themselves."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from recto.clock import Clock
from recto.documents.document import LiveDocument
from recto.documents.failures import NotStored
from recto.documents.journal import Entry, Journal
from recto.documents.making import found, made
from recto.documents.moving import Moves
from recto.documents.origins import Origin
from recto.documents.replaying import Replayed, replay
from recto.documents.shape import Shape
from recto.documents.words import unit_of
from recto.workspace import BinaryFile, TooLarge, Workspace

AUTOSAVE_S = 1.0
RETRY_S = 5.0
ONE_BYTE = {"cp1252", "latin-1"}
Wait = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """A file that can't be a live document, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class Opened:
    """A live document, how many use it, and the life of its autosave."""

    document: LiveDocument
    users: int = 0
    saving: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class Documents:
    """Opens each file once, however many look at it. Followed by `on_changes` to the disk."""

    def __init__(
        self,
        workspace: Workspace,
        journal: Journal,
        *,
        clock: Clock,
        tasks: TaskGroup,
        wait: Wait = anyio.sleep,
    ) -> None:
        self._workspace = workspace
        self._journal = journal
        self._clock = clock
        self._tasks = tasks
        self._wait = wait
        self._open: dict[str, Opened] = {}
        self._opening = anyio.Lock()
        self._moves = Moves(workspace, journal)

    @asynccontextmanager
    async def using(self, path: str) -> AsyncGenerator[LiveDocument | ReadOnly]:
        """A file as a live document for the block's length; saved when its last user leaves.

        Raises what reading raises, except that what is not text, or too large, is ReadOnly.
        """
        real = path if path in self._open else await self._workspace.real_path(path)
        try:
            opened = await self._get(real)
        except (BinaryFile, TooLarge) as failure:
            yield ReadOnly(path, str(failure))
            return
        try:
            yield opened.document
        finally:
            with anyio.CancelScope(shield=True):
                await self._leave(real, opened)

    def find(self, path: str) -> LiveDocument | None:
        """The live document of a real path, if it is in use."""
        opened = self._open.get(path)
        return None if opened is None else opened.document

    async def write(
        self, path: str, data: bytes, *, expected_hash: str | None, origin: Origin
    ) -> str:
        """Replace a file's content for a program, or create it when no hash is expected.

        Answers the new hash. Raises what `LiveDocument.rewrite` and `Workspace.write` raise.
        """
        if expected_hash is None:
            return await self.create(path, data, origin=origin)
        written = await self.rewrite(path, data, expected_hash=expected_hash, origin=origin)
        if written is None:
            written = await self._workspace.write(path, data, expected_hash=expected_hash)
            await self._look(path)
        return written

    async def rewrite(
        self, path: str, data: bytes, *, expected_hash: str | None, origin: Origin
    ) -> str | None:
        """Replace the content of a text file, whoever has it open, and save it; its new hash.

        None when it is no text, or the bytes may be in another encoding: then the disk is the
        place. Raises what reading and `LiveDocument.rewrite` raise.
        """
        if expected_hash is None:
            return None
        async with self.using(path) as document:
            text = None if isinstance(document, ReadOnly) else text_as(document.shape, data)
            if text is None or isinstance(document, ReadOnly):
                return None
            return await document.rewrite(text, expected_hash=expected_hash, origin=origin)

    async def create(self, path: str, data: bytes, *, origin: Origin) -> str:
        """Make a file whose whole text is the origin's; its hash. What is no text is only written.

        Raises AlreadyExists, and what `Workspace.write` raises.
        """
        real = await self._workspace.real_path(path)
        async with self._opening:
            opened = self._open.get(real)
            if opened is not None:
                return await self._make_again(real, opened.document, data, origin)
            beginning = made(data, origin)
            if beginning is None or await self._workspace.state(real) is not None:
                return await self._workspace.write(real, data, expected_hash=None)
            entries = await self._journal.read(real)
            seq = entries[-1].seq if entries else 1
            entry = beginning.entry(seq, "saving")
            if entries:  # those of a file that is gone
                await self._journal.compact(real, entry)
            else:
                await self._journal.append(real, (entry,))
            written = await self._workspace.write(real, data, expected_hash=None)
            await self._journal.append(real, (beginning.written_entry(seq + 1),))
            return written

    async def _make_again(
        self, path: str, document: LiveDocument, data: bytes, origin: Origin
    ) -> str:
        """Make a file anew whose document is still open."""
        text = text_as(document.shape, data)
        if text is not None:
            return await document.become(text, origin=origin, new=True)
        written = await self._workspace.write(path, data, expected_hash=None)
        await document.check_disk()
        return written

    async def moved_to(self, path: str) -> str | None:
        """Where a file is now that is gone from its path, if one new file has its content.

        Raises what reading raises.
        """
        return await self._moves.find(path)

    async def settle(self) -> None:
        """Bring what people wrote to the disk, so that programs read what people see."""
        for opened in list(self._open.values()):
            if not opened.document.state.is_saved:
                await opened.document.save()

    async def on_changes(self, folders: frozenset[str], *, overflow: bool) -> None:
        """Look at the open files of folders that changed; `overflow` means any may have."""
        for path in list(self._open):
            if overflow or path.rpartition("/")[0] in folders:
                await self._look(path)

    async def _look(self, path: str) -> None:
        document = self.find(path)
        if document is not None:
            await document.check_disk()

    async def _get(self, path: str) -> Opened:
        async with self._opening:
            opened = self._open.get(path)
            if opened is None:
                opened = Opened(await self._load(path))
                self._open[path] = opened
                self._tasks.start_soon(self._autosave, opened)
            opened.users += 1
        return opened

    async def _load(self, path: str) -> LiveDocument:
        file = await self._workspace.read_text(path)
        entries = await self._journal.read(path)
        unit = unit_of(path)
        known = replay(entries, file.hash, unit) if entries else None
        if known is not None:
            document = self._document(path, known)
            await document.check_disk()
            return document
        beginning = found(file)
        if not entries:
            fresh = beginning.document(unit, last_seq=1, rows=0)
            return self._document(path, fresh, first=beginning.entry(1, "saved"))
        # Somebody was about to make this file, and somebody else did.
        last = entries[-1].seq
        await self._journal.compact(path, beginning.entry(last, "saved"))
        return self._document(path, beginning.document(unit, last_seq=last, rows=1))

    def _document(self, path: str, known: Replayed, *, first: Entry | None = None) -> LiveDocument:
        return LiveDocument(
            path,
            known,
            workspace=self._workspace,
            journal=self._journal,
            clock=self._clock,
            first=first,
        )

    async def _leave(self, path: str, opened: Opened) -> None:
        async with self._opening:
            opened.users -= 1
            if opened.users:
                return
            await opened.document.save()
            opened.saving.cancel()
            del self._open[path]
            try:
                await opened.document.compact()
            except NotStored:
                return  # nothing is lost: the entries stay as they are

    async def _autosave(self, opened: Opened) -> None:
        """Save a second after the last edit, again and again."""
        document = opened.document
        with opened.saving:
            while True:
                await document.edited.wait()
                document.edited = anyio.Event()
                while (left := document.last_edit_s + AUTOSAVE_S - self._clock.monotonic()) > 0:
                    await self._wait(left)
                if not document.state.is_saved and (await document.save()).problem is not None:
                    await self._wait(RETRY_S)
                    document.edited.set()


def text_as(shape: Shape, data: bytes) -> str | None:
    """The text of bytes that are in a file's encoding; None when they may be in another."""
    if shape.encoding in ONE_BYTE and is_utf8(data):
        return None
    try:
        text = data.decode(shape.encoding)
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    return text.removeprefix("\ufeff") if shape.bom else text


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8 with more than ASCII in it."""
    try:
        return not data.decode().isascii()
    except UnicodeDecodeError:
        return False
