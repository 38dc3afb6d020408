"""Word documents as text for tools, each paragraph with the number that it had before."""

import anyio

from recto.tools.known_documents import KnownDocument, KnownDocuments, found_document
from recto.tools.tool import ToolFailure
from recto.word import (
    FOREIGN,
    NumberedTexts,
    ReadWord,
    WordFailure,
    ask_worker,
    foreign_text,
    lock_files,
    opened_by,
)
from recto.workspace import Workspace, WorkspaceFailure, content_hash

MAX_LOCK_BYTES = 10_000


async def read_word(data: bytes, path: str, known: KnownDocuments) -> KnownDocument:
    """A document's text, each paragraph with the number it had. Raises ToolFailure."""
    digest = content_hash(data)
    before = await known.get(path)
    if before is not None and before.hash == digest:
        return before
    asked = ReadWord(NumberedTexts() if before is None else before.numbered)
    try:
        found = (await ask_worker(asked, data)).text
    except WordFailure as failure:
        raise NotWordFile(path, failure) from failure
    if found is None:
        raise TypeError("A document that was read has a text.")
    document = await anyio.to_thread.run_sync(
        found_document, before, digest, found.text, found.numbered
    )
    await known.note(path, before, document)
    return document


class NotWordFile(ToolFailure):
    """A file that can't be read or changed as a Word document."""

    def __init__(self, path: str, failure: WordFailure) -> None:
        told = failure.message
        it = f'"{path}" '
        super().__init__(it + told[3:] if told.startswith("It ") else f"{it[:-1]}: {told}")


async def read_foreign(data: bytes, path: str) -> str:
    """The text of another word processor's document. Raises ToolFailure."""
    ending = next(item for item in FOREIGN if path.casefold().endswith(item))
    try:
        return await foreign_text(data, ending)
    except WordFailure as failure:
        raise NotWordFile(path, failure) from failure


async def who_has_open(workspace: Workspace, path: str) -> str | None:
    """Who has a document open, if a program has left its lock beside it."""
    for lock in lock_files(path):
        try:
            return opened_by(await workspace.read_bytes(lock, max_bytes=MAX_LOCK_BYTES), lock)
        except WorkspaceFailure:
            continue  # most often: there is none
    return None
