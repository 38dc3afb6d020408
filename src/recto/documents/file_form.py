"""Files whose text is only a part of them: people edit that part, the rest is kept around it."""

from collections.abc import Callable
from typing import Protocol

from recto.documents.failures import NotInForm
from recto.documents.file_format import FileFormat, text_as
from recto.workspace import TextFile, TooLarge, Workspace, content_hash, encode

BOM = "\ufeff"
MAX_BYTES = 50_000_000


class FileForm(Protocol):
    """What one file has besides its text, and how the two go together.

    A content is the file's as a text: with its own line endings, without a byte order mark.
    """

    @property
    def is_changed(self) -> bool:
        """Whether something besides the text waits to be saved."""
        ...

    def is_text(self, text: str) -> bool:
        """Whether a text can be the text of such a file."""
        ...

    def read(self, content: str, known: str) -> str:
        """The text of a content, its parts named as in a known text. Raises NotInForm."""
        ...

    def adopt(self, content: str, text: str) -> None:
        """The file has this content now, and this is its text."""
        ...

    def propose(self, content: str, text: str) -> None:
        """What is around the text shall be as in this content, whose text is given."""
        ...

    def write(self, text: str) -> str:
        """The content for a text. Raises NotInForm."""
        ...

    def saved(self) -> None:
        """The content that `write` made last is the file's."""
        ...


FindForm = Callable[[str], FileForm | None]
"""The form of the file at a path, for one document; None for a plain text."""


def no_form(_path: str) -> FileForm | None:
    """Every file is a plain text."""
    return None


async def read_file(workspace: Workspace, path: str, form: FileForm | None) -> TextFile:
    """A file as text, in full. Raises BinaryFile, TooLarge, NotInForm."""
    if form is None:
        return await workspace.read_text(path)
    data = await workspace.read_bytes(path)
    if len(data) > MAX_BYTES:
        raise TooLarge(path, f"{MAX_BYTES // 1_000_000} MB")
    content = decoded(data)
    if content is None:
        raise NotInForm(path, "it is not in UTF-8")
    has_bom = data.startswith(BOM.encode())
    # Its line endings belong to the form, not to the text.
    return TextFile(path, content, len(data), content_hash(data), "utf-8", has_bom, "mixed")


class FormedContent:
    """How the text of one document and the bytes of its file go together."""

    def __init__(self, form: FileForm | None) -> None:
        self._form = form

    @property
    def is_changed(self) -> bool:
        """Whether something besides the text waits to be saved."""
        return self._form is not None and self._form.is_changed

    def text_of(self, data: bytes, shape: FileFormat, known: str) -> str | None:
        """The text of bytes; None when they are not of such a file."""
        if self._form is None:
            return text_as(shape, data)
        content = decoded(data)
        if content is None:
            return None
        try:
            return self._form.read(content, known)
        except NotInForm:
            return None

    def bytes_of(self, text: str, shape: FileFormat) -> bytes:
        """The file for a text. Raises NotRepresentable, NotInForm."""
        if self._form is None:
            return shape.write(text)
        return encode(self._form.write(text), shape.encoding, bom=shape.bom)

    def adopt(self, content: str, text: str) -> None:
        """The file has this content now, and this is its text."""
        if self._form is not None:
            self._form.adopt(content, text)

    def propose(self, data: bytes | None, text: str) -> None:
        """What is around the text shall be as in these bytes."""
        content = None if data is None else decoded(data)
        if self._form is not None and content is not None:
            self._form.propose(content, text)

    def saved(self) -> None:
        """The file has what was written last."""
        if self._form is not None:
            self._form.saved()


def decoded(data: bytes) -> str | None:
    """A content out of bytes; None when they are not UTF-8."""
    try:
        return data.decode().removeprefix(BOM)
    except UnicodeDecodeError:
        return None


def text_of_file(file: TextFile, shape: FileFormat, form: FileForm | None, known: str) -> str:
    """The text that a document has for a file. Raises NotInForm."""
    return shape.read(file.text) if form is None else form.read(file.text, known)
