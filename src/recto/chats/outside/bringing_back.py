"""What came back from Word, brought into the draft: edits that wait for review, and comments.

The edits are a run in the name of whoever made them, so that review, authorship, versions and
undo know them like those of any turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recto.chats.outside.runs import OutsideClient, OutsideRun
from recto.chats.service import Chats
from recto.chats.services import ChatServices
from recto.margin import Notes, TextPlace
from recto.messages import Text, ToolCall
from recto.reviews import CallEdits
from recto.storage import finish_shielded
from recto.tools import RecordedFiles, ToolOutcome

CALL = "bring_back"
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class BroughtFile:
    """A file as it shall be, and the hash of what it was made from."""

    path: str
    data: bytes
    hash: str


@dataclass(frozen=True, slots=True)
class BroughtNote:
    """What somebody said about a passage."""

    path: str
    start: int
    end: int
    words: str
    body: str
    is_resolved: bool


class BringingBack:
    """Brings changes and comments of documents into their drafts."""

    def __init__(self, services: ChatServices, chats: Chats, notes: Notes) -> None:
        self._services = services
        self._chats = chats
        self._notes = notes

    async def bring(
        self,
        project_id: str,
        authors: Sequence[str],
        files: Sequence[BroughtFile],
        notes: Sequence[BroughtNote],
    ) -> int:
        """Write files and add notes; how many notes were new. Raises a WorkspaceFailure."""
        if files:
            # Somebody who closes the page must not leave it half done.
            await finish_shielded(self._write(project_id, authors, files))
        return await self._add(project_id, notes)

    async def _write(
        self, project_id: str, authors: Sequence[str], files: Sequence[BroughtFile]
    ) -> ToolOutcome:
        services = self._services
        names = (" and ".join(authors) or "Somebody")[:LONGEST_NAME]
        client = OutsideClient(f"{names} (Word)")
        workspace = await services.open_workspace(project_id)
        chat = await self._chats.create(project_id, f"Changes from Word: {names}")
        paths = [file.path for file in files]
        call = ToolCall(services.ids.new(), CALL, {"paths": list(paths)})

        async def work(record: OutsideRun, edits: CallEdits) -> ToolOutcome:
            recorded = RecordedFiles(workspace, partial(record.note, edits), texts=edits)
            for file in files:
                await recorded.write(file.path, file.data, expected_hash=file.hash)
            words = f"Changed {', '.join(paths)}, as it came back from Word."
            return ToolOutcome((Text(words),))

        async with self._chats.no_turn_in(chat.id):
            return await OutsideRun(services, chat, client, call).make(work)

    async def _add(self, project_id: str, notes: Sequence[BroughtNote]) -> int:
        known = {(item.note.path, item.note.body) for item in await self._notes.list(project_id)}
        new = [item for item in notes if (item.path, item.body) not in known]
        for item in new:
            place = TextPlace(item.path, item.start, item.end, words=item.words)
            note = await self._notes.add(project_id, place, body=item.body)
            if item.is_resolved:
                await self._notes.change(note.id, resolved=True)
        return len(new)
