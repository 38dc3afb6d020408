"""Suggestions: which ghost texts were shown, and what became of them. No page is told."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, select, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound
from recto.storage.records import Suggestion
from recto.storage.tables import suggestions
from recto.storage.transactions import Transactions, WriteTransaction


class SuggestionStore:
    """Suggestions by id and time, the oldest first."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def add(self, write: WriteTransaction, suggestion: Suggestion) -> None:
        """Keep what was shown.

        Raises:
            RecordExists: the id has one.
            RecordNotFound: there is no such project.
        """
        values = {field: getattr(suggestion, field) for field in Suggestion.__slots__}
        named = RecordName("suggestion", suggestion.id)
        parent = RecordName("project", suggestion.project_id)
        await write.insert(suggestions, values, named=named, parent=parent)

    async def get(
        self, suggestion_id: str, *, within: WriteTransaction | None = None
    ) -> Suggestion:
        """The suggestion with this id, or RecordNotFound."""
        found = await self._find(suggestions.c.id == suggestion_id, within=within)
        if not found:
            raise RecordNotFound("suggestion", suggestion_id)
        return found[0]

    async def some(
        self, suggestion_ids: Collection[str], *, within: WriteTransaction | None = None
    ) -> tuple[Suggestion, ...]:
        """Those of these suggestions that there are."""
        if not suggestion_ids:
            return ()
        return await self._find(suggestions.c.id.in_(sorted(suggestion_ids)), within=within)

    async def decided(
        self, since_ms: int = 0, *, within: WriteTransaction | None = None
    ) -> tuple[Suggestion, ...]:
        """Those shown since then that somebody took, in part or whole, or dismissed."""
        wanted = (suggestions.c.at_ms >= since_ms, suggestions.c.outcome != "pending")
        return await self._find(*wanted, within=within)

    async def change(
        self, write: WriteTransaction, suggestion_id: str, **values: Any
    ) -> Suggestion:
        """Give a suggestion other values, or RecordNotFound."""
        statement = update(suggestions).where(suggestions.c.id == suggestion_id)
        statement = statement.values(**values).returning(suggestions)
        row = (await write.execute(statement)).one_or_none()
        if row is None:
            raise RecordNotFound("suggestion", suggestion_id)
        return Suggestion(*row)

    async def _find(
        self, *wanted: ColumnElement[bool], within: WriteTransaction | None = None
    ) -> tuple[Suggestion, ...]:
        query = select(suggestions).where(*wanted).order_by(suggestions.c.at_ms, suggestions.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Suggestion(*row) for row in await view.execute(query))
