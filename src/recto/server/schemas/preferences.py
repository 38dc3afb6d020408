"""The JSON about the settings that people change while Recto works."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from recto.config import FOLDER
from recto.server.schemas.base import Schema

ModelId = Annotated[str, StringConstraints(min_length=1, max_length=400)]
FolderName = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=200, pattern=FOLDER)
]


class OwnTransform(Schema):
    """A quick transform of the user's own."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
    prompt: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class EditorPreferences(Schema):
    """How the AI helps while somebody writes. A model of null leaves it to Recto."""

    suggest: Literal["asked", "pause", "off"]
    suggest_pause_ms: Annotated[int, Field(ge=100, le=60_000)]
    suggest_hide_seconds: Annotated[int, Field(ge=0, le=3600)]
    suggest_model: ModelId | None
    transforms: Annotated[list[OwnTransform], Field(max_length=20)]
    attachments_folder: FolderName
    templates_folder: FolderName
    daily_folder: FolderName
    daily_template: FolderName


class ChatPreferences(Schema):
    """How far turns go by themselves, and what happens to what they write."""

    review: Literal["ask", "direct"]
    commit_accepted: bool
    summarise: Literal["offer", "automatic"]
    summarise_results: bool
    ask_after_reading: bool
    steps: Annotated[int, Field(ge=1, le=1000)]
    minutes: Annotated[float, Field(gt=0, le=24 * 60, allow_inf_nan=False)]


class Preferences(Schema):
    """What is kept in settings.toml and holds at once."""

    editor: EditorPreferences
    chats: ChatPreferences
