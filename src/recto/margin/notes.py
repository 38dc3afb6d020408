"""Threads and comments: made at a passage, found there again, changed, resolved, deleted."""

from collections.abc import Mapping, Sequence
from typing import Any

from recto.clock import Clock, Ids
from recto.documents import InvalidPosition, ReadOnly, from_utf16
from recto.margin.failures import NoPassage, PassageChanged, PassageNotText, PassageTooLong
from recto.margin.note_finder import NoteFinder, OpenDocuments
from recto.margin.note_locations import anchors_for
from recto.margin.places import AnswerPlace, PlacedNote, TextPlace
from recto.storage import JsonObject, Note, NoteAuthor, RecordNotFound, Storage, WriteTransaction

MAX_BEFORE = 5000
MAX_AFTER = 1000
MAX_PASSAGE = 50_000


class Notes:
    """The notes of every project."""

    def __init__(
        self, storage: Storage, ids: Ids, clock: Clock, *, open_documents: OpenDocuments
    ) -> None:
        self._storage = storage
        self._ids = ids
        self._clock = clock
        self._open_documents = open_documents
        self._placing = NoteFinder(storage, open_documents)
        self._last_detached: dict[str, bool] = {}
        """Whether a note was detached when somebody last heard of it."""

    async def add(
        self,
        project_id: str,
        place: TextPlace | AnswerPlace,
        *,
        body: str = "",
        author: NoteAuthor = "person",
        run_id: str | None = None,
        chat_id: str | None = None,
    ) -> Note:
        """Make a note at a passage.

        Raises NoPassage, PassageChanged, PassageTooLong, PassageNotText, storage.RecordNotFound
        for a chat or an answer, and what opening the file raises.
        """
        fields = {"body": body, "author": author, "run_id": run_id, "chat_id": chat_id}
        if isinstance(place, AnswerPlace):
            note = await self._on_answer(project_id, place, fields)
        else:
            note = await self._in_text(project_id, place, fields)
        async with self._storage.write() as write:
            await self._storage.notes.add(write, note)
        self._last_detached[note.id] = False
        return note

    async def get(self, note_id: str) -> Note:
        """The note with this id, or storage.RecordNotFound."""
        return await self._storage.notes.get(note_id)

    async def by_chat(self, chat_id: str) -> Note:
        """The note whose conversation a chat is, or storage.RecordNotFound."""
        return await self._storage.notes.by_chat(chat_id)

    async def list(self, project_id: str, *, path: str | None = None) -> tuple[PlacedNote, ...]:
        """The notes of a project, or of one file, each where it is now, the oldest first."""
        return await self._place(project_id, await self._storage.notes.of_project(project_id, path))

    async def placed(self, note_id: str) -> PlacedNote:
        """One note where it is now, or storage.RecordNotFound."""
        note = await self.get(note_id)
        (placed,) = await self._place(note.project_id, [note])
        return placed

    async def change(
        self,
        note_id: str,
        *,
        version: int | None = None,
        body: str | None = None,
        resolved: bool | None = None,
    ) -> Note:
        """Give a note other words, or resolve it, or take that back; None keeps it.

        Raises storage.RecordNotFound and storage.StaleVersion.
        """
        async with self._storage.write() as write:
            values: dict[str, Any] = {} if body is None else {"body": body}
            if resolved is not None:
                note = await self._storage.notes.get(note_id, within=write)
                values["resolved_ms"] = (note.resolved_ms or write.now_ms) if resolved else None
            return await self._storage.notes.change(
                write, note_id, expected_version=version, **values
            )

    async def delete(self, note_id: str) -> None:
        """Forget a note, or storage.RecordNotFound."""
        async with self._storage.write() as write:
            await self._storage.notes.remove(write, note_id)
        self._last_detached.pop(note_id, None)

    async def begin_conversation(
        self, note_id: str, chat_id: str, *, within: WriteTransaction | None = None
    ) -> Note:
        """A note gets a conversation, if it has none yet; how it is then.

        Or storage.RecordNotFound.
        """
        if within is None:
            async with self._storage.write() as write:
                return await self.begin_conversation(note_id, chat_id, within=write)
        note = await self._storage.notes.get(note_id, within=within)
        if note.chat_id is not None:
            return note
        return await self._storage.notes.change(within, note_id, chat_id=chat_id)

    async def mark_sent(
        self,
        note_ids: Sequence[str],
        chat_id: str,
        turn_id: str,
        *,
        within: WriteTransaction | None = None,
    ) -> None:
        """Comments were sent with a turn, numbered from 1 in this order.

        Or storage.RecordNotFound.
        """
        if within is None:
            async with self._storage.write() as write:
                await self.mark_sent(note_ids, chat_id, turn_id, within=write)
            return
        for number, note_id in enumerate(note_ids, 1):
            sent = {"chatId": chat_id, "turnId": turn_id, "number": number}
            await self._storage.notes.change(within, note_id, sent=sent)

    async def follow_move(
        self, project_id: str, path: str, new_path: str, *, within: WriteTransaction | None = None
    ) -> None:
        """A file, or a folder, is called otherwise now, and so are its notes, edits and journal."""
        await self._placing.follow_move(project_id, path, new_path, within=within)

    async def on_changes(
        self, project_id: str, folders: frozenset[str], *, overflow: bool = False
    ) -> None:
        """Look at the notes in folders that changed; with `overflow`, any may have.

        Tells the pages of notes that lost their passage or got it back.
        """
        notes = await self._storage.notes.of_project(project_id)
        changed = [
            note
            for note in notes
            if note.path and (overflow or note.path.rpartition("/")[0] in folders)
        ]
        if not changed:
            return
        documents = await self._open_documents(project_id)
        await documents.on_changes(folders, overflow=overflow)
        known = {note.id: (note.version, self._last_detached.get(note.id)) for note in changed}
        for placed in await self._place(project_id, changed):
            note = placed.note
            # One that is anchored anew was told of with that, as another version.
            if known[note.id] == (note.version, not placed.is_detached):
                await self._tell(note)

    async def _on_answer(
        self, project_id: str, place: AnswerPlace, fields: Mapping[str, Any]
    ) -> Note:
        chat = await self._storage.chats.get(place.chat_id)
        if chat.deleted_ms is not None or not (chat.is_global or chat.project_id == project_id):
            raise RecordNotFound("chat", place.chat_id)
        await self._storage.chats.entry(place.chat_id, place.entry_id)
        if not place.text.strip():
            raise NoPassage
        check_length(len(place.text))
        answer = {
            "chatId": place.chat_id,
            "entryId": place.entry_id,
            "occurrence": place.occurrence,
        }
        return self._new(project_id, fields, text=place.text, answer=answer)

    async def _in_text(self, project_id: str, place: TextPlace, fields: Mapping[str, Any]) -> Note:
        documents = await self._open_documents(project_id)
        async with documents.using(place.path) as live:
            if isinstance(live, ReadOnly):
                raise PassageNotText(place.path, live.reason)
            start, end = span_in(live.text, place)
            check_length(end - start)
            (kept,) = anchors_for(live, [(start, end)])
            text = live.text
            # The anchors must never name characters that the journal does not know.
            await live.store()
        return self._new(
            project_id,
            fields,
            path=place.path,
            text=text[start:end],
            before=text[max(0, start - MAX_BEFORE) : start],
            after=text[end : end + MAX_AFTER],
            anchor=kept.as_json(),
        )

    def _new(
        self,
        project_id: str,
        fields: Mapping[str, Any],
        *,
        text: str,
        path: str = "",
        before: str = "",
        after: str = "",
        anchor: JsonObject | None = None,
        answer: JsonObject | None = None,
    ) -> Note:
        now = self._clock.now_ms()
        return Note(
            id=self._ids.new(),
            project_id=project_id,
            path=path,
            text=text,
            before=before,
            after=after,
            anchor=anchor,
            answer=answer,
            sent=None,
            resolved_ms=None,
            created_ms=now,
            updated_ms=now,
            version=1,
            **fields,
        )

    async def _place(self, project_id: str, notes: Sequence[Note]) -> tuple[PlacedNote, ...]:
        placed_notes = await self._placing.place(project_id, notes)
        self._last_detached |= {placed.note.id: placed.is_detached for placed in placed_notes}
        return placed_notes

    async def _tell(self, note: Note) -> None:
        async with self._storage.write() as write:
            await self._storage.notes.tell(write, note, "updated")


