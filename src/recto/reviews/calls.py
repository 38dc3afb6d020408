"""What one call, or one undo, does to files: in the text that people see, and in the rows of edits.

Both are given to `RecordedFiles`, which tells them what is about to be made and what was made.
"""

from collections.abc import Collection, Mapping, Sequence

from recto.documents import Documents, EditOrigin, LiveDocument, ReadOnly
from recto.reviews.edits import FOLLOWED, PUT_BACK, EditAuthor, Edits
from recto.reviews.review_status import characters_by_edit
from recto.storage import Edit, EditStatus, JsonObject, WriteTransaction
from recto.tools import Change, Effect, Moved
from recto.workspace import PathChanged, PathNotFound, Workspace, content_hash


class CallEdits:
    """The edits of one call of a run."""

    def __init__(self, edits: Edits, documents: Documents, by: EditAuthor, *, asks: bool) -> None:
        self._edits = edits
        self._documents = documents
        self._by = by
        self._asks = asks
        self._open: dict[str, Edit] = {}
        """By path: what was noted and is not known to be made."""
        self._whole: list[Edit] = []
        """What was made of whole files, to be written down at the end."""
        self._same: list[Edit] = []
        """What changed nothing."""
        self.remarks: list[str] = []
        """What the model is told of its edits besides the tool's answer."""

    async def note(
        self, write: WriteTransaction, changes: Sequence[Change], kept: Sequence[JsonObject]
    ) -> None:
        """Write down what is about to be made."""
        pairs = zip(changes, kept, strict=True)
        rows = [self._edits.new_row(write, self._by, *pair) for pair in pairs]
        found = [row for row in rows if row is not None]
        await self._edits.storage.edits.add(write, found)
        self._open |= {row.path: row for row in found}

    async def checked(self, path: str, before: bytes | None, data: bytes) -> bytes:
        """What shall be written: citations that nobody could verify are marked."""
        if self._edits.citations is None:
            return data
        found = await self._edits.citations.check(
            self._by.project_id, path, before, data, by=self._by.model_name
        )
        self.remarks += found.remarks
        return found.data

    async def rewrite(self, path: str, data: bytes, *, expected_hash: str | None) -> str | None:
        """Write a text where people see it, in the name of the edit; None for what is no text."""
        row = self._open[path]
        origin = EditOrigin("run", row.id, pending=self._asks)
        if expected_hash is None:
            written = await self._documents.create(path, data, origin=origin)
            async with self._documents.using(path) as live:
                await self._settle_new(row, live)
            return written
        async with self._documents.using(path) as live:
            if isinstance(live, ReadOnly):
                return None
            before = characters_by_edit(live)
            written = await self._documents.rewrite(
                path, data, expected_hash=expected_hash, origin=origin
            )
            if written is not None:
                await self._settle(row, live, before)
            return written

    async def made(self, change: Change) -> None:
        """A change is there. That of a text is written down already."""
        if isinstance(change, Moved):
            await self._edits.follow_move(self._by.project_id, change.path, change.new_path)
        path = change.new_path if isinstance(change, Moved) else change.path
        row = self._open.pop(path, None)
        if row is None:
            return
        # A page that shows the file need not wait until the folder's watcher has found it.
        if self._edits.written is not None:
            self._edits.written(self._by.project_id, path)
        is_same = isinstance(change, Effect) and change.before == change.after
        if row.kind == "deleted" and await self._end_new(row):
            is_same = True
        (self._same if is_same else self._whole).append(row)

    async def _end_new(self, deletion: Edit) -> bool:
        """A file that waits as a new one is deleted: nothing is left to review; whether it was."""
        rows = await self._edits.storage.edits.of_path(deletion.project_id, deletion.path)
        waiting = [row for row in rows if row.status == "pending"]
        before = [row for row in self._whole if row.path == deletion.path]
        first = min((*waiting, *before), key=lambda row: row.id, default=None)
        if first is None or first.before or first.from_path is not None:
            return False
        self._whole = [row for row in self._whole if row not in before]
        self._same += before
        if waiting:
            await self._edits.close(waiting, "undone")
        return True

    async def finish(self) -> None:
        """Write down what became of everything else: made as a whole, or not made."""
        status: EditStatus = "pending" if self._asks else "accepted"
        store = self._edits.storage.edits
        whole, same, failed = self._whole, self._same, list(self._open.values())
        if not whole and not same and not failed:
            return
        async with self._edits.storage.write() as write:
            await store.change(write, [row.id for row in whole], status=status)
            texts = [row.id for row in whole if row.kind in FOLLOWED]
            await store.change(write, texts, kind="replaced")
            await store.change(write, [row.id for row in same], status="accepted")
            await store.change(write, [row.id for row in failed], status="not_written")
            for row in whole:
                await store.tell(write, row.project_id, row.id, "created")
        self._whole, self._same, self._open = [], [], {}

    async def _settle_new(self, row: Edit, live: LiveDocument | ReadOnly) -> None:
        """A file was made. An empty one, or what is no text, is reviewed as a whole."""
        if isinstance(live, ReadOnly) or (self._asks and row.id not in live.pending()):
            return
        await self._settle(row, live, {})

    async def _settle(self, row: Edit, live: LiveDocument, before: Mapping[str, int]) -> None:
        del self._open[row.path]
        await self._edits.settle(
            self._by.project_id, live, own={row.id: "accepted"}, lost=lost(before, live)
        )


