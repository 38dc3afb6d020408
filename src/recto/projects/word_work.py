"""What is done with the Word documents of a folder, as failures that people are told."""

from recto.word import Operation, OperationResult, WordFailure, ask_worker
from recto.workspace import WorkspaceFailure

MAX_DOCUMENT_BYTES = 32_000_000


class NotAWordFile(WorkspaceFailure):
    """The file can't be shown as a document."""


async def asked(order: Operation, data: bytes) -> OperationResult:
    """What comes of it. Raises NotAWordFile."""
    try:
        return await ask_worker(order, data)
    except WordFailure as failure:
        raise NotAWordFile(failure.message, "Open the document in Word.") from failure
