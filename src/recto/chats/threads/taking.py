"""Takes an offered edit into the text that people see, as an edit of the run that offered it.

It is noted in the record of that run, under its call: review, authorship, versions and undo know
it like every other edit.
"""

from functools import partial

import anyio
import anyio.to_thread

from recto.chats.failures import ChatFailure
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.chats.reach import note_changes
from recto.chats.threads.margin import span_of
from recto.reviews import By, begin_call
from recto.storage import Note, NotFound, Proposal, Storage, Write
from recto.tools import Change, RecordedFiles, ToolFailure, edited
from recto.workspace import Changed, TextFile, Workspace
from recto.workspace import NotFound as FileGone

TRIES = 5


class TextChanged(ChatFailure):
    """What would be replaced is not there any more, or not just once."""

    def __init__(self) -> None:
        super().__init__(
            "The text has changed since.", "Ask for the edit again, or make it by hand."
        )


async def take_edit(means: Means, proposal: Proposal, option: int) -> None:
    """Make the edit of an option. Raises TextChanged, and a WorkspaceFailure."""
    for _ in range(TRIES - 1):
        try:
            return await attempt(means, proposal, option)
        except Changed:
            continue  # somebody typed between looking and writing
    return await attempt(means, proposal, option)


async def attempt(means: Means, proposal: Proposal, option: int) -> None:
    """Look and edit once. Raises Changed when the text is another one by then."""
    await means.settle(proposal.project_id)
    workspace = await means.open_workspace(proposal.project_id)
    chosen, note = proposal.options[option], await note_of(means, proposal)
    # The edit that a thread offers is about its file, whatever that is called now.
    path: str = note.path if note is not None and len(proposal.options) == 1 else chosen["path"]
    file = await read(workspace, path)
    within = None
    if note is not None and note.path == path and means.notes is not None:
        within = await span_of(means.notes, note)
    try:
        data = await anyio.to_thread.run_sync(edited, file, chosen["old"], chosen["new"], within)
    except ToolFailure as failure:
        raise TextChanged from failure
    await write_edit(means, workspace, proposal, option, file, data)


async def note_of(means: Means, proposal: Proposal) -> Note | None:
    """The thread that a proposal was made in."""
    if proposal.note_id is None:
        return None
    try:
        return await means.storage.notes.get(proposal.note_id)
    except NotFound:
        return None


async def read(workspace: Workspace, path: str) -> TextFile:
    """The file as it is now. Raises TextChanged when it is gone."""
    try:
        return await workspace.for_tools().read_text(path)
    except FileGone as gone:
        raise TextChanged from gone


async def write_edit(
    means: Means,
    workspace: Workspace,
    proposal: Proposal,
    option: int,
    file: TextFile,
    data: bytes,
) -> None:
    """Write the new text in the name of the run, noted before it is made."""
    assert means.edits is not None
    edits = await begin_call(means.edits, by_of(proposal))
    keep = partial(keep_edit, means.storage, proposal, option)
    minutes = Minutes(
        means,
        await means.storage.chats.get(proposal.chat_id),
        await means.storage.runs.get(proposal.run_id),
    )

    async def note(changes: tuple[Change, ...]) -> None:
        await note_changes(
            minutes,
            means.storage,
            proposal.call_id,
            changes,
            edits,
            along=keep,
        )

    try:
        files = RecordedFiles(workspace, note, texts=edits)
        await files.write(file.path, data, expected_hash=file.hash)
    finally:
        with anyio.CancelScope(shield=True):
            await edits.finish()


async def keep_edit(storage: Storage, proposal: Proposal, option: int, write: Write) -> None:
    """Have the proposal name its edit, before that is made."""
    made = await storage.edits.of_run(proposal.run_id, within=write)
    await storage.proposals.change(write, proposal.id, edit_id=made[-1].id, chosen=option)


def by_of(proposal: Proposal) -> By:
    """Who makes the edit: the call that offered it."""
    return By(
        project_id=proposal.project_id,
        chat_id=proposal.chat_id,
        run_id=proposal.run_id,
        call_id=proposal.call_id,
        tool="propose_edit" if len(proposal.options) == 1 else "create_proposal",
        model=proposal.model,
        model_name=proposal.model_name,
        prompt_hash=proposal.prompt_hash,
    )
