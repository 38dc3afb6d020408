"""The skills of a folder as people see them: which are agreed to, and why others can't be used."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from recto.colours import colour_of
from recto.skills.folder_skills import FolderSkill
from recto.skills.skill import Skill


@dataclass(frozen=True, slots=True)
class ListedSkill:
    """A skill, and its file if it was found in the folder."""

    skill: Skill
    found: FolderSkill | None = None


def skills_in(listed: Iterable[ListedSkill]) -> tuple[Skill, ...]:
    """The skills by themselves."""
    return tuple(item.skill for item in listed)


def listed_found(
    found: Sequence[FolderSkill],
    agreed: Mapping[str, Sequence[str]],
    taken: Iterable[str],
    count: Callable[[str], int],
) -> tuple[ListedSkill, ...]:
    """The skills of a folder. Of those that may be used and have one name, only one is.

    A skill that nobody has agreed to takes no name away from another.
    """
    names = {name.casefold() for name in taken}
    listed: list[ListedSkill] = []
    for item in found:
        trusted = item.hash is not None and item.hash in agreed.get(item.path, ())
        problem = item.problem
        if trusted and problem is None:
            if item.name.casefold() in names:
                problem = f"Another skill is called {item.name}, too. Rename one of them."
            names.add(item.name.casefold())
        listed.append(ListedSkill(present(item, count, trusted=trusted, problem=problem), item))
    return tuple(listed)


def present(
    found: FolderSkill, count: Callable[[str], int], *, trusted: bool, problem: str | None
) -> Skill:
    """A skill that was found."""
    file = found.file
    return Skill(
        id=found.id,
        name=found.name,
        description=file.description if file else "",
        prompt=file.body if file else "",
        color=colour_of(found.name),
        token_count=count(file.body) if file else 0,
        source="folder",
        path=found.path,
        trusted=trusted,
        problem=problem,
        hash=found.hash,
        tools=file.tools if file else (),
        model=file.model if file else None,
    )
