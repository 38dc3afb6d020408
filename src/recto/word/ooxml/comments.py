"""Comments as Word keeps them: who said what about which words, answers, and what is resolved."""

from collections.abc import Iterator
from dataclasses import dataclass

from recto.word.ooxml.document import WordDocument, is_on
from recto.word.ooxml.names import WORD_2010, Element, attribute, children, kind, parse, within
from recto.word.ooxml.segments import letters

COMMENTS = "comments"
EXTENDED = "commentsExtended"
WORD_2012 = "http://schemas.microsoft.com/office/word/2012/wordml"
PARAGRAPH_ID = f"{{{WORD_2010}}}paraId"
MAX_QUOTED = 80


@dataclass(frozen=True, slots=True)
class WordComment:
    """What one person said."""

    id: str
    author: str
    date: str
    text: str
    paragraph_id: str
    """The id of its last paragraph, by which answers name it; empty without one."""


@dataclass(frozen=True, slots=True)
class CommentThread:
    """A comment and its answers, in order."""

    comments: tuple[WordComment, ...]
    quoted: str
    is_resolved: bool


def comment_threads(document: WordDocument) -> dict[str, CommentThread]:
    """Every thread, by the id of its first comment."""
    name = document.part_of(COMMENTS)
    if name is None:
        return {}
    found = [comment_of(item) for item in children(document.story(name).root, "comment")]
    parents, resolved = thread_links(document)
    quoted = quoted_words(document.body)
    by_paragraph = {item.paragraph_id: item for item in found if item.paragraph_id}
    threads: dict[str, list[WordComment]] = {}
    for item in found:
        threads.setdefault(first_of(item, parents, by_paragraph).id, []).append(item)
    return {
        first: CommentThread(
            tuple(sorted(items, key=lambda item: (item.id != first, item.date, order(item)))),
            quoted.get(first, ""),
            any(item.paragraph_id in resolved for item in items if item.id == first),
        )
        for first, items in threads.items()
    }


def first_of(
    item: WordComment, parents: dict[str, str], known: dict[str, WordComment]
) -> WordComment:
    """The comment that a thread begins with."""
    seen: set[str] = set()
    while item.paragraph_id in parents and item.paragraph_id not in seen:
        seen.add(item.paragraph_id)
        parent = known.get(parents[item.paragraph_id])
        if parent is None:
            break
        item = parent
    return item


def order(item: WordComment) -> int:
    """Comments of one moment keep the order of their ids."""
    return int(item.id) if item.id.isdecimal() else 0


def comment_of(item: Element) -> WordComment:
    """One comment as it is kept."""
    paragraphs = list(children(item, "p"))
    last = paragraphs[-1].get(PARAGRAPH_ID) or "" if paragraphs else ""
    text = " ".join(" ".join(visible(paragraph)) for paragraph in paragraphs)
    return WordComment(
        attribute(item, "id"),
        attribute(item, "author") or "somebody",
        attribute(item, "date"),
        " ".join(text.split()),
        last,
    )


def visible(paragraph: Element) -> Iterator[str]:
    """The words of a comment's paragraph."""
    yield "".join(letters(item) for item in paragraph.iter() if kind(item) == "t")


def thread_links(document: WordDocument) -> tuple[dict[str, str], set[str]]:
    """For each answer's paragraph that of what it answers; the paragraphs that are resolved."""
    name = document.part_of(EXTENDED)
    parents: dict[str, str] = {}
    resolved: set[str] = set()
    if name is None:
        return parents, resolved
    for item in parse(document.part(name), name).iter(f"{{{WORD_2012}}}commentEx"):
        own = item.get(f"{{{WORD_2012}}}paraId") or ""
        parent = item.get(f"{{{WORD_2012}}}paraIdParent")
        if parent:
            parents[own] = parent
        if is_on(item.get(f"{{{WORD_2012}}}done") or ""):
            resolved.add(own)
    return parents, resolved


def quoted_words(body: Element) -> dict[str, str]:
    """The beginning of the words that each comment is about."""
    words: dict[str, list[str]] = {}
    open_now: set[str] = set()
    for item in within(body, "commentRangeStart", "commentRangeEnd", "t"):
        match kind(item):
            case "commentRangeStart":
                open_now.add(attribute(item, "id"))
            case "commentRangeEnd":
                open_now.discard(attribute(item, "id"))
            case "t":
                for name in open_now:
                    words.setdefault(name, []).append(letters(item))
            case _:
                pass
    return {name: shortened("".join(found)) for name, found in words.items()}


def shortened(text: str) -> str:
    """A quotation that fits into a line."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}\N{HORIZONTAL ELLIPSIS}"
