"""A review as people see it: the pending edits of one file, as one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from recto.documents import Hunk, LiveDocument, Unit, unit_of
from recto.reviews.edits import FOLLOWED
from recto.reviews.review_status import ReviewCounts, counted
from recto.storage import Edit, EditKind

Verdict = Literal["accept", "reject"]
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Review:
    """What waits in one file: its pending edits, as one."""

    id: str
    """That of its first edit."""
    path: str
    kind: EditKind
    from_path: str | None
    unit: Unit
    counts: ReviewCounts
    edits: tuple[Edit, ...]
    problem: str | None = None
    """Why it could not be done what was asked for."""


@dataclass(frozen=True, slots=True)
class OpenedReview:
    """A review with its hunks."""

    review: Review
    hunks: tuple[Hunk, ...]
    lines: tuple[int, ...]
    """The line of each hunk, from 1."""


@dataclass(frozen=True, slots=True)
class DocumentReview:
    """What a page that shows a document is told: the review, and the edits it is made of."""

    review_id: str | None
    edits: Mapping[str, Edit]
    pending: frozenset[str]
    hunks: int
    base: str | None
    """The text before the first edit that waits; once it is that again, nothing waits."""

    def is_of(self, live: LiveDocument) -> bool:
        """Whether it still holds for the document."""
        same = (self.pending, self.hunks) == (live.pending(), len(live.hunks()))
        return same and self.base != live.text


def review_of(rows: Sequence[Edit], live: LiveDocument | None) -> Review:
    """The review of the pending edits of one file, the oldest first."""
    first, path = rows[0], rows[0].path
    unit = unit_of(path)
    if live is not None and not live.state.is_gone:
        counts = counted(live.hunks(), live.text, unit)
    else:
        counts = ReviewCounts(first.added, first.removed, first.hunks)
    moved = [row.from_path for row in rows if row.from_path is not None]
    return Review(
        id=first.id,
        path=path,
        kind=kind_of_all(rows),
        from_path=moved[0] if moved else None,
        unit=unit,
        counts=counts,
        edits=tuple(rows),
    )


def kind_of_all(rows: Sequence[Edit]) -> EditKind:
    """What several edits of one file are together."""
    kinds = [row.kind for row in rows]
    if kinds[-1] == "deleted":
        return "deleted"
    if "created" in kinds or not rows[0].before and kinds[0] == "replaced":
        return "created"
    whole = [row for row in rows if row.kind not in FOLLOWED]
    return whole[-1].kind if whole else "edited"


def is_all_new(rows: Sequence[Edit], live: LiveDocument, chosen: Collection[str]) -> bool:
    """Whether a run made the file, and without the chosen edits nothing would be in it."""
    made = any(row.kind == "created" for row in rows)
    return made and live.pending() <= set(chosen) and not live.reviewed_text()


def with_problem(review: Review, problems: Mapping[str, str]) -> Review:
    """A review with what went wrong in its file."""
    return replace(review, problem=problems.get(review.path))


def by_path(rows: Sequence[Edit]) -> list[tuple[str, list[Edit]]]:
    """Edits by file."""
    return grouped(rows, lambda row: row.path)


def grouped(rows: Sequence[Edit], key: Callable[[Edit], K]) -> list[tuple[K, list[Edit]]]:
    """Edits that have something in common, in the order in which that first came."""
    found: dict[K, list[Edit]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return list(found.items())
