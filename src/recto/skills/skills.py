"""All skills of a project: listed, written, agreed to, and taken along when they may be."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from recto.clock import Ids
from recto.colours import colour_of
from recto.config import Trust
from recto.skills.built_in import BUILT_IN, EXAMPLE
from recto.skills.failures import NoSuchSkill, NotUsable, NotWritten, NotYours, SkillTextChanged
from recto.skills.folder_skills import find_skills
from recto.skills.guides import SkillGuides, told_beside
from recto.skills.listing import ListedSkill, listed_found, skills_in
from recto.skills.skill import OwnSkill, Skill, SkillPage, UsableSkill
from recto.skills.skill_file import BadSkill, refuse_invisible
from recto.storage import SkillRecord as Record
from recto.storage import Storage, WriteTransaction
from recto.tools import TOOL_NAMES
from recto.workspace import (
    NameRefused,
    NotAFile,
    OutsideWorkspace,
    Workspace,
    WorkspaceFailure,
)

BATCH = 200
KIND = "skill"
BUILT_IN_STAYS = "This skill comes with Recto and stays as it is."
IN_THE_FOLDER = "This skill is a file of the folder."
ONLY_FOUND = "Only skills that were found in a folder are agreed to."


class Counter(Protocol):
    """Counts tokens."""

    def text(self, text: str, model: str = "") -> int:
        """How many a text takes, as a model counts them."""
        ...


class Skills:
    """The skills of every project: built in, written by the user, found in the folder."""

    def __init__(
        self,
        storage: Storage,
        ids: Ids,
        trust: Trust,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        counter: Counter,
    ) -> None:
        self._storage = storage
        self._ids = ids
        self._trust = trust
        self._open_workspace = open_workspace
        self._counter = counter

    async def list(self, project_id: str) -> tuple[Skill, ...]:
        """All skills: the built-in ones, the user's own, then those of the folder."""
        own = await self._all_own(project_id)
        found = await self._found(project_id, own)
        return (*skills_in(self._built_in()), *own, *skills_in(found))

    async def page(
        self, project_id: str, cursor: str | None, limit: int, model: str = ""
    ) -> SkillPage:
        """The same in pieces; `limit` is about the user's own, between the others."""
        await self._storage.projects.get(project_id)
        page = await self._storage.skills.page(project_id, cursor, limit)
        own = tuple(self._present(item, model) for item in page.items)
        before = () if cursor else skills_in(self._built_in(model))
        after: tuple[Skill, ...] = ()
        if page.next_cursor is None:
            every = await self._all_own(project_id) if cursor else own
            after = skills_in(await self._found(project_id, every, model))
        return SkillPage((*before, *own, *after), page.next_cursor)

    async def get(self, project_id: str, skill_id: str) -> Skill:
        """One skill. Raises NoSuchSkill, RecordNotFound."""
        await self._storage.projects.get(project_id)
        return (await self._find(project_id, skill_id)).skill

    async def add(self, project_id: str, given: OwnSkill) -> Skill:
        """Keep a skill that the user wrote. Raises NotWritten, RecordNotFound."""
        await self._check(project_id, given)
        async with self._storage.write() as write:
            record = await self._storage.skills.add(
                write,
                id=self._ids.new(),
                project_id=project_id,
                name=given.name,
                description=given.description,
                prompt=given.prompt,
                color=given.color or colour_of(given.name),
                files=given.files,
                tools=given.tools,
                model=given.model,
            )
        return self._present(record)

    async def update(
        self, project_id: str, skill_id: str, given: OwnSkill, *, version: int
    ) -> Skill:
        """Change a skill that the caller has seen in this version.

        Raises NoSuchSkill, NotYours, NotWritten, StaleVersion.
        """
        await self.check_changeable(project_id, skill_id)
        await self._check(project_id, given)
        async with self._storage.write() as write:
            record = await self._storage.skills.update(
                write,
                skill_id,
                name=given.name,
                description=given.description,
                prompt=given.prompt,
                color=given.color or colour_of(given.name),
                files=given.files,
                tools=given.tools,
                model=given.model,
                expected_version=version,
            )
        return self._present(record)

    async def remove(self, project_id: str, skill_id: str) -> None:
        """Forget a skill of the user's own. Raises NoSuchSkill, NotYours."""
        await self.check_changeable(project_id, skill_id)
        async with self._storage.write() as write:
            await self._storage.skills.remove(write, skill_id)

    async def trust(
        self, project_id: str, skill_id: str, digest: str, *, is_trusted: bool
    ) -> Skill:
        """The user agrees to a text that was found, or no longer does.

        Raises NoSuchSkill, NotYours, NotUsable, SkillTextChanged.
        """
        skill = await self.get(project_id, skill_id)
        if skill.path is None:
            raise NotYours(ONLY_FOUND, "Switch it on or off.")
        if skill.hash != digest:
            raise SkillTextChanged(skill.path)
        root = (await self._open_workspace(project_id)).root
        if not is_trusted:
            self._trust.distrust(root, skill.path, digest)
        elif skill.prompt:
            self._trust.trust(root, skill.path, digest)
        else:
            raise NotUsable(f"{skill.path} can't be used. {skill.problem}", "Fix it first.")
        async with self._storage.write() as write:
            await self._storage.changes.append(
                write,
                kind=KIND,
                resource_id=skill_id,
                project_id=project_id,
                action="updated",
                version=skill.version,
            )
        return await self.get(project_id, skill_id)

    async def usable(self, project_id: str, ids: Sequence[str]) -> tuple[UsableSkill, ...]:
        """What goes along of these skills, each once. Raises NoSuchSkill, NotUsable."""
        return tuple([await self._use(project_id, fromkey) for fromkey in dict.fromkeys(ids)])

    def guides(self, project_id: str) -> SkillGuides:
        """The skills of a project as a model meets them."""
        return SkillGuides(
            partial(self._named, project_id), partial(self._open_workspace, project_id)
        )

    async def _named(self, project_id: str) -> tuple[ListedSkill, ...]:
        """All that may be used: the user's own, those of the folder, then the built-in ones."""
        own = await self._all_own(project_id)
        every = (*map(ListedSkill, own), *await self._found(project_id, own), *self._built_in())
        return tuple(item for item in every if item.skill.is_usable)

    async def _use(self, project_id: str, skill_id: str) -> UsableSkill:
        listed = await self._find(project_id, skill_id)
        skill, found = listed.skill, listed.found
        if skill.problem is not None:
            words = f"The skill “{skill.name}” can't be used. {skill.problem}"
            raise NotUsable(words, "Fix it, or switch it off.")
        if not skill.trusted:
            words = f"Nobody has agreed to the skill “{skill.name}” ({skill.path}) as it is now."
            raise NotUsable(words, "Read it under Contexts, and agree to it or switch it off.")
        prompt = skill.prompt
        if found is not None:
            prompt += await told_beside(await self._open_workspace(project_id), found)
        return UsableSkill(
            skill.id, skill.name, skill.color, prompt, skill.files, skill.tools, skill.model
        )

    async def _find(self, project_id: str, skill_id: str) -> ListedSkill:
        """A skill of any kind. Raises NoSuchSkill, RecordNotFound."""
        if "." not in skill_id:
            return ListedSkill(self._present(await self._own(project_id, skill_id)))
        found = await self._found(project_id, await self._all_own(project_id))
        for listed in (*self._built_in(), *found):
            if listed.skill.id == skill_id:
                return listed
        raise NoSuchSkill(skill_id)

    async def _own(self, project_id: str, skill_id: str) -> Record:
        """A skill that the user wrote in this project. Raises NoSuchSkill, RecordNotFound."""
        record = await self._storage.skills.get(skill_id)
        if record.project_id != project_id:
            raise NoSuchSkill(skill_id)
        return record

    async def check_changeable(self, project_id: str, skill_id: str) -> None:
        """Only the user's own can be changed. Raises NoSuchSkill, RecordNotFound, NotYours."""
        skill = await self.get(project_id, skill_id)
        if skill.is_built_in:
            raise NotYours(BUILT_IN_STAYS, "Make one of your own with its text.")
        if skill.source == "folder":
            raise NotYours(IN_THE_FOLDER, f"Change {skill.path} instead.")

    async def _check(self, project_id: str, given: OwnSkill) -> None:
        """Refuse what could not be used or seen when it is on.

        Raises NotWritten, RecordNotFound.
        """
        refuse_unseen(given)
        unknown = sorted(set(given.tools) - TOOL_NAMES)
        if unknown:
            words = f"There is no tool {', '.join(unknown)}."
            raise NotWritten(words, "The settings list the tools by name.")
        if not given.files:
            return
        workspace = await self._open_workspace(project_id)
        found = await workspace.identify(given.files)
        for path in given.files:
            if isinstance(failure := found[path], OutsideWorkspace | NameRefused | NotAFile):
                raise NotWritten(failure.message, failure.remedy)

    async def _all_own(self, project_id: str) -> tuple[Skill, ...]:
        await self._storage.projects.get(project_id)
        own: list[Skill] = []
        cursor = None
        while True:
            page = await self._storage.skills.page(project_id, cursor, BATCH)
            own += map(self._present, page.items)
            cursor = page.next_cursor
            if cursor is None:
                return tuple(own)

    async def _found(
        self, project_id: str, own: Sequence[Skill], model: str = ""
    ) -> tuple[ListedSkill, ...]:
        """The skills of the folder; none when it is not there."""
        try:
            workspace = await self._open_workspace(project_id)
            found = await find_skills(workspace)
        except WorkspaceFailure:
            return ()
        agreed = self._trust.agreed(workspace.root)
        count = partial(self._counter.text, model=model)
        return listed_found(found, agreed, [item.name for item in own], count)

    def _built_in(self, model: str = "") -> tuple[ListedSkill, ...]:
        count = partial(self._counter.text, model=model)
        return tuple(
            ListedSkill(replace(item, token_count=count(item.prompt))) for item in BUILT_IN
        )

    def _present(self, record: Record, model: str = "") -> Skill:
        return Skill(
            id=record.id,
            name=record.name,
            description=record.description,
            prompt=record.prompt,
            color=record.color,
            token_count=self._counter.text(record.prompt, model),
            source="own",
            files=record.files,
            tools=record.tools,
            model=record.model,
            created_at=record.created_ms,
            last_used_at=record.last_used_ms,
            version=record.version,
        )


def refuse_unseen(given: OwnSkill) -> None:
    """Refuse what a person would not see in what they send. Raises NotWritten."""
    for text in (given.name, given.description, given.prompt):
        try:
            refuse_invisible(text)
        except BadSkill as bad:
            raise NotWritten(str(bad), "Save it again then.") from bad


async def add_example(
    storage: Storage, write: WriteTransaction, project_id: str, skill_id: str
) -> None:
    """Give a new project a skill to begin with."""
    await storage.skills.add(
        write,
        id=skill_id,
        project_id=project_id,
        name=EXAMPLE.name,
        description=EXAMPLE.description,
        prompt=EXAMPLE.prompt,
        color=colour_of(EXAMPLE.name),
    )
