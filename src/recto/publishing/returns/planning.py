"""A document that came back as edits of its draft, each tried before it is offered.

What is proposed is published anew and compared with the document, paragraph by paragraph: only
what reads there as it came back is offered. So a wrong guess is told, and never made.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from recto.publishing.returns.finding import find_changes
from recto.publishing.returns.marking import JOINT, marked, offsets_of, unmarked
from recto.publishing.returns.proposals import WAYS, Drafted, ReturnProposal
from recto.publishing.returns.source_edits import SourceEdit
from recto.publishing.returns.source_map import SourceMap, guessed_anchors, mapped
from recto.publishing.returns.trying import Render, shown, try_out
from recto.word import OBJECT, ContentParagraph, DocumentContents

SHORTEST_KNOWN = 4
SHORTEST_MOVED = 20


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A thing that was changed, in words, and its edits of the Markdown; why, if it has none."""

    proposal: ReturnProposal
    old: str
    new: str
    edits: tuple[SourceEdit, ...] = ()
    why: str = ""
    has_other_look: bool = False


@dataclass(frozen=True, slots=True)
class ReturnPlan:
    """What came back."""

    drafted: Drafted
    back: tuple[ContentParagraph, ...]
    sent_as: dict[int, int]
    changes: tuple[PlannedChange, ...]

    @property
    def edits(self) -> list[SourceEdit]:
        """All edits of the Markdown, in order."""
        return sorted(edit for item in self.changes for edit in item.edits)


async def plan_return(
    parts: Sequence[str],
    sent: Sequence[ContentParagraph],
    contents: DocumentContents,
    render: Render,
) -> ReturnPlan:
    """What was changed since the parts of a draft were sent as these paragraphs."""
    sent, back = shown(sent), shown(contents.paragraphs)
    groups, sent_as = find_changes(sent, back)
    drafted = Drafted(JOINT.join(parts), sent, (None,) * len(sent), {})
    if groups or contents.comments:
        letters, places = marked(parts)
        maps = source_maps(parts, sent, await render(letters), places)
        drafted = Drafted(drafted.source, sent, maps, known_parts(drafted.source, sent, maps))
        await try_out(drafted, back, groups, parts, render)
    made = [item for group in groups for item in group.accepted if not item.is_led]
    changes = [planned(drafted, back, item) for item in made]
    changes += [planned(drafted, back, item) for group in groups for item in group.refused]
    return ReturnPlan(drafted, back, sent_as, tuple(changes))


def source_maps(
    parts: Sequence[str],
    sent: Sequence[ContentParagraph],
    lettered: Sequence[ContentParagraph],
    places: list[int],
) -> tuple[SourceMap | None, ...]:
    """Where each paragraph comes from."""
    source = JOINT.join(parts)
    read = [unmarked(item.text, places) for item in shown(lettered)]
    anchors: dict[int, list[tuple[int, int]]] = {}
    matcher = SequenceMatcher(
        None, [item.text for item in sent], [text for text, _ in read], autojunk=False
    )
    for first, other, size in matcher.get_matching_blocks():
        anchors |= {first + at: read[other + at][1] for at in range(size)}
    maps: list[SourceMap | None] = []
    for at, item in enumerate(sent):
        found = anchors.get(at)
        if found:
            low, high = part_around(parts, found[0][1])
            maps.append(mapped(item.text, source, found, low, high))
        else:
            maps.append(None)
    for at, item in enumerate(sent):
        if maps[at] is None and item.where != "margin":
            maps[at] = guessed_map(item, source, parts, maps, at)
    return tuple(maps)


def guessed_map(
    item: ContentParagraph,
    source: str,
    parts: Sequence[str],
    maps: Sequence[SourceMap | None],
    at: int,
) -> SourceMap | None:
    """A paragraph looked for between its neighbours."""
    before = next((found for found in reversed(maps[:at]) if found is not None), None)
    after = next((found for found in maps[at + 1 :] if found is not None), None)
    start = before.end if before else 0
    end = after.start if after else len(source)
    if start >= end:
        return None
    anchors = guessed_anchors(item.text, source, start, end)
    if not anchors:
        return None
    low, high = part_around(parts, anchors[0][1])
    return mapped(item.text, source, anchors, max(low, start), min(high, end))


def part_around(parts: Sequence[str], place: int) -> tuple[int, int]:
    """Where the part begins and ends that a place lies in."""
    for offset, part in zip(offsets_of(parts), parts, strict=True):
        if offset <= place <= offset + len(part):
            return offset, offset + len(part)
    raise ValueError("a place in no part")


def known_parts(
    source: str, sent: Sequence[ContentParagraph], maps: Sequence[SourceMap | None]
) -> dict[str, str]:
    """What is made of something else, and whole paragraphs: of what Markdown they are made."""
    found: dict[str, set[str]] = {}
    for item, map_ in zip(sent, maps, strict=True):
        if map_ is None:
            continue
        objects = iter(item.objects)
        names = [next(objects) if letter == OBJECT else "" for letter in item.text]
        for start, end in made_things(map_):
            written = source[map_.spans[start].start : map_.spans[start].end]
            text = item.text[start:end]
            name = names[start] if text == OBJECT else text
            usable = OBJECT not in name and name != "note" and len(name.strip()) >= SHORTEST_KNOWN
            if usable and written.strip() and text == text.strip():
                found.setdefault(name, set()).add(written)
        if len(item.text) >= SHORTEST_MOVED and OBJECT not in item.text and item.where == "body":
            found.setdefault(item.text, set()).add(source[map_.start : map_.end])
    return {name: written.pop() for name, written in found.items() if len(written) == 1}


def made_things(map_: SourceMap) -> Iterator[tuple[int, int]]:
    """Where each thing that was made begins and ends."""
    at = 0
    while at < len(map_.spans):
        to = at + 1
        made = map_.spans[at].made
        while to < len(map_.spans) and made and map_.spans[to].made == made:
            to += 1
        if made:
            yield at, to
        at = to


def planned(
    drafted: Drafted, back: tuple[ContentParagraph, ...], item: ReturnProposal
) -> PlannedChange:
    """A proposal in words."""
    hunk = item.hunk
    match item.kind:
        case "removed":
            old, new = drafted.sent[item.sent].text, ""
        case "added":
            old, new = "", back[item.back].text
        case "level":
            old, new = drafted.sent[item.sent].text, back[item.back].text
        case _:
            old = drafted.sent[item.sent].text[hunk.start : hunk.end]
            new = back[item.back].text[hunk.new_start : hunk.new_end]
    if item.kind == "look":
        new = old
    if item.rows and not item.why:
        cells = drafted.sent if item.kind == "removed" else back
        told = "\n".join(" | ".join(cells[at].text for at in row) for row in item.rows)
        old, new = (told, "") if item.kind == "removed" else ("", told)
    if item.why:
        return PlannedChange(item, old, new, why=item.why)
    edits = tuple(drafted.edits(item, back))
    return PlannedChange(item, old, new, edits, has_other_look=not WAYS[item.way][2])
