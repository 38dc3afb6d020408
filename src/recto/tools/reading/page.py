"""A page of the web as Markdown, made by a process of its own: the page may be hostile."""

import sys
from contextlib import suppress

import anyio

from recto.converters import WEB_PAGE_AS_MARKDOWN
from recto.processes import InputClosed, ProcessFailure, start
from recto.tools.reading.pdf import last_line
from recto.tools.tool import ToolFailure

DEADLINE_S = 30.0
MAX_TEXT_BYTES = 20_000_000


async def page_text(html: str, url: str, *, deadline_s: float = DEADLINE_S) -> str:
    """What a page says, with its title and date. Raises ToolFailure."""
    data = html.encode("utf-8", "replace")
    argv = [sys.executable, "-I", "-m", WEB_PAGE_AS_MARKDOWN]
    found = bytearray()
    try:
        with anyio.fail_after(deadline_s):
            async with start(argv, cwd="/", talks=True) as running:
                with suppress(InputClosed):  # it gave up before the end, and says why
                    await running.send(len(data).to_bytes(8) + data)
                async for chunk in running.chunks():
                    found += chunk
                    if len(found) > MAX_TEXT_BYTES:
                        raise ToolFailure("The page is too long.")
                if await running.wait() != 0:
                    why = last_line(await running.errors())
                    raise ToolFailure(f"The page can't be read: {why}.")
    except TimeoutError as error:
        raise ToolFailure(f"The page takes over {deadline_s:g} s to read.") from error
    except ProcessFailure as error:
        raise ToolFailure(f"The page can't be read: {error.message}") from error
    text = found.decode("utf-8", "replace").strip()
    if not text:
        raise ToolFailure("The page has no text that can be read; it may be made by a script.")
    return text
