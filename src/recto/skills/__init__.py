"""Prompts that switch on: built in, the user's own, and those of a folder that were agreed to."""

from recto.skills.failures import (
    NoSuchSkill,
    NotUsable,
    NotWritten,
    NotYours,
    SkillFailure,
    SkillTextChanged,
)
from recto.skills.guides import SkillGuide, SkillGuides
from recto.skills.skill import OwnSkill, Skill, SkillPage, UsableSkill
from recto.skills.skills import Skills, add_example

__all__ = [
    "SkillGuide",
    "SkillGuides",
    "NoSuchSkill",
    "NotUsable",
    "NotWritten",
    "NotYours",
    "OwnSkill",
    "Skill",
    "SkillFailure",
    "SkillPage",
    "Skills",
    "SkillTextChanged",
    "UsableSkill",
    "add_example",
]
