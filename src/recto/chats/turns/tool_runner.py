"""Runs the tools of one turn: notes every change before it is made, keeps long output."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import anyio

from recto.access import Access
from recto.chats.prompts.known_documents import StoredDocuments
from recto.chats.services import ChatServices
from recto.chats.turns.elicitations import ask_person
from recto.chats.turns.result_summary import ResultSummarizer
from recto.chats.turns.transcript import Transcript
from recto.messages import Text, ToolCall
from recto.reviews import CallEdits, kept_change
from recto.storage import NewEvent, RecordNotFound, Storage, WriteTransaction
from recto.tools import (
    Change,
    Margin,
    Moved,
    NoSuchOutput,
    RecordedFiles,
    Toolbox,
    ToolContext,
    ToolOutcome,
)
from recto.workspace import Workspace

ROOM = 30_000
HANDLE = "output:"
HANDLE_LENGTH = 16
READ_WHOLE = ("read_file", "search_content")
"""By these a model reads what was kept, so what they answer is never put in other words."""
OpenMargin = Callable[[ToolCall], Margin]
"""What a call may say beside a text."""
AgreeTo = Callable[[ToolCall, str, str, dict[str, str]], Awaitable[bool]]
"""Asks a person about something that a call turned out to do."""
BeginEdits = Callable[[ToolCall], Awaitable[CallEdits]]
"""Begins the edits of a call, so that each file it changes can be reviewed."""


class ToolRunner:
    """Runs the calls of one turn, each with what its tool may use."""

    def __init__(
        self,
        services: ChatServices,
        workspace: Workspace,
        toolbox: Toolbox,
        transcript: Transcript,
        access: Access,
        *,
        project_id: str,
        plan: bool,
        margin: OpenMargin,
        agree: AgreeTo,
        begin_edits: BeginEdits | None = None,
    ) -> None:
        self._begin_edits = begin_edits
        self._margin = margin
        self._agree = agree
        self._services = services
        self._storage = services.storage
        self._workspace = workspace
        self._toolbox = toolbox
        self._transcript = transcript
        self._sees_images = access.traits.images
        self._model_name = access.name
        self._summarizer = ResultSummarizer(services, transcript, access)
        self._clock = services.clock
        self._known_documents = StoredDocuments(services.storage, project_id)
        # A token is two characters or more: one answer leaves most of a small window free.
        self._room = min(ROOM, access.window // 2)
        self._plan = plan
        self._changed: dict[str, list[str]] = {}

    def is_safe(self, call: ToolCall) -> bool:
        """Whether a call changes nothing; one to a tool that is not there is only refused."""
        tool = self._toolbox.find(call.name)
        return tool is None or not tool.changes

    async def call(self, call: ToolCall, *, approved: bool) -> ToolOutcome:
        """Run a tool."""
        edits = None if self._begin_edits is None else await self._begin_edits(call)
        try:
            return await self._call(call, edits, approved=approved)
        finally:
            if edits is not None:
                # A stopped call may have changed files: its edits must still be closed.
                with anyio.CancelScope(shield=True):
                    await edits.finish()

    async def _call(
        self, call: ToolCall, edits: CallEdits | None, *, approved: bool
    ) -> ToolOutcome:
        context = ToolContext(
            workspace=self._workspace,
            files=RecordedFiles(self._workspace, partial(self._note, call.id, edits), texts=edits),
            outputs=StoredOutputs(self._storage, self._transcript.chat_id),
            tell=partial(self._print, call.id),
            margin=self._margin(call),
            sees_images=self._sees_images,
            room=self._room,
            known_documents=self._known_documents,
            model_name=self._model_name,
            clock=self._clock,
            call_id=call.id,
            approved=approved,
            agree=partial(self._agree, call),
            elicit=partial(ask_person, self._services, self._transcript, call),
            summarise=None
            if call.name in READ_WHOLE
            else partial(self._summarizer.summarise, call),
        )
        outcome = await self._toolbox.call(call, context, plan=self._plan)
        return outcome if edits is None else with_remarks(outcome, edits)

    def changed(self, call_id: str) -> tuple[str, ...]:
        """The paths that a call has changed."""
        return tuple(dict.fromkeys(self._changed.pop(call_id, ())))

    async def _note(
        self, call_id: str, edits: CallEdits | None, changes: tuple[Change, ...]
    ) -> None:
        """Write down what is about to be changed, with what is there now, before it happens."""
        # Undo rests on this order: noted and never made is harmless, made and never noted is not.
        await note_changes(self._transcript, self._storage, call_id, changes, edits)
        for change in changes:
            paths = (change.path, change.new_path) if isinstance(change, Moved) else (change.path,)
            self._changed.setdefault(call_id, []).extend(paths)

    async def _print(self, call_id: str, text: str) -> None:
        # Not committed at once: a chatty command would wait for the disk at each line.
        self._transcript.add("call_output", {"call_id": call_id, "text": text})


def with_remarks(outcome: ToolOutcome, edits: CallEdits) -> ToolOutcome:
    """What a tool answered, and what became of its edits besides."""
    remarks = tuple(Text(remark) for remark in edits.remarks)
    return replace(outcome, content=(*outcome.content, *remarks)) if remarks else outcome


class StoredOutputs:
    """Long output, kept whole in the store."""

    def __init__(self, storage: Storage, owner: str = "") -> None:
        """`owner`: whose output is kept, a chat or a project; reading needs none."""
        self._storage = storage
        self._owner = owner

    async def keep(self, text: str) -> str:
        """Keep a text; answers its handle."""
        async with self._storage.write() as write:
            digest = await self._storage.blobs.put(
                write, text.encode("utf-8", "replace"), self._owner
            )
        return HANDLE + digest[:HANDLE_LENGTH]

    async def read(self, handle: str) -> str:
        """The text of a handle. Raises NoSuchOutput."""
        start = handle.removeprefix(HANDLE)
        # A model writes this: a shorter one could match a blob that is no output at all.
        if handle == start or len(start) != HANDLE_LENGTH or not start.isalnum():
            raise NoSuchOutput(handle)
        try:
            data = await self._storage.blobs.starting_with(start)
        except RecordNotFound as error:
            raise NoSuchOutput(handle) from error
        return data.decode("utf-8", "replace")


async def note_changes(
    transcript: Transcript,
    storage: Storage,
    call_id: str,
    changes: tuple[Change, ...],
    edits: CallEdits | None = None,
    alongside: Callable[[WriteTransaction], Awaitable[None]] | None = None,
) -> None:
    """Write down changes of a call; when it returns, they are in the record, and its edits.

    `alongside` is done in the same transaction, after the edits are written down.
    """
    # The versions of a file stay with its project, also when the chat is deleted.
    owners = (transcript.chat_id, *([] if edits is None else [transcript.project_id]))

    async def work(write: WriteTransaction) -> list[dict[str, Any]]:
        kept = [await kept_change(change, write, storage, owners) for change in changes]
        if edits is not None:
            await edits.note(write, changes, kept)
        if alongside is not None:
            await alongside(write)
        return kept

    def tell(kept: list[dict[str, Any]]) -> list[NewEvent]:
        return [transcript.event("change", {"call_id": call_id, "changes": kept})]

    await transcript.commit_with(work, tell)
