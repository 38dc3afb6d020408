"""Prompts that switch on: built in, the user's own, and those of a folder that were agreed to."""

from recto.skills.failures import (
    NoSuchSkill,
    NotUsable,
    NotWritten,
    NotYours,
    SkillFailure,
    TextChanged,
)
from recto.skills.guides import Guide, Guides
from recto.skills.skill import OwnSkill, Skill, SkillPage, Usable
from recto.skills.skills import Skills, add_example

__all__ = [
    "Guide",
    "Guides",
    "NoSuchSkill",
    "NotUsable",
    "NotWritten",
    "NotYours",
    "OwnSkill",
    "Skill",
    "SkillFailure",
    "SkillPage",
    "Skills",
    "TextChanged",
    "Usable",
    "add_example",
]
