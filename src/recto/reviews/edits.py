"""The edits of runs: written down before they are made, and kept true to the texts they are in.

A row begins as "writing". Only when the effect is there it becomes pending, or accepted where
nobody wants to be asked: whatever happens in between, nothing is shown as accepted that is not.
"""

from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from recto.clock import Ids
from recto.documents import Documents, EditOrigin, LiveDocument, ReadOnly
from recto.reviews.citation_checks import CitationChecks
from recto.reviews.review_status import (
    ReviewCounts,
    ReviewStatus,
    characters_by_edit,
    review_status_of,
)
from recto.reviews.stored_changes import read_state
from recto.storage import Edit, EditKind, EditStatus, JsonObject, Storage, WriteTransaction
from recto.tools import Change, Moved
from recto.workspace import PathNotFound, Workspace, WorkspaceFailure, content_hash

OpenDocuments = Callable[[str], Awaitable[Documents]]
OpenWorkspace = Callable[[str], Awaitable[Workspace]]
Find = Callable[[Sequence[Edit], ReviewStatus], Sequence[Edit]]
"""Finds the rows that must change, as they shall be."""

FOLLOWED = frozenset({"edited", "created"})
"""The kinds whose text is followed, so that it can be reviewed piece by piece."""
PUT_BACK = EditOrigin("person", way="undone")
"""Who puts back what an AI did: a person, and words that return keep their author."""


@dataclass(frozen=True, slots=True)
class EditAuthor:
    """Who makes edits: a call of a run."""

    project_id: str
    chat_id: str
    run_id: str
    call_id: str
    tool: str
    model: str
    model_name: str
    prompt_hash: str


