"""Contexts: named groups of files."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recto.storage.records import Context
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.versioned_table import VersionedTable
from recto.storage.tables.library import contexts
from recto.storage.transactions import Transactions, WriteTransaction


class ContextStore(VersionedTable[Context]):
    """Contexts by id and by project."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        super().__init__(transactions, changes, contexts, "context", _context)

    async def add(
        self,
        write: WriteTransaction,
        *,
        id: str,
        project_id: str,
        name: str,
        files: Sequence[str],
        color: str,
    ) -> Context:
        """Keep a new context.

        Raises:
            RecordExists: the id has a context.
            RecordNotFound: there is no such project.
        """
        context = Context(id, project_id, name, tuple(files), color, write.now_ms, None, 1)
        values = {field: getattr(context, field) for field in Context.__slots__}
        return await self._insert(write, context, {**values, "files": list(files)})

    async def update(
        self,
        write: WriteTransaction,
        context_id: str,
        *,
        name: str,
        files: Sequence[str],
        color: str,
        expected_version: int,
    ) -> Context:
        """Change a context, if nobody else did meanwhile.

        Raises:
            StaleVersion: somebody did.
            RecordNotFound: there is no such context.
        """
        values = {"name": name, "files": list(files), "color": color}
        return await self._change(write, context_id, expected_version, values)


def _context(row: Sequence[Any]) -> Context:
    context = Context(*row)
    return replace(context, files=tuple(context.files))
