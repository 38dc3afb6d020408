"""Projects: the folders somebody works in."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound, StaleVersion
from recto.storage.records import Action, JsonObject, Page, ProjectRecord
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.cursors import newest_first
from recto.storage.stores.keeping import note_project_erasure
from recto.storage.tables import projects
from recto.storage.transactions import Transactions, WriteTransaction

# Built once: building a statement takes longer than running it.
PROJECT = select(projects).where(projects.c.id == bindparam("project_id"))


class ProjectStore:
    """Projects by id, by path, and by when they were last used."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(
        self, write: WriteTransaction, *, id: str, name: str, path: str, settings: JsonObject
    ) -> ProjectRecord:
        """Add a project, used now.

        Raises:
            RecordExists: the path (or the id) has a project.
        """
        project = ProjectRecord(id, name, path, write.now_ms, write.now_ms, dict(settings), 1)
        values = {field: getattr(project, field) for field in ProjectRecord.__slots__}
        await write.insert(projects, values, named=RecordName("project", path))
        await self._tell(write, project, "created")
        return project

    async def get(
        self, project_id: str, *, within: WriteTransaction | None = None
    ) -> ProjectRecord:
        """The project with this id, or RecordNotFound."""
        async with self._transactions.read(within) as view:
            row = (await view.execute(PROJECT, {"project_id": project_id})).one_or_none()
        if row is None:
            raise RecordNotFound("project", project_id)
        return _project(row)

    async def by_path(
        self, path: str, *, within: WriteTransaction | None = None
    ) -> ProjectRecord | None:
        """The project of this folder, if it has one."""
        query = select(projects).where(projects.c.path == path)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        return None if row is None else _project(row)

    async def page(
        self, cursor: str | None = None, limit: int = 50, *, within: WriteTransaction | None = None
    ) -> Page[ProjectRecord]:
        """Projects, the most recently used first."""
        order = (projects.c.last_accessed_ms, projects.c.id)
        async with self._transactions.read(within) as view:
            return await newest_first(
                view, select(projects), order, _project, cursor=cursor, limit=limit
            )

    async def update(
        self,
        write: WriteTransaction,
        project_id: str,
        *,
        expected_version: int,
        name: str | None = None,
        settings: JsonObject | None = None,
    ) -> ProjectRecord:
        """Change the name or the settings (None keeps them), if nobody else did meanwhile.

        Raises:
            StaleVersion: somebody did.
            RecordNotFound: there is no such project.
        """
        known = await self.get(project_id, within=write)
        if known.version != expected_version:
            raise StaleVersion(
                "project", project_id, expected=expected_version, actual=known.version
            )
        wanted = replace(
            known,
            name=known.name if name is None else name,
            settings=known.settings if settings is None else dict(settings),
        )
        if wanted == known:
            return known  # what is put back as it was read is no change
        statement = update(projects).where(projects.c.id == project_id)
        statement = statement.values(
            name=wanted.name, settings=dict(wanted.settings), version=expected_version + 1
        )
        project = _project((await write.execute(statement.returning(projects))).one())
        await self._tell(write, project, "updated")
        return project

    async def touch(self, write: WriteTransaction, project_id: str) -> ProjectRecord:
        """Mark a project as used now, or RecordNotFound. Its version stays."""
        statement = update(projects).where(projects.c.id == project_id)
        statement = statement.values(last_accessed_ms=write.now_ms)
        row = (await write.execute(statement.returning(projects))).one_or_none()
        if row is None:
            raise RecordNotFound("project", project_id)
        project = _project(row)
        await self._tell(write, project, "updated")
        return project

    async def remove(self, write: WriteTransaction, project_id: str) -> None:
        """Remove a project, its chats and runs, or RecordNotFound. The ledger keeps its rows."""
        await note_project_erasure(write, project_id)
        statement = delete(projects).where(projects.c.id == project_id)
        row = (await write.execute(statement.returning(projects))).one_or_none()
        if row is None:
            raise RecordNotFound("project", project_id)
        await self._tell(write, _project(row), "deleted")

    async def _tell(self, write: WriteTransaction, project: ProjectRecord, action: Action) -> None:
        await self._changes.append(
            write,
            kind="project",
            resource_id=project.id,
            project_id=project.id,
            action=action,
            version=project.version,
        )


def _project(row: Sequence[Any]) -> ProjectRecord:
    return ProjectRecord(*row)