class TakingBack:
    """Puts texts back for an undo: what waits for review is rejected, the rest is written over."""

    def __init__(
        self,
        edits: Edits,
        documents: Documents,
        workspace: Workspace,
        *,
        project_id: str,
        edit_ids: Collection[str],
    ) -> None:
        self._edits = edits
        self._documents = documents
        self._workspace = workspace
        self._project_id = project_id
        self._ids = frozenset(edit_ids)

    async def checked(self, path: str, before: bytes | None, data: bytes) -> bytes:
        """What shall be written: what was there before is put back as it was."""
        return data

    async def rewrite(self, path: str, data: bytes, *, expected_hash: str | None) -> str | None:
        """Write a text over another where people see it; None for what is no text, or is new."""
        if expected_hash is None:
            return None
        async with self._documents.using(path) as live:
            if isinstance(live, ReadOnly):
                return None
            before = characters_by_edit(live)
            base = await self._reject(live, path, expected_hash)
            written = await self._documents.rewrite(path, data, expected_hash=base, origin=PUT_BACK)
            await self._edits.settle(self._project_id, live, lost=lost(before, live))
            return written

    async def made(self, change: Change) -> None:
        """A change is there; a move takes edits along, a text that is back has its own again."""
        if isinstance(change, Moved):
            await self._edits.follow_move(self._project_id, change.path, change.new_path)
        elif change.before is None and change.after is not None and change.after.kind == "file":
            await self._look_again(change.path)

    async def _reject(self, live: LiveDocument, path: str, expected_hash: str) -> str:
        """Take the edits out of the text; the hash of what is left."""
        mine = live.pending() & self._ids
        if not mine:
            return expected_hash
        if content_hash(await self._workspace.read_bytes(path)) != expected_hash:
            raise PathChanged(path)
        await live.reject(edits=mine, origin=PUT_BACK)
        await live.save(asked=True)
        return content_hash(await self._workspace.read_bytes(path))

    async def _look_again(self, path: str) -> None:
        """A file came back, and with it what waited in it."""
        try:
            async with self._documents.using(path) as live:
                if not isinstance(live, ReadOnly):
                    await self._edits.settle(self._project_id, live)
        except PathNotFound:
            return  # somebody took it away again


def lost(before: Mapping[str, int], live: LiveDocument) -> dict[str, int]:
    """How many characters of each edit are not there any more."""
    now = characters_by_edit(live)
    gone = {name: count - now.get(name, 0) for name, count in before.items()}
    return {name: count for name, count in gone.items() if count > 0}


async def begin_call(edits: Edits, by: EditAuthor) -> CallEdits:
    """The edits of a call that begins; they wait for review if the project's settings say so."""
    documents = await edits.open_documents(by.project_id)
    return CallEdits(edits, documents, by, asks=await edits.asks(by.project_id))


async def begin_taking_back(edits: Edits, project_id: str, edit_ids: Collection[str]) -> TakingBack:
    """Begin to take edits back."""
    return TakingBack(
        edits,
        await edits.open_documents(project_id),
        await edits.open_workspace(project_id),
        project_id=project_id,
        edit_ids=edit_ids,
    )
