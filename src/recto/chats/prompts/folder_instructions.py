"""What folders tell the AI, and whether people have agreed to it: asked outside of any turn."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import anyio.to_thread

from recto.chats.failures import ChatFailure
from recto.chats.prompts.base import (
    INSTRUCTIONS,
    SYSTEM_FILE,
    FolderInstruction,
    find_folder_instructions,
    instructions_hash,
    is_instruction,
)
from recto.config import ConfigFailure, Trust
from recto.documents import OwnWords
from recto.workspace import Workspace

Consent = Literal["follow", "decline"]
log = logging.getLogger(__name__)


class InstructionsChanged(ChatFailure):
    """The text that was answered about is not there, or another one by now."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} has changed since you read it.", "Read it again, then decide.")


@dataclass(frozen=True, slots=True)
class JudgedInstruction:
    """A text of a folder that wants to tell the AI what to do, and what the user said to it."""

    brought: FolderInstruction
    consent: Consent | None


class FolderInstructions:
    """The instructions of every project's folder."""

    def __init__(self, trust: Trust, open_workspace: Callable[[str], Awaitable[Workspace]]) -> None:
        self._trust = trust
        self._open_workspace = open_workspace

    async def list(
        self, project_id: str, *, beside: str | None = None
    ) -> tuple[JudgedInstruction, ...]:
        """What a folder brings, read anew.

        Raises RecordNotFound, ConfigFailure, a WorkspaceFailure.

        Raises PathHidden when it is to go to the AI `beside` a file that is kept from it.
        """
        workspace = await self._open_workspace(project_id)
        brought = await find_folder_instructions(workspace, beside=beside)
        if not brought:
            return ()
        return await anyio.to_thread.run_sync(self._judged, workspace.root, brought)

    async def answer(self, project_id: str, path: str, digest: str, *, follow: bool) -> None:
        """Keep what the user says to a text. Raises InstructionsChanged when it is another one."""
        workspace = await self._open_workspace(project_id)
        brought = await find_folder_instructions(workspace)
        if not any(
            instruction.path == path and instruction.hash == digest for instruction in brought
        ):
            raise InstructionsChanged(path)
        keep = self._trust.trust if follow else self._trust.decline
        await anyio.to_thread.run_sync(keep, workspace.root, path, digest)

    def _judged(
        self, root: str, brought: tuple[FolderInstruction, ...]
    ) -> tuple[JudgedInstruction, ...]:
        return tuple(
            JudgedInstruction(instruction, consent_to(self._trust, root, instruction))
            for instruction in brought
        )


def consent_to(trust: Trust, root: str, text: FolderInstruction) -> Consent | None:
    """What the user said to a text; None when they were not asked. Raises ConfigFailure."""
    if trust.is_trusted(root, text.path, text.hash):
        return "follow"
    return "decline" if trust.is_declined(root, text.path, text.hash) else None


def trusts_own_words(trust: Trust, root: str) -> OwnWords:
    """Whoever writes instructions here agrees to them by that, if they had agreed to the rest."""

    async def take(path: str, before: str, after: str) -> None:
        if path in (*INSTRUCTIONS, SYSTEM_FILE):
            await anyio.to_thread.run_sync(partial(agree_to_own, trust, root, path, before, after))

    return take


def agree_to_own(trust: Trust, root: str, path: str, before: str, after: str) -> None:
    """Agree to a text in which the user changed what they had agreed to, or that was empty."""
    try:
        known = instructions_hash(before)
        if not is_instruction(path, before) or trust.is_trusted(root, path, known):
            trust.trust(root, path, instructions_hash(after))
    except ConfigFailure as failure:
        # The words themselves are saved; the next turn tells what is wrong with the home.
        log.warning("own instructions will be asked about", extra={"failure": str(failure)})
