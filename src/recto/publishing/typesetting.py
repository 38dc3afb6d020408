"""Typst, which makes PDFs: run in a process of its own, on a private folder."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Literal

import anyio

from recto.converters import TYPST_AS_PDF
from recto.processes import InputClosed, ProcessFailure, held_to, start
from recto.publishing.failures import PublishFailed

DEADLINE_S = 120.0


async def typeset_document(folder: Path, kind: Literal["pdf", "png"]) -> int:
    """Set document.typ of a private folder; how many pages, where they were drawn.

    Raises PublishFailed.
    """
    found = bytearray()
    argv = held_to([sys.executable, "-I", "-m", TYPST_AS_PDF], folder)
    order = json.dumps({"folder": str(folder), "kind": kind}).encode() + b"\n"
    try:
        with anyio.fail_after(DEADLINE_S):
            async with start(argv, cwd=str(folder), talks=True) as running:
                with suppress(InputClosed):  # it gave up before the end, and says why
                    await running.send(order)
                    running.end_input()
                async for chunk in running.chunks():
                    found += chunk
                if await running.wait() != 0:
                    raise PublishFailed(f"Typst gave up: {words_of(await running.errors())}.")
    except TimeoutError as error:
        words = f"Typst takes over {DEADLINE_S:g} s."
        raise PublishFailed(words, "Publish the document in parts.") from error
    except ProcessFailure as error:
        raise PublishFailed(f"Typst can't be run: {error.message}") from error
    return int(json.loads(found)["pages"])


def words_of(errors: bytes) -> str:
    """Why Typst gave up, in its own words."""
    lines = errors.decode("utf-8", "replace").strip().split("\n")
    return " ".join(line.strip() for line in lines if line.strip())[-300:].rstrip(".")
