"""What was changed in a document that came back, paragraph by paragraph."""

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
    return groups, by_back


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
