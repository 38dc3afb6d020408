"""The JSON of contexts, and of how many tokens they and files take."""

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from recto.server.schemas.base import Body, Name, ResourceId, Schema, SkillId, Text
from recto.server.schemas.chats.chats import Prompt
from recto.server.schemas.chats.turns import FilePath

MOST_FILES = 10_000
MOST_IDS = 200
AN_ID = "01h8xbb5r6c0y4m3n2p1q0t9v8"
Color = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
Model = Annotated[Text, StringConstraints(max_length=300)]
Files = Annotated[list[FilePath], Field(max_length=MOST_FILES)]


class Context(Schema):
    """A named group of files."""

    id: ResourceId
    project_id: ResourceId
    name: str
    files: list[str]
    color: str
    token_count: int | None
    """Of those files that are there; null when the project's folder is not."""
    token_count_updated_at: int | None
    missing_files: list[str]
    """Those that can't be sent because they are not there any more."""
    created_at: int
    last_used_at: int | None
    version: int


class ContextPage(Schema):
    """Some contexts, the newest first."""

    items: list[Context]
    next_cursor: str | None


class NewContext(Body):
    """A group of files to keep under a name. A file that is named twice is in it once."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "Methods",
                    "files": ["paper/methods.md", "analysis/fit.py"],
                    "color": "#06b6d4",
                }
            ]
        }
    )

    name: Name
    files: Files
    color: Color | None = None
    """Null: the one that belongs to the name."""


class ContextUpdate(NewContext):
    """The whole context, as it is to be from now on."""

    resource = Context


class TokenRequest(Body):
    """What could go along with a message."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "files": ["paper/methods.md"],
                    "contextIds": [],
                    "skillIds": ["builtin.concise"],
                    "additionalPrompt": "Answer in French.",
                    "model": None,
                },
                {"files": [], "contextIds": [AN_ID]},
            ]
        }
    )

    files: Files = Field(default_factory=list)
    context_ids: Annotated[list[ResourceId], Field(max_length=MOST_IDS)] = Field(
        default_factory=list
    )
    skill_ids: Annotated[list[SkillId], Field(max_length=MOST_IDS)] = Field(default_factory=list)
    additional_prompt: Prompt = ""
    model: Model | None = None
    """As this model counts; null is our own count."""


class UnreadableFile(Schema):
    """A file that is there and can't be sent."""

    path: str
    reason: str


class Tokens(Schema):
    """How many tokens everything takes, and each part of it.

    `totalTokens` is the sum over `files`, `contextTokens`, `skillTokens` and the prompt, so a file
    counts each time it is named; in `deduplicatedTokens`, which is what is sent, it counts once.
    """

    total_tokens: int
    deduplicated_tokens: int
    file_tokens: dict[str, int]
    """Every file that is there, whoever named it, by its path."""
    context_tokens: dict[str, int]
    """The files of each context, by the context's id."""
    skill_tokens: dict[str, int]
    """The prompt and the files of each skill, by the skill's id."""
    additional_prompt_tokens: int
    overlapping_files: list[str]
    """Files that are named by more than one of: `files`, a context, a skill."""
    missing_files: list[str]
    """Files that are not there: they are not sent."""
    unreadable: list[UnreadableFile]
    """Files that are there and no text, too large, or locked: 0 tokens, they are not sent."""
