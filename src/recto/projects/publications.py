"""Publishing for people: documents made into files, and citations as they will print."""

import posixpath
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass

import anyio

from recto.clock import Clock
from recto.documents import Documents, LiveDocument
from recto.projects.file_operations import FileOperations
from recto.projects.notebook_drafts import read_publishable
from recto.publishing import (
    CitationPreviews,
    Draft,
    Published,
    PublishOptions,
    RenderedCitations,
    SentDrafts,
    Stage,
    ending_of,
    preview,
    publish,
)
from recto.references import Libraries
from recto.workspace import PathExists, Workspace


@dataclass(frozen=True, slots=True)
class Publication:
    """A result that was written."""

    path: str
    size: int
    citations: int


class Publications:
    """Publishes documents of projects."""

    def __init__(
        self,
        libraries: Libraries,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        open_documents: Callable[[str], Awaitable[Documents]],
        files: FileOperations,
        clock: Clock,
        sent: SentDrafts,
    ) -> None:
        self._libraries = libraries
        self._open_workspace = open_workspace
        self._open_documents = open_documents
        self._files = files
        self._clock = clock
        self._sent = sent
        self._previews = CitationPreviews()

    async def citations(
        self, project_id: str, document: str, head: str, citations: Sequence[str]
    ) -> RenderedCitations:
        """Citations of a document in its style. Raises PublishFailed.

        `head` is its front matter, as it is typed.
        """
        workspace = await self._workspace(project_id)
        library = await self._libraries.open(workspace, document=document)
        return await self._previews.render(workspace, library, document, head, citations)

    async def preview(
        self,
        project_id: str,
        path: str,
        options: PublishOptions,
        page: int,
        *,
        takes_edits: bool = False,
    ) -> tuple[bytes, int]:
        """A picture of a page, and how many there are. Raises PublishFailed."""
        workspace = await self._workspace(project_id)
        draft, _ = await self._read(project_id, workspace, path, takes_edits=takes_edits)
        library = await self._libraries.open(workspace, document=path)
        return await preview(workspace, draft, library, options, page)

    async def publish(
        self,
        project_id: str,
        path: str,
        options: PublishOptions,
        output: str,
        *,
        replace: bool,
        takes_edits: bool = False,
    ) -> AsyncGenerator[Stage | Publication]:
        """Publish a document, telling of each step. What it replaces goes to the trash.

        Edits that wait for review are left out, unless it `takes_edits`.

        Raises PublishFailed, PathExists.
        """
        workspace = await self._workspace(project_id)
        target = output or f"{posixpath.splitext(path)[0]}{ending_of(options.to)}"
        exists = await workspace.state(target) is not None
        if exists and not replace:
            raise PathExists(target)
        draft, waiting = await self._read(project_id, workspace, path, takes_edits=takes_edits)
        if waiting:
            words = "edit to review is" if waiting == 1 else "edits to review are"
            how = "taken in" if takes_edits else "left out"
            yield Stage(f"{waiting} {words} {how}", None, is_warning=True)
        library = await self._libraries.open(workspace, document=path)
        home = posixpath.dirname(target)
        async with aclosing(
            publish(workspace, draft, library, options, clock=self._clock, home=home)
        ) as steps:
            async for step in steps:
                if isinstance(step, Published):
                    if step.sent is not None:
                        # Before the document is there: whatever is sent out can come back.
                        await anyio.to_thread.run_sync(self._sent.keep, step.sent)
                    await self._write(project_id, workspace, target, step.data)
                    yield Publication(target, len(step.data), step.citations)
                else:
                    yield step

    async def _read(
        self, project_id: str, workspace: Workspace, path: str, *, takes_edits: bool
    ) -> tuple[Draft, int]:
        """A draft with its pending edits or without them, and how many passages these are."""
        documents = await self._open_documents(project_id)
        waiting = 0

        async def read(file: str) -> str:
            nonlocal waiting
            async with documents.using(file) as live:
                if isinstance(live, LiveDocument) and live.hunks():
                    waiting += len(live.hunks())
                    return live.text if takes_edits else live.reviewed_text()
            return (await workspace.read_text(file)).text

        return await read_publishable(workspace, path, read), waiting

    async def _write(self, project_id: str, workspace: Workspace, target: str, data: bytes) -> None:
        folder = posixpath.dirname(target)
        if folder:
            with suppress(PathExists):
                await workspace.create_folder(folder)
        if await workspace.state(target) is not None:
            await self._files.delete(project_id, target)
        await workspace.write(target, data, expected_hash=None)

    async def _workspace(self, project_id: str) -> Workspace:
        await (await self._open_documents(project_id)).settle()
        return await self._open_workspace(project_id)
