"""The JSON of skills."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StringConstraints

from recto.server.schemas.base import Body, Name, Schema, SkillId, Text
from recto.server.schemas.chats.turns import FilePath

MOST_FILES = 200
MOST_TOOLS = 100
A_SKILL: dict[str, JsonValue] = {
    "name": "Referee",
    "description": "Judge a manuscript as a careful referee would.",
    "prompt": "Say first what the paper claims, then what would change your mind about it.",
    "color": "#8b5cf6",
    "files": ["guidelines.md"],
    "tools": [],
    "model": None,
}
Color = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
Model = Annotated[Text, StringConstraints(max_length=300)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-z:]{1,128}$")]


class Skill(Schema):
    """A prompt that switches on."""

    id: SkillId
    name: str
    description: str
    prompt: str
    color: str
    token_count: int
    is_built_in: bool
    source: Literal["built-in", "own", "folder"]
    path: str | None
    """Where one that was found stands in the folder."""
    trusted: bool
    """Whether the user has agreed to this very text; the built-in and the user's own are."""
    problem: str | None
    """Why it can't be used, and what to do; null when it can."""
    hash: str | None
    """Of the text of one that was found, as it is now: what is agreed to."""
    files: list[str]
    """What goes along with it."""
    tools: list[str]
    """While it is on, only these tools are offered, besides those that read; empty: all."""
    model: str | None
    """The model it wants; null is the chat's."""
    created_at: int | None
    last_used_at: int | None
    version: int


class SkillPage(Schema):
    """The built-in skills, the user's own (newest first), then those found in the folder."""

    items: list[Skill]
    next_cursor: str | None


class NewSkill(Body):
    """A skill of one's own."""

    model_config = ConfigDict(json_schema_extra={"examples": [A_SKILL]})

    name: Name
    description: Annotated[Text, StringConstraints(max_length=1024)] = ""
    prompt: Annotated[Text, StringConstraints(min_length=1, max_length=64_000)]
    color: Color | None = None
    """Null: the one that belongs to the name."""
    files: list[FilePath] = Field(default_factory=list, max_length=MOST_FILES)
    tools: list[ToolName] = Field(default_factory=list, max_length=MOST_TOOLS)
    model: Model | None = None


class SkillUpdate(NewSkill):
    """The whole skill, as it is to be from now on."""

    resource = Skill


class SkillTrust(Body):
    """Whether a text that was found in the folder may be followed."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"hash": "0f" * 32, "trusted": True}]}
    )

    hash: Hash
    """Of the text that was shown."""
    trusted: bool
