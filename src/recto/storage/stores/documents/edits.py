"""Edits: what runs did to files, and whether people agreed."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, or_, select, update

from recto.storage.failures import RecordNotFound
from recto.storage.records import Action, Edit, EditStatus
from recto.storage.stores.changes import ChangeLog
from recto.storage.tables import edits
from recto.storage.transactions import Transactions, WriteTransaction

STANDING = ("pending", "accepted")


class EditStore:
    """Edits by id, path, run and status, the oldest first."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(self, write: WriteTransaction, added: Sequence[Edit]) -> None:
        """Keep edits that are about to be made."""
        if added:
            rows = [{field: getattr(item, field) for field in Edit.__slots__} for item in added]
            await write.insert_all(edits, rows)

    async def get(self, edit_id: str, *, within: WriteTransaction | None = None) -> Edit:
        """The edit with this id, or RecordNotFound."""
        found = await self._find(edits.c.id == edit_id, within=within)
        if not found:
            raise RecordNotFound("edit", edit_id)
        return found[0]

    async def some(
        self, edit_ids: Collection[str], *, within: WriteTransaction | None = None
    ) -> tuple[Edit, ...]:
        """Those of these edits that there are."""
        if not edit_ids:
            return ()
        return await self._find(edits.c.id.in_(sorted(edit_ids)), within=within)

    async def of_path(
        self, project_id: str, path: str, *, within: WriteTransaction | None = None
    ) -> tuple[Edit, ...]:
        """All edits of a file."""
        here = (edits.c.project_id == project_id, edits.c.path == path)
        return await self._find(*here, within=within)

    async def of_run(
        self, run_id: str, *, within: WriteTransaction | None = None
    ) -> tuple[Edit, ...]:
        """All edits of a run."""
        return await self._find(edits.c.run_id == run_id, within=within)

    async def runs_with_standing(
        self, run_ids: Collection[str], *, within: WriteTransaction | None = None
    ) -> frozenset[str]:
        """Those of these runs of which an edit waits, or was accepted."""
        if not run_ids:
            return frozenset()
        of_them = edits.c.run_id.in_(sorted(run_ids))
        query = select(edits.c.run_id).where(of_them, edits.c.status.in_(STANDING)).distinct()
        async with self._transactions.read(within) as view:
            return frozenset((await view.execute(query)).scalars())

    async def with_status(
        self,
        status: EditStatus,
        project_id: str | None = None,
        *,
        within: WriteTransaction | None = None,
    ) -> tuple[Edit, ...]:
        """The edits in a state: of one project, or of all."""
        wanted = [edits.c.status == status]
        if project_id is not None:
            wanted.append(edits.c.project_id == project_id)
        return await self._find(*wanted, within=within)

    async def latest(
        self, project_id: str, since_ms: int, most: int, *, within: WriteTransaction | None = None
    ) -> tuple[Edit, ...]:
        """The latest edits of a project since a time, the newest first."""
        here = (edits.c.project_id == project_id, edits.c.at_ms >= since_ms)
        query = select(edits).where(*here).order_by(edits.c.id.desc()).limit(most)
        async with self._transactions.read(within) as view:
            return tuple(Edit(*row) for row in await view.execute(query))

    async def change(
        self, write: WriteTransaction, edit_ids: Collection[str], **values: Any
    ) -> None:
        """Give edits other values."""
        if edit_ids:
            chosen = edits.c.id.in_(sorted(edit_ids))
            await write.execute(update(edits).where(chosen).values(**values))

    async def move(
        self, write: WriteTransaction, project_id: str, path: str, new_path: str
    ) -> None:
        """A file, or a folder with all that is in it, has another path now."""
        below = edits.c.path.startswith(f"{path}/", autoescape=True)
        here = (edits.c.project_id == project_id, or_(edits.c.path == path, below))
        for edit in await self._find(*here, within=write):
            # SQLite finds the folder in whatever case it is written.
            if edit.path.startswith(path):
                await self.change(write, [edit.id], path=new_path + edit.path[len(path) :])

    async def tell(
        self, write: WriteTransaction, project_id: str, review_id: str, action: Action
    ) -> None:
        """Tell every page that a review is not what it was."""
        await self._changes.append(
            write,
            kind="review",
            resource_id=review_id,
            project_id=project_id,
            action=action,
            version=0,
        )

    async def _find(
        self, *wanted: ColumnElement[bool], within: WriteTransaction | None = None
    ) -> tuple[Edit, ...]:
        query = select(edits).where(*wanted).order_by(edits.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Edit(*row) for row in await view.execute(query))
