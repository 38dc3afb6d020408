"""The margin as the tools of one call see it: proposals kept as cards, tasks as comments."""

from collections.abc import Sequence

from recto.access import Access
from recto.chats.services import ChatServices
from recto.chats.turns.thread_status import ThreadStatus, thread_statuses
from recto.chats.turns.transcript import Transcript
from recto.margin import MarginFailure, Notes, PlacedNote, TextPlace
from recto.storage import Chat, Note, Proposal, RecordNotFound
from recto.tools import OpenTask, Option, ThreadSubject, ToolFailure

TWICE = "This call has made a proposal already. Make another call for another one."
MOVED_ON = "The text was changed just now. Look at it again."


class CallMargin:
    """What a tool may say beside a text, in the name of one call of a run."""

    def __init__(
        self,
        services: ChatServices,
        chat: Chat,
        *,
        run_id: str,
        call_id: str,
        access: Access,
        transcript: Transcript,
    ) -> None:
        assert services.notes is not None
        self._services = services
        self._notes: Notes = services.notes
        self._storage = services.storage
        self._chat = chat
        self._run_id = run_id
        self._call_id = call_id
        self._access = access
        self._transcript = transcript

    async def subject(self) -> ThreadSubject | None:
        """What the thread is about; None unless it is one on a file."""
        note = await self._note()
        if note is None or not note.path:
            return None
        return ThreadSubject(note.path, await span_of(self._notes, note))

    async def propose(self, question: str, options: Sequence[Option]) -> None:
        """Keep a proposal, with what is known of the answer that made it. Raises ToolFailure."""
        note = await self._note()
        async with self._storage.write() as write:
            # Within the write: a call has one card, which the page finds by the call's id.
            known = await self._storage.proposals.of_call(self._run_id, self._call_id, within=write)
            if known is not None:
                raise ToolFailure(TWICE)
            proposal = self._proposal(question, options, note, write.now_ms)
            await self._storage.proposals.add(write, proposal)

    async def add_task(self, path: str, span: tuple[int, int], passage: str, task: str) -> None:
        """Keep a task as a comment of the run. Raises ToolFailure."""
        project_id = self._chat.project_id
        await add_task(self._notes, project_id, self._run_id, path, span, passage, task)

    async def open_tasks(self, path: str | None) -> Sequence[OpenTask]:
        """What is open in a file, or everywhere."""
        placed = await self._notes.list(self._chat.project_id, path=path)
        here = [note for note in placed if note.note.resolved_ms is None]
        known = await thread_statuses(self._services, [item.note for item in here])
        return [open_task(item, known[item.note.id]) for item in here]

    async def _note(self) -> Note | None:
        """The thread whose conversation this is."""
        if not self._chat.is_thread:
            return None
        try:
            return await self._storage.notes.by_chat(self._chat.id)
        except RecordNotFound:
            return None

    def _proposal(
        self, question: str, options: Sequence[Option], note: Note | None, now_ms: int
    ) -> Proposal:
        answer = self._transcript.last_answer()
        return Proposal(
            id=self._services.ids.new(),
            project_id=self._chat.project_id,
            chat_id=self._chat.id,
            run_id=self._run_id,
            call_id=self._call_id,
            note_id=None if note is None else note.id,
            question=question,
            options=[
                {
                    "title": option.title,
                    "detail": option.detail,
                    "path": option.path,
                    "old": option.old,
                    "new": option.new,
                }
                for option in options
            ],
            status="open",
            chosen=None,
            edit_id=None,
            model=self._access.id,
            model_name=self._access.name,
            request_id=answer.source.request_id,
            prompt_hash=answer.source.prompt_hash,
            confidence=answer.sureness.value,
            source=answer.sureness.source,
            at_ms=now_ms,
            decided_ms=None,
        )


async def add_task(
    notes: Notes,
    project_id: str,
    run_id: str | None,
    path: str,
    span: tuple[int, int],
    passage: str,
    task: str,
) -> None:
    """Keep a task as a comment of a run. Raises ToolFailure."""
    place = TextPlace(path, *span)
    try:
        note = await notes.add(project_id, place, body=task, author="run", run_id=run_id)
    except MarginFailure as failure:
        raise ToolFailure(failure.message) from failure
    # The model chose the passage in a text that somebody may have changed meanwhile.
    if note.text != passage:
        await notes.delete(note.id)
        raise ToolFailure(MOVED_ON)


async def span_of(notes: Notes, note: Note) -> tuple[int, int] | None:
    """Where a note's passage is now; None when it is gone."""
    placed = await notes.placed(note.id)
    if placed.start is None or placed.end is None:
        return None
    return placed.start, placed.end


def open_task(placed: PlacedNote, status: ThreadStatus) -> OpenTask:
    """A note as a model is told of it."""
    note = placed.note
    return OpenTask(
        path=note.path,
        line=placed.line,
        passage=note.text,
        words=note.body,
        author=note.author,
        state=state_of(status),
    )


def state_of(status: ThreadStatus) -> str:
    """How far a task is."""
    if status.status == "streaming":
        return "being answered"
    if status.messages:
        return f"in conversation ({status.messages} messages)"
    if status.reply is not None:
        return "answered"
    return "sent, without an answer of its own" if status.is_sent else "not answered yet"
