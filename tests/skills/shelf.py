"""The skills of one project over a real store and a real folder."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from recto.clock import SystemClock, SystemIds
from recto.config import Home, Trust
from recto.context import TokenCalibration, TokenCounter
from recto.skills import Skill, Skills
from recto.storage import Storage
from recto.workspace import Workspace
from tests.stores import open_empty

TIDES = ".agents/skills/tides/SKILL.md"
TWICE = "model/that-counts-double"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A project with its skills."""

    skills: Skills
    storage: Storage
    folder: Path
    project_id: str

    def lay(self, path: str, text: str | bytes) -> Path:
        """Put a file into the folder."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    async def found(self) -> dict[str, Skill]:
        """The skills of the folder, by their paths."""
        return {item.path: item for item in await self.skills.list(self.project_id) if item.path}

    async def agree(self, path: str = TIDES) -> Skill:
        """Agree to a skill as it is now."""
        skill = (await self.found())[path]
        assert skill.hash is not None
        return await self.skills.trust(self.project_id, skill.id, skill.hash, is_trusted=True)

    async def named(self) -> list[str]:
        """The names that a model is told."""
        return [item.name for item in await self.skills.guides(self.project_id).manifest()]

    async def read(self, name: str, file: str | None = None) -> str:
        """What a model reads."""
        return await self.skills.guides(self.project_id).read(name, file)


def skill_text(name: str = "tides", body: str = "Look up the port first.", more: str = "") -> str:
    return f"---\nname: {name}\ndescription: Reads {name}.\n{more}---\n{body}\n"


@asynccontextmanager
async def open_shelf(place: Path) -> AsyncGenerator[Shelf]:
    """A project on an empty folder."""
    folder = place / "folder"
    folder.mkdir()
    home = Home(place / "home")
    home.folder.mkdir()
    clock = SystemClock()
    ids = SystemIds(clock)
    storage = await open_empty(place / "recto.db", clock=clock)
    project_id = ids.new()
    async with await Workspace.open(folder) as workspace:

        async def open_workspace(_: str) -> Workspace:
            return workspace

        async with storage.write() as write:
            await storage.projects.add(
                write, id=project_id, name="p", path=str(folder), settings={}
            )
        counter = TokenCounter(TokenCalibration({TWICE: (2.0, 2.0)}))
        skills = Skills(storage, ids, Trust(home), open_workspace, counter)
        try:
            yield Shelf(skills, storage, folder, project_id)
        finally:
            await storage.close()
