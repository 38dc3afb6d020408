"""Proposals: what models offered in cards, and what people say to it."""

from dataclasses import replace
from functools import partial

import anyio

from recto.chats.failures import ChatFailure
from recto.chats.services import ChatServices
from recto.chats.threads.applied_edits import apply_edit
from recto.storage import Proposal, WriteTransaction

STANDING = frozenset({"pending", "accepted"})
MADE_NOW = STANDING | {"writing"}


class NotOpen(ChatFailure):
    """A proposal that was decided."""


class Proposals:
    """Everything that models offered."""

    def __init__(self, services: ChatServices) -> None:
        self._services = services
        self._storage = services.storage
        self._applying = anyio.Lock()

    async def of_chat(self, chat_id: str) -> tuple[Proposal, ...]:
        """What was offered in a chat, the oldest first. Raises RecordNotFound."""
        await self._storage.chats.get(chat_id)
        found = await self._storage.proposals.of_chat(chat_id)
        return tuple([await self._as_it_stands(item) for item in found])

    async def get(self, proposal_id: str) -> Proposal:
        """A proposal. Raises RecordNotFound."""
        return await self._as_it_stands(await self._storage.proposals.get(proposal_id))

    async def apply(self, proposal_id: str, option: int) -> Proposal:
        """Take an option; an edit then waits for review like every edit of its run.

        Raises RecordNotFound, NotOpen, PassageGone, and a WorkspaceFailure.
        """
        async with self._applying:
            proposal = await self._open(proposal_id)
            if option >= len(proposal.options):
                raise NotOpen("There is no such option.", "Choose one on the card.")
            if proposal.options[option]["path"] is None:
                return await self._decide_open(
                    proposal_id, status="applied", chosen=option, edit_id=None
                )
            await apply_edit(
                self._services, proposal, option, partial(self._check_open, proposal_id)
            )
            async with self._storage.write() as write:
                return await self._decide(write, proposal_id, status="applied", chosen=option)

    async def dismiss(self, proposal_id: str) -> Proposal:
        """Say no to a proposal. Raises RecordNotFound, NotOpen."""
        async with self._applying:
            await self._open(proposal_id)
            return await self._decide_open(
                proposal_id, status="dismissed", chosen=None, edit_id=None
            )

    async def reopen(self, proposal_id: str) -> Proposal:
        """Take a dismissal back. Raises RecordNotFound, NotOpen."""
        async with self._applying:
            if (await self.get(proposal_id)).status != "dismissed":
                raise NotOpen("This was not dismissed.", "Reload the card.")
            async with self._storage.write() as write:
                return await self._storage.proposals.change(
                    write, proposal_id, status="open", decided_ms=None
                )

    async def _open(self, proposal_id: str) -> Proposal:
        proposal = await self.get(proposal_id)
        if proposal.status != "open":
            words = "applied" if proposal.status == "applied" else "dismissed"
            raise NotOpen(f"This was {words} already.", "Reload the card.")
        return proposal

    async def _check_open(self, proposal_id: str, write: WriteTransaction) -> None:
        """Make sure that no other process has decided it since we looked. Raises NotOpen."""
        row = await self._storage.proposals.get(proposal_id, within=write)
        if row.edit_id is None:
            is_open = row.status == "open"
        else:
            edits = await self._storage.edits.some([row.edit_id], within=write)
            is_open = all(edit.status not in MADE_NOW for edit in edits)
        if not is_open:
            raise NotOpen("This was decided already.", "Reload the card.")

    async def _decide_open(self, proposal_id: str, **values: object) -> Proposal:
        async with self._storage.write() as write:
            await self._check_open(proposal_id, write)
            return await self._decide(write, proposal_id, **values)

    async def _decide(
        self, write: WriteTransaction, proposal_id: str, **values: object
    ) -> Proposal:
        return await self._storage.proposals.change(
            write, proposal_id, decided_ms=write.now_ms, **values
        )

    async def _as_it_stands(self, proposal: Proposal) -> Proposal:
        """A proposal as the text has it: an edit that was undone or rejected is offered again.

        The row names its edit before that is made, so what a crash cut off is found out here.
        """
        if proposal.edit_id is None:
            return proposal
        (edit,) = await self._storage.edits.some([proposal.edit_id]) or (None,)
        if edit is not None and edit.status in STANDING:
            return replace(proposal, status="applied", decided_ms=proposal.decided_ms or edit.at_ms)
        return replace(proposal, status="open", chosen=None, edit_id=None, decided_ms=None)
