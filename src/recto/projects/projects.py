"""Projects as the API knows them: made once per folder, renamed, opened, removed."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from recto.clock import Ids
from recto.projects.failures import NotConfirmed, NotPlaced
from recto.skills import add_example
from recto.storage import ProjectRecord as Record
from recto.storage import Storage

NO_SETTINGS: Mapping[str, object] = {
    "default_context_ids": [],
    "default_skill_ids": [],
    "write_policy": None,
    "strip_outputs": False,
    "kernel_rights": "own",
}


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that Recto works in; `available` tells whether it is there now."""

    id: str
    name: str
    path: str
    created_at: int
    last_accessed_at: int
    version: int
    available: bool
    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ProjectPage:
    """Some projects, the most recently used first."""

    items: tuple[Project, ...]
    next_cursor: str | None


class Projects:
    """The projects of this Recto home."""

    def __init__(self, storage: Storage, *, ids: Ids, start_folder: Path, records: Path) -> None:
        """`records` is the folder of Recto's own records, which is no project."""
        self._storage = storage
        self._ids = ids
        self._start_folder = start_folder
        self._records = records

    async def page(self, cursor: str | None, limit: int) -> ProjectPage:
        """Some projects, the most recently used first."""
        found = await self._storage.projects.page(cursor=cursor, limit=limit)
        return ProjectPage(tuple([await present(item) for item in found.items]), found.next_cursor)

    async def get(self, project_id: str) -> Project:
        """One project."""
        return await present(await self._storage.projects.get(project_id))

    async def folder_of(self, project_id: str) -> str:
        """Where a project is, whether or not its folder is there. Raises RecordNotFound."""
        return (await self._storage.projects.get(project_id)).path

    async def current(self) -> Project:
        """The project of the folder that Recto was started on; made if there is none yet."""
        project, _ = await self.place(str(self._start_folder), None)
        return project

    async def place(self, path: str, name: str | None) -> tuple[Project, bool]:
        """The project for a folder, and whether it is new."""
        folder = await anyio.to_thread.run_sync(resolve_folder, path, self._records)
        known = await self._storage.projects.by_path(folder)
        if known is not None:
            return await present(known), False
        async with self._storage.write() as write:
            # Another tab may have been first.
            known = await self._storage.projects.by_path(folder, within=write)
            record = known or await self._storage.projects.add(
                write,
                id=self._ids.new(),
                name=name or os.path.basename(folder) or folder,
                path=folder,
                settings=NO_SETTINGS,
            )
            if known is None:
                await add_example(self._storage, write, record.id, self._ids.new())
        return await present(record), known is None

    async def open(self, project_id: str) -> Project:
        """Note that somebody turns to this project now."""
        async with self._storage.write() as write:
            record = await self._storage.projects.touch(write, project_id)
        return await present(record)

    async def update(
        self, project_id: str, *, name: str, settings: Mapping[str, object], version: int
    ) -> Project:
        """Change a project that the caller has seen in this version."""
        async with self._storage.write() as write:
            record = await self._storage.projects.update(
                write, project_id, name=name, settings=settings, expected_version=version
            )
        return await present(record)

    async def remove(self, project_id: str, confirmed_name: str | None) -> None:
        """Delete what Recto keeps of a project, never its files."""
        project = await self.get(project_id)
        if confirmed_name != project.name:
            raise NotConfirmed(project.name)
        async with self._storage.write() as write:
            await self._storage.projects.remove(write, project_id)


def resolve_folder(path: str, records: Path) -> str:
    """The folder's one true path, so that two spellings are one project."""
    try:
        folder = Path(path).expanduser()
        if not folder.is_absolute():
            raise NotPlaced(f"{path} is not a full path.", "Start it with / or ~.")
        found = folder.resolve(strict=True)
        is_folder = found.is_dir()
        is_ours = found.is_relative_to(records.resolve())
    except FileNotFoundError as error:
        raise NotPlaced(f"There is no folder {path}.", "Check the spelling, or make it.") from error
    except (OSError, RuntimeError, ValueError) as error:
        raise NotPlaced(f"{path} can't be opened: {error}.", "Choose another folder.") from error
    if is_ours:
        raise NotPlaced(f"Recto keeps its own records in {path}.", "Choose another folder.")
    if not is_folder:
        raise NotPlaced(f"{path} is a file.", "Choose the folder it lies in.")
    try:
        str(found).encode()
    except UnicodeEncodeError as error:
        raise NotPlaced(f"{path!r} is not valid text.", "Rename the folder.") from error
    return str(found)


async def present(record: Record) -> Project:
    """A stored project as others see it."""
    return Project(
        id=record.id,
        name=record.name,
        path=record.path,
        created_at=record.created_ms,
        last_accessed_at=record.last_accessed_ms,
        version=record.version,
        available=await anyio.to_thread.run_sync(os.path.isdir, record.path),
        settings=record.settings,
    )
