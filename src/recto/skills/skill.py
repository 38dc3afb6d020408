"""What a skill is to everybody else: a prompt that switches on, and what it brings along."""

from dataclasses import dataclass
from typing import Literal

SkillSource = Literal["built-in", "own", "folder"]


@dataclass(frozen=True, slots=True)
class OwnSkill:
    """What the user writes in a skill of their own."""

    name: str
    description: str
    prompt: str
    color: str | None = None
    """None: the colour that belongs to the name."""
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as people see it, usable or not."""

    id: str
    name: str
    description: str
    prompt: str
    color: str
    token_count: int
    source: SkillSource
    path: str | None = None
    """Where one that was found stands in the folder."""
    trusted: bool = True
    problem: str | None = None
    """Why it can't be used, in words; None when it can."""
    hash: str | None = None
    """Of the text that was found: what the user agrees to."""
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    model: str | None = None
    created_at: int | None = None
    last_used_at: int | None = None
    version: int = 1

    @property
    def is_built_in(self) -> bool:
        """Whether Recto brings it."""
        return self.source == "built-in"

    @property
    def is_usable(self) -> bool:
        """Whether it may be sent to a model: readable, and agreed to."""
        return self.trusted and self.problem is None


@dataclass(frozen=True, slots=True)
class SkillPage:
    """Some skills: the built-in ones, the user's own, then those of the folder."""

    items: tuple[Skill, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class UsableSkill:
    """A skill that goes along with a message."""

    id: str
    name: str
    color: str
    prompt: str
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    model: str | None = None
