"""Everything a provider or the network can do wrong with one answer, as knobs that combine."""

import asyncio
import random
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

HTML = b"<!DOCTYPE html><html><body><h1>Sign in to the network</h1></body></html>"
ABSURD = 10**15


class Gate:
    """Holds an answer back: `arrived` is set when it waits, `open()` lets it go on for good."""

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        self._permits = asyncio.Semaphore(0)
        self._open = False

    def open(self) -> None:
        """Let everything through from now on."""
        self._open = True
        self._permits.release()

    def step(self, count: int = 1) -> None:
        """Let this many more writes through."""
        for _ in range(count):
            self._permits.release()

    async def wait(self) -> None:
        """Wait for a permit; the server calls this."""
        self.arrived.set()
        if not self._open:
            await self._permits.acquire()


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one answer. Byte counts are of the body."""

    status: int | None = None
    """Answer with this status and the provider's own error body."""
    code: str | None = None
    """The provider's own code or type in that body, such as insufficient_quota."""
    message: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Extra headers, such as retry-after, retry-after-ms, x-should-retry."""
    retry_delay: str | None = None
    """Gemini: the retryDelay of RetryInfo, such as 34s."""
    body: bytes | None = None
    """This body instead of the provider's."""
    html: bool = False
    """A web page with status 200."""
    content_type: str | None = None

    reset: bool = False
    """The connection is reset before any header."""
    reset_after: int | None = None
    """It is reset after this many bytes."""
    eof_after: int | None = None
    """It ends in good order after this many bytes."""
    hold_at: int | None = None
    """Silence at this byte until the gate opens."""
    hold_headers: bool = False
    """Silence before the headers until the gate opens."""
    drip: bool = False
    """Each piece waits for the gate."""
    gate: Gate | None = None
    """Needed for hold_at, hold_headers and drip."""
    chunking: Literal["frames", "bytes", "random", "one"] = "frames"
    """How the body is cut: a frame, a byte, a random number of bytes at a time, or not at all."""
    seed: int = 0
    gzip: bool = False

    error_event: str | None = None
    """An error of this type or code inside the stream."""
    error_shape: Literal["nested", "flat", "failed", "nested+failed", "bare"] = "nested"
    """Responses: which of its shapes. Gemini: `bare` is without data:."""
    error_at: int = 2
    """After this many frames."""
    terminal: Literal["once", "missing", "twice", "followed"] = "once"
    """`followed`: more content comes after the end."""
    bom: bool = False
    line_end: Literal["\n", "\r\n", "\r"] | None = None
    comments: bool = False
    """A comment line before each frame and within it."""
    keepalives: bool = False
    """The provider's own keepalive between all frames."""
    huge_line: int = 0
    """A piece of text of this many bytes is put into the first text."""
    usage: Literal["missing", "zero", "negative", "absurd"] | None = None
    traps: frozenset[str] = frozenset()
    """Oddities by name: TRAPS in chat_traps, anthropic_traps, responses_traps, gemini_frames."""


def cut(frames: list[bytes], fault: Fault) -> list[bytes]:
    """The body in the pieces it is written in."""
    whole = (b"\xef\xbb\xbf" if fault.bom else b"") + b"".join(frames)
    if fault.gzip:
        packer = zlib.compressobj(wbits=31)
        whole = packer.compress(whole) + packer.flush()
    elif fault.chunking == "frames" and not fault.bom:
        return frames
    if fault.chunking == "bytes":
        return [whole[at : at + 1] for at in range(len(whole))]
    if fault.chunking != "random":
        return [whole]
    draw = random.Random(fault.seed)
    pieces: list[bytes] = []
    at = 0
    while at < len(whole):
        size = draw.randint(1, 40)
        pieces.append(whole[at : at + size])
        at += size
    return pieces
