"""Bytes to text and back without losing one: encodings, byte order marks, line endings.

The rule, first that fits: a PDF is binary, though some are made of letters alone; a byte order mark
(UTF-8, UTF-16) decides; a zero byte means binary; valid UTF-8 is UTF-8; over one control byte in a
hundred means binary; Windows-1252 if every byte is defined there; else Latin-1. Whatever is
accepted encodes back to the same bytes.
"""

import codecs
import re
from typing import Literal

from recto.workspace.failures import NotRepresentable

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "cp1252", "latin-1"]
LineEnding = Literal["lf", "crlf", "cr", "mixed", "none"]

MARKS: dict[Encoding, bytes] = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
PDF = re.compile(rb"%PDF-\d")
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
MAX_CONTROL_SHARE = 0.01


def decode(data: bytes) -> tuple[str, Encoding, bool] | None:
    """The text, its encoding and whether it has a byte order mark; None when it is not text."""
    if PDF.match(data):
        return None
    for encoding, mark in MARKS.items():
        if data.startswith(mark):
            text = strictly(data[len(mark) :], encoding)
            if text is not None and "\0" not in text:
                return text, encoding, True
    if b"\0" in data:
        return None
    text = strictly(data, "utf-8")
    if text is not None:
        return text, "utf-8", False
    if len(CONTROLS.findall(data)) > len(data) * MAX_CONTROL_SHARE:
        return None
    text = strictly(data, "cp1252")
    return (
        (text, "cp1252", False) if text is not None else (data.decode("latin-1"), "latin-1", False)
    )


def strictly(data: bytes, encoding: Encoding) -> str | None:
    """The text if every byte fits."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def encode(text: str, encoding: Encoding, *, bom: bool) -> bytes:
    """The bytes of a text: the inverse of `decode`. Raises NotRepresentable."""
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        raise NotRepresentable(encoding, text[error.start]) from error
    return MARKS[encoding] + data if bom else data


def count_lines(text: str) -> tuple[int, LineEnding]:
    """How many lines a text has, and how they end."""
    crlf = text.count("\r\n")
    counts: dict[LineEnding, int] = {
        "crlf": crlf,
        "lf": text.count("\n") - crlf,
        "cr": text.count("\r") - crlf,
    }
    used: list[LineEnding] = [ending for ending, count in counts.items() if count]
    ending: LineEnding = "none" if not used else used[0] if len(used) == 1 else "mixed"
    return sum(counts.values()) + 1, ending
