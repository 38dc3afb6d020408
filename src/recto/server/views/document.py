"""Live documents as pages are told of them: how one stands to its file, and what waits in it."""

from dataclasses import dataclass

import anyio

from recto.documents import DocumentState, LiveDocument
from recto.reviews import Edit, Reviews


@dataclass(frozen=True, slots=True)
class Reviewing:
    """The reviews of the project that a page shows."""

    reviews: Reviews
    project_id: str

    async def presented(self, document: LiveDocument) -> dict[str, object]:
        """What waits in a document, as pages read it."""
        seen = await self.reviews.seen(self.project_id, document)
        while seen.pending != document.pending():  # somebody was faster
            seen = await self.reviews.seen(self.project_id, document)
        hunks = document.hunks()
        places = document.hunk_places(hunks)
        return {
            "review": seen.review_id,
            "hunks": [
                {
                    "id": hunk.id,
                    "from": start,
                    "to": end,
                    "old": hunk.old,
                    "new": hunk.new,
                    "by": [
                        presented_edit(edit, seen.edits.get(edit)) for edit in sorted(hunk.edits)
                    ],
                }
                for hunk, (start, end) in zip(hunks, places, strict=True)
            ],
        }

    async def leave(self, document: LiveDocument) -> None:
        """The page shows the document no longer."""
        with anyio.CancelScope(shield=True):
            await self.reviews.left(self.project_id, document)


def presented_edit(edit_id: str, edit: Edit | None) -> dict[str, object]:
    """Whose edit a hunk is."""
    return {
        "editId": edit_id,
        "model": "" if edit is None else edit.model_name,
        "at": 0 if edit is None else edit.at_ms,
    }


def presented(state: DocumentState) -> dict[str, object]:
    """A state as pages read it."""
    conflict = state.conflict
    return {
        "saved": state.is_saved,
        "saving": state.is_saving,
        "gone": state.is_gone,
        "problem": state.problem,
        "needsUtf8": state.needs_utf8,
        "theirs": None if conflict is None else conflict.theirs.text,
    }
