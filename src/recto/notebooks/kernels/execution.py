"""One run of a cell's code: what was asked, what has come of it, and whether it is over."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio

from recto.notebooks.kernels.outputs import CellOutputs


@dataclass(frozen=True, slots=True)
class InputRequest:
    """A running cell asks for a line."""

    prompt: str
    is_password: bool


Answer = Callable[[InputRequest], Awaitable[str]]
"""Asks a person for a line that a running cell wants."""
TellPrinted = Callable[[str], Awaitable[None]]
"""Is told what a running cell prints."""
Heard = Callable[[str, Mapping[str, Any]], None]
"""Is told each message about a run at once: its kind and its content."""
Ending = Literal["ok", "error", "timed_out"]


@dataclass(frozen=True, slots=True)
class CodeRunResult:
    """How a run of a cell ended. What it answered is in the outputs that it was given."""

    ending: Ending
    is_stuck: bool = False
    """Whether the kernel went on after it was interrupted."""


@dataclass(slots=True)
class CodeRun:
    """A run that goes on."""

    outputs: CellOutputs
    heard: Heard | None = None
    news: anyio.Event = field(default_factory=anyio.Event)
    printed: list[str] = field(default_factory=list[str])
    requests: list[InputRequest] = field(default_factory=list[InputRequest])
    has_reply: bool = False
    is_idle: bool = False
    has_failed: bool = False
    reply: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_over(self) -> bool:
        """Whether the kernel has answered, and has sent all outputs."""
        return self.has_reply and self.is_idle

    def notify(self) -> None:
        """Something has happened."""
        self.news.set()
        self.news = anyio.Event()
