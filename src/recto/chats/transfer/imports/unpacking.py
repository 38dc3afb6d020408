"""What is in an exported file: JSON, plain or zipped. Sizes are bounded before anything is read."""

import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator

from recto.chats.transfer.imports.fields import parse

MAX_BYTES = 256 * 1024 * 1024
MAX_MEMBERS = 100_000
CHATS = re.compile(r"(.*/)?conversations[-_]?\d*\.json", re.IGNORECASE)
ANY_JSON = re.compile(r"(?!__MACOSX/).*\.json", re.IGNORECASE)
# Everything that hostile archives make the module raise.
BAD_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
)


class NotAnExport(Exception):
    """Nothing, or nothing more, can be read of the file; says why."""


def files(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The files in an export that may hold chats, by what to call them.

    Raises:
        NotAnExport: it can't be read, or only up to here.
    """
    if not data.startswith(b"PK"):
        yield "The file", data
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from _members(archive)
    except BAD_ZIP as error:
        raise NotAnExport("The zip archive is damaged. Export or download it again.") from error


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise NotAnExport(f"The zip archive holds more than {MAX_MEMBERS:,} files.")
    chats = [item for item in members if CHATS.fullmatch(item.filename)]
    chats = chats or [item for item in members if ANY_JSON.fullmatch(item.filename)]
    if not chats:
        raise NotAnExport("The zip archive holds no conversations.json.")
    left = MAX_BYTES
    for member in sorted(chats, key=lambda one: one.filename):
        with archive.open(member) as file:
            # What a header says of the size is not believed.
            inside = file.read(left + 1)
        left -= len(inside)
        if left < 0:
            raise NotAnExport(f"The zip archive unpacks to more than {MAX_BYTES >> 20} MB.")
        yield member.filename, inside


def parsed(name: str, data: bytes) -> object:
    """The JSON document in a file.

    Raises:
        NotAnExport: it is none, or too large.
    """
    if len(data) > MAX_BYTES:
        raise NotAnExport(f"{name} is larger than {MAX_BYTES >> 20} MB.")
    try:
        return parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NotAnExport(f"{name} is neither JSON nor a zip archive.") from error
    except json.JSONDecodeError as error:
        raise NotAnExport(f"{name} is not JSON: line {error.lineno} can't be read.") from error
    except ValueError as error:
        raise NotAnExport(f"{name} holds a number that is too long.") from error
    except RecursionError as error:
        raise NotAnExport(
            f"{name} is nested too deeply. LibreChat: export it without “recursive”."
        ) from error
