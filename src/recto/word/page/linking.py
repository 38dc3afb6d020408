"""Words that lead to an address, and words that no longer do."""

from collections.abc import Sequence
from urllib.parse import urlsplit
from xml.sax.saxutils import quoteattr

from recto.word.changes.hunks import WordHunk
from recto.word.changes.runs import cut_out
from recto.word.changes.tracked_text import check_letters, within
from recto.word.failures import EditRefused
from recto.word.ooxml.document import Relation, WordDocument, with_row
from recto.word.ooxml.names import (
    RELATIONSHIPS,
    STRICT_RELATIONSHIPS,
    STRICT_WORD,
    Element,
    kind,
    make,
    word_space,
)
from recto.word.ooxml.segments import Segment
from recto.word.view import ShownParagraph

SCHEMES = ("http", "https", "mailto")
MAX_ADDRESS = 2000


def link_runs(
    document: WordDocument,
    item: ShownParagraph,
    segments: Sequence[Segment],
    place: tuple[int, int],
    address: str,
) -> None:
    """Make words lead to an address; to none if it is empty. Word does not track this."""
    if item.story.name != document.main:
        raise EditRefused("Links in notes can only be made in Word.")
    item.story.touch(item.element)
    runs: list[Element] = []
    for segment, first, last in reversed(within(segments, WordHunk(*place, ""))):
        if first < last:
            runs = [*cut_out(segment, first, last), *runs]
    for run in runs:
        parent = run.getparent()
        if parent is not None and kind(parent) == "hyperlink":
            unlink(parent)
    if not address:
        return
    name = add_address(document, address)
    link: Element | None = None
    for run in runs:
        if link is None or link.getnext() is not run:
            link = make(run, "hyperlink")
            space = STRICT_RELATIONSHIPS if word_space(run) == STRICT_WORD else RELATIONSHIPS
            link.set(f"{{{space}}}id", name)
            run.addprevious(link)
        link.append(run)


def unlink(link: Element) -> None:
    """Leave the words of a link where they are, and take the link away."""
    parent = link.getparent()
    if parent is None:
        return
    for item in list(link):
        link.addprevious(item)
    parent.remove(link)


def add_address(document: WordDocument, address: str) -> str:
    """Have the package name an address; answers the relationship's id. Raises EditRefused."""
    check_letters(address)
    if urlsplit(address).scheme.casefold() not in SCHEMES or len(address) > MAX_ADDRESS:
        raise EditRefused("A link begins with https://, http:// or mailto:.")
    known = next(
        (item.id for item in document.relations.values()
         if item.kind == "hyperlink" and item.is_external and item.target == address), None,
    )  # fmt: skip
    if known is not None:
        return known
    new = document.new_relation_id()
    row = (
        f'<Relationship Id="{new}" Type="{RELATIONSHIPS}/hyperlink" '
        f'Target={quoteattr(address)} TargetMode="External"/>'
    )
    file = document.relations_file()
    document.put(file, with_row(document.part(file), row, file))
    document.relations[new] = Relation(new, "hyperlink", address, is_external=True)
    return new
