"""The live documents of one folder: one for each file in use, saved by themselves."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from recto.clock import Clock
from recto.documents.document import LiveDocument
from recto.documents.failures import NotStored
from recto.documents.journal import Base, Journal, Mark, Origin, Replayed, replay
from recto.documents.shape import Shape
from recto.documents.shared_text import SharedText, first_update
from recto.workspace import BinaryFile, TextFile, TooLarge, Workspace

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

    @asynccontextmanager
    async def using(self, path: str) -> AsyncGenerator[LiveDocument | ReadOnly]:
        """A file as a live document for the block's length; saved when its last user leaves.

        Raises what reading raises, except that what is not text, or too large, is ReadOnly.
        """
        real = await self._workspace.real_path(path)
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
        """Replace a file's content for a program: in the live document, if there is one.

        Answers the new hash. Raises what `LiveDocument.rewrite` and `Workspace.write` raise.
        """
        written = await self.rewrite(path, data, expected_hash=expected_hash, origin=origin)
        if written is None:
            written = await self._workspace.write(path, data, expected_hash=expected_hash)
            await self._look(path)
        return written

    async def rewrite(
        self, path: str, data: bytes, *, expected_hash: str | None, origin: Origin
    ) -> str | None:
        """Replace the content of a file that is a live document, and save it; its new hash.

        None when it is none, or the bytes may be in another encoding: then the disk is the place.
        """
        document = self.find(path)
        text = None if document is None else text_as(document.shape, data)
        if document is None or text is None or expected_hash is None:
            return None
        return await document.rewrite(text, expected_hash=expected_hash, origin=origin)

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
        if not entries:
            return self._new(path, file)
        found = replay(entries, file.hash)
        document = LiveDocument(
            path, found, workspace=self._workspace, journal=self._journal, clock=self._clock
        )
        await document.check_disk()
        return document

    def _new(self, path: str, file: TextFile) -> LiveDocument:
        shape = Shape.of(file)
        base = Base(shape.read(file.text), file.hash, shape)
        data = first_update(base.text, file.hash)
        epoch = file.hash[:16]
        return LiveDocument(
            path,
            Replayed(SharedText(data), base, epoch, last_seq=1, rows=0),
            workspace=self._workspace,
            journal=self._journal,
            clock=self._clock,
            first=Mark("saved", 1, file.hash, shape, epoch).entry(1, data),
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
    return text.removeprefix("\ufeff") if shape.bom else text


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8 with more than ASCII in it."""
    try:
        return not data.decode().isascii()
    except UnicodeDecodeError:
        return False
