"""A Word document as text: paragraphs, headings, lists and tables; deleted text is left out.

The file may be hostile: sizes are capped before anything is unpacked, and a document type, which is
where entities would be defined, ends the reading.
"""

import io
import lzma
import zipfile
import zlib
from xml.parsers import expat

from recto.tools.tool import ToolFailure

PART = "word/document.xml"
MAX_XML_BYTES = 50_000_000
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
STRICT_WORD = "http://purl.oclc.org/ooxml/wordprocessingml/main "
FALLBACK = "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback"
LEFT_OUT = ("del", "moveFrom", "instrText", "tabs", FALLBACK)
CELL = " | "


class HasEntities(Exception):
    """The XML defines a document type."""

    def __init__(self) -> None:
        super().__init__("it defines a document type")


# What the standard library raises for files that are not what they seem.
BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, expat.ExpatError, HasEntities, EOFError,
    LookupError, NotImplementedError, OSError, RuntimeError, ValueError,
)  # fmt: skip


class NotWord(ToolFailure):
    """The file is not a Word document that can be read."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f'"{path}" is not a Word document that can be read: {why}.')


def docx_text(data: bytes, path: str) -> str:
    """The document's text. Raises NotWord."""
    reader = DocxReader()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(PART) as part:
            xml = part.read(MAX_XML_BYTES + 1)
        if len(xml) > MAX_XML_BYTES:
            raise NotWord(path, f"it unpacks to over {MAX_XML_BYTES // 1_000_000} MB")
        return reader.read(xml)
    except KeyError as error:
        raise NotWord(path, f"it has no {PART}") from error
    except BROKEN as error:
        raise NotWord(path, str(error).rstrip(".")) from error


class DocxReader:
    """Collects paragraphs while the XML is parsed."""

    def __init__(self) -> None:
        self._paragraphs: list[str] = []
        self._current: list[str] = []
        self._prefix = ""
        self._skipping = 0
        self._in_text = False

    def read(self, xml: bytes) -> str:
        """The text of a document part. Raises ExpatError, HasEntities."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._on_doctype
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.CharacterDataHandler = self._on_text
        parser.Parse(xml, True)
        return "\n".join(self._paragraphs)

    def _on_doctype(self, *_: object) -> None:
        raise HasEntities

    def _on_start(self, tag: str, attributes: dict[str, str]) -> None:
        name = own_name(tag)
        if name in LEFT_OUT:
            self._skipping += 1
        match name:
            case "t":
                self._in_text = True
            case "tab":
                self._add("\t")
            case "br" | "cr":
                self._add("\n")
            case "pStyle":
                self._prefix = heading(value(attributes)) or self._prefix
            case "numPr":
                self._prefix = self._prefix or "- "
            case _:
                pass

    def _on_end(self, tag: str) -> None:
        name = own_name(tag)
        if name in LEFT_OUT:
            self._skipping -= 1
        match name:
            case "t":
                self._in_text = False
            case "p":
                self._paragraphs.append(self._prefix + "".join(self._current))
                self._current, self._prefix = [], ""
            case "tc":
                self._join_cell()
            case "tr":
                self._paragraphs.append("".join(self._current).removesuffix(CELL))
                self._current = []
            case _:
                pass

    def _on_text(self, text: str) -> None:
        if self._in_text:
            self._add(text)

    def _add(self, text: str) -> None:
        if not self._skipping:
            self._current.append(text)

    def _join_cell(self) -> None:
        """A cell's last paragraph begins what its row says next."""
        if self._paragraphs:
            self._current.insert(0, self._paragraphs.pop() + CELL)


def own_name(tag: str) -> str:
    """The name of one of Word's own elements; others keep their long one."""
    return tag.removeprefix(WORD).removeprefix(STRICT_WORD)


def value(attributes: dict[str, str]) -> str:
    """The `val` of an element."""
    return attributes.get(WORD + "val") or attributes.get(STRICT_WORD + "val") or ""


def heading(style: str) -> str:
    """The mark of a heading's level; empty for other styles."""
    plain = style.casefold().replace(" ", "")
    if plain == "title":
        return "# "
    level = plain.removeprefix("heading")
    return "#" * int(level) + " " if level in set("123456") and plain != level else ""
