"""The contexts and skills that are on when something is said, and what they ask of its turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recto.chats.failures import ChatFailure
from recto.chats.history.entries import AttachedText, Switched, User
from recto.chats.services import ChatServices
from recto.skills import UsableSkill
from recto.storage import Context, RecordNotFound, Storage, WriteTransaction
from recto.tools import READ_SKILL
from recto.workspace import content_hash

ADDITIONAL = "Additional prompt"
READING = ("read_file", "list_files", "search_content", READ_SKILL.name)
"""The tools that every turn has, whatever its skills want."""


class ModelMissing(ChatFailure):
    """A skill wants a model that is not here."""

    def __init__(self, skill: str, model: str) -> None:
        super().__init__(
            f"The skill “{skill}” wants the model {model}, which is not here.",
            "Choose a model for this message, or change the skill.",
        )


@dataclass(frozen=True, slots=True)
class ActiveItems:
    """What is on for one message."""

    contexts: tuple[Switched, ...] = ()
    context_files: tuple[str, ...] = ()
    """The files of those contexts."""
    skills: tuple[UsableSkill, ...] = ()
    additional_prompt: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that skills bring."""
        return tuple(dict.fromkeys(path for skill in self.skills for path in skill.files))

    @property
    def offers(self) -> tuple[str, ...] | None:
        """The only tools to offer; None when no skill says which."""
        wanted = [tool for skill in self.skills for tool in skill.tools]
        return tuple(dict.fromkeys((*READING, *wanted))) if wanted else None

    def shown(self) -> tuple[Switched, ...]:
        """The skills as the history names them."""
        return tuple(Switched(skill.id, skill.name, skill.color) for skill in self.skills)

    def prompts(self) -> Iterator[AttachedText]:
        """The texts of the skills, then the words that go along besides them."""
        taken: set[str] = set()
        texts = [(skill.name, skill.prompt) for skill in self.skills]
        if self.additional_prompt.strip():
            texts.append((ADDITIONAL, self.additional_prompt))
        for name, text in texts:
            own = unlike(name, taken)
            taken.add(own)
            digest = content_hash(text.encode("utf-8", "surrogatepass"))
            yield AttachedText(own, text, digest, "skill")


NOTHING_ON = ActiveItems()


def unlike(name: str, taken: set[str]) -> str:
    """A name that no other text of the message has: two of one name would pass for versions."""
    number, own = 2, name
    while own in taken:
        own, number = f"{name} ({number})", number + 1
    return own


async def find_active_items(
    services: ChatServices,
    project_id: str,
    context_ids: Sequence[str],
    skill_ids: Sequence[str],
    additional_prompt: str,
) -> ActiveItems:
    """What is on when something is said. Raises RecordNotFound, a SkillFailure."""
    contexts = [
        await find_context(services, project_id, fromkey) for fromkey in dict.fromkeys(context_ids)
    ]
    skills: tuple[UsableSkill, ...] = ()
    if skill_ids:
        assert services.skills is not None
        skills = await services.skills.usable(project_id, skill_ids)
    return ActiveItems(
        contexts=tuple(Switched(context.id, context.name, context.color) for context in contexts),
        context_files=tuple(path for context in contexts for path in context.files),
        skills=skills,
        additional_prompt=additional_prompt,
    )


async def find_context(services: ChatServices, project_id: str, context_id: str) -> Context:
    """A context of a project. Raises RecordNotFound."""
    found = await services.storage.contexts.get(context_id)
    if found.project_id != project_id:
        raise RecordNotFound("context", context_id)
    return found


def wanted_model(services: ChatServices, skills: Sequence[UsableSkill]) -> str | None:
    """The model of the first skill that wants one. Raises ModelMissing."""
    for skill in skills:
        if skill.model is not None:
            if services.models.resolve(skill.model) is None:
                raise ModelMissing(skill.name, skill.model)
            return skill.model
    return None


async def mark_used(storage: Storage, write: WriteTransaction, user: User) -> None:
    """Note which contexts and skills were used just now."""
    if user.contexts:
        await storage.contexts.used(write, [context.id for context in user.contexts])
    if user.skills:
        await storage.skills.used(write, [skill.id for skill in user.skills])
