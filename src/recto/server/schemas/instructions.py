"""The JSON of what a folder tells the AI, and of what people say to that."""

from typing import Annotated, Literal

from pydantic import ConfigDict, StringConstraints

from recto.chats import JudgedInstruction
from recto.server.schemas.base import Schema
from recto.server.schemas.chats.turns import FilePath

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Instruction(Schema):
    """A text of the folder that wants to tell the AI what to do."""

    path: str
    text: str
    hash: str
    """Of this very text: an answer names it."""
    consent: Literal["follow", "decline"] | None
    """What was said to it for good; null when nothing was. "decline" is for suggestions."""


class InstructionList(Schema):
    """The instructions that a folder has now."""

    items: list[Instruction]
    next_cursor: str | None = None


class InstructionConsent(Schema):
    """Whether a text may tell the AI what to do. Another text asks again."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"path": "AGENTS.md", "hash": "0f" * 32, "consent": "follow"}]
        }
    )

    path: FilePath
    hash: Digest
    """The text that was read."""
    consent: Literal["follow", "decline"]
    """Follow it everywhere; or not in suggestions, while chats go on to ask."""


def present_instruction(judged: JudgedInstruction) -> Instruction:
    """A text and the answer to it."""
    brought = judged.brought
    return Instruction(
        path=brought.path, text=brought.text, hash=brought.hash, consent=judged.consent
    )
