"""Takes an offered edit into the text that people see, as an edit of the run that offered it.

It is noted in the record of that run, under its call: review, authorship, versions and undo know
it like every other edit.
"""

from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import anyio.to_thread

from recto.chats.failures import ChatFailure
from recto.chats.services import ChatServices
from recto.chats.turns.margin import span_of
from recto.chats.turns.tool_runner import note_changes
from recto.chats.turns.transcript import Transcript
from recto.reviews import EditAuthor, begin_call
from recto.storage import Note, Proposal, RecordNotFound, Storage, WriteTransaction
from recto.tools import Change, RecordedFiles, ToolFailure, edited
from recto.workspace import PathChanged, TextFile, Workspace
from recto.workspace import PathNotFound as FileGone

TRIES = 5


class PassageGone(ChatFailure):
    """What would be replaced is not there any more, or not just once."""

    def __init__(self) -> None:
        super().__init__(
            "The text has changed since.", "Ask for the edit again, or make it by hand."
        )


Check = Callable[[WriteTransaction], Awaitable[None]]
"""Raises when the proposal is no longer open; what it has found holds within the write."""


async def apply_edit(services: ChatServices, proposal: Proposal, option: int, check: Check) -> None:
    """Make the edit of an option. Raises PassageGone, a WorkspaceFailure, and what `check` does."""
    for _ in range(TRIES - 1):
        try:
            return await attempt(services, proposal, option, check)
        except PathChanged:
            continue  # somebody typed between looking and writing
    return await attempt(services, proposal, option, check)


async def attempt(services: ChatServices, proposal: Proposal, option: int, check: Check) -> None:
    """Look and edit once. Raises PathChanged when the text is another one by then."""
    await services.settle(proposal.project_id)
    workspace = await services.open_workspace(proposal.project_id)
    chosen, note = proposal.options[option], await note_of(services, proposal)
    # The edit that a thread offers is about its file, whatever that is called now.
    path: str = note.path if note is not None and len(proposal.options) == 1 else chosen["path"]
    file = await read(workspace, path)
    within = None
    if note is not None and note.path == path and services.notes is not None:
        within = await span_of(services.notes, note)
    try:
        data = await anyio.to_thread.run_sync(edited, file, chosen["old"], chosen["new"], within)
    except ToolFailure as failure:
        raise PassageGone from failure
    keep = partial(keep_edit, services.storage, proposal, option, check)
    await write_edit(services, workspace, proposal, keep, file, data)


async def note_of(services: ChatServices, proposal: Proposal) -> Note | None:
    """The thread that a proposal was made in."""
    if proposal.note_id is None:
        return None
    try:
        return await services.storage.notes.get(proposal.note_id)
    except RecordNotFound:
        return None


async def read(workspace: Workspace, path: str) -> TextFile:
    """The file as it is now. Raises PassageGone when it is gone."""
    try:
        return await workspace.for_tools().read_text(path)
    except FileGone as gone:
        raise PassageGone from gone


async def write_edit(
    services: ChatServices,
    workspace: Workspace,
    proposal: Proposal,
    keep: Check,
    file: TextFile,
    data: bytes,
) -> None:
    """Write the new text in the name of the run, noted before it is made."""
    assert services.edits is not None
    edits = await begin_call(services.edits, by_of(proposal))
    transcript = Transcript(
        services,
        await services.storage.chats.get(proposal.chat_id),
        await services.storage.runs.get(proposal.run_id),
        is_over=True,
    )

    async def note(changes: tuple[Change, ...]) -> None:
        await note_changes(
            transcript,
            services.storage,
            proposal.call_id,
            changes,
            edits,
            alongside=keep,
        )

    try:
        files = RecordedFiles(workspace, note, texts=edits)
        await files.write(file.path, data, expected_hash=file.hash)
    finally:
        with anyio.CancelScope(shield=True):
            await edits.finish()


async def keep_edit(
    storage: Storage, proposal: Proposal, option: int, check: Check, write: WriteTransaction
) -> None:
    """Have the proposal name its edit, before that is made."""
    await check(write)
    made = await storage.edits.of_run(proposal.run_id, within=write)
    await storage.proposals.change(write, proposal.id, edit_id=made[-1].id, chosen=option)


def by_of(proposal: Proposal) -> EditAuthor:
    """Who makes the edit: the call that offered it."""
    return EditAuthor(
        project_id=proposal.project_id,
        chat_id=proposal.chat_id,
        run_id=proposal.run_id,
        call_id=proposal.call_id,
        tool="propose_edit" if len(proposal.options) == 1 else "create_proposal",
        model=proposal.model,
        model_name=proposal.model_name,
        prompt_hash=proposal.prompt_hash,
    )
