"""Style sheets of the folder in results: they are one file, which names nothing beside it."""

import io
import posixpath
import re
import zipfile

from recto.publishing.options import PublishFormat

HEAD_END = b"</head>"
ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
# Whoever opens the result would fetch it: of pictures and fonts only those within are the result's.
OUTWARD = re.compile(r"@import|image-set\(|url\(\s*+[\"']?+(?!\s*(?:#|data:))", re.IGNORECASE)


def leads_elsewhere(rules: bytes) -> bool:
    """Whether a style sheet names anything that does not stand in it."""
    return OUTWARD.search(ESCAPED.sub(unescaped, rules.decode("utf-8", "replace"))) is not None


def unescaped(found: re.Match[str]) -> str:
    """The letter that an escape of CSS stands for."""
    number = int(found[1], 16) if found[1] else 0
    return found[2] or chr(number if number <= 0x10FFFF else 0xFFFD)


def with_style_sheet(data: bytes, rules: bytes, to: PublishFormat) -> bytes:
    """A page of HTML, or a book in EPUB, with rules behind those that it has."""
    if to == "epub":
        return book_with(data, rules)
    # What ends the element would be read as HTML.
    style = b"<style>\n" + rules.replace(b"</", b"<\\/") + b"\n</style>\n"
    before, end, after = data.partition(HEAD_END)
    return before + style + end + after if end else style + data


def book_with(data: bytes, rules: bytes) -> bytes:
    """A book whose style sheets have more rules; its parts stay in their order, as readers want."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as book, zipfile.ZipFile(made, "w") as written:
        for part in book.infolist():
            content = book.read(part)
            if posixpath.splitext(part.filename)[1] == ".css":
                content += b"\n" + rules
            written.writestr(part, content)
    return made.getvalue()
