"""Word documents as pages: shown, edited by a person, commented on."""

import os
import pwd
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread
import msgspec

from recto.clock import Clock
from recto.projects.kept_word_pages import KeptWordPages, Place, differing
from recto.projects.word_copies import write_markdown
from recto.projects.word_editors import WordEditors
from recto.projects.word_work import MAX_DOCUMENT_BYTES, NotAWordFile, asked
from recto.supervisor import Supervisor
from recto.tools import KnownDocuments, changed_document, found_document, who_has_open
from recto.word import (
    FOREIGN,
    CommentOn,
    EditConflict,
    EditPage,
    Holding,
    LetterChange,
    LetterWriter,
    NumberedTexts,
    Operation,
    PageDifference,
    PageEdit,
    ReadPart,
    ResolveComment,
    ShownPage,
    ShowPage,
    WordFailure,
    applied,
    bounded,
    foreign_text,
    numbers_since,
)
from recto.workspace import PathChanged, Workspace, content_hash

TRIES = 4
TYPED = LetterWriter("typed")
PASTED = LetterWriter("pasted")


@dataclass(frozen=True, slots=True)
class WordPage:
    """A page, and the hash of the document that it shows.

    To whoever shows it as it was before only the blocks that are others are told.
    """

    hash: str
    frame: bytes
    blocks: tuple[bytes, ...]
    start: int = 0
    end: int = 0
    is_whole: bool = True
    opened_by: str = ""
    """Another program that has the document open."""
    is_elsewhere: bool = False
    """Whether another tab edits it."""


@dataclass(frozen=True, slots=True)
class PageSplice:
    """What is other on a page: blocks from one to another, and what stands there now."""

    hash: str
    frame: bytes
    start: int
    end: int
    blocks: tuple[bytes, ...]
    made: dict[int, int]
    conflicts: tuple[EditConflict, ...]
    is_whole: bool
    """Whether the document had changed otherwise, so that every block is sent."""


@dataclass(frozen=True, slots=True)
class TakenPart:
    """Words that a person did not type: pasted, or of a suggestion with this id."""

    text: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class PageChanges:
    """What a person changed on a page, the hash of what it showed, and the tab."""

    hash: str
    tab: str
    is_tracked: bool
    edits: Sequence[PageEdit]
    taken: Sequence[TakenPart] = ()


