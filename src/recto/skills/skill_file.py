"""A SKILL.md, read: what it is called, what it is for, what it wants, and what it says."""

import re
from dataclasses import dataclass

from recto.messages import invisible
from recto.skills.front_matter import BadFrontMatter, Value, read_front_matter, split_front_matter

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
WANTED = frozenset({"name", "description", "allowed-tools", "model"})
TOOL = re.compile(r"([^\s,()]+)(?:\([^()]*\))?")
OUR_NAMES = {
    "bash": "run_command",
    "edit": "edit_file",
    "glob": "list_files",
    "grep": "search_content",
    "ls": "list_files",
    "multiedit": "edit_file",
    "read": "read_file",
    "write": "write_file",
}
"""What skills call tools that were not written for Recto, and what those are called here."""


class BadSkill(ValueError):
    """A skill that can't be used; says why and what to do."""


@dataclass(frozen=True, slots=True)
class SkillFile:
    """What a SKILL.md says."""

    name: str
    description: str
    body: str
    tools: tuple[str, ...] = ()
    model: str | None = None


def read_skill_file(text: str) -> SkillFile:
    """The skill in a text. Raises BadSkill."""
    text = text.removeprefix("\ufeff")
    refuse_invisible(text)
    try:
        head, body = split_front_matter(text)
        values = read_front_matter(head, WANTED)
    except BadFrontMatter as error:
        raise BadSkill(f"Its head can't be read: {error}.") from error
    name = one_line(values, "name", LONGEST_NAME)
    description = one_line(values, "description", LONGEST_DESCRIPTION)
    # A head can write letters as escapes, which are seen only now.
    for value in (name, description):
        refuse_invisible(value)
    if not body.strip():
        raise BadSkill("It has no text: write what to do below the head.")
    return SkillFile(name, description, body, tools_of(values), model_of(values))


def refuse_invisible(text: str) -> None:
    """Refuse what could tell a model something that no person reads. Raises BadSkill."""
    found = next(invisible(text), None)
    if found is not None:
        raise BadSkill(f"{found[0].upper()}{found[1:]}. Remove it, or type that place again.")


def one_line(values: dict[str, Value], key: str, longest: int) -> str:
    """A text that must be there, on one line. Raises BadSkill."""
    value = values.get(key, "")
    if not isinstance(value, str):
        raise BadSkill(f"Its {key} is a list. Write one text.")
    words = " ".join(value.split())
    if not words:
        raise BadSkill(f"Its head has no {key}. Add a line {key}: …")
    if len(words) > longest:
        raise BadSkill(f"Its {key} has {len(words):,} characters. Use at most {longest:,}.")
    return words


def tools_of(values: dict[str, Value]) -> tuple[str, ...]:
    """The tools it wants, by our names; what it says about their arguments is left to the rules."""
    value = values.get("allowed-tools", ())
    named = [value] if isinstance(value, str) else value
    found: list[str] = [name for item in named for name in TOOL.findall(item)]
    return tuple(dict.fromkeys(OUR_NAMES.get(name.casefold(), name) for name in found))


def model_of(values: dict[str, Value]) -> str | None:
    """The model it wants. Raises BadSkill."""
    value = values.get("model", "")
    if not isinstance(value, str):
        raise BadSkill("Its model is a list. Write one.")
    return value.strip() or None
