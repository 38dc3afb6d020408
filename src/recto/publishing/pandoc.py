"""pandoc, which reads nothing but what it is handed: its sandbox, ours, and input built by us."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from recto.processes import InputClosed, ProcessFailure, find_pandoc, held_to, start
from recto.publishing.failures import PublishFailed

DEADLINE_S = 120.0
MAX_OUTPUT_BYTES = 200_000_000
HEAP = "-M2g"
BROKEN_HEAD = re.compile(
    r"Error parsing YAML metadata at \(line (?P<start>\d+).*?YAML parse exception at"
    r" line (?P<line>\d+), column \d+,?:? (?P<why>.+)"
)
DIALECT = (
    "markdown+lists_without_preceding_blankline+autolink_bare_uris+task_lists"
    "+wikilinks_title_after_pipe-markdown_in_html_blocks"
)


async def run_pandoc(arguments: Sequence[str], data: bytes, folder: Path) -> bytes:
    """What pandoc makes of its input and of what lies in a private folder. Raises PublishFailed."""
    pandoc = find_pandoc()
    if pandoc is None:
        raise PublishFailed("pandoc is not installed.", "Install pypandoc-binary.")
    argv = held_to([pandoc, "+RTS", HEAP, "-RTS", "--sandbox", *arguments], folder)
    found = bytearray()
    try:
        with anyio.fail_after(DEADLINE_S):
            async with start(argv, cwd=str(folder), talks=True) as running:
                with suppress(InputClosed):  # it gave up before the end, and says why
                    await running.send(data)
                    running.end_input()
                async for chunk in running.chunks():
                    found += chunk
                    if len(found) > MAX_OUTPUT_BYTES:
                        raise PublishFailed("The result is over 200 MB.", "Use smaller pictures.")
                if await running.wait() != 0:
                    raise PublishFailed(f"pandoc gave up: {words_of(await running.errors())}.")
    except TimeoutError as error:
        words = f"pandoc takes over {DEADLINE_S:g} s."
        raise PublishFailed(words, "Publish the document in parts.") from error
    except ProcessFailure as error:
        raise PublishFailed(f"pandoc can't be run: {error.message}") from error
    return bytes(found)


async def read_markdown(text: str) -> dict[str, Any]:
    """A Markdown text as pandoc's tree. Raises PublishFailed."""
    arguments = ["--from", DIALECT, "--to", "json"]
    with TemporaryDirectory(prefix="recto-markdown-") as folder:
        try:
            made = await run_pandoc(arguments, text.encode("utf-8", "replace"), Path(folder))
        except PublishFailed as failed:
            head = BROKEN_HEAD.search(failed.message)
            if head is None:
                raise
            # pandoc counts from the line behind the first ---.
            line = int(head["start"]) + int(head["line"])
            words = f"The front matter can't be read: line {line}, {head['why']}"
            remedy = "Mend it there; a value with a colon or a bracket needs quotation marks."
            raise PublishFailed(words, remedy) from failed
    return json.loads(made)


async def html_as_markdown(html: str) -> str:
    """HTML as the Markdown that is published: its words and tables, none of its look.

    Raises PublishFailed.
    """
    reader = "html-native_divs-native_spans"
    writer = f"{DIALECT}-raw_html-raw_attribute-bracketed_spans-fenced_divs"
    arguments = ["--from", reader, "--to", writer, "--wrap", "none"]
    with TemporaryDirectory(prefix="recto-html-") as folder:
        made = await run_pandoc(arguments, html.encode("utf-8", "replace"), Path(folder))
    return made.decode()


def words_of(errors: bytes) -> str:
    """Why pandoc gave up, in its own words."""
    lines = errors.decode("utf-8", "replace").split("\n")
    return " ".join(line.strip() for line in lines if line.strip())[:300].rstrip(".")
