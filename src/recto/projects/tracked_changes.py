"""The tracked changes of Word documents, listed for people, accepted and rejected by them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import anyio.to_thread

from recto.tools import KnownDocuments, changed_document, read_word
from recto.word import (
    LetterChange,
    LetterWriter,
    ListRevisions,
    OperationResult,
    RevisionRow,
    SettleRevisions,
    WordFailure,
    ask_worker,
)
from recto.workspace import PathChanged, Workspace, WorkspaceFailure, content_hash

MAX_DOCUMENT_BYTES = 32_000_000
SETTLED = LetterChange(LetterWriter("before"), returns=True)
"""Whoever accepts or rejects writes nothing."""


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """The tracked changes of a document, and the hash of what they were read from."""

    hash: str
    changes: tuple[RevisionRow, ...]


class TrackedChanges:
    """Tracked changes in the documents of every project."""

    def __init__(
        self,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        known: Callable[[str], KnownDocuments],
    ) -> None:
        self._open_workspace = open_workspace
        self._known = known

    async def find(self, project_id: str, path: str) -> DocumentChanges:
        """The tracked changes of a document. Raises a WorkspaceFailure."""
        workspace = await self._open_workspace(project_id)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        found = await asked(ListRevisions(), data)
        return DocumentChanges(content_hash(data), found.revisions)

    async def settle(
        self,
        project_id: str,
        path: str,
        *,
        expected_hash: str,
        accept: bool,
        chosen: Sequence[int] | None,
    ) -> DocumentChanges:
        """Accept or reject changes by their places in the list, or all; what is left.

        Raises a WorkspaceFailure: PathChanged when the document is not the one that was listed.
        """
        workspace = await self._open_workspace(project_id)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        if content_hash(data) != expected_hash:
            raise PathChanged(path)
        known, real = self._known(project_id), await workspace.real_path(path)
        before = await read_word(data, real, known)
        order = SettleRevisions(
            accept, None if chosen is None else tuple(chosen), known=before.numbered
        )
        made = await asked(order, data)
        written = await workspace.write(path, made.data, expected_hash=expected_hash)
        if made.text is not None:
            now = await anyio.to_thread.run_sync(
                changed_document, before, written, made.text.text, made.text.numbered, SETTLED
            )
            await known.put(real, now)
        return await self.find(project_id, path)


async def asked(order: ListRevisions | SettleRevisions, data: bytes) -> OperationResult:
    """What comes of it. Raises a WorkspaceFailure."""
    try:
        return await ask_worker(order, data)
    except WordFailure as failure:
        raise WorkspaceFailure(failure.message, "Open the document in Word.") from failure
