"""The JSON of notebooks."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.server.schemas.base import Body, Schema, Text

CellId = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
NotebookPath = Annotated[Text, Field(min_length=1, max_length=4096)]
KernelName = Annotated[Text, Field(min_length=1, max_length=200)]


class KernelChoice(Schema):
    """A kernel that can be chosen, or why it can't."""

    name: str
    title: str
    language: str
    problem: str


class KernelChoices(Schema):
    """Every kernel that can be chosen in a folder."""

    items: list[KernelChoice]


class CellsToRun(Body):
    """What to run: some cells, or all of them."""

    path: NotebookPath
    cells: Annotated[list[CellId], Field(min_length=1, max_length=10_000)] | None = None
    restart: bool = False
    """Begin with a new kernel."""


class KernelOrder(Body):
    """What to do with a notebook's kernel."""

    path: NotebookPath
    action: Literal["interrupt", "restart", "shut-down", "keep", "release"]
    """`keep` has it go on when Recto ends, `release` has it end with Recto again."""
    kernel: KernelName | None = None
    """With `restart`: another kernel than now."""


class KernelUsage(Schema):
    """What a kernel takes of the computer, with all that it has started."""

    memory_bytes: int
    cpu_s: float
    """The time on a processor that it had so far."""


class InputLine(Body):
    """The line that a running cell asks for."""

    path: NotebookPath
    cell: CellId
    value: Annotated[Text, Field(max_length=100_000)]


class OutputsToClear(Body):
    """Cells that shall forget what they answered; all without a list."""

    path: NotebookPath
    cells: Annotated[list[CellId], Field(max_length=10_000)] | None = None


class KernelVariable(Schema):
    """A name that a kernel knows."""

    name: str
    type: str
    shape: str
    preview: str


class KernelVariables(Schema):
    """The names that a kernel knows."""

    items: list[KernelVariable]
    note: str
    """Why there are none to show; empty when there is no reason."""


class CodeAsked(Body):
    """A place in the code of a cell: what stands before it, and what behind it."""

    path: NotebookPath
    before: Annotated[Text, Field(max_length=1_000_000)]
    after: Annotated[Text, Field(max_length=1_000_000)]


class CodeCompletion(Schema):
    """One way in which a name can go on, and what it is, as far as the kernel says it."""

    text: str
    type: str


class CodeCompletions(Schema):
    """The ways in which a name can go on."""

    start: int
    """The place of the first letter that they take the place of, counted in UTF-16 units."""
    end: int
    """The place behind the last."""
    items: list[CodeCompletion]
    note: str
    """Why there are none; empty when there is no reason."""


class CodeHelp(Schema):
    """What a kernel says about a name."""

    text: str
    note: str
    """Why there is none; empty when there is no reason."""
