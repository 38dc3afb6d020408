"""A tool: declared once, for the model, the settings page and the docs; and what it answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from recto.clock import Clock
from recto.messages import Image, Json, Text
from recto.messages import ToolSpec as Offered
from recto.tools.effects import Change
from recto.tools.known_documents import KnownDocuments
from recto.tools.margin import Margin
from recto.workspace import Workspace

Group = Literal["workspace", "references", "feedback", "notebooks", "web", "mcp"]


@dataclass(frozen=True, slots=True)
class Declaration:
    """Everything that is known of a tool before it runs."""

    name: str
    title: str
    """One line for people: "Read a file, whole or by lines"."""
    description: str
    """What a model is told."""
    parameters: Json
    """The JSON schema of its arguments, an object."""
    group: Group
    changes: bool
    """Whether it may change anything; tools that don't run side by side and in plan mode."""
    reaches_out: bool = False
    """Whether something leaves this computer."""
    asks: bool = False
    """Whether it asks unless the user's rules say otherwise."""
    asks_once: bool = False
    """Whether a yes to one call is one to all such calls of the same path in its chat."""
    main: str = ""
    """The argument that its line shows and that rules are about: "path", "command"."""
    doing: str = ""
    """The verb of its line while it runs: "Reading"."""
    done: str = ""
    """The verb of its line afterwards: "Read"."""
    rules_of: str = ""
    """The tool whose rules hold for it; empty when it has its own."""

    @property
    def ruled(self) -> str:
        """The name that rules know it by."""
        return self.rules_of or self.name

    def offered(self) -> Offered:
        """The tool as a model is told of it."""
        return Offered(self.name, self.description, self.parameters)


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a tool answered besides words and pictures, kept whole for people."""

    handle: str
    has_app: bool = False
    """Whether it comes with an app of its own."""


@dataclass(frozen=True, slots=True)
class OutputSummary:
    """What a model made of a text that was too long to be shown."""

    text: str
    model_name: str
    cost_micros: int | None
    """None when no price is known."""


@dataclass(frozen=True, slots=True)
class ShortenedOutput:
    """That an answer is not shown whole, and where all of it is."""

    handle: str
    characters: int
    summarised_by: str = ""
    """The name of the model; empty when its beginning and end are shown."""
    cost_micros: int | None = None


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool answered. A failure is an answer too: the model reads it and goes on."""

    content: tuple[Text | Image, ...]
    is_error: bool = False
    fact: str = ""
    """The few words at the end of its line: "84 lines", "exit 1"."""
    not_covered: str = ""
    """What it did that can't be undone, in plain words."""
    artifact: Artifact | None = None
    shortened: ShortenedOutput | None = None


class Files(Protocol):
    """The only way a tool changes files: each change is noted, with what was there, then made.

    Every method raises a WorkspaceFailure for what is expected to go wrong.
    """

    async def write(self, path: str, data: bytes, *, expected_hash: str | None) -> str:
        """Replace the file that has this hash, or create it when that is None; the new hash."""
        ...

    async def create_folder(self, path: str) -> None:
        """Make one folder."""
        ...

    async def move(self, path: str, new_path: str) -> None:
        """Rename or move; never replaces."""
        ...

    async def remove(self, path: str) -> None:
        """Take away a file, a link, or a folder with all that is in it; all is kept for undo."""
        ...

    async def apply(self, changes: tuple[Change, ...]) -> tuple[str, ...]:
        """Make the changes of a command that ran apart.

        Answers the paths where something else had happened meanwhile, which are left as they are.
        What is made already is only noted.
        """
        ...


class OutputStore(Protocol):
    """Where output goes that is too long to be shown: kept whole, read by handle."""

    async def keep(self, text: str) -> str:
        """Keep a text; answers its handle, such as `output:3f2a…`."""
        ...

    async def read(self, handle: str) -> str:
        """The text of a handle. Raises NoSuchOutput."""
        ...


class ToolFailure(Exception):
    """Something that a model can cause and mend; its words are told to the model."""


class NoSuchOutput(ToolFailure):
    """Nothing is kept under this handle."""

    def __init__(self, handle: str) -> None:
        super().__init__(f"There is no {handle}. Use a handle exactly as it was given.")


Tell = Callable[[str], Awaitable[None]]
"""Takes a piece of what a running tool prints, for people who watch."""


@dataclass(frozen=True, slots=True)
class Elicitation:
    """What a server wants to know from a person in the middle of a call."""

    server: str
    message: str
    schema: Json | None = None
    """The JSON schema of the form; None when it is an address to open."""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ElicitationAnswer:
    """What the person said. To decline is an answer; to cancel is to give none."""

    action: Literal["accept", "decline", "cancel"]
    content: Json | None = None


Elicit = Callable[[Elicitation], Awaitable[ElicitationAnswer]]
"""Asks a person, and waits as long as it takes."""


Summarise = Callable[[str], Awaitable[OutputSummary | str | None]]
"""Summarises a long answer; answers why it could not, or None where that is not wanted."""


Agree = Callable[[str, str, dict[str, str]], Awaitable[bool]]
"""Asks a person about something that a call turned out to do: its name, why it asks, and all that
there is to decide by. Waits as long as it takes."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may use."""

    workspace: Workspace
    files: Files
    outputs: OutputStore
    tell: Tell
    margin: Margin
    sees_images: bool
    room: int
    """The most characters that its answer should have."""
    known_documents: KnownDocuments
    """How Word documents were last read."""
    model_name: str
    """Who asks, for people: Word's tracked changes have an author."""
    clock: Clock
    call_id: str
    """The call that is run: whose letters are in a Word document."""
    approved: bool = False
    """Whether the user was asked about this very call and agreed."""
    agree: Agree | None = None
    """Asks about what a call turned out to do; None where nobody can be asked."""
    elicit: Elicit | None = None
    """Asks whoever follows the turn; None where nobody can be asked."""
    summarise: Summarise | None = None
    """Summarises what is too long; None where nothing is."""


def touches_nothing(_: object) -> tuple[str, ...]:
    """A tool that is about no path."""
    return ()


def said(text: str, *, fact: str = "") -> ToolOutcome:
    """An answer of words."""
    return ToolOutcome((Text(text),), fact=fact)


def failed(text: str) -> ToolOutcome:
    """An answer that says what went wrong."""
    return ToolOutcome((Text(text),), is_error=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """A declaration, and the function that does it. Arguments were checked against the schema."""

    declaration: Declaration
    run: Callable[[Any, ToolContext], Awaitable[ToolOutcome]]
    arguments: type[Any]
    """The msgspec struct that the arguments are read into."""
    touches: Callable[[Any], tuple[str, ...]] = touches_nothing
    """The paths that a call is about; the second, if any, is where the first one goes."""
    takes_folders: bool = False
    """Whether all that is below its path is touched, too."""
    read: Callable[[Json], Any] | None = None
    """Reads the arguments where they have a schema of somebody else's. Raises ToolFailure."""

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.declaration.name
