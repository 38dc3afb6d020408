"""What is done with the Word documents of a folder, as failures that people are told."""

from recto.word import Holding, Operation, OperationResult, WordFailure, ask_worker
from recto.workspace import WorkspaceFailure

MAX_DOCUMENT_BYTES = 32_000_000


class NotAWordFile(WorkspaceFailure):
    """The file can't be shown as a document."""


async def asked(order: Operation, data: bytes, holding: Holding | None = None) -> OperationResult:
    """What comes of it. Raises NotAWordFile."""
    try:
        return await ask_worker(order, data, holding=holding)
    except WordFailure as failure:
        raise NotAWordFile(failure.message, "Open the document in Word.") from failure
