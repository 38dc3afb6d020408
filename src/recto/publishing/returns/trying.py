"""Proposals published and compared with what came back: only what reads the same is kept."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from difflib import SequenceMatcher

from recto.publishing.returns.marking import offsets_of
from recto.publishing.returns.proposals import WAYS, Drafted, ProposalGroup, ReturnProposal
from recto.publishing.returns.source_edits import SourceEdit
from recto.publishing.returns.writing import NoPlace
from recto.word import OBJECT, ContentParagraph

Render = Callable[[Sequence[str]], Awaitable[tuple[ContentParagraph, ...]]]
"""Publishes the parts of a draft and reads the paragraphs of what came of it."""
Key = tuple[str, ...]
MOST_ROUNDS = 40
NOT_THE_SAME = "published from the Markdown, it would not read as it came back"
IN_THE_WAY = "another change of the same place"


def shown(paragraphs: Sequence[ContentParagraph]) -> tuple[ContentParagraph, ...]:
    """Without empty ones, but for those of tables."""
    return tuple(item for item in paragraphs if item.text.strip() or item.where == "cell")


async def try_out(
    drafted: Drafted,
    back: tuple[ContentParagraph, ...],
    groups: list[ProposalGroup],
    parts: Sequence[str],
    render: Render,
) -> None:
    """Publish what is proposed, and refuse what then does not read as it came back."""
    for _ in range(MOST_ROUNDS):
        edits = made_edits(drafted, back, groups)
        if not any(group.trying for group in groups):
            return
        rendered = shown(await render(applied(parts, edits)))
        wrong = wrong_groups(drafted, back, groups, rendered)
        for group in groups:
            if group.trying and group in wrong:
                group.failed(NOT_THE_SAME)
            elif group.trying:
                group.passed()
    for group in groups:
        while group.trying:
            group.refuse(NOT_THE_SAME)


def made_edits(
    drafted: Drafted, back: tuple[ContentParagraph, ...], groups: list[ProposalGroup]
) -> list[SourceEdit]:
    """What is proposed now as edits; what has no place, or is in another's way, is refused."""
    taken: list[SourceEdit] = []
    for group in groups:
        for item in group.proposals:
            try:
                made = drafted.edits(item, back)
            except NoPlace as failure:
                group.drop(item, failure.why)
                continue
            if any(meets(edit, other) for edit in made for other in taken):
                group.drop(item, IN_THE_WAY)
            else:
                taken += made
    return sorted(taken)


def meets(one: SourceEdit, other: SourceEdit) -> bool:
    """Whether two edits are about the same letters."""
    return one.start < other.end and other.start < one.end


def applied(parts: Sequence[str], edits: Sequence[SourceEdit]) -> list[str]:
    """The parts with edits of the joint text."""
    made: list[str] = []
    for offset, part in zip(offsets_of(parts), parts, strict=True):
        here = [edit for edit in edits if offset <= edit.start <= offset + len(part)]
        pieces: list[str] = []
        at = 0
        for edit in here:
            pieces += (part[at : edit.start - offset], edit.new)
            at = edit.end - offset
        made.append("".join((*pieces, part[at:])))
    return made


def wrong_groups(
    drafted: Drafted,
    back: tuple[ContentParagraph, ...],
    groups: list[ProposalGroup],
    rendered: Sequence[ContentParagraph],
) -> set[ProposalGroup]:
    """Those whose paragraphs don't read as they shall."""
    expected = list(expected_paragraphs(drafted, back, groups))
    strict = {at for _, at, _, is_strict in expected if is_strict}
    wanted = [key for key, _, _, _ in expected]
    plain = [plain_key(key_of(item)) for item in rendered]
    matcher = SequenceMatcher(None, [plain_key(key) for key in wanted], plain, autojunk=False)
    wrong: set[ProposalGroup] = set()
    for tag, first, last, other, _ in matcher.get_opcodes():
        if tag == "equal":
            for at in range(last - first):
                owner, sent = expected[first + at][2], expected[first + at][1]
                looks_right = wanted[first + at] == key_of(rendered[other + at])
                if owner is not None and sent in strict and not looks_right:
                    wrong.add(owner)
            continue
        near = {sent for _, sent, _, _ in expected[max(first - 1, 0) : last + 1]}
        owners = {owner for _, _, owner, _ in expected[first:last] if owner is not None}
        if not owners:
            owners = {group for group in groups for item in group.proposals if item.sent in near}
        wrong |= owners
    return wrong


def plain_key(key: Key) -> Key:
    """A key without looks."""
    return tuple(cell.rpartition("\0")[0] for cell in key)


def key_of(item: ContentParagraph) -> Key:
    """A paragraph's letters with their looks."""
    return key_from(cells_of(item))


def key_from(cells: Sequence[tuple[str, str]]) -> Key:
    """Letters with their looks; of several spaces one counts, as in Markdown."""
    kept = [
        cell
        for at, cell in enumerate(cells)
        if cell[0] != " " or (at > 0 and cells[at - 1][0] != " ")
    ]
    while kept and kept[-1][0] == " ":
        kept.pop()
    return tuple("\0".join(cell) for cell in kept)


def cells_of(item: ContentParagraph) -> list[tuple[str, str]]:
    """Each letter, or what stands there instead, with its look."""
    objects = iter(item.objects)
    names = [next(objects) if letter == OBJECT else letter for letter in item.text]
    marks: list[str] = []
    for look in item.looks:
        marks += ["".join(sorted(frozenset(look.marks) - {"u"}))] * look.length
    return [
        (name, "" if letter.isspace() else mark)
        for name, letter, mark in zip(names, item.text, marks, strict=True)
    ]


def expected_paragraphs(
    drafted: Drafted, back: tuple[ContentParagraph, ...], groups: list[ProposalGroup]
) -> Iterator[tuple[Key, int, ProposalGroup | None, bool]]:
    """Each paragraph as it shall read: its key, its number, whose it is, whether looks count."""
    changed: dict[int, ProposalGroup] = {}
    removed: set[int] = set()
    added: dict[int, list[tuple[ReturnProposal, ProposalGroup]]] = {}
    for group in groups:
        for item in group.proposals:
            if item.kind == "added":
                added.setdefault(item.sent, []).append((item, group))
            elif item.kind == "removed":
                removed.add(item.sent)
            else:
                changed[item.sent] = group
    for at in range(-1, len(drafted.sent)):
        if at >= 0 and at not in removed:
            group = changed.get(at)
            if group is None:
                yield key_of(drafted.sent[at]), at, None, False
            else:
                is_strict = all(WAYS[item.way][2] for item in group.proposals)
                yield changed_key(drafted.sent[at], back, group), at, group, is_strict
        for item, group in added.get(at, ()):
            yield key_of(back[item.back]), at, group, False


def changed_key(
    sent: ContentParagraph, back: tuple[ContentParagraph, ...], group: ProposalGroup
) -> Key:
    """A paragraph with what is proposed for it."""
    cells = cells_of(sent)
    words = [item for item in group.proposals if item.kind == "words"]
    for item in group.proposals:
        if item.kind == "look":
            for at in range(item.hunk.start, item.hunk.end):
                name, marks = cells[at]
                kept = frozenset(marks) ^ frozenset(item.marks[-1])
                is_space = sent.text[at].isspace()
                cells[at] = name, "" if is_space else "".join(sorted(kept - {"u"}))
    for item in sorted(words, key=lambda item: item.hunk, reverse=True):
        start, end, new_start, new_end = item.hunk
        cells[start:end] = cells_of(back[item.back])[new_start:new_end]
    return key_from(cells)
