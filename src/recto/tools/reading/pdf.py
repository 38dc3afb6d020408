"""A PDF as text, taken out by a process of its own that can be ended: the file may be hostile."""

import sys
from contextlib import suppress

import anyio

from recto.converters import PDF_AS_TEXT
from recto.processes import InputClosed, ProcessFailure, start
from recto.tools.tool import ToolFailure

DEADLINE_S = 30.0
MAX_TEXT_BYTES = 20_000_000
NO_TEXT = "it has no text; its pages may be pictures"


class NotPdf(ToolFailure):
    """The file is not a PDF that can be read."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f'"{path}" is not a PDF that can be read: {why}.')


async def pdf_text(data: bytes, path: str, *, deadline_s: float = DEADLINE_S) -> str:
    """The text of every page, each behind a line with its number. Raises NotPdf."""
    try:
        with anyio.fail_after(deadline_s):
            text = await ask(data, path)
    except TimeoutError as error:
        raise NotPdf(path, f"it takes over {deadline_s:g} s") from error
    except ProcessFailure as error:
        raise NotPdf(path, error.message.rstrip(".")) from error
    pages = text.split("\f")[:-1]
    if not any(page.strip() for page in pages):
        raise NotPdf(path, NO_TEXT)
    return "\n".join(f"# Page {number}\n{page}" for number, page in enumerate(pages, 1))


async def ask(data: bytes, path: str) -> str:
    """What the worker says; a form feed ends each page."""
    found = bytearray()
    argv = [sys.executable, "-I", "-m", PDF_AS_TEXT]
    async with start(argv, cwd="/", talks=True) as running:
        with suppress(InputClosed):  # it gave up before the end, and says why
            await running.send(len(data).to_bytes(8) + data)
        async for chunk in running.chunks():
            found += chunk
            if len(found) > MAX_TEXT_BYTES:
                raise NotPdf(path, f"its text is over {MAX_TEXT_BYTES // 1_000_000} MB")
        if await running.wait() != 0:
            raise NotPdf(path, last_line(await running.errors()))
    return found.decode("utf-8", "replace")


def last_line(errors: bytes) -> str:
    """Why a worker gave up."""
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200].rstrip(".") if lines else "it is too large, or damaged"
