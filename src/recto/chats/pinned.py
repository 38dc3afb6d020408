"""What is pinned to a chat: a page that opens it switches this on.

What a model is told is only what a turn names. So an id may stay here that means nothing any more.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from recto.chats.failures import Misplaced
from recto.storage import Chat, ContextStore, NotFound, SkillStore, Storage, Write

CONTEXTS = "context_ids"
SKILLS = "skill_ids"
FILES = "additional_files"
PROMPT = "additional_prompt"


@dataclass(frozen=True, slots=True)
class Pinned:
    """Contexts, skills, files and words that belong to a chat."""

    context_ids: tuple[str, ...] = ()
    skill_ids: tuple[str, ...] = ()
    additional_files: tuple[str, ...] = ()
    additional_prompt: str = ""

    def meta(self) -> dict[str, Any]:
        """As it stands in a chat's record."""
        return {
            CONTEXTS: list(self.context_ids),
            SKILLS: list(self.skill_ids),
            FILES: list(self.additional_files),
            PROMPT: self.additional_prompt,
        }


def pinned_of(chat: Chat) -> Pinned:
    """What is pinned to a chat."""
    meta = chat.meta
    return Pinned(
        tuple(meta.get(CONTEXTS, ())),
        tuple(meta.get(SKILLS, ())),
        tuple(meta.get(FILES, ())),
        meta.get(PROMPT, ""),
    )


def is_own_skill(skill_id: str) -> bool:
    """Whether a skill is one that somebody wrote; the others come with Recto or with a folder."""
    return "." not in skill_id


async def there(
    storage: Storage,
    project_id: str | None,
    context_ids: Iterable[str],
    skill_ids: Iterable[str],
    *,
    within: Write,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those contexts and skills that a project has; without one, that any project has."""

    async def has(store: ContextStore | SkillStore, one: str) -> bool:
        try:
            found = await store.get(one, within=within)
        except NotFound:
            return False
        return project_id in (None, found.project_id)

    contexts = [one for one in context_ids if await has(storage.contexts, one)]
    skills = [one for one in skill_ids if not is_own_skill(one) or await has(storage.skills, one)]
    return tuple(contexts), tuple(skills)


async def check_new(
    storage: Storage,
    project_id: str | None,
    pinned: Pinned,
    was: Pinned,
    *,
    within: Write,
) -> None:
    """Refuse contexts and skills that were not pinned before and are not there. Raises Misplaced.

    Those that were may have been deleted meanwhile: that must not stand in the way of a new title.
    """
    contexts = without(pinned.context_ids, was.context_ids)
    skills = without(pinned.skill_ids, was.skill_ids)
    found = await there(storage, project_id, contexts, skills, within=within)
    for kind, wanted, known in zip(("context", "skill"), (contexts, skills), found, strict=True):
        for one in without(wanted, known):
            raise Misplaced(
                f"There is no {kind} {one} in this project.", "Reload the list and choose again."
            )


def without(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Some ids that are not among others."""
    known = set(others)
    return tuple(one for one in some if one not in known)
