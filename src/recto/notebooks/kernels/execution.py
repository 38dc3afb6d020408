"""One run of a cell's code: what was asked, what has come of it, and whether it is over."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio

from recto.notebooks.kernels.outputs import CellOutputs, Displays

if TYPE_CHECKING:
    from recto.notebooks.kernels.channels import KernelChannels


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
Reply = Mapping[str, Any]
"""What a kernel answers to a request."""
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
    reply: Reply = field(default_factory=dict[str, Any])

    @property
    def is_over(self) -> bool:
        """Whether the kernel has answered, and has sent all outputs."""
        return self.has_reply and self.is_idle

    @property
    def value(self) -> str | None:
        """What an expression that was asked for is, in the kernel's words; None for nothing."""
        value = self.reply.get("user_expressions", {}).get("value", {})
        found = value.get("data", {}).get("text/plain")
        return found if isinstance(found, str) else None

    def take_reply(self, content: Mapping[str, Any]) -> None:
        """The kernel has answered the request."""
        self.has_reply = True
        self.has_failed = content.get("status") != "ok"
        self.reply = content
        count = content.get("execution_count")
        if type(count) is int:
            self.outputs.execution_count = count
        for page in pages_in(content):
            self.take("display_data", page)
        self.notify()

    def take(self, kind: str, content: Mapping[str, Any]) -> None:
        """The kernel says something about the run."""
        printed = self.outputs.take(kind, content)
        if self.heard is not None:
            self.heard(kind, content)
        if printed:
            self.printed.append(printed)
        if kind == "status" and content.get("execution_state") == "idle":
            self.is_idle = True
        self.notify()

    def take_request(self, content: Mapping[str, Any]) -> None:
        """The run asks for a line."""
        prompt, password = (content.get(key) for key in ("prompt", "password"))
        self.requests.append(InputRequest(str(prompt or ""), password is True))
        self.notify()

    def notify(self) -> None:
        """Something has happened."""
        self.news.set()
        self.news = anyio.Event()


async def answered(
    channels: "KernelChannels",
    runs: dict[str, CodeRun],
    kind: str,
    content: Mapping[str, Any],
    timeout_s: float,
) -> Reply:
    """What a kernel answers to a question; nothing if it takes longer. Its reader fills the runs.

    Nothing is interrupted: an answer that comes late is heard by nobody.
    """
    run = CodeRun(CellOutputs(Displays()))
    sent = await channels.send("shell", kind, content)
    runs[sent] = run
    try:
        with anyio.move_on_after(timeout_s):
            while not run.has_reply:
                await run.news.wait()
    finally:
        del runs[sent]
    return run.reply


def pages_in(reply: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a kernel wants shown beside its answer, the help of `name?` say."""
    payload = reply.get("payload")
    items = cast(list[Any], payload) if isinstance(payload, list) else []
    found = [cast(Mapping[str, Any], item) for item in items if isinstance(item, dict)]
    return [{"data": item.get("data")} for item in found if item.get("source") == "page"]


def code_request(code: str, answer: Answer | None) -> dict[str, Any]:
    """The request to run a cell's code."""
    return {
        "code": code,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": answer is not None,
        "stop_on_error": True,
    }


def expression_request(expression: str) -> dict[str, Any]:
    """The request for the value of an expression, which leaves no trace in the history."""
    return {
        "code": "",
        "silent": True,
        "store_history": False,
        "user_expressions": {"value": expression},
        "allow_stdin": False,
    }
