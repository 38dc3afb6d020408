"""What is pinned to a chat: a page that opens it switches this on.

What a model is told is only what a turn names. So an id may stay here that means nothing any more.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from recto.chats.failures import InvalidPlacement
from recto.storage import Chat, ContextStore, RecordNotFound, SkillStore, Storage, WriteTransaction

CONTEXTS = "context_ids"
SKILLS = "skill_ids"
FILES = "additional_files"
PROMPT = "additional_prompt"


@dataclass(frozen=True, slots=True)
class PinnedItems:
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


def pinned_of(chat: Chat) -> PinnedItems:
    """What is pinned to a chat."""
    meta = chat.meta
    return PinnedItems(
        tuple(meta.get(CONTEXTS, ())),
        tuple(meta.get(SKILLS, ())),
        tuple(meta.get(FILES, ())),
        meta.get(PROMPT, ""),
    )


def is_own_skill(skill_id: str) -> bool:
    """Whether a skill is one that somebody wrote; the others come with Recto or with a folder."""
    return "." not in skill_id


async def existing_items(
    storage: Storage,
    project_id: str | None,
    context_ids: Iterable[str],
    skill_ids: Iterable[str],
    *,
    within: WriteTransaction,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those contexts and skills that a project has; without one, that any project has."""

    async def has(store: ContextStore | SkillStore, one: str) -> bool:
        try:
            found = await store.get(one, within=within)
        except RecordNotFound:
            return False
        return project_id in (None, found.project_id)

    contexts = [context_id for context_id in context_ids if await has(storage.contexts, context_id)]
    skills = [
        skill_id
        for skill_id in skill_ids
        if not is_own_skill(skill_id) or await has(storage.skills, skill_id)
    ]
    return tuple(contexts), tuple(skills)


async def check_new(
    storage: Storage,
    project_id: str | None,
    pinned: PinnedItems,
    was: PinnedItems,
    *,
    within: WriteTransaction,
) -> None:
    """Refuse contexts and skills that were not pinned before and are not there.

    Raises InvalidPlacement.

    Those that were may have been deleted meanwhile: that must not stand in the way of a new title.
    """
    contexts = without_missing(pinned.context_ids, was.context_ids)
    skills = without_missing(pinned.skill_ids, was.skill_ids)
    found = await existing_items(storage, project_id, contexts, skills, within=within)
    for kind, wanted, known in zip(("context", "skill"), (contexts, skills), found, strict=True):
        for item in without_missing(wanted, known):
            raise InvalidPlacement(
                f"There is no {kind} {item} in this project.", "Reload the list and choose again."
            )


def without_missing(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Some ids that are not among others."""
    known = set(others)
    return tuple(item for item in some if item not in known)
