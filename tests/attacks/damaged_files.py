"""A program that has every reader read damaged files, each within a time and all within a memory.

Usage: python -m tests.attacks.damaged_files SEED COUNT
It ends with 0 when none took too long or too much. What a reader raises is its answer: in a process
of its own, as it runs otherwise, that ends nothing else.
"""

import io
import json
import random
import signal
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pypdf

from recto.chats.transfer.imports.confined import written_export
from recto.converters.pdf import print_pages
from recto.notebooks import parse
from recto.notebooks.file.as_text import written_notebook
from recto.references.bibtex.source import parse_bibtex
from recto.references.csl_json import parse_csl
from recto.word.numbering import NumberedTexts
from recto.word.operations import text_of
from tests.chats.foreign import CLAUDE, packed
from tests.tools.test_read_file import pdf
from tests.word.documents import by_python_docx

MAX_S = 5
MAX_BYTES = 500_000_000


def notebook() -> bytes:
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}]
    cell: dict[str, object] = {
        "cell_type": "code",
        "source": ["x = 1\n"],
        "outputs": outputs,
        "metadata": {},
    }
    book: dict[str, object] = {
        "cells": [cell] * 5,
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book).encode()


def export() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", packed(CLAUDE))
    return made.getvalue()


def read_pdf(data: bytes) -> object:
    return print_pages(pypdf.PdfReader(io.BytesIO(data)))


def read_docx(data: bytes) -> object:
    return text_of(data, NumberedTexts())


LIBRARY = b"@article{a1,\n  title = {Tides {and} waves},\n  author = {Doe, J. and Roe, R.}\n}\n" * 5
ITEMS = json.dumps([{"id": f"a{n}", "type": "book", "title": "Tides"} for n in range(5)]).encode()

READERS: tuple[tuple[bytes, Callable[[bytes], object]], ...] = (
    (by_python_docx(), read_docx),
    (pdf("First page", "Second page"), read_pdf),
    (notebook(), written_notebook),
    (notebook(), parse),
    (LIBRARY, lambda data: parse_bibtex(data.decode(errors="replace"))),
    (ITEMS, lambda data: parse_csl(data.decode(errors="replace"))),
    (packed(CLAUDE), written_export),
    (export(), written_export),
)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with some of its bytes changed, taken out, doubled, or its end cut off."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(made) or 1)
        match chance.randrange(5):
            case 0:
                made[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del made[at : at + chance.randint(1, 50)]
            case 2:
                made[at:at] = made[at : at + chance.randint(1, 400)] * chance.randint(1, 30)
            case 3:
                made[at:at] = chance.choice((b"[" * 2000, b"9" * 5000, b"\xff" * 9, b"<!ENTITY "))
            case _:
                del made[chance.randrange(len(made) or 1) :]
    return bytes(made)


def main() -> int:
    chance = random.Random(int(sys.argv[1]))
    sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    for number in range(int(sys.argv[2])):
        sample, read = READERS[number % len(READERS)]
        # Not caught by the handlers below: a reader that hangs ends the program. By its own time,
        # because a busy machine may let it wait.
        signal.setitimer(signal.ITIMER_PROF, MAX_S)
        with suppress(Exception, SystemExit):
            read(damaged(sample, chance))
        signal.setitimer(signal.ITIMER_PROF, 0)
    return 0 if most_memory() < MAX_BYTES else 1


def most_memory() -> int:
    """The most that this program has had; what `getrusage` tells counts who started it, too."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    sys.exit(main())
