"""Drafts that came back from Word: what was changed and said, on the draft as it is now."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import anyio

from recto.documents import Documents, Splice, spliced
from recto.publishing import (
    MovedText,
    PlacedComment,
    PublishFailed,
    ReturnedDraft,
    SentDrafts,
    SourceEdit,
    find_sent,
    moved_since,
    read_document,
    read_returned,
    rebased,
)
from recto.references import Libraries
from recto.workspace import TextFile, Workspace, encode

MAX_DOCUMENT_BYTES = 32_000_000
UNKNOWN = "It was not published from a draft that this Recto knows."
SEND_ANOTHER = "Open the draft and bring it back from there, or publish it anew and send that."
NOT_MARKDOWN = "It was published from a notebook, whose cells are not changed from Word."
CHANGED = "the draft reads otherwise there by now"
NO_PLACE = "a comment on words that stand in no Markdown"
OTHER_LOOK = "how these words look"
JOINT = 2
"""How many letters stand between the parts of a draft."""


@dataclass(frozen=True, slots=True)
class BroughtChange:
    """A change of the draft."""

    path: str
    line: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class LeftInWord:
    """Something that was changed or said and has no place in the draft, and why."""

    why: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class BroughtComment:
    """What was said about a passage of the new text."""

    path: str
    start: int
    end: int
    words: str
    body: str
    is_resolved: bool


@dataclass(frozen=True, slots=True)
class ReturnedFile:
    """A file of the draft as it shall be, and the hash of what it was made from."""

    path: str
    data: bytes
    hash: str


@dataclass(slots=True)
class ReturnedChanges:
    """All that a document brings back."""

    draft: str
    authors: tuple[str, ...]
    changes: list[BroughtChange] = field(default_factory=list[BroughtChange])
    comments: list[BroughtComment] = field(default_factory=list[BroughtComment])
    left_out: list[LeftInWord] = field(default_factory=list[LeftInWord])
    already_there: int = 0
    files: list[ReturnedFile] = field(default_factory=list[ReturnedFile])


class ReturnedDrafts:
    """Reads documents that came back."""

    def __init__(
        self,
        kept: SentDrafts,
        libraries: Libraries,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        open_documents: Callable[[str], Awaitable[Documents]],
    ) -> None:
        self._kept = kept
        self._libraries = libraries
        self._open_workspace = open_workspace
        self._open_documents = open_documents

    async def draft_of(self, project_id: str, path: str) -> str | None:
        """The draft that a document of the folder was published from, if it says so."""
        workspace = await self._open_workspace(project_id)
        data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        contents = await read_document(data, only_origin=True)
        sent = await anyio.to_thread.run_sync(self._kept.get, contents.origin)
        return sent.path if sent is not None and sent.root == workspace.root else None

    async def read(
        self, project_id: str, path: str = "", *, data: bytes = b"", draft: str = ""
    ) -> ReturnedChanges:
        """What a document of the folder, or one that is handed over, brings back.

        Raises PublishFailed, WorkspaceFailure.
        """
        await (await self._open_documents(project_id)).settle()
        workspace = await self._open_workspace(project_id)
        if path:
            data = await workspace.read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES)
        contents = await read_document(data)
        sent = await anyio.to_thread.run_sync(
            find_sent, self._kept, contents, workspace.root, draft
        )
        # A copy from another folder may be about a draft that only has the same name.
        if sent is None or (sent.root != workspace.root and not draft):
            raise PublishFailed(UNKNOWN, SEND_ANOTHER)
        if draft and sent.path != draft:
            raise PublishFailed(f"It is a copy of {sent.path}.", "Bring it back there.")
        if sent.path.endswith(".ipynb"):
            raise PublishFailed(NOT_MARKDOWN, "Change the notebook itself.")
        library = await self._libraries.open(workspace, document=sent.path)
        returned = await read_returned(workspace, library, sent, contents)
        found = ReturnedChanges(sent.path, contents.authors, left_out=left_out(returned))
        offset = 0
        for part, text in sent.parts:
            FilePart(await workspace.read_text(part), text, offset).add(returned, found)
            offset += len(text) + JOINT
        return found


def left_out(returned: ReturnedDraft) -> list[LeftInWord]:
    """What has no place in the Markdown."""
    found: list[LeftInWord] = []
    for change in returned.plan.changes:
        if change.why or change.has_other_look:
            found.append(LeftInWord(change.why or OTHER_LOOK, change.old, change.new))
    homeless = (item for item in returned.comments if item.start < 0)
    return [*found, *(LeftInWord(NO_PLACE, item.comment.quoted, item.body) for item in homeless)]


class FilePart:
    """One file of a draft: as it was sent, and as it is now."""

    def __init__(self, file: TextFile, sent: str, offset: int) -> None:
        self._file = file
        self._sent = sent
        self._offset = offset
        self._now = file.text.replace("\r\n", "\n")
        self._moved = moved_since(sent, self._now)

    def add(self, returned: ReturnedDraft, found: ReturnedChanges) -> None:
        """Add what is about this file."""
        made: list[SourceEdit] = []
        for change in returned.plan.changes:
            own = [edit for edit in map(self._own, change.edits) if edit is not None]
            if not own:
                continue
            if all(map(self._is_there, own)):
                found.already_there += 1
            elif any(map(self._moved.touches, own)):
                found.left_out.append(LeftInWord(CHANGED, change.old, change.new))
            else:
                here = [rebased(edit, self._moved) for edit in own]
                made += here
                line = self._now.count("\n", 0, here[0].start) + 1
                found.changes.append(BroughtChange(self._file.path, line, change.old, change.new))
        after = MovedText(made)
        text = edited(self._now, sorted(made))
        if made:
            found.files.append(ReturnedFile(self._file.path, self._encoded(text), self._file.hash))
        for comment in returned.comments:
            brought = self._comment(comment, after, text)
            if brought is not None:
                found.comments.append(brought)

    def _own(self, edit: SourceEdit) -> SourceEdit | None:
        """An edit in the letters of this file; None for another one's."""
        start, end = edit.start - self._offset, edit.end - self._offset
        return SourceEdit(start, end, edit.new) if 0 <= start <= len(self._sent) else None

    def _is_there(self, edit: SourceEdit) -> bool:
        """Whether the draft has a change already."""
        wanted = moved_since(self._sent, edited(self._sent, [edit])).changes
        return all(change in self._moved.changes for change in wanted)

    def _comment(
        self, comment: PlacedComment, after: MovedText, text: str
    ) -> BroughtComment | None:
        own = self._own(SourceEdit(comment.start, comment.end, ""))
        if comment.start < 0 or own is None:
            return None
        start = after.start(self._moved.start(own.start))
        end = after.end(self._moved.end(own.end))
        if comment.inside is not None and start == end:
            end = start + len(comment.inside.new)
        start, end = around_words(text, start, end)
        words, path = text[start:end], self._file.path
        return BroughtComment(path, start, end, words, comment.body, comment.comment.is_resolved)

    def _encoded(self, text: str) -> bytes:
        if "\r\n" in self._file.text:
            text = text.replace("\n", "\r\n")
        return encode(text, self._file.encoding, bom=self._file.bom)


def edited(text: str, edits: Sequence[SourceEdit]) -> str:
    """A text with edits that are in order."""
    return spliced(text, [Splice(*edit) for edit in edits])


def around_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A passage without the white space at its ends; the word before it, if nothing is left."""
    passage = text[start:end]
    if passage.strip():
        lead = len(passage) - len(passage.lstrip())
        return start + lead, start + len(passage.rstrip())
    before = text[:start].rstrip()
    first = max(before.rfind(" "), before.rfind("\n")) + 1
    return (first, len(before)) if before else (0, min(1, len(text)))