class WordPages:
    """The pages of every project's documents."""

    def __init__(
        self,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        known: Callable[[str], KnownDocuments],
        clock: Clock,
        supervisor: Supervisor,
    ) -> None:
        self._open_workspace = open_workspace
        self._known = known
        self.editors = WordEditors(clock)
        self._clock = clock
        self._supervisor = supervisor
        self._pages = KeptWordPages()
        self._reading: WeakValueDictionary[Place, anyio.Lock] = WeakValueDictionary()
        self._noting: dict[Place, anyio.Event] = {}

    async def read(self, project_id: str, path: str, tab: str, shown: str = "") -> WordPage:
        """A document's page, for a tab that shows it with this hash. Raises a WorkspaceFailure."""
        workspace = await self._open_workspace(project_id)
        # Two that ask at once are told the same: it is read once.
        async with self._reading.setdefault((project_id, path), anyio.Lock()):
            data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
            digest = content_hash(data)
            before = self._pages.get((project_id, path), shown)
            page = self._pages.get((project_id, path), digest)
            if page is None:
                page = await self._read(workspace, project_id, path, data)
        start, end = (0, 0) if before is None else differing(before, page)
        behind = 0 if before is None else len(before.blocks) - end
        return WordPage(
            digest,
            page.frame,
            page.blocks[start : len(page.blocks) - behind],
            start,
            end,
            before is None,
            await who_has_open(workspace, path) or "",
            self.editors.is_elsewhere(project_id, path, tab),
        )

    async def edit(self, project_id: str, path: str, changes: PageChanges) -> PageSplice:
        """Make a person's changes, merged with what others did. Raises a WorkspaceFailure."""
        self.editors.claim(project_id, path, changes.tab)
        workspace = await self._open_workspace(project_id)
        for left in reversed(range(TRIES)):
            try:
                return await self._edit(workspace, project_id, path, changes)
            except PathChanged:
                # The AI, or Word, wrote it at the same moment: the changes are made anew on that.
                if not left:
                    raise
        raise PathChanged(path)

    async def comment(
        self, project_id: str, path: str, paragraph: int, place: tuple[int, int], text: str
    ) -> str:
        """Say something about words; answers the comment's id. Raises a WorkspaceFailure."""

        def order(known: NumberedTexts) -> Operation:
            return CommentOn(
                text, account_name(), self._date(), known, paragraph=paragraph, place=place
            )

        return await self._say(project_id, path, order)

    async def answer(self, project_id: str, path: str, comment: str, text: str) -> str:
        """Answer a comment. Raises a WorkspaceFailure."""

        def order(known: NumberedTexts) -> Operation:
            return CommentOn(text, account_name(), self._date(), known, answers=comment)

        return await self._say(project_id, path, order)

    async def resolve(self, project_id: str, path: str, comment: str, *, done: bool) -> None:
        """Resolve a comment, or open it again. Raises a WorkspaceFailure."""
        await self._say(
            project_id, path, lambda known: ResolveComment(comment, done=done, known=known)
        )

    async def part(self, project_id: str, path: str, name: str) -> bytes:
        """A part of the package. Raises a WorkspaceFailure."""
        workspace = await self._open_workspace(project_id)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        return (await asked(ReadPart(name), data)).data

    async def foreign(self, project_id: str, path: str) -> str:
        """The text of another word processor's document. Raises a WorkspaceFailure."""
        ending = next((item for item in FOREIGN if path.casefold().endswith(item)), None)
        if ending is None:
            raise NotAWordFile("Only .odt, .rtf and .doc are read so.", "Open the file itself.")
        workspace = await self._open_workspace(project_id)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        try:
            return await foreign_text(data, ending)
        except WordFailure as failure:
            raise NotAWordFile(failure.message, "Open it in another program.") from failure

    async def copy(self, project_id: str, path: str) -> str:
        """Write a document as Markdown beside it; the path of that. Raises a WorkspaceFailure."""
        return await write_markdown(await self._open_workspace(project_id), path)

    async def _edit(
        self, workspace: Workspace, project_id: str, path: str, changes: PageChanges
    ) -> PageSplice:
        await self._noted(project_id, path)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        digest = content_hash(data)
        before = self._pages.get((project_id, path), digest)
        if before is None:
            numbered = (await self._read(workspace, project_id, path, data)).numbered
            await self._noted(project_id, path)
        else:
            numbered = before.numbered
        gone = self._pages.gone((project_id, path))
        order = EditPage(
            known=numbered,
            edits=tuple(changes.edits),
            author=account_name(),
            date=self._date(),
            is_tracked=changes.is_tracked,
            kept=gone,
        )
        holding, shown = await self._holding(workspace, project_id, path, order)
        result = await asked(order, data, holding)
        if result.edited is None:
            raise TypeError("A document that was edited has a page.")
        written = digest
        if result.data != data:
            written = await workspace.write(path, result.data, expected_hash=digest)
        page = whole_page(shown, result.edited.page)
        self._pages.keep_gone((project_id, path), bounded([*gone, *result.edited.kept]))
        await self._remember(workspace, project_id, path, written, page, changes.taken)
        is_whole = before is None or digest != changes.hash
        start, end = (0, 0) if before is None or is_whole else differing(before, page)
        behind = 0 if before is None else len(before.blocks) - end
        blocks = page.blocks if is_whole else page.blocks[start : len(page.blocks) - behind]
        return PageSplice(
            written, page.frame, start, end, blocks, result.edited.made, result.edited.conflicts,
            is_whole,
        )  # fmt: skip

    async def _read(
        self, workspace: Workspace, project_id: str, path: str, data: bytes
    ) -> ShownPage:
        """The page of a document that is as it was found."""
        await self._noted(project_id, path)
        known = await self._numbered(workspace, project_id, path)
        holding, shown = await self._holding(workspace, project_id, path, ShowPage(known))
        page = whole_page(shown, (await asked(ShowPage(known), data, holding)).page)
        self._pages.keep((project_id, path), content_hash(data), page)
        # Nobody who wants to see it has to wait for this.
        done = self._noting[project_id, path] = anyio.Event()
        note = partial(self._note, workspace, project_id, path, content_hash(data), page, done)
        self._supervisor.run_once("word pages", note)
        return page

    async def _holding(
        self, workspace: Workspace, project_id: str, path: str, order: ShowPage | EditPage
    ) -> tuple[Holding, ShownPage | None]:
        """Where a document is held, and the page that is known already."""
        real = await workspace.real_path(path)
        newest = self._pages.newest((project_id, path))
        if newest is None or order.known is None:
            return Holding(real), None
        digest, page = newest
        since = numbers_since(page.numbered, order.known)
        shorter = msgspec.structs.replace(order, known=None, since=since)
        return Holding(real, digest, shorter), page

    async def _noted(self, project_id: str, path: str) -> None:
        """Wait until it is remembered how a document was read: what follows goes on from there."""
        noting = self._noting.get((project_id, path))
        if noting is not None:
            await noting.wait()

    async def _say(
        self, project_id: str, path: str, order: Callable[[NumberedTexts], Operation]
    ) -> str:
        """Change the comments."""
        workspace = await self._open_workspace(project_id)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        kept = self._pages.get((project_id, path), content_hash(data))
        page = kept or await self._read(workspace, project_id, path, data)
        await self._noted(project_id, path)
        made = await asked(order(page.numbered), data)
        written = await workspace.write(path, made.data, expected_hash=content_hash(data))
        if made.text is not None:
            real = await workspace.real_path(path)
            known = self._known(project_id)
            # What is said beside the text changes no letter of it: their writers stay.
            now = found_document(await known.get(real), written, made.text.text, made.text.numbered)
            await known.put(real, now)
        return made.name

    async def _numbered(self, workspace: Workspace, project_id: str, path: str) -> NumberedTexts:
        known = await self._known(project_id).get(await workspace.real_path(path))
        return known.numbered if known else NumberedTexts()

    async def _note(
        self,
        workspace: Workspace,
        project_id: str,
        path: str,
        digest: str,
        page: ShownPage,
        done: anyio.Event,
    ) -> None:
        """Remember a document that is as it was found."""
        try:
            real, known = await workspace.real_path(path), self._known(project_id)
            before = await known.get(real)
            document = await anyio.to_thread.run_sync(
                found_document, before, digest, page.text, page.numbered
            )
            await known.note(real, before, document)
        finally:
            done.set()
            if self._noting.get((project_id, path)) is done:
                del self._noting[project_id, path]

    async def _remember(
        self,
        workspace: Workspace,
        project_id: str,
        path: str,
        digest: str,
        page: ShownPage,
        taken: Sequence[TakenPart],
    ) -> None:
        """Keep the page of a document that a person changed."""
        self._pages.keep((project_id, path), digest, page)
        real, known = await workspace.real_path(path), self._known(project_id)
        before = await known.get(real)
        change = LetterChange(TYPED, tuple((writer_of(item), item.text) for item in taken))
        document = await anyio.to_thread.run_sync(
            changed_document, before, digest, page.text, page.numbered, change
        )
        await known.put(real, document)

    def _date(self) -> str:
        now = datetime.fromtimestamp(self._clock.now_ms() // 1000, UTC)
        return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def whole_page(shown: ShownPage | None, told: ShownPage | PageDifference | None) -> ShownPage:
    """The page that was told: of one that is known only what is other."""
    if isinstance(told, PageDifference) and shown is not None:
        return applied(shown, told)
    if isinstance(told, ShownPage):
        return told
    raise TypeError("A document that was shown has a page.")


def writer_of(part: TakenPart) -> LetterWriter:
    """Who wrote words that a person took over."""
    return LetterWriter("ghost", part.suggestion) if part.suggestion else PASTED


def account_name() -> str:
    """In whose name a person's changes are tracked: as this computer knows them."""
    found = pwd.getpwuid(os.getuid())
    return found.pw_gecos.partition(",")[0].strip() or found.pw_name
