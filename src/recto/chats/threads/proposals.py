"""Proposals: what models offered in cards, and what people say to it."""

from dataclasses import replace

import anyio

from recto.chats.failures import ChatFailure
from recto.chats.means import Means
from recto.chats.threads.taking import take_edit
from recto.storage import Proposal

STANDING = frozenset({"pending", "accepted"})


class NotOpen(ChatFailure):
    """A proposal that was decided."""


class Proposals:
    """Everything that models offered."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._storage = means.storage
        self._applying = anyio.Lock()

    async def of_chat(self, chat_id: str) -> tuple[Proposal, ...]:
        """What was offered in a chat, the oldest first. Raises NotFound."""
        await self._storage.chats.get(chat_id)
        found = await self._storage.proposals.of_chat(chat_id)
        return tuple([await self._as_it_stands(one) for one in found])

    async def get(self, proposal_id: str) -> Proposal:
        """A proposal. Raises NotFound."""
        return await self._as_it_stands(await self._storage.proposals.get(proposal_id))

    async def apply(self, proposal_id: str, option: int) -> Proposal:
        """Take an option; an edit then waits for review like every edit of its run.

        Raises NotFound, NotOpen, TextChanged, and a WorkspaceFailure.
        """
        async with self._applying:
            proposal = await self._open(proposal_id)
            if option >= len(proposal.options):
                raise NotOpen("There is no such option.", "Choose one of the card.")
            if proposal.options[option]["path"] is None:
                return await self._decide(
                    proposal_id, status="applied", chosen=option, edit_id=None
                )
            await take_edit(self._means, proposal, option)
            return await self._decide(proposal_id, status="applied", chosen=option)

    async def dismiss(self, proposal_id: str) -> Proposal:
        """Say no to a proposal. Raises NotFound, NotOpen."""
        async with self._applying:
            await self._open(proposal_id)
            return await self._decide(proposal_id, status="dismissed", chosen=None, edit_id=None)

    async def reopen(self, proposal_id: str) -> Proposal:
        """Take a dismissal back. Raises NotFound, NotOpen."""
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

    async def _decide(self, proposal_id: str, **values: object) -> Proposal:
        async with self._storage.write() as write:
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
