"""Reviews, authorship and versions as the API tells them."""

from recto import reviews
from recto.documents import to_utf16
from recto.server.schemas.documents.reviews import (
    Author,
    Authorship,
    AuthorSpan,
    OpenedReview,
    Review,
    ReviewEdit,
    ReviewHunk,
    Version,
)


def present_review(review: reviews.Review) -> Review:
    """A review."""
    counts = review.counts
    return Review(
        id=review.id,
        path=review.path,
        kind=review.kind,
        from_path=review.from_path,
        unit=review.unit,
        added=counts.added,
        removed=counts.removed,
        hunk_count=counts.hunks,
        edits=[present_edit(edit) for edit in review.edits],
        problem=review.problem,
    )


def present_edit(edit: reviews.Edit) -> ReviewEdit:
    """An edit of a review."""
    return ReviewEdit(
        id=edit.id,
        chat_id=edit.chat_id,
        turn_id=edit.run_id,
        call_id=edit.call_id,
        tool=edit.tool,
        model=edit.model_name,
        prompt_hash=edit.prompt_hash,
        at=edit.at_ms,
    )


def present_opened(opened: reviews.OpenedReview) -> OpenedReview:
    """A review with its hunks."""
    return OpenedReview(
        review=present_review(opened.review),
        hunks=[
            ReviewHunk(id=hunk.id, line=line, old=hunk.old, new=hunk.new, edits=sorted(hunk.edits))
            for hunk, line in zip(opened.hunks, opened.lines, strict=True)
        ],
    )


def present_authorship(found: reviews.Authorship) -> Authorship:
    """Who wrote a text, in the units that a page counts."""
    at = 0
    spans: list[AuthorSpan] = []
    for passage in found.passages:
        words = found.text[passage.start : passage.end]
        start, at = at, at + to_utf16(words, len(words))
        spans.append(AuthorSpan(start=start, end=at, author=passage.writer))
    return Authorship(
        path=found.path,
        spans=spans,
        authors=[present_writer(writer) for writer in found.writers],
        characters=len(found.text),
        by_ai=found.by_ai,
        ai_edited_since=found.ai_edited_since,
    )


def present_writer(writer: reviews.PassageWriter) -> Author:
    """An author; with the edit or the suggestion, if it was an AI's and is known."""
    edit, suggestion = writer.edit, writer.suggestion
    if suggestion is not None:
        return Author(
            kind=writer.kind,
            model=suggestion.model_name,
            prompt_hash=suggestion.prompt_hash,
            at=suggestion.at_ms,
        )
    if edit is None:
        return Author(kind=writer.kind)
    return Author(
        kind=writer.kind,
        edit_id=edit.id,
        chat_id=edit.chat_id,
        turn_id=edit.run_id,
        model=edit.model_name,
        prompt_hash=edit.prompt_hash,
        at=edit.at_ms,
    )


def present_version(edit: reviews.Edit) -> Version:
    """An edit as a version. One that is being written is not written yet."""
    return Version(
        id=edit.id,
        at=edit.at_ms,
        tool=edit.tool,
        model=edit.model_name,
        chat_id=edit.chat_id,
        turn_id=edit.run_id,
        kind=edit.kind,
        status="not_written" if edit.status == "writing" else edit.status,
    )
