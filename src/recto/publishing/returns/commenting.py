"""What was said beside a document that came back, at its place in the Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recto.publishing.returns.planning import PlannedChange, ReturnPlan
from recto.publishing.returns.source_edits import SourceEdit
from recto.publishing.returns.words import ParagraphHunk, differences
from recto.word import ContentComment, ContentParagraph


@dataclass(frozen=True, slots=True)
class PlacedComment:
    """A comment, and the Markdown that it is about; without a place, `start` is -1."""

    comment: ContentComment
    start: int = -1
    end: int = -1
    inside: SourceEdit | None = None
    """The edit that brings the words which it is about."""

    @property
    def body(self) -> str:
        """What was said, and by whom."""
        said = [(self.comment.author, self.comment.text), *self.comment.answers]
        return "\n\n".join(f"{author}: {text}" for author, text in said)


def placed_comments(
    plan: ReturnPlan, paragraphs: Sequence[ContentParagraph], comments: Sequence[ContentComment]
) -> Iterator[PlacedComment]:
    """Each comment at its place; `paragraphs` are all that the document has."""
    numbers = {id(item): at for at, item in enumerate(plan.back)}
    for comment in comments:
        first = numbers.get(id(paragraphs[comment.paragraph])) if comment.paragraph >= 0 else None
        last = numbers.get(id(paragraphs[comment.last])) if comment.last >= 0 else None
        if first is None or last is None:
            yield PlacedComment(comment)
            continue
        end = comment.end if last == first else len(plan.back[first].text)
        yield placed(plan, comment, first, comment.start, end)


def placed(
    plan: ReturnPlan, comment: ContentComment, number: int, start: int, end: int
) -> PlacedComment:
    """A comment about letters of a paragraph that came back."""
    sent = plan.sent_as.get(number)
    if sent is None:
        change = next(
            (item for item in plan.changes if item.edits and item.proposal.back == number), None
        )
        if change is None:
            return PlacedComment(comment)
        edit = change.edits[0]
        return PlacedComment(comment, edit.start, edit.end, edit)
    found = plan.drafted.maps[sent]
    hunks = differences(plan.drafted.sent[sent], plan.back[number])
    first, last = was_at(hunks, start, ends=False), was_at(hunks, end, ends=True)
    if found is None or not found.spans:
        return PlacedComment(comment)
    if first >= last:
        change = brought_at(plan, sent, start, end)
        if change is not None:
            edit = change.edits[0]
            return PlacedComment(comment, edit.start, edit.end, edit)
        first = max(min(first, len(found.spans) - 1), 0)
        last = first + 1
    spans = found.spans[first:last]
    place = min(span.start for span in spans), max(span.end for span in spans)
    return PlacedComment(comment, *place) if place[0] < place[1] else PlacedComment(comment)


def was_at(hunks: Sequence[ParagraphHunk], place: int, *, ends: bool) -> int:
    """Where a place of a paragraph that came back was when it was sent."""
    shift = 0
    for hunk in hunks:
        if hunk.new_end <= place if not ends else hunk.new_end < place:
            shift = hunk.end - hunk.new_end
        elif hunk.new_start < place:
            return hunk.end if ends else hunk.start
        else:
            break
    return place + shift


def brought_at(plan: ReturnPlan, sent: int, start: int, end: int) -> PlannedChange | None:
    """The change that brought new words between two places."""
    return next(
        (
            item
            for item in plan.changes
            if item.proposal.sent == sent
            and item.proposal.kind == "words"
            and item.edits
            and item.proposal.hunk.new_start < end
            and start < item.proposal.hunk.new_end
        ),
        None,
    )
