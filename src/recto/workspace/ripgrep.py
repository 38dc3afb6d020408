"""How ripgrep is called: its arguments, which never come from a file, and its answers."""

from dataclasses import dataclass

import anyio
from pydantic import Base64Bytes, BaseModel, Field

from recto.durable import TEMPORARY_PREFIX
from recto.processes import ProgramMissing, RunningProgram, find_program
from recto.workspace.failures import SearchUnavailable

MAX_FILE_SIZE = "10M"
MAX_LINE_BYTES = 1 << 20
COMMON = (
    "--no-config",
    "--no-messages",
    "--hidden",
    "--no-follow",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--glob=!.git",
    f"--glob=!{TEMPORARY_PREFIX}*",
)


class RgText(BaseModel):
    """Text, or bytes that are not UTF-8."""

    text: str | None = None
    encoded: Base64Bytes | None = Field(default=None, alias="bytes")

    @property
    def raw(self) -> bytes:
        """The bytes either way."""
        return self.text.encode("utf-8") if self.text is not None else self.encoded or b""


class RgSpan(BaseModel):
    """Where in the line a match is, in bytes."""

    start: int
    end: int
    replacement: RgText | None = None
    """What comes in its place, where something was asked for."""


class RgMatch(BaseModel):
    """A line with matches."""

    path: RgText
    lines: RgText
    line_number: int
    submatches: list[RgSpan]


class RgMessage(BaseModel):
    """A line of `rg --json` that says "match"."""

    data: RgMatch


@dataclass(slots=True)
class OutputSplitter:
    """Takes output apart at a separator; what is too long is dropped and counted."""

    separator: bytes
    dropped: int = 0
    total_bytes: int = 0
    _rest: bytes = b""
    _dropping: bool = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The pieces that ended in this chunk."""
        self.total_bytes += len(chunk)
        *ended, rest = (self._rest + chunk).split(self.separator)
        if ended and self._dropping:
            ended = ended[1:]
            self._dropping = False
        if self._dropping or len(rest) > MAX_LINE_BYTES:
            self.dropped += not self._dropping
            self._dropping = True
            rest = b""
        self._rest = rest
        return ended


def program() -> str:
    """Where ripgrep is. Raises SearchUnavailable."""
    try:
        return find_program("rg", beside_python=True)
    except ProgramMissing as missing:
        raise SearchUnavailable("the program rg was not found") from missing


async def complaint(running: RunningProgram) -> str:
    """What ripgrep says is wrong, as one line."""
    with anyio.fail_after(5):
        text = (await running.errors()).decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reasons = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return " ".join(reasons or lines).removeprefix("rg: ") or "ripgrep gave no reason"
