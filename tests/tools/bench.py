"""Everything a tool needs, over a folder made for one test."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from recto.messages import Json, Text, ToolCall
from recto.tools import (
    Change,
    Hands,
    NoSuchOutput,
    Outcome,
    Permissions,
    RecordedFiles,
    Tell,
    Toolbox,
    builtin_tools,
)
from recto.tools.builtin.run_command import OnInterrupt
from recto.tools.shell import Ran
from recto.tools.shell.ran import Found
from recto.workspace import Workspace


@dataclass
class FakeOutputs:
    """Keeps long output in memory."""

    kept: dict[str, str] = field(default_factory=dict[str, str])

    async def keep(self, text: str) -> str:
        handle = f"output:{len(self.kept) + 1}"
        self.kept[handle] = text
        return handle

    async def read(self, handle: str) -> str:
        if handle not in self.kept:
            raise NoSuchOutput(handle)
        return self.kept[handle]


def ran(
    output: str = "",
    *,
    code: int | None = 0,
    changes: tuple[Change, ...] = (),
    stopped: str = "",
    sandboxed: bool = True,
) -> Ran:
    """A command that has ended."""
    return Ran(
        code=code,
        output=output,
        full=output,
        timed_out=False,
        stopped=stopped,
        found=Found(changes),
        level="sandboxed" if sandboxed else "unsandboxed",
        not_covered="",
    )


@dataclass
class FakeShell:
    """Answers what it is told to, and remembers what it was asked."""

    answer: Ran = field(default_factory=ran)
    asked: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    async def run(
        self,
        command: str,
        *,
        tell: Tell,
        on_interrupt: OnInterrupt,
        hidden: Sequence[str],
        timeout_s: float,
        allow_network: bool,
    ) -> Ran:
        self.asked.append(
            {
                "command": command,
                "hidden": list(hidden),
                "timeout_s": timeout_s,
                "network": allow_network,
            }
        )
        await tell(self.answer.full)
        return self.answer


@dataclass
class Bench:
    """A folder, the tools over it, and what was noted and told."""

    root: Path
    workspace: Workspace
    hands: Hands
    outputs: FakeOutputs
    shell: FakeShell
    notes: list[tuple[Change, ...]]
    told: list[str]
    permissions: Permissions = field(default_factory=lambda: Permissions(sandboxed=True))

    async def call(self, name: str, *, approved: bool = True, **arguments: Any) -> Outcome:
        """Call a tool as a model would, with the user's consent."""
        return await self.call_with(name, arguments, approved=approved)

    async def call_with(self, name: str, arguments: Json, *, approved: bool = True) -> Outcome:
        """The same, with whatever a model wrote."""
        box = Toolbox(builtin_tools(self.shell), self.permissions)
        hands = replace(self.hands, approved=approved)
        return await box.call(ToolCall("call_1", name, arguments), hands)

    async def say(self, name: str, **arguments: Any) -> str:
        """What a tool answers, which must be words and no failure."""
        outcome = await self.call(name, **arguments)
        assert not outcome.is_error, outcome
        return text_of(outcome)

    async def fail(self, name: str, **arguments: Any) -> str:
        """What a tool says went wrong."""
        outcome = await self.call(name, **arguments)
        assert outcome.is_error, outcome
        return text_of(outcome)

    def write(self, path: str, content: str | bytes) -> None:
        """Put a file in the folder."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, path: str) -> bytes:
        """The bytes of a file in the folder."""
        return (self.root / path).read_bytes()

    def files(self) -> dict[str, str]:
        """Every file in the folder, with its text."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes().decode("utf-8", "replace")
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


def text_of(outcome: Outcome) -> str:
    """The words of an outcome that has nothing else."""
    (part,) = outcome.content
    assert isinstance(part, Text)
    return part.text


@asynccontextmanager
async def bench_in(
    root: Path, *, room: int = 20_000, sees_images: bool = True
) -> AsyncGenerator[Bench]:
    """A bench over a folder."""
    notes: list[tuple[Change, ...]] = []
    told: list[str] = []
    outputs = FakeOutputs()

    async def note(changes: tuple[Change, ...]) -> None:
        notes.append(changes)

    async def tell(piece: str) -> None:
        told.append(piece)

    async with await Workspace.open(root) as workspace:
        files = RecordedFiles(workspace, note)
        hands = Hands(workspace, files, outputs, tell, sees_images, room)
        yield Bench(root, workspace, hands, outputs, FakeShell(), notes, told)