class Edits:
    """Every edit of a run, in every project."""

    def __init__(
        self,
        storage: Storage,
        ids: Ids,
        *,
        open_documents: OpenDocuments,
        open_workspace: OpenWorkspace,
        asks: Callable[[], bool],
        has_reviewer: bool = True,
        citations: CitationChecks | None = None,
        written: Callable[[str, str], None] | None = None,
    ) -> None:
        """Without `citations`, nobody looks whether what an edit cites is there.

        `written` is told of each file that a call changed as a whole, the moment it is: the project
        and the path.
        """
        self.storage = storage
        self.citations = citations
        self.open_documents = open_documents
        self.open_workspace = open_workspace
        self._ids = ids
        self._asks = asks
        self._has_reviewer = has_reviewer
        self.written = written
        self._verdicts: dict[str, EditStatus] = {}

    @contextmanager
    def deciding(self, edit_ids: Collection[str], verdict: EditStatus) -> Generator[None]:
        """Whoever first notices that one of these edits is over closes it with this verdict.

        A page that shows the text may look between the verdict and its row.
        """
        self._verdicts |= dict.fromkeys(edit_ids, verdict)
        try:
            yield
        finally:
            for edit_id in edit_ids:
                self._verdicts.pop(edit_id, None)

    async def asks(self, project_id: str) -> bool:
        """Whether edits in a project wait for a review."""
        project = await self.storage.projects.get(project_id)
        policy = project.settings.get("write_policy")
        wanted = self._asks() if policy is None else policy == "review"
        return self._has_reviewer and wanted

    def new_row(
        self, write: WriteTransaction, by: EditAuthor, change: Change, kept: JsonObject
    ) -> Edit | None:
        """The row of a change that is about to be made; none for folders."""
        kind = kind_of(change)
        if kind is None:
            return None
        is_move = isinstance(change, Moved)
        return Edit(
            id=self._ids.new(),
            project_id=by.project_id,
            path=change.new_path if is_move else change.path,
            from_path=change.path if is_move else None,
            kind=kind,
            status="writing",
            before=kept.get("before") or {},
            after=kept.get("after") or {},
            chat_id=by.chat_id,
            run_id=by.run_id,
            call_id=by.call_id,
            tool=by.tool,
            model=by.model,
            model_name=by.model_name,
            prompt_hash=by.prompt_hash,
            at_ms=write.now_ms,
            characters=0,
            added=0,
            removed=0,
            hunks=0,
        )

    async def settle(
        self,
        project_id: str,
        document: LiveDocument,
        *,
        own: Mapping[str, EditStatus] | None = None,
        lost: Mapping[str, int] | None = None,
    ) -> None:
        """Have the rows say what the document says.

        An edit of which nothing is left to review is closed, as "undone" unless somebody is
        deciding it; one that came back waits again. `own` are rows that were just written, and what
        they are if they don't wait. `lost` is how many characters of which edit an AI or a review
        took away.
        """
        if document.state.is_gone:
            return
        base = await self.base_of(project_id, document) if document.pending() else None
        if base is not None and base == document.text:
            # Somebody wrote the old words again: nothing is left to say.
            await document.accept(edits=document.pending(), text=base)
        find = partial(settled, verdicts=self._verdicts, own=own or {}, lost=lost or {})
        while not await self._settle(project_id, document, find):
            await document.catch_up()

    async def _settle(self, project_id: str, document: LiveDocument, find: Find) -> bool:
        """Write down what a document says; False when it lacks what another process wrote."""
        store, path = self.storage.edits, document.path
        if not find(await store.of_path(project_id, path), review_status_of(document)):
            return True
        async with self.storage.write() as write:
            latest = await self.storage.documents.latest(f"{project_id}/{path}", within=write)
            if latest > document.last_seq:
                return False
            rows = await store.of_path(project_id, path, within=write)
            changes = find(rows, review_status_of(document))
            for edit in changes:
                await self._keep(write, edit)
            if changes:
                await self._tell(write, rows, changes)
        return True

    async def base_of(self, project_id: str, document: LiveDocument) -> str | None:
        """The text that a document had before the first edit that waits in it."""
        rows = await self.storage.edits.of_path(project_id, document.path)
        waiting = [row for row in rows if row.id in document.pending()]
        state = await read_state(waiting[0].before, self.storage) if waiting else None
        if state is None or state.kind != "file":
            return None
        text = document.text_of(state.data)
        return None if text is None else document.shape.read(text)

    async def follow_move(self, project_id: str, path: str, new_path: str) -> None:
        """A path is called otherwise now: its edits, notes and document's journal go along."""
        documents = await self.open_documents(project_id)
        old, new = f"{project_id}/{path}", f"{project_id}/{new_path}"
        is_open = await documents.is_open(new_path)
        async with self.storage.write() as write:
            await self.storage.edits.move(write, project_id, path, new_path)
            await self.storage.notes.move(write, project_id, path, new_path)
            await self.storage.own_saves.move(write, project_id, path, new_path)
            await self.storage.word_documents.move(write, project_id, path, new_path)
            await self.storage.citations.move(write, project_id, path, new_path)
            if not is_open:
                await self.storage.documents.move(write, old, new)

    async def close(self, rows: Sequence[Edit], status: EditStatus) -> None:
        """Close edits, whatever the text says."""
        async with self.storage.write() as write:
            await self.storage.edits.change(write, [row.id for row in rows], status=status)
            for row in rows:
                await self.storage.edits.tell(write, row.project_id, row.id, "updated")

    async def waiting_below(self, project_id: str, path: str) -> tuple[Edit, ...]:
        """The edits that wait in a file, or in all files of a folder."""
        rows = await self.storage.edits.with_status("pending", project_id)
        return tuple(r for r in rows if r.path == path or r.path.startswith(f"{path}/"))

    async def wait_again(self, edit_ids: Collection[str]) -> None:
        """Edits of a file that is back wait for a review as they did."""
        async with self.storage.write() as write:
            rows = await self.storage.edits.some(sorted(edit_ids), within=write)
            closed = [row for row in rows if row.status == "undone"]
            await self.storage.edits.change(write, [row.id for row in closed], status="pending")
            for row in closed:
                await self.storage.edits.tell(write, row.project_id, row.id, "updated")

    async def recover(self, run_ids: Collection[str] | None = None) -> None:
        """After a crash: of each edit that was being written, find out whether it was.

        Those of another process that lives are still being written. `run_ids` names the runs that
        are looked at, if not all are.
        """
        rows = await self.storage.edits.with_status("writing")
        if run_ids is not None:
            rows = tuple(row for row in rows if row.run_id in run_ids)
        alive = {run.id for run in await self.storage.runs.alive()} if rows else set[str]()
        for row in rows:
            if row.run_id in alive:
                continue
            try:
                await self._recover(row)
            except WorkspaceFailure:
                continue  # the folder is not there now; the row goes on saying that nobody knows

    async def _recover(self, row: Edit) -> None:
        documents = await self.open_documents(row.project_id)
        if row.kind in FOLLOWED and await self._recover_text(documents, row):
            return
        workspace = await self.open_workspace(row.project_id)
        made = await was_made(workspace, row)
        status: EditStatus = "pending" if made else "not_written"
        kind: EditKind = "replaced" if made and row.kind in FOLLOWED else row.kind
        async with self.storage.write() as write:
            await self.storage.edits.change(write, [row.id], status=status, kind=kind)
            await self.storage.edits.tell(write, row.project_id, row.id, "updated")
        if made and row.from_path is not None:
            await self.follow_move(row.project_id, row.from_path, row.path)

    async def _recover_text(self, documents: Documents, row: Edit) -> bool:
        """Whether the text has the edit in it."""
        try:
            async with documents.using(row.path) as live:
                if isinstance(live, ReadOnly):
                    return False
                written = characters_by_edit(live).get(row.id, 0)
                if row.id not in live.pending() and not written:
                    return False
                await self.settle(row.project_id, live, own={row.id: "accepted"})
                return True
        except PathNotFound:
            return False

    async def _keep(self, write: WriteTransaction, edit: Edit) -> None:
        await self.storage.edits.change(
            write,
            [edit.id],
            status=edit.status,
            characters=edit.characters,
            added=edit.added,
            removed=edit.removed,
            hunks=edit.hunks,
        )

    async def _tell(
        self, write: WriteTransaction, rows: Sequence[Edit], changed: Sequence[Edit]
    ) -> None:
        now = {row.id: row for row in (*rows, *changed)}
        waiting = [row for row in now.values() if row.status == "pending"]
        first = min(waiting or changed, key=lambda row: row.id)
        action = "updated" if waiting else "deleted"
        await self.storage.edits.tell(write, first.project_id, first.id, action)


