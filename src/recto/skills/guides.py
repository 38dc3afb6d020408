"""Skills as a model meets them: named in its prompt, their texts and files read when needed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from recto.skills.folder_skills import FILE, FolderSkill, files_beside
from recto.skills.listing import ListedSkill
from recto.tools import ToolFailure
from recto.workspace import Workspace

MOST_CHARACTERS = 16_000
"""How much all names and descriptions may take in a prompt."""


@dataclass(frozen=True, slots=True)
class SkillGuide:
    """A skill by its name, and what it is good for."""

    name: str
    description: str


class SkillGuides:
    """The skills of one project that a model may read."""

    def __init__(
        self,
        named: Callable[[], Awaitable[tuple[ListedSkill, ...]]],
        open_workspace: Callable[[], Awaitable[Workspace]],
    ) -> None:
        self._named = named
        self._open_workspace = open_workspace

    async def manifest(self) -> tuple[SkillGuide, ...]:
        """The user's own and those of the folder; as many as there is room for."""
        told: list[SkillGuide] = []
        left = MOST_CHARACTERS
        for listed in await self._named():
            skill = listed.skill
            left -= len(skill.name) + len(skill.description)
            if skill.is_built_in or left < 0:
                continue
            told.append(SkillGuide(skill.name, skill.description))
        return tuple(told)

    async def read(self, name: str, file: str | None) -> str:
        """What a skill says, or a file beside it. Raises ToolFailure, a WorkspaceFailure."""
        listed = await self._find(name)
        skill, found = listed.skill, listed.found
        if found is not None:
            workspace = await self._open_workspace()
            if file is None or file == FILE:
                return skill.prompt + await told_beside(workspace, found)
            return await read_beside(workspace, found, file)
        if file is None:
            files = ", ".join(skill.files)
            return skill.prompt + (f"\n\nIt goes with these files: {files}." if files else "")
        if file not in skill.files:
            raise ToolFailure(f"The skill {skill.name} has no file {file!r}.")
        return (await (await self._open_workspace()).for_tools().read_text(file)).text

    async def _find(self, name: str) -> ListedSkill:
        """The skill of a name, however it is written. Raises ToolFailure."""
        every = await self._named()
        wanted = " ".join(name.split()).casefold()
        for listed in every:
            if listed.skill.name.casefold() == wanted:
                return listed
        names = ", ".join(item.skill.name for item in every if not item.skill.is_built_in)
        raise ToolFailure(f"There is no skill {name!r}. There are: {names or 'none'}.")


async def read_beside(workspace: Workspace, found: FolderSkill, file: str) -> str:
    """A file in a skill's own folder, and nowhere else. Raises ToolFailure, a WorkspaceFailure."""
    seen = workspace.for_tools()
    path = f"{found.home}/{file}"
    home = await seen.real_path(found.home)
    if not (await seen.real_path(path)).startswith(f"{home}/"):
        raise ToolFailure(f"{file!r} is not beside the skill {found.name}.")
    return (await seen.read_text(path)).text


async def told_beside(workspace: Workspace, found: FolderSkill) -> str:
    """What lies beside a skill, for whoever follows it; nothing when there is nothing."""
    files = await files_beside(workspace.for_tools(), found.home)
    if not files:
        return ""
    return (
        f"\n\n[Beside this skill, in {found.home}: {', '.join(files)}. read_skill reads them; "
        f"scripts are run by their path, such as {found.home}/{files[0]}.]"
    )
