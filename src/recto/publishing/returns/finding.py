"""What was changed in a document that came back, paragraph by paragraph."""

from collections import Counter
from collections.abc import Iterator, Sequence

from recto.publishing.returns.alignment import paired
from recto.publishing.returns.blocks import HEADING
from recto.publishing.returns.proposals import ProposalGroup, ReturnProposal
from recto.publishing.returns.words import ParagraphHunk, differences
from recto.publishing.returns.writing import look_at
from recto.word import ContentParagraph

LOOKS = "bisc^,u"


def find_changes(
    sent: Sequence[ContentParagraph], back: Sequence[ContentParagraph]
) -> tuple[list[ProposalGroup], dict[int, int]]:
    """The changes of each paragraph, and which that came back is which that was sent."""
    pairs = paired(sent, back)
    by_back = {new: old for old, new in pairs}
    kept = {old for old, _ in pairs}
    groups = [
        ProposalGroup([ReturnProposal("removed", at)])
        for at, item in enumerate(sent)
        if at not in kept and item.where != "margin"
    ]
    above = -1
    for at, item in enumerate(back):
        if at in by_back:
            above = by_back[at]
            found = list(changes_of(above, at, sent[above], item))
            groups += [ProposalGroup(found)] if found else []
        else:
            groups.append(ProposalGroup([ReturnProposal("added", above, at)]))
    return [*with_rows(groups, sent, back)], by_back


def with_rows(
    groups: Sequence[ProposalGroup],
    sent: Sequence[ContentParagraph],
    back: Sequence[ContentParagraph],
) -> Iterator[ProposalGroup]:
    """The changes, those of the cells of whole rows together."""
    sizes = Counter(("removed", item.row) for item in sent)
    sizes += Counter(("added", item.row) for item in back)
    rows: dict[tuple[str, int], list[ReturnProposal]] = {}
    for group in groups:
        for item in group.trying:
            row = row_of(item, sent, back)
            if row:
                rows.setdefault((item.kind, row), []).append(item)
    whole = {key for key, items in rows.items() if len(items) == sizes[key]}
    blocks: dict[tuple[str, int], ProposalGroup] = {}
    for group in groups:
        (item, *_) = group.trying
        key = item.kind, row_of(item, sent, back)
        if key not in whole:
            yield group
            continue
        # Rows that came at one place are written together, in their order.
        place = (item.kind, item.sent if item.kind == "added" else key[1])
        if place in blocks:
            blocks[place].trying += group.trying
        else:
            blocks[place] = group
    for block in blocks.values():
        numbers: dict[int, list[int]] = {}
        for item in block.trying:
            number = item.sent if item.kind == "removed" else item.back
            numbers.setdefault(row_of(item, sent, back), []).append(number)
        for item in block.trying:
            item.rows = tuple(map(tuple, numbers.values()))
        yield block


def row_of(
    item: ReturnProposal, sent: Sequence[ContentParagraph], back: Sequence[ContentParagraph]
) -> int:
    """The row whose cell came or went; 0 for anything else."""
    if item.kind == "removed":
        return sent[item.sent].row
    return back[item.back].row if item.kind == "added" else 0


def changes_of(
    at: int, to: int, sent: ContentParagraph, back: ContentParagraph
) -> Iterator[ReturnProposal]:
    """What differs between two forms of a paragraph."""
    hunks = differences(sent, back)
    for hunk in hunks:
        yield ReturnProposal("words", at, to, hunk)
    # By its level: programs write the names of styles in letters of their own.
    if level_of(sent) != level_of(back):
        yield ReturnProposal("level", at, to)
    for start, end, new_start in unchanged(sent, back, hunks):
        for first, last, marks in looks_between(sent, back, start, end, new_start):
            yield ReturnProposal("look", at, to, ParagraphHunk(first, last, first, last), marks)


def level_of(item: ContentParagraph) -> str:
    """The level of a heading; empty for any other paragraph."""
    found = HEADING.match(item.style)
    return found[1] if found else ""


def unchanged(
    sent: ContentParagraph, back: ContentParagraph, hunks: Sequence[ParagraphHunk]
) -> Iterator[tuple[int, int, int]]:
    """The letters that are the same, and where they stand now."""
    at = to = 0
    for hunk in hunks:
        yield at, hunk.start, to
        at, to = hunk.end, hunk.new_end
    yield at, len(sent.text), to


def looks_between(
    sent: ContentParagraph, back: ContentParagraph, start: int, end: int, new_start: int
) -> Iterator[tuple[int, int, str]]:
    """Letters that look otherwise now: from, to, and the sign of the look."""
    if sent.looks == back.looks and start == new_start:
        return
    before = [look_at(sent, at) for at in range(start, end)]
    after = [look_at(back, new_start + at - start) for at in range(start, end)]
    words = sent.text[start:end]
    for mark in LOOKS:
        for way, old, new in (("", before, after), ("-", after, before)):
            at = 0
            while at < len(words):
                to = at
                while to < len(words) and mark in new[to] and mark not in old[to]:
                    to += 1
                run = words[at:to]
                if run.strip():
                    lead = len(run) - len(run.lstrip())
                    yield start + at + lead, start + at + len(run.rstrip()), way + mark
                at = max(to, at + 1)
