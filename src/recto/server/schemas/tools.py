"""The JSON of tools, their permissions, and of undoing what they did."""

from typing import Literal

from recto.server.schemas.base import Body, Schema


class Tool(Schema):
    """A tool, as the settings show it."""

    name: str
    title: str
    description: str
    group: Literal["workspace", "references", "feedback", "notebooks", "web", "mcp"]
    changes: bool
    reaches_out: bool
    permission: Literal["allow", "ask", "deny"]
    rules: list[str]
    """The user's rules that allow some of its calls."""
    doing: str
    """The verb of its line while it runs."""
    done: str
    """The verb of its line afterwards."""
    main: str
    """The argument that its line shows."""


class ToolList(Schema):
    """Every tool, and how commands run here."""

    items: list[Tool]
    sandbox: Literal["sandboxed", "confined", "unsandboxed"]
    sandbox_words: str
    sandbox_remedy: str
    reaches_out: bool
    """Whether tools that reach a third party may be used at all."""


class ToolPermission(Body):
    """How a tool may be used from now on."""

    resource = Tool

    permission: Literal["allow", "ask", "deny"]


class ReachOut(Body):
    """Whether tools that reach a third party may be used."""

    allowed: bool


class UndoFile(Schema):
    """What undoing does to one path."""

    path: str
    action: Literal["restore", "remove", "recreate", "merge", "move", "nothing", "conflict"]
    words: str
    diff: str
    """The change as a unified diff, where it is text."""


class UndoResult(Schema):
    """What undoing would do, or did."""

    files: list[UndoFile]
    applied: bool
    not_covered: str
    undo_call_id: str | None
    """The call to undo in order to take this back."""
