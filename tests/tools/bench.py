"""Everything a tool needs, over a folder made for one test."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from recto.clock import SystemClock
from recto.messages import Json, Text, ToolCall
from recto.tools import (
    PROPOSE_EDIT,
    Change,
    KnownDocument,
    NoSuchOutput,
    OpenTask,
    Option,
    Permissions,
    RecordedFiles,
    ResearchServices,
    Tell,
    ThreadSubject,
    Toolbox,
    ToolContext,
    ToolOutcome,
    builtin_tools,
)
from recto.tools.builtin.run_command import OnInterrupt
from recto.tools.shell import CommandResult
from recto.tools.shell.command_result import CommandChanges
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


@dataclass
class FakeDocuments:
    """Remembers Word documents in memory."""

    kept: dict[str, KnownDocument] = field(default_factory=dict[str, KnownDocument])

    async def get(self, path: str) -> KnownDocument | None:
        return self.kept.get(path)

    async def put(self, path: str, document: KnownDocument) -> None:
        self.kept[path] = document

    async def note(self, path: str, before: KnownDocument | None, document: KnownDocument) -> None:
        known = self.kept.get(path)
        if (known and known.hash) == (before and before.hash):
            self.kept[path] = document


def ran(
    output: str = "",
    *,
    code: int | None = 0,
    changes: tuple[Change, ...] = (),
    stopped: str = "",
    sandboxed: bool = True,
) -> CommandResult:
    """A command that has ended."""
    return CommandResult(
        code=code,
        output=output,
        full=output,
        timed_out=False,
        stopped=stopped,
        found=CommandChanges(changes),
        level="sandboxed" if sandboxed else "unsandboxed",
        not_covered="",
    )


@dataclass
class FakeShell:
    """Answers what it is told to, and remembers what it was asked."""

    answer: CommandResult = field(default_factory=ran)
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
        obeys_repository: bool,
    ) -> CommandResult:
        self.asked.append(
            {
                "command": command,
                "hidden": list(hidden),
                "timeout_s": timeout_s,
                "network": allow_network,
                "obeys_repository": obeys_repository,
            }
        )
        await tell(self.answer.full)
        return self.answer


@dataclass(frozen=True)
class Tasked:
    """A task that was noted."""

    path: str
    span: tuple[int, int]
    passage: str
    task: str


@dataclass
class FakeMargin:
    """Remembers what was said in the margin."""

    about: ThreadSubject | None = None
    open: list[OpenTask] = field(default_factory=list[OpenTask])
    proposed: list[tuple[str, tuple[Option, ...]]] = field(
        default_factory=list[tuple[str, tuple[Option, ...]]]
    )
    tasks: list[Tasked] = field(default_factory=list[Tasked])

    async def subject(self) -> ThreadSubject | None:
        return self.about

    async def propose(self, question: str, options: Sequence[Option]) -> None:
        self.proposed.append((question, tuple(options)))

    async def add_task(self, path: str, span: tuple[int, int], passage: str, task: str) -> None:
        self.tasks.append(Tasked(path, span, passage, task))

    async def open_tasks(self, path: str | None) -> Sequence[OpenTask]:
        return [item for item in self.open if path in (None, item.path)]


@dataclass
class Bench:
    """A folder, the tools over it, and what was noted and told."""

    root: Path
    workspace: Workspace
    context: ToolContext
    outputs: FakeOutputs
    margin: FakeMargin
    shell: FakeShell
    notes: list[tuple[Change, ...]]
    told: list[str]
    permissions: Permissions = field(default_factory=lambda: Permissions(sandboxed=True))
    research: ResearchServices | None = None

    async def call(self, name: str, *, approved: bool = True, **arguments: Any) -> ToolOutcome:
        """Call a tool as a model would, with the user's consent."""
        return await self.call_with(name, arguments, approved=approved)

    async def call_with(self, name: str, arguments: Json, *, approved: bool = True) -> ToolOutcome:
        """The same, with whatever a model wrote."""
        box = Toolbox(builtin_tools(self.shell, self.research), self.permissions)
        if self.margin.about is not None:
            box = box.with_tool(PROPOSE_EDIT)
        context = replace(self.context, approved=approved)
        return await box.call(ToolCall("call_1", name, arguments), context)

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


def text_of(outcome: ToolOutcome) -> str:
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
    outputs, margin = FakeOutputs(), FakeMargin()

    async def note(changes: tuple[Change, ...]) -> None:
        notes.append(changes)

    async def tell(piece: str) -> None:
        told.append(piece)

    async with await Workspace.open(root) as workspace:
        files = RecordedFiles(workspace, note)
        context = ToolContext(
            workspace, files, outputs, tell, margin, sees_images, room,
            known_documents=FakeDocuments(), model_name="Test", clock=SystemClock(), call_id="call",
        )  # fmt: skip
        yield Bench(root, workspace, context, outputs, margin, FakeShell(), notes, told)