def settled(
    rows: Sequence[Edit],
    review_status: ReviewStatus,
    verdicts: Mapping[str, EditStatus],
    own: Mapping[str, EditStatus],
    lost: Mapping[str, int],
) -> list[Edit]:
    """The rows that must change, as they shall be."""
    changed: list[Edit] = []
    for row in rows:
        wanted = replace(row, characters=max(0, row.characters - lost.get(row.id, 0)))
        if row.id in review_status.pending or row.id in own:
            there = review_status.characters.get(row.id, 0)
            wanted = replace(wanted, characters=max(wanted.characters, there))
        if row.kind in FOLLOWED:
            closed_as = verdicts.get(row.id, "undone")
            # Another process may have noticed first that the edit is over, and not why.
            was = replace(row, status="pending") if is_undone_unseen(row, verdicts) else row
            wanted = replace(wanted, status=status_of(was, review_status, closed_as, own))
        counts = review_status.counts if wanted.status == "pending" else ReviewCounts()
        wanted = replace(wanted, added=counts.added, removed=counts.removed, hunks=counts.hunks)
        if wanted != row:
            changed.append(wanted)
    return changed


def is_undone_unseen(row: Edit, verdicts: Mapping[str, EditStatus]) -> bool:
    """Whether an edit that somebody is deciding here was closed as if nobody had."""
    return row.status == "undone" and row.id in verdicts


def status_of(
    row: Edit, review_status: ReviewStatus, closed_as: EditStatus, own: Mapping[str, EditStatus]
) -> EditStatus:
    """What an edit is, by what its document says."""
    if row.id in review_status.pending:
        return "pending"
    if row.id in own:
        return own[row.id]
    if row.kind == "created" and review_status.is_empty and closed_as == "undone":
        return row.status  # its words are gone, but the file that it made is there
    return closed_as if row.status == "pending" else row.status


def kind_of(change: Change) -> EditKind | None:
    """What a change is to people; None for folders, which nobody reviews."""
    if isinstance(change, Moved):
        return "moved"
    states = [state.kind for state in (change.before, change.after) if state is not None]
    if set(states) == {"folder"}:
        return None
    if change.after is None:
        return "deleted"
    if change.before is None:
        return "created" if states == ["file"] else "replaced"
    return "edited" if states == ["file", "file"] else "replaced"


async def was_made(workspace: Workspace, row: Edit) -> bool:
    """Whether a change to a whole file is there."""
    now = await workspace.state(row.path)
    if row.from_path is not None:
        return now is not None and await workspace.state(row.from_path) is None
    if not row.after or now is None:
        return not row.after and now is None
    return now.kind == row.after["kind"] and content_hash(now.data) == row.after["blob"]
