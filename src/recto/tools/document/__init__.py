"""The tools of the document agent: bound to one open document, and to what is selected in it."""

from recto.tools.document.edit_document import EDIT_DOCUMENT, edit_document
from recto.tools.document.get_document_info import get_document_info
from recto.tools.document.read_document import read_document
from recto.tools.document.search_document import search_document
from recto.tools.document.target import DocumentSelection, DocumentTarget
from recto.tools.tool import Tool

__all__ = ["EDIT_DOCUMENT", "DocumentTarget", "DocumentSelection", "document_tools"]


def document_tools(aim: DocumentTarget) -> tuple[Tool, ...]:
    """All four, for one document."""
    return (
        read_document(aim),
        search_document(aim),
        edit_document(aim),
        get_document_info(aim),
    )
