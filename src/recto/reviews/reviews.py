"""Reviews: what waits in each file, and a person's yes or no to it, by hunk, file, run or all."""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from recto.documents import Hunk, LiveDocument, NoSuchHunk, ReadOnly
from recto.reviews.calls import lost
from recto.reviews.citation_checks import HeldPassage
from recto.reviews.commits import Commits
from recto.reviews.edits import FOLLOWED, PUT_BACK, Edits
from recto.reviews.failures import NoReview, NotPutBack, ReviewFailure
from recto.reviews.review import (
    DocumentReview,
    OpenedReview,
    Review,
    Verdict,
    by_path,
    grouped,
    is_all_new,
    review_of,
    with_problem,
)
from recto.reviews.review_status import characters_by_edit
from recto.reviews.whole_files import TakeBack, UnchangedPath, changes_of, made_file
from recto.storage import Edit
from recto.workspace import PathNotFound, WorkspaceFailure

HELD_BACK = (
    "A citation could not be verified. Find a source for it, or accept that passage by itself."
)


class Reviews:
    """All that waits for a person."""

    def __init__(self, edits: Edits, take_back: TakeBack, commits: Commits | None = None) -> None:
        self._edits = edits
        self._store = edits.storage.edits
        self._take_back = take_back
        self._commits = commits
        self._seen: dict[tuple[str, str], DocumentReview] = {}

    async def list(self, project_id: str) -> tuple[Review, ...]:
        """The files with something to review, that with the oldest edit first."""
        await self._edits.storage.projects.get(project_id)
        rows = await self._store.with_status("pending", project_id)
        documents = await self._edits.open_documents(project_id) if rows else None
        found = [
            review_of(group, documents.find(path) if documents is not None else None)
            for path, group in by_path(rows)
        ]
        return tuple(sorted(found, key=lambda review: review.id))

    async def get(self, review_id: str) -> OpenedReview:
        """A review and its hunks. Raises NoReview."""
        rows = await self._waiting(review_id)
        async with self._document(rows[0]) as live:
            rows = await self._waiting(review_id)  # looking at the file may have ended it
            if live is None:
                return OpenedReview(review_of(rows, None), (), ())
            hunks, text = live.hunks(), live.text
            lines = tuple(text.count("\n", 0, hunk.start) + 1 for hunk in hunks)
            return OpenedReview(review_of(rows, live), hunks, lines)

    async def decide(
        self, review_id: str, verdict: Verdict, hunks: Collection[str] | None = None
    ) -> Review | None:
        """Say yes or no to a review, or to some of its hunks; what is left of it.

        Raises NoReview, NoSuchHunk, NotPutBack, and a WorkspaceFailure.
        """
        rows = await self._waiting(review_id)
        if hunks is not None:
            await self._decide_hunks(rows, verdict, hunks)
        else:
            left = await self._decide_rows(rows, verdict)
            if left:
                raise not_put_back(left[0])
        await self._commit(rows, verdict)
        rows = await self._store.some([row.id for row in rows])
        waiting = await self._of_path(rows[0])
        if not waiting:
            return None
        is_held = hunks is None and verdict == "accept"
        problems = {rows[0].path: HELD_BACK} if is_held else {}
        return with_problem(await self._review(waiting), problems)

    async def decide_all(
        self, project_id: str, verdict: Verdict, run_id: str | None = None
    ) -> tuple[Review, ...]:
        """Say yes or no to everything of a project, or of one run; what is left in the project.

        What can't be done keeps waiting, and says why.
        """
        await self._edits.storage.projects.get(project_id)
        rows = await self._store.with_status("pending", project_id)
        rows = tuple(row for row in rows if run_id in (None, row.run_id))
        whole = [row for row in rows if row.kind not in FOLLOWED]
        left = await self._decide_whole(whole, verdict)
        # What was moved back took its edits along.
        texts = await self._store.some([row.id for row in rows if row.kind in FOLLOWED])
        problems = await self._decide_each([r for r in texts if r.status == "pending"], verdict)
        if left:  # a file that a run made may have stood in the way, and is gone now
            again = await self._store.some([row.id for row in whole])
            still = [row for row in again if row.status == "pending"]
            left = await self._decide_whole(still, verdict)
        problems |= {item.path: item.words for item in left}
        await self._commit(rows, verdict)
        return tuple(with_problem(item, problems) for item in await self.list(project_id))

    async def seen(self, project_id: str, live: LiveDocument) -> DocumentReview:
        """What waits in a document that somebody shows; the rows follow what it says."""
        key = project_id, live.path
        known = self._seen.get(key)
        if known is not None and known.is_of(live):
            return known
        await self._edits.settle(project_id, live)
        pending, hunks = live.pending(), len(live.hunks())
        base = await self._edits.base_of(project_id, live)
        rows = await self._store.of_path(project_id, live.path)
        waiting = [row.id for row in rows if row.status == "pending"]
        by_id = {row.id: row for row in rows}
        seen = DocumentReview(waiting[0] if waiting else None, by_id, pending, hunks, base)
        self._seen[key] = seen
        return seen

    async def left(self, project_id: str, live: LiveDocument) -> None:
        """Nobody of a page shows the document any more: what it says is written down."""
        self._seen.pop((project_id, live.path), None)
        await self._edits.settle(project_id, live)

    async def project_of(self, run_id: str) -> str:
        """The project that a run belongs to. Raises PathNotFound."""
        storage = self._edits.storage
        run = await storage.runs.get(run_id)
        return (await storage.chats.get(run.chat_id)).project_id

    async def _waiting(self, review_id: str) -> tuple[Edit, ...]:
        """The edits that wait together with this one. Raises NoReview."""
        edit = await self._store.get(review_id)
        if edit.status != "pending":
            raise NoReview
        return await self._of_path(edit)

    async def _of_path(self, edit: Edit) -> tuple[Edit, ...]:
        rows = await self._store.of_path(edit.project_id, edit.path)
        return tuple(row for row in rows if row.status == "pending")

    async def _commit(self, rows: Sequence[Edit], verdict: Verdict) -> None:
        """A run of which nothing waits any more may become a commit."""
        if verdict == "accept" and self._commits is not None:
            await self._commits.consider({row.run_id for row in rows})

    async def _review(self, rows: Sequence[Edit]) -> Review:
        documents = await self._edits.open_documents(rows[0].project_id)
        return review_of(rows, documents.find(rows[0].path))

    @asynccontextmanager
    async def _document(self, row: Edit) -> AsyncGenerator[LiveDocument | None]:
        """The live document of an edit; None when its file is gone, or no text any more."""
        documents = await self._edits.open_documents(row.project_id)
        async with AsyncExitStack() as stack:
            live: LiveDocument | ReadOnly | None = None
            with suppress(PathNotFound):
                live = await stack.enter_async_context(documents.using(row.path))
            if isinstance(live, LiveDocument) and not live.state.is_gone:
                await self._edits.settle(row.project_id, live)
                yield live
            else:
                yield None

    async def _decide_rows(self, rows: Sequence[Edit], verdict: Verdict) -> Sequence[UnchangedPath]:
        """Everything of one file."""
        left = await self._decide_whole([r for r in rows if r.kind not in FOLLOWED], verdict)
        texts = await self._store.some([row.id for row in rows if row.kind in FOLLOWED])
        if texts and not left:
            await self._decide_texts(texts, verdict)
        return left

    async def _decide_each(self, rows: Sequence[Edit], verdict: Verdict) -> dict[str, str]:
        """Edits of texts, file by file; what went wrong, by path."""
        problems: dict[str, str] = {}
        for path, group in by_path(rows):
            try:
                if await self._decide_texts(group, verdict):
                    problems[path] = HELD_BACK
            except (ReviewFailure, WorkspaceFailure) as failure:
                problems[path] = failure.message
        return problems

    async def _decide_whole(
        self, rows: Sequence[Edit], verdict: Verdict
    ) -> Sequence[UnchangedPath]:
        """Files as a whole: a yes keeps them, a no puts them back. Answers what was left."""
        if not rows:
            return ()
        if verdict == "accept":
            await self._edits.close(rows, "accepted")
            return ()
        left: list[UnchangedPath] = []
        for chat_id, group in grouped(rows, lambda row: row.chat_id):
            workspace = await self._edits.open_workspace(group[0].project_id)
            changes = await changes_of(group, workspace, self._edits.storage)
            try:
                left += await self._take_back(group[0].project_id, chat_id, changes)
            except ReviewFailure as failure:
                left += [UnchangedPath(row.path, failure.message, failure.remedy) for row in group]
        kept = {item.path for item in left}
        await self._edits.close([row for row in rows if row.path not in kept], "rejected")
        return left

    async def _decide_texts(self, rows: Sequence[Edit], verdict: Verdict) -> bool:
        """Edits of one text, all of each; whether an unverified citation was left out.

        Raises a failure when that can't be done.
        """
        async with self._document(rows[0]) as live:
            if live is None:
                if verdict == "reject":
                    raise not_put_back(UnchangedPath(rows[0].path, "The file is gone."))
                await self._edits.close(rows, "accepted")
                return False
            mine = live.pending() & {row.id for row in rows}
            before = characters_by_edit(live)
            if verdict == "accept":
                # All of them: a file that was made and emptied again has no words that wait.
                with self._edits.deciding({row.id for row in rows}, "accepted"):
                    is_held = await self._accept(rows[0].project_id, live, mine)
                    await self._edits.settle(rows[0].project_id, live)
                return is_held
            if is_all_new(rows, live, mine):
                await self._remove(rows, live)
            else:
                with self._edits.deciding(mine, "rejected"):
                    await live.reject(edits=mine, origin=PUT_BACK)
                    await self._edits.settle(rows[0].project_id, live, lost=lost(before, live))
            return False

    async def _accept(self, project_id: str, live: LiveDocument, edits: Collection[str]) -> bool:
        """Accept edits but for what they cite and nobody verified; whether there was any."""
        while True:
            text = live.text
            spans = await self._held_back(project_id, live, text)
            if not spans:
                await live.accept(edits=edits)
                return False
            # Somebody may type while the library is asked.
            if await live.accept_but(spans, edits=edits, text=text):
                return True

    async def _held_back(
        self, project_id: str, live: LiveDocument, text: str
    ) -> Sequence[tuple[int, int]]:
        """The places of a text that an edit brought and that must be looked at one by one."""
        if self._edits.citations is None:
            return ()
        found = await self._edits.citations.held_back(project_id, live.path, text)
        return [
            (passage.start, passage.end)
            for passage in found
            if any(brings(hunk, passage, text) for hunk in live.hunks())
        ]

    async def _decide_hunks(
        self, rows: Sequence[Edit], verdict: Verdict, hunks: Collection[str]
    ) -> None:
        async with self._document(rows[0]) as live:
            if live is None:
                raise NoSuchHunk
            known = {hunk.id for hunk in live.hunks()}
            if (
                verdict == "reject"
                and known <= set(hunks)
                and is_all_new(rows, live, live.pending())
            ):
                await self._remove(rows, live)
                return
            before, mine = characters_by_edit(live), live.pending()
            if verdict == "accept":
                with self._edits.deciding(mine, "accepted"):
                    await live.accept(hunks=hunks)
                    await self._edits.settle(rows[0].project_id, live)
            else:
                with self._edits.deciding(mine, "rejected"):
                    await live.reject(hunks=hunks, origin=PUT_BACK)
                    await self._edits.settle(rows[0].project_id, live, lost=lost(before, live))

    async def _remove(self, rows: Sequence[Edit], live: LiveDocument) -> None:
        """A file that a run made, and of which nothing would be left, goes as a whole."""
        await live.save(asked=True)
        workspace = await self._edits.open_workspace(rows[0].project_id)
        made = await made_file(workspace, rows[0].path)
        left = await self._take_back(rows[0].project_id, rows[0].chat_id, (made,))
        if left:
            raise not_put_back(left[0])
        await live.check_disk()
        await self._edits.close(rows, "rejected")


def brings(hunk: Hunk, passage: HeldPassage, text: str) -> bool:
    """Whether it is a hunk that gives the reason to hold a passage back."""
    start, end = passage.cause_start, passage.cause_end
    if not (hunk.start < end and start < hunk.end):
        return False
    if not (hunk.start <= start and end <= hunk.end):
        return True
    cause = text[start:end]
    return hunk.new.count(cause) > hunk.old.count(cause)


def not_put_back(left: UnchangedPath) -> NotPutBack:
    """The failure for a path that was left as it is."""
    return NotPutBack(left.path, left.words, left.remedy)
