"""One document with the tools of the document agent over it, as a turn has them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from recto.messages import ToolCall
from recto.tools import (
    DocumentSelection,
    DocumentTarget,
    Permissions,
    Toolbox,
    ToolOutcome,
    document_tools,
)
from tests.tools.bench import Bench, bench_in, text_of

PATH = "notes.md"


@dataclass
class Desk:
    """The document, what is selected in it, and how often it was brought to the disk."""

    bench: Bench
    selected: DocumentSelection | None = None
    permissions: Permissions = field(default_factory=lambda: Permissions(sandboxed=True))
    on_settle: Callable[[], None] = lambda: None
    path: str = PATH

    @property
    def toolbox(self) -> Toolbox:
        return Toolbox(
            document_tools(DocumentTarget(self.path, self._settle, self._selected)),
            self.permissions,
        )

    def select(self, words: str, *, at: int | None = None) -> None:
        """Select words, the first such unless a place is given."""
        start = self.text.index(words) if at is None else at
        self.selected = DocumentSelection(start, start + len(words), words)

    @property
    def text(self) -> str:
        """The document, with line ends as a live one has them."""
        return self.bench.read(self.path).decode().replace("\r\n", "\n")

    async def call(self, name: str, *, room: int = 20_000, **arguments: Any) -> ToolOutcome:
        context = replace(self.bench.context, room=room)
        return await self.toolbox.call(ToolCall("call_1", name, arguments), context)

    async def say(self, name: str, **arguments: Any) -> str:
        """What a tool answers, which must be no failure."""
        outcome = await self.call(name, **arguments)
        assert not outcome.is_error, outcome
        return text_of(outcome)

    async def fail(self, name: str, **arguments: Any) -> str:
        """What a tool says went wrong."""
        outcome = await self.call(name, **arguments)
        assert outcome.is_error, outcome
        return text_of(outcome)

    async def edit(self, find: str, replace: str) -> str:
        return await self.say("edit_document", find=find, replace=replace)

    async def _settle(self) -> None:
        self.on_settle()

    async def _selected(self) -> DocumentSelection | None:
        return self.selected


@asynccontextmanager
async def desk_with(root: Path, content: str | bytes, path: str = PATH) -> AsyncGenerator[Desk]:
    """A desk with a document of this content."""
    async with bench_in(root) as bench:
        bench.write(path, content)
        yield Desk(bench, path=path)
