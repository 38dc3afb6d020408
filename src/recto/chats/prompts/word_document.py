"""A Word document that a turn is about: what is selected in it, found again by its paragraphs."""

from dataclasses import dataclass

from recto.chats.failures import ChatFailure
from recto.chats.prompts.attachments import MAX_DOCUMENT_BYTES, PagePassage
from recto.chats.prompts.known_documents import StoredDocuments
from recto.chats.prompts.turn_input import MarkedWords
from recto.chats.services import ChatServices
from recto.documents import InvalidPosition, from_utf16
from recto.tools import DocumentSelection, KnownDocument, ToolFailure, read_word
from recto.workspace import WorkspaceFailure


class NotInDocument(ChatFailure):
    """A selection of another document."""

    def __init__(self) -> None:
        super().__init__("The selection is not in the document any more.", "Select it again.")


@dataclass(frozen=True, slots=True)
class SelectedWords:
    """A Word document's text, and what is selected in it."""

    text: str
    place: tuple[int, int] | None
    marked: MarkedWords | None


async def read_selected(
    services: ChatServices, project_id: str, path: str, passage: PagePassage | None
) -> SelectedWords:
    """The document as it is now. Raises NotInDocument and WorkspaceFailure."""
    document = await read_document(services, project_id, path)
    if passage is None:
        return SelectedWords(document.text, None, None)
    texts = dict(zip(document.numbered.numbers, document.numbered.texts, strict=True))
    try:
        start = from_utf16(texts[passage.paragraph], passage.start)
        end = from_utf16(texts[passage.last], passage.end)
    except (KeyError, InvalidPosition) as failure:
        raise NotInDocument from failure
    place = place_in(document, passage.paragraph, start), place_in(document, passage.last, end)
    if place[1] < place[0]:
        raise NotInDocument
    words = document.text[slice(*place)]
    marked = MarkedWords(passage.paragraph, start, passage.last, end, words)
    return SelectedWords(document.text, place, marked)


async def find_words(
    services: ChatServices, project_id: str, path: str, marked: MarkedWords
) -> DocumentSelection | None:
    """Where the selection is now; None when its words are not there any more, or not only once."""
    document = await read_document(services, project_id, path)
    numbers = set(document.numbered.numbers)
    if marked.paragraph not in numbers or marked.last not in numbers:
        return None
    begin = place_in(document, marked.paragraph, 0)
    start = begin + marked.start
    if document.text[start : start + len(marked.words)] != marked.words:
        # Something was written before it: its words are looked for in the same paragraphs.
        stop = end_of(document, marked.last)
        start = document.text.find(marked.words, begin, stop)
        if start < 0 or document.text.find(marked.words, start + 1, stop) >= 0:
            return None
    return DocumentSelection(start, start + len(marked.words), marked.words)


async def read_document(services: ChatServices, project_id: str, path: str) -> KnownDocument:
    """A document as the AI reads it."""
    workspace = (await services.open_workspace(project_id)).for_tools()
    data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
    known = StoredDocuments(services.storage, project_id)
    try:
        return await read_word(data, await workspace.real_path(path), known)
    except ToolFailure as failure:
        raise WorkspaceFailure(str(failure), "Open it in Word and save it again.") from failure


def place_in(document: KnownDocument, number: int, letter: int) -> int:
    """Where a letter of a paragraph stands in the text. Raises NotInDocument."""
    words = document.numbered.texts[document.numbered.numbers.index(number)]
    head = f"\N{PILCROW SIGN}{number} "
    line = f"\n{document.text}\n"
    at = line.find(f"\n{head}")
    if at >= 0:
        # A list's or a heading's signs stand between the number and the words.
        end = line.find("\n", at + 1)
        return end - len(words.rstrip(" ")) - 1 + min(letter, len(words.rstrip(" ")))
    found = max(document.text.find(f"| {head}"), document.text.find(f"<br>{head}"))
    if found < 0:
        raise NotInDocument
    return document.text.index(head, found) + len(head) + letter


def end_of(document: KnownDocument, number: int) -> int:
    """Where a paragraph ends in the text."""
    words = document.numbered.texts[document.numbered.numbers.index(number)]
    return place_in(document, number, len(words))
