"""The JSON of which tools a chat sends along."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.server.schemas.base import Body, Schema, Text

InclusionMode = Literal["auto", "all_on", "all_off", "manual", "cached"]
ToolName = Annotated[Text, StringConstraints(min_length=1, max_length=200)]


class ChatTool(Schema):
    """A tool, and the tokens that its definition takes."""

    name: str
    title: str
    tokens: int


class ChatToolsMode(Schema):
    """One way to send tools along: what it sends each time, and what the change costs once."""

    mode: InclusionMode
    tool_tokens: int
    tokens: int
    again_tokens: int
    again_micros: int | None


class ChatTools(Schema):
    """Which tools and earlier calls a chat sends along, and how else it could."""

    mode: InclusionMode
    tools: list[str]
    """What is ticked for the manual mode."""
    forget_after: int | None
    offered: list[ChatTool]
    modes: list[ChatToolsMode]
    """In the order in which the button goes round."""


class ChatToolsChoice(Body):
    """Another way to send tools along."""

    resource = ChatTools

    mode: InclusionMode
    tools: Annotated[list[ToolName], Field(max_length=2000)] = Field(default_factory=list[ToolName])
    forget_after: Annotated[int, Field(ge=0, le=5)] | None = None
