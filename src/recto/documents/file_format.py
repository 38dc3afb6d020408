"""How a file's bytes relate to its document's text: encoding, byte order mark, line endings.

In the text every line ends in "\\n". A file whose endings are mixed keeps each "\\r" as a character
of the text, so that it, too, is written back byte for byte.
"""

from dataclasses import dataclass
from typing import Self

from recto.workspace import Encoding, LineEnding, TextFile, encode

# Any bytes are valid in these, so decoding proves nothing about what a program meant.
ONE_BYTE = {"cp1252", "latin-1"}
ENDINGS: dict[LineEnding, str] = {"crlf": "\r\n", "cr": "\r"}


@dataclass(frozen=True, slots=True)
class FileFormat:
    """What a file has besides its text."""

    encoding: Encoding = "utf-8"
    bom: bool = False
    ending: LineEnding = "lf"

    @classmethod
    def of(cls, file: TextFile, before: "FileFormat | None" = None) -> Self:
        """The shape of a file. A text of one line says nothing of endings: those before stay."""
        ending = file.line_ending
        # Else a CRLF file that is cut to one line would come back with bare newlines.
        if ending == "none" and before is not None and before.ending != "mixed":
            ending = before.ending
        return cls(file.encoding, file.bom, ending)

    @classmethod
    def of_new(cls, text: str, *, bom: bool) -> Self:
        """The shape of a new file in UTF-8."""
        bare = text.replace("\r\n", "")
        endings: dict[LineEnding, bool] = {
            "crlf": "\r\n" in text,
            "lf": "\n" in bare,
            "cr": "\r" in bare,
        }
        used: list[LineEnding] = [ending for ending, is_used in endings.items() if is_used]
        return cls("utf-8", bom, "none" if not used else used[0] if len(used) == 1 else "mixed")

    def read(self, text: str) -> str:
        """The document's text for the file's."""
        ending = ENDINGS.get(self.ending)
        return text if ending is None else text.replace(ending, "\n")

    def write(self, text: str) -> bytes:
        """The file's bytes for the document's text. Raises NotRepresentable."""
        return encode(self.written(text), self.encoding, bom=self.bom)

    def written(self, text: str) -> str:
        """The file's text for the document's: with its own line endings."""
        ending = ENDINGS.get(self.ending)
        return text if ending is None else text.replace("\n", ending)

    def plain(self, text: str) -> str:
        """A text from elsewhere with its line endings as this document has them."""
        # There "\r" is a character of the text, and each one must stay.
        if self.ending == "mixed":
            return text
        return text.replace("\r\n", "\n").replace("\r", "\n")


def text_as(shape: FileFormat, data: bytes) -> str | None:
    """The text of bytes that are in a file's encoding; None when they may be in another."""
    # Programs write UTF-8; taken for cp1252, each accent would become two wrong letters.
    if shape.encoding in ONE_BYTE and is_utf8(data):
        return None
    try:
        text = data.decode(shape.encoding)
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    return text.removeprefix("\ufeff") if shape.bom else text


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8 with more than ASCII in it."""
    try:
        return not data.decode().isascii()
    except UnicodeDecodeError:
        return False
