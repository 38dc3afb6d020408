"""Proposals: what models offered to change, and what people said to it."""

from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, select, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound
from recto.storage.records import Action, Proposal
from recto.storage.stores.changes import ChangeLog
from recto.storage.tables import proposals
from recto.storage.transactions import Transactions, WriteTransaction

# Built once: building a statement takes longer than running it.
OF_CHAT = (
    select(proposals).where(proposals.c.chat_id == bindparam("chat_id")).order_by(proposals.c.id)
)


class ProposalStore:
    """Proposals by id, chat and call, the oldest first."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(self, write: WriteTransaction, proposal: Proposal) -> None:
        """Keep a new proposal.

        Raises:
            RecordExists: the id has one, or the call.
            RecordNotFound: there is no such project.
        """
        values = {field: getattr(proposal, field) for field in Proposal.__slots__}
        named = RecordName("proposal", proposal.id)
        parent = RecordName("project", proposal.project_id)
        await write.insert(proposals, values, named=named, parent=parent)
        await self._tell(write, proposal, "created")

    async def get(self, proposal_id: str, *, within: WriteTransaction | None = None) -> Proposal:
        """The proposal with this id, or RecordNotFound."""
        found = await self._find(proposals.c.id == proposal_id, within=within)
        if not found:
            raise RecordNotFound("proposal", proposal_id)
        return found[0]

    async def of_chat(
        self, chat_id: str, *, within: WriteTransaction | None = None
    ) -> tuple[Proposal, ...]:
        """What was offered in a chat."""
        async with self._transactions.read(within) as view:
            return tuple(
                Proposal(*row) for row in await view.execute(OF_CHAT, {"chat_id": chat_id})
            )

    async def of_project(
        self, project_id: str, *, within: WriteTransaction | None = None
    ) -> tuple[Proposal, ...]:
        """What was offered in a project."""
        return await self._find(proposals.c.project_id == project_id, within=within)

    async def of_call(
        self, run_id: str, call_id: str, *, within: WriteTransaction | None = None
    ) -> Proposal | None:
        """What a call offered, if it came that far."""
        call = (proposals.c.run_id == run_id, proposals.c.call_id == call_id)
        found = await self._find(*call, within=within)
        return found[0] if found else None

    async def decided(
        self, since_ms: int = 0, *, within: WriteTransaction | None = None
    ) -> tuple[Proposal, ...]:
        """Those made since then that somebody took or dismissed."""
        wanted = (proposals.c.at_ms >= since_ms, proposals.c.status != "open")
        return await self._find(*wanted, within=within)

    async def change(self, write: WriteTransaction, proposal_id: str, **values: Any) -> Proposal:
        """Give a proposal other values, or RecordNotFound."""
        statement = update(proposals).where(proposals.c.id == proposal_id)
        statement = statement.values(**values).returning(proposals)
        row = (await write.execute(statement)).one_or_none()
        if row is None:
            raise RecordNotFound("proposal", proposal_id)
        proposal = Proposal(*row)
        await self._tell(write, proposal, "updated")
        return proposal

    async def remove(self, write: WriteTransaction, proposal_id: str) -> None:
        """Forget a proposal, or RecordNotFound."""
        statement = delete(proposals).where(proposals.c.id == proposal_id).returning(proposals)
        row = (await write.execute(statement)).one_or_none()
        if row is None:
            raise RecordNotFound("proposal", proposal_id)
        await self._tell(write, Proposal(*row), "deleted")

    async def _tell(self, write: WriteTransaction, proposal: Proposal, action: Action) -> None:
        await self._changes.append(
            write,
            kind="thread",
            resource_id=proposal.id,
            project_id=proposal.project_id,
            action=action,
            version=0,
        )

    async def _find(
        self, *wanted: ColumnElement[bool], within: WriteTransaction | None = None
    ) -> tuple[Proposal, ...]:
        query = select(proposals).where(*wanted).order_by(proposals.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Proposal(*row) for row in await view.execute(query))
