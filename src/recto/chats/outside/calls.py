"""Calls of other programs: the tools they are offered in a project, under the same rules as ours.

What only reads leaves no record. What changes something is a run in a chat of the program's own,
and its edits wait for review under its name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio

from recto.chats.failures import Busy
from recto.chats.outside.runs import OutsideClient, OutsideRun
from recto.chats.outside.thread_tools import ANSWER_THREAD, ThreadTools
from recto.chats.outside.what_changed import what_changed
from recto.chats.prompts.known_documents import StoredDocuments
from recto.chats.service import Chats
from recto.chats.services import ChatServices
from recto.chats.threads.threads import Threads
from recto.chats.turns.margin import add_task
from recto.chats.turns.tool_runner import ROOM, StoredOutputs, with_remarks
from recto.margin import Notes
from recto.messages import Json, Text, ToolCall
from recto.reviews import CallEdits
from recto.storage import Chat, RecordNotFound, finish_shielded
from recto.tools import (
    Change,
    Declaration,
    OpenTask,
    Option,
    RecordedFiles,
    ThreadSubject,
    Toolbox,
    ToolContext,
    ToolFailure,
    ToolOutcome,
)
from recto.workspace import Workspace

FILES = ("list_files", "search_content", "read_file", "edit_file", "write_file")
REFERENCES = (
    "search_references",
    "get_reference",
    "add_reference",
    "cite_reference",
    "edit_reference",
)
NOTEBOOKS = ("read_notebook", "edit_cell", "add_cell", "delete_cell")
"""Running a cell asks, and nobody could answer."""
OFFERED = (*FILES, *REFERENCES, *NOTEBOOKS)
NAMELESS = "An MCP client"
LONGEST_NAME = 60
NOT_HERE = "This is not possible from outside."


@dataclass(slots=True)
class Visit:
    """A program in a project, for as long as this Recto runs."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    """Held while a call of it changes something."""
    chat_id: str | None = None


class OutsideMargin:
    """What a call from outside may say beside a text."""

    def __init__(self, notes: Notes, project_id: str, run_id: str | None) -> None:
        self._notes = notes
        self._project_id = project_id
        self._run_id = run_id

    async def subject(self) -> ThreadSubject | None:
        """A call from outside is about no thread."""
        return None

    async def propose(self, question: str, options: Sequence[Option]) -> None:
        """There is no chat in which a card could be shown. Raises ToolFailure."""
        raise ToolFailure(NOT_HERE)

    async def add_task(self, path: str, span: tuple[int, int], passage: str, task: str) -> None:
        """Note something at a passage. Raises ToolFailure."""
        await add_task(self._notes, self._project_id, self._run_id, path, span, passage, task)

    async def open_tasks(self, path: str | None) -> Sequence[OpenTask]:
        """Threads are read by a tool of their own. Raises ToolFailure."""
        raise ToolFailure(NOT_HERE)


class OutsideCalls:
    """Runs the calls of other programs, in every project."""

    def __init__(
        self, services: ChatServices, chats: Chats, threads: Threads, notes: Notes
    ) -> None:
        self._services = services
        self._chats = chats
        self._threads = threads
        self._notes = notes
        self._visits: dict[tuple[str, str], Visit] = {}

    async def offered(self, project_id: str) -> tuple[Declaration, ...]:
        """The tools of a project. Raises RecordNotFound, RulesInvalid, WorkspaceFailure."""
        workspace = await self._services.open_workspace(project_id)
        toolbox = await self._toolbox(project_id, workspace, OutsideClient(NAMELESS))
        return toolbox.offered()

    async def call(self, project_id: str, client: str, name: str, arguments: Json) -> ToolOutcome:
        """Run a call in the name of a program; what fails is told in the outcome.

        Raises RecordNotFound, RulesInvalid, WorkspaceFailure for the project itself.
        """
        caller = OutsideClient(plain_name(client))
        workspace = await self._services.open_workspace(project_id)
        toolbox = await self._toolbox(project_id, workspace, caller)
        # Tools read the disk: what people typed a moment ago must be saved there first.
        await self._services.settle(project_id)
        call = ToolCall(self._services.ids.new(), name, arguments)
        tool = toolbox.find(name)
        if tool is None or not tool.changes:
            return await toolbox.call(call, self._context(project_id, workspace, caller, call))
        verdict = await toolbox.judge(call, workspace)
        if verdict.kind != "allow":
            return refused(verdict.why)
        # A client that hangs up must not leave a file, or the record, half written.
        return await finish_shielded(self._change(project_id, workspace, toolbox, caller, call))

    async def _toolbox(
        self, project_id: str, workspace: Workspace, client: OutsideClient
    ) -> Toolbox:
        toolbox = (await self._services.open_toolbox(workspace)).only(OFFERED)
        storage, clock = self._services.storage, self._services.clock
        threads = ThreadTools(
            self._services, self._notes, self._chats, self._threads, project_id, client
        )
        for tool in (*threads.tools(), what_changed(storage, clock, project_id)):
            toolbox = toolbox.with_tool(tool)
        return toolbox

    async def _change(
        self,
        project_id: str,
        workspace: Workspace,
        toolbox: Toolbox,
        client: OutsideClient,
        call: ToolCall,
    ) -> ToolOutcome:
        """Run a call that changes something, as a run of the visit's chat."""
        if call.name == ANSWER_THREAD.name:  # recorded in the thread itself
            return await toolbox.call(call, self._context(project_id, workspace, client, call))
        visit = self._visits.setdefault((project_id, client.name), Visit())

        async def work(record: OutsideRun, edits: CallEdits) -> ToolOutcome:
            context = self._context(project_id, workspace, client, call, record, edits)
            return with_remarks(await toolbox.call(call, context), edits)

        async with visit.turn:
            chat = await self._chat(visit, project_id, client)
            try:
                async with self._chats.no_turn_in(chat.id):
                    return await OutsideRun(self._services, chat, client, call).make(work)
            except Busy:
                # Somebody has gone on talking in that chat: the visit gets another one.
                visit.chat_id = None
            chat = await self._chat(visit, project_id, client)
            async with self._chats.no_turn_in(chat.id):
                return await OutsideRun(self._services, chat, client, call).make(work)

    async def _chat(self, visit: Visit, project_id: str, client: OutsideClient) -> Chat:
        """The chat of a visit; a new one when there is none, or it was deleted."""
        if visit.chat_id is not None:
            try:
                return await self._chats.find(project_id, visit.chat_id)
            except RecordNotFound:
                visit.chat_id = None
        chat = await self._chats.create(project_id, f"{client.name} (MCP)")
        visit.chat_id = chat.id
        return chat

    def _context(
        self,
        project_id: str,
        workspace: Workspace,
        client: OutsideClient,
        call: ToolCall,
        record: OutsideRun | None = None,
        edits: CallEdits | None = None,
    ) -> ToolContext:
        note = not_recorded if record is None or edits is None else partial(record.note, edits)
        run_id = None if record is None else record.run_id
        return ToolContext(
            workspace=workspace,
            files=RecordedFiles(workspace, note, texts=edits),
            outputs=StoredOutputs(self._services.storage, project_id),
            tell=say_nothing,
            margin=OutsideMargin(self._notes, project_id, run_id),
            sees_images=True,
            room=ROOM,
            known_documents=StoredDocuments(self._services.storage, project_id),
            model_name=client.name,
            clock=self._services.clock,
            call_id=call.id,
        )


def plain_name(name: str) -> str:
    """A program's name as people are shown it: one line, not too long, never empty."""
    printable = "".join(item if item.isprintable() else " " for item in name)
    return " ".join(printable.split())[:LONGEST_NAME] or NAMELESS


def refused(why: str) -> ToolOutcome:
    """The answer to a call that a person would have to agree to, or that is off."""
    words = f"This call is refused. {why} Nobody can be asked about a call from outside."
    return ToolOutcome((Text(words),), is_error=True)


async def not_recorded(changes: tuple[Change, ...]) -> None:
    """A tool that only reads changes nothing. Raises ToolFailure."""
    raise ToolFailure(NOT_HERE)


async def say_nothing(text: str) -> None:
    """Nobody watches a call from outside."""
