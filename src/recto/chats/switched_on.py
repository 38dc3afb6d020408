"""The contexts and skills that are on when something is said, and what they ask of its turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recto.chats.entries import Attached, Switched, User
from recto.chats.failures import ChatFailure
from recto.chats.means import Means
from recto.skills import Usable
from recto.storage import NotFound, Storage, Write
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
class SwitchedOn:
    """What is on for one message."""

    contexts: tuple[Switched, ...] = ()
    skills: tuple[Usable, ...] = ()
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
        return tuple(Switched(one.id, one.name, one.color) for one in self.skills)

    def prompts(self) -> Iterator[Attached]:
        """The texts of the skills, then the words that go along besides them."""
        taken: set[str] = set()
        texts = [(skill.name, skill.prompt) for skill in self.skills]
        if self.additional_prompt.strip():
            texts.append((ADDITIONAL, self.additional_prompt))
        for name, text in texts:
            own = unlike(name, taken)
            taken.add(own)
            digest = content_hash(text.encode("utf-8", "surrogatepass"))
            yield Attached(own, text, digest, "skill")


NOTHING_ON = SwitchedOn()


def unlike(name: str, taken: set[str]) -> str:
    """A name that no other text of the message has: two of one name would pass for versions."""
    number, own = 2, name
    while own in taken:
        own, number = f"{name} ({number})", number + 1
    return own


async def find_switched_on(
    means: Means,
    project_id: str,
    context_ids: Sequence[str],
    skill_ids: Sequence[str],
    additional_prompt: str,
) -> SwitchedOn:
    """What is on when something is said. Raises NotFound, a SkillFailure."""
    contexts = [await context(means, project_id, one) for one in dict.fromkeys(context_ids)]
    skills: tuple[Usable, ...] = ()
    if skill_ids:
        assert means.skills is not None
        skills = await means.skills.usable(project_id, skill_ids)
    return SwitchedOn(tuple(contexts), skills, additional_prompt)


async def context(means: Means, project_id: str, context_id: str) -> Switched:
    """A context of a project. Raises NotFound."""
    found = await means.storage.contexts.get(context_id)
    if found.project_id != project_id:
        raise NotFound("context", context_id)
    return Switched(found.id, found.name, found.color)


def wanted_model(means: Means, skills: Sequence[Usable]) -> str | None:
    """The model of the first skill that wants one. Raises ModelMissing."""
    for skill in skills:
        if skill.model is not None:
            if means.models.resolve(skill.model) is None:
                raise ModelMissing(skill.name, skill.model)
            return skill.model
    return None


async def mark_used(storage: Storage, write: Write, user: User) -> None:
    """Note which contexts and skills were used just now."""
    if user.contexts:
        await storage.contexts.used(write, [one.id for one in user.contexts])
    if user.skills:
        await storage.skills.used(write, [one.id for one in user.skills])
