"""Lists of references in other programs' formats, read by pandoc into CSL-JSON."""

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, cast

import anyio

from recto.processes import InputClosed, ProcessFailure, find_pandoc, held_to, start
from recto.references.failures import LibraryUnreadable, ListNotInFormat

ImportFormat = Literal["ris", "endnotexml", "csljson", "bibtex", "biblatex"]
DEADLINE_S = 60.0
MAX_OUTPUT_BYTES = 100_000_000
MOST_ITEMS = 2000
HEAP = "-M1g"


async def read_items(data: bytes, form: ImportFormat) -> list[dict[str, Any]]:
    """The works of a list. Raises LibraryUnreadable."""
    pandoc = find_pandoc()
    if pandoc is None:
        raise LibraryUnreadable("pandoc is not installed. Install pypandoc-binary.")
    # Its sandbox and ours keep it from every file; a list can name some.
    argv = [pandoc, "+RTS", HEAP, "-RTS", "--sandbox", "--from", form, "--to", "csljson"]
    found = bytearray()
    try:
        with anyio.fail_after(DEADLINE_S), TemporaryDirectory(prefix="recto-import-") as folder:
            held = held_to(argv, Path(folder))
            async with start(held, cwd=folder, talks=True) as running:
                with suppress(InputClosed):  # it gave up before the end, and says why
                    await running.send(data)
                    running.end_input()
                async for chunk in running.chunks():
                    found += chunk
                    if len(found) > MAX_OUTPUT_BYTES:
                        raise LibraryUnreadable("The list is too long. Import it in parts.")
                if await running.wait() != 0:
                    why = words_of(await running.errors())
                    raise ListNotInFormat(why)
    except TimeoutError as error:
        words = f"The list takes over {DEADLINE_S:g} s to read. Import it in parts."
        raise LibraryUnreadable(words) from error
    except ProcessFailure as error:
        raise LibraryUnreadable(f"The list can't be read: {error.message}") from error
    items: object = json.loads(found or b"[]")
    rows = cast("list[object]", items) if isinstance(items, list) else []
    works = [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]
    if len(works) > MOST_ITEMS:
        raise LibraryUnreadable(f"The list has over {MOST_ITEMS:,} works. Import it in parts.")
    return works


def words_of(errors: bytes) -> str:
    """Why pandoc gave up, in its own words."""
    lines = errors.decode("utf-8", "replace").split("\n")
    return " ".join(line.strip() for line in lines if line.strip())[:300].rstrip(".")
