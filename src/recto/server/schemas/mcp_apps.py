"""The JSON of what servers' tools answered, and of their apps."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from recto.server.schemas.base import Body, Schema, Text


class McpApp(Schema):
    """An app that shows a tool's answer, in a frame of its own."""

    has_border: bool
    agreed: list[str]
    """The origins that it may reach."""
    wanted: list[str]
    """The origins that it wants to reach besides, and can't before somebody agrees."""


class McpToolAnswer(Schema):
    """What a server's tool was asked and answered."""

    server_id: str
    server: str
    tool: str
    arguments: dict[str, object]
    result: dict[str, object]
    """In the words of the protocol."""
    app: McpApp | None
    problem: str
    """Why its app can't be shown."""


class McpAppCall(Body):
    """A tool that an app wants called."""

    name: Annotated[Text, StringConstraints(min_length=1, max_length=200)]
    arguments: dict[str, object]
    approved: bool = False
    """Whether a person has seen this very call and agreed."""


class McpAppCallAnswer(Schema):
    """What became of an app's call."""

    state: Literal["answered", "asks", "denied", "failed"]
    result: dict[str, object] | None = None
    """In the words of the protocol."""
    why: str = ""
    name: str = ""
    """The name that rules know the tool by, while it asks."""


class McpAppResource(Schema):
    """A resource of an app's own server."""

    result: dict[str, object]
    """In the words of the protocol."""
