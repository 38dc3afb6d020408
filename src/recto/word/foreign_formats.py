"""Documents of other word processors as Markdown, through pandoc: read, never written.

The old format of Word goes through LibreOffice first: pandoc has no reader for it.

Pandoc is a program of its own here, in its own sandbox: it reads the one open file it is given,
nothing else of the disk and nothing of the network, with a cap on its memory and time.
"""

import tempfile

import anyio

from recto.processes import ProcessFailure, find_pandoc, start
from recto.word.failures import NotReadable
from recto.word.old_format import as_odt

OLD_WORD = ".doc"
FOREIGN = {".odt": "odt", ".rtf": "rtf", OLD_WORD: "odt"}
"""Endings of names, and what pandoc calls the format that it is given."""
DEADLINE_S = 60.0
HEAP = "-M768m"
MAX_TEXT_BYTES = 20_000_000


async def foreign_text(data: bytes, ending: str) -> str:
    """A document's text. Raises NotReadable."""
    try:
        return await markdown(await as_odt(data) if ending == OLD_WORD else data, FOREIGN[ending])
    except ProcessFailure as error:
        raise NotReadable(error.message.rstrip(".")) from error


async def word_markdown(data: bytes) -> str:
    """A Word document as Markdown, its tracked changes accepted. Raises NotReadable."""
    return await markdown(data, "docx")


async def markdown(data: bytes, kind: str) -> str:
    """What a document says. Raises NotReadable."""
    try:
        with anyio.fail_after(DEADLINE_S):
            return await ask_pandoc(data, kind)
    except TimeoutError as error:
        raise NotReadable(f"it takes over {DEADLINE_S:g} s") from error
    except ProcessFailure as error:
        raise NotReadable(error.message.rstrip(".")) from error


async def ask_pandoc(data: bytes, kind: str) -> str:
    """What pandoc makes of a document."""
    found = bytearray()
    program = await anyio.to_thread.run_sync(pandoc)
    with tempfile.TemporaryFile(prefix="recto-pandoc-") as file:
        await anyio.to_thread.run_sync(file.write, data)
        file.flush()
        argv = [
            program, "+RTS", HEAP, "-RTS", "--sandbox", "--from", kind, "--to", "gfm",
            "--wrap", "none", "--track-changes", "accept", f"/dev/fd/{file.fileno()}",
        ]  # fmt: skip
        async with start(argv, cwd="/", passes=[file.fileno()]) as running:
            async for chunk in running.chunks():
                found += chunk
                if len(found) > MAX_TEXT_BYTES:
                    raise NotReadable(f"its text is over {MAX_TEXT_BYTES // 1_000_000} MB")
            code, said = await running.wait(), await running.errors()
    if code != 0:
        lines = said.decode("utf-8", "replace").strip().splitlines()
        raise NotReadable(lines[-1][:200].rstrip(".") if lines else "it is damaged, or too large")
    return found.decode("utf-8", "replace").replace("\r\n", "\n")


def pandoc() -> str:
    """The program. Raises NotReadable."""
    found = find_pandoc()
    if found is None:
        raise NotReadable("pandoc is not installed; install pypandoc-binary")
    return found