def span_in(text: str, place: TextPlace) -> tuple[int, int]:
    """A passage in characters. Raises NoPassage, and PassageChanged if its words are gone."""
    if not place.words:
        return exact_span(text, place)
    about = place.start
    if place.is_utf16:
        about = len(text.encode("utf-16-le")[: about * 2].decode("utf-16-le", "ignore"))
    start = nearest(text, place.words, about)
    if start is None:
        raise PassageChanged
    return start, start + len(place.words)


def nearest(text: str, words: str, about: int) -> int | None:
    """Where words stand in a text, of several places the one next to a character."""
    around = (text.rfind(words, 0, about + len(words)), text.find(words, about))
    return min((at for at in around if at >= 0), key=lambda at: abs(at - about), default=None)


def exact_span(text: str, place: TextPlace) -> tuple[int, int]:
    """A passage in characters, by its numbers alone. Raises NoPassage."""
    start, end = place.start, place.end
    if place.is_utf16:
        try:
            start, end = from_utf16(text, start), from_utf16(text, end)
        except InvalidPosition as misplaced:
            raise NoPassage from misplaced
    if not 0 <= start < end <= len(text):
        raise NoPassage
    return start, end


def check_length(characters: int) -> None:
    """Refuse more than anybody talks about."""
    if characters > MAX_PASSAGE:
        raise PassageTooLong(MAX_PASSAGE)
