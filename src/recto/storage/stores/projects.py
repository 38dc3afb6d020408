"""Projects: the folders somebody works in."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select, update

from recto.storage.failures import NotFound, StaleVersion
from recto.storage.foreign import Named
from recto.storage.records import Action, JsonObject, Page, Project
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.cursors import newest_first
from recto.storage.tables import projects
from recto.storage.transactions import Transactions, Write


class ProjectStore:
    """Projects by id, by path, and by when they were last used."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(
        self, write: Write, *, id: str, name: str, path: str, settings: JsonObject
    ) -> Project:
        """Add a project, used now.

        Raises:
            AlreadyExists: the path (or the id) has a project.
        """
        project = Project(id, name, path, write.now_ms, write.now_ms, dict(settings), 1)
        values = {field: getattr(project, field) for field in Project.__slots__}
        await write.insert(projects, values, named=Named("project", path))
        await self._tell(write, project, "created")
        return project

    async def get(self, project_id: str, *, within: Write | None = None) -> Project:
        """The project with this id, or NotFound."""
        query = select(projects).where(projects.c.id == project_id)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            raise NotFound("project", project_id)
        return _project(row)

    async def by_path(self, path: str, *, within: Write | None = None) -> Project | None:
        """The project of this folder, if it has one."""
        query = select(projects).where(projects.c.path == path)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        return None if row is None else _project(row)

    async def page(
        self, cursor: str | None = None, limit: int = 50, *, within: Write | None = None
    ) -> Page[Project]:
        """Projects, the most recently used first."""
        order = (projects.c.last_accessed_ms, projects.c.id)
        async with self._transactions.read(within) as view:
            return await newest_first(
                view, select(projects), order, _project, cursor=cursor, limit=limit
            )

    async def update(
        self,
        write: Write,
        project_id: str,
        *,
        expected_version: int,
        name: str | None = None,
        settings: JsonObject | None = None,
    ) -> Project:
        """Change the name or the settings (None keeps them), if nobody else did meanwhile.

        Raises:
            StaleVersion: somebody did.
            NotFound: there is no such project.
        """
        values: dict[str, Any] = {"version": expected_version + 1}
        if name is not None:
            values["name"] = name
        if settings is not None:
            values["settings"] = dict(settings)
        statement = update(projects).where(
            projects.c.id == project_id, projects.c.version == expected_version
        )
        row = (await write.execute(statement.values(values).returning(projects))).one_or_none()
        if row is None:
            actual = (await self.get(project_id, within=write)).version
            raise StaleVersion("project", project_id, expected=expected_version, actual=actual)
        project = _project(row)
        await self._tell(write, project, "updated")
        return project

    async def touch(self, write: Write, project_id: str) -> Project:
        """Mark a project as used now, or NotFound. Its version stays."""
        statement = update(projects).where(projects.c.id == project_id)
        statement = statement.values(last_accessed_ms=write.now_ms)
        row = (await write.execute(statement.returning(projects))).one_or_none()
        if row is None:
            raise NotFound("project", project_id)
        project = _project(row)
        await self._tell(write, project, "updated")
        return project

    async def remove(self, write: Write, project_id: str) -> None:
        """Remove a project with its chats and runs, or NotFound. The ledger keeps its rows."""
        statement = delete(projects).where(projects.c.id == project_id)
        row = (await write.execute(statement.returning(projects))).one_or_none()
        if row is None:
            raise NotFound("project", project_id)
        await self._tell(write, _project(row), "deleted")

    async def _tell(self, write: Write, project: Project, action: Action) -> None:
        await self._changes.append(
            write,
            kind="project",
            resource_id=project.id,
            project_id=project.id,
            action=action,
            version=project.version,
        )


def _project(row: Sequence[Any]) -> Project:
    return Project(*row)
