"""Threads: conversations about a passage, and comments that are sent together."""

from collections.abc import Sequence
from dataclasses import replace

import anyio

from recto.chats.failures import NothingToDo
from recto.chats.history.entries import AttachedText
from recto.chats.history.title_text import first_words
from recto.chats.prompts.attachments import UserMessage
from recto.chats.prompts.thread import MOST_COMMENTS
from recto.chats.service import Chats
from recto.chats.services import ChatServices
from recto.chats.turns.queue import AdmittedTurn
from recto.chats.turns.thread_status import ThreadStatus, thread_statuses
from recto.context import Comment, comment_attachment, comments_request
from recto.margin import AnswerPlace, Notes, TextPlace
from recto.storage import Note, WriteTransaction

MODEL = "model"


class Threads:
    """The conversations in the margins of every project."""

    def __init__(self, services: ChatServices, chats: Chats, notes: Notes) -> None:
        self._services = services
        self._chats = chats
        self._notes = notes
        self._beginning = anyio.Lock()

    async def begin(
        self, project_id: str, place: TextPlace | AnswerPlace, said: UserMessage
    ) -> tuple[Note, AdmittedTurn]:
        """Begin a thread at a passage with a first message.

        Raises what `Notes.add` and `Chats.say` raise.
        """
        note = await self._notes.add(project_id, place)
        try:
            admitted = await self.reply(note.id, said)
        except Exception:
            await self.delete(note.id)  # without its first words there is no thread
            raise
        return await self._notes.get(note.id), admitted

    async def reply(self, note_id: str, said: UserMessage) -> AdmittedTurn:
        """Say something in a thread; a comment becomes one by that.

        Raises RecordNotFound, and what `Chats.say` raises.
        """
        async with self._beginning:
            note = await self._notes.get(note_id)
            if note.resolved_ms is not None:  # there is something to say about it after all
                await self._notes.change(note_id, resolved=False)
            chat_id = note.chat_id
            if chat_id is None:
                chat_id = await self._begin_conversation(note, said)
        return await self._chats.say(chat_id, said)

    async def conversation_of(self, note_id: str, first: str) -> str:
        """The chat of a thread; a comment gets one by that, named by its first words.

        Raises RecordNotFound.
        """
        async with self._beginning:
            note = await self._notes.get(note_id)
            return note.chat_id or await self._begin_conversation(note, UserMessage(first))

    async def send(
        self, project_id: str, note_ids: Sequence[str], chat_id: str | None, said: UserMessage
    ) -> AdmittedTurn:
        """Send comments as one message, to a chat or to a new one; `said` is what is added to them.

        Raises RecordNotFound, NothingToDo, and what `Chats.say` raises.
        """
        comments = await self._comments(project_id, tuple(dict.fromkeys(note_ids)))
        if chat_id is None:
            chat_id = (await self._chats.create(project_id, model=said.model)).id
        elif (await self._chats.get(chat_id)).project_id != project_id:
            raise NothingToDo("This chat belongs to another folder.", "Choose another one.")
        numbered = enumerate(comments.values(), 1)
        passages = [passage_of(number, comment) for number, comment in numbered if comment.path]
        words = comments_request(said.text, tuple(comments.values()))

        async def mark(write: WriteTransaction, turn_id: str) -> None:
            await self._notes.mark_sent(tuple(comments), chat_id, turn_id, within=write)

        whole = replace(said, text=words, passages=passages, comments=tuple(comments))
        return await self._chats.say(chat_id, whole, alongside=mark)

    async def statuses(self, notes: Sequence[Note]) -> dict[str, ThreadStatus]:
        """How threads and comments stand, by their ids: all that is derived, in a few queries."""
        return await thread_statuses(self._services, notes)

    async def delete(self, note_id: str) -> None:
        """Remove a thread or a comment with its conversation. Raises RecordNotFound."""
        note = await self._notes.get(note_id)
        await self._notes.delete(note_id)
        if note.chat_id is not None:
            await self._chats.delete(note.chat_id)

    async def _begin_conversation(self, note: Note, said: UserMessage) -> str:
        """Give a note a chat of its own; the id of that, or of the one it has meanwhile."""
        async with self._services.storage.write() as write:
            # Another process may have begun it since the note was read.
            now = await self._services.storage.notes.get(note.id, within=write)
            if now.chat_id is not None:
                return now.chat_id
            chat = await self._services.storage.chats.add(
                write,
                id=self._services.ids.new(),
                project_id=note.project_id,
                title=first_words(note.body or said.text),
                meta={MODEL: said.model},
                is_thread=True,
            )
            await self._notes.begin_conversation(note.id, chat.id, within=write)
        return chat.id

    async def _comments(self, project_id: str, note_ids: Sequence[str]) -> dict[str, Comment]:
        """The comments to send, in the order that was asked for.

        Raises RecordNotFound, NothingToDo.
        """
        if not 1 <= len(note_ids) <= MOST_COMMENTS:
            raise NothingToDo(
                f"One message takes 1 to {MOST_COMMENTS} comments.", "Choose so many."
            )
        notes = [await self._notes.get(note_id) for note_id in note_ids]
        if any(note.project_id != project_id or not note.body.strip() for note in notes):
            raise NothingToDo("One of these is not a comment in this folder.", "Choose others.")
        places = {item.note.id: item.line for item in await self._notes.list(project_id)}
        return {
            note.id: Comment(
                note.path, places.get(note.id), note.before, note.text, note.after, note.body
            )
            for note in notes
        }


def passage_of(number: int, comment: Comment) -> AttachedText:
    """The passage of a comment, as it goes along with the message."""
    found = comment_attachment(number, comment)
    return AttachedText(found.path, found.text, found.hash, "selection", found.cut)
