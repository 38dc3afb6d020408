"""Whole paragraphs of Markdown: where one begins and ends, and how a new one is written."""

import re

from recto.publishing.returns.source_edits import SourceEdit
from recto.publishing.returns.source_map import SourceMap
from recto.publishing.returns.writing import MarkdownWriter, NoPlace, WordLook
from recto.word import ContentParagraph

HEADING = re.compile(r"^heading (\d)$", re.IGNORECASE)
ITEM = re.compile(r"^(?P<indent>[ \t]*)(?P<sign>[-*+]|(?P<number>\d+)(?P<dot>[.)]))(?P<gap>[ \t]+)")
QUOTE = re.compile(r"^(?:[ \t]*>[ \t]?)+")
QUOTED_STYLES = ("block text", "quote", "intense quote")


def lines_around(source: str, found: SourceMap) -> tuple[int, int]:
    """The whole lines of a paragraph, without the last line's end."""
    start = source.rfind("\n", 0, found.start) + 1
    end = source.find("\n", max(found.end, start))
    return start, len(source) if end < 0 else end


def without(source: str, found: SourceMap) -> SourceEdit:
    """A paragraph that goes, with the blank line that it leaves."""
    start, end = lines_around(source, found)
    following = re.compile(r"\n(?:[ \t>]*\n)*").match(source, end)
    is_item = ITEM.match(source, start)
    if following is None:
        lead = len(source[:start]) - len(source[:start].rstrip())
        return SourceEdit(start - lead, end, "")
    if is_item and not following[0].count("\n") > 1:
        return SourceEdit(start, end + 1, "")
    if is_item and start and not source[:start].endswith("\n\n"):
        # The last item of a tight list: the blank line behind it stays.
        return SourceEdit(start, end + 1, "")
    return SourceEdit(start, following.end(), "")


def below(
    source: str, above: SourceMap, item: ContentParagraph, writer: MarkdownWriter
) -> SourceEdit:
    """A new paragraph below one. Raises NoPlace."""
    start, end = lines_around(source, above)
    lead = lead_of(source[start:], item)
    text = writer.write(item, 0, len(item.text), WordLook(), opens=True)
    if not text.strip():
        raise NoPlace("an empty paragraph")
    after = ITEM.match(source[start:])
    gap = "\n" if after and item.marker and is_tight(source, start, end) else "\n\n"
    quote = QUOTE.match(source[start:])
    if quote and lead.startswith(quote[0]):
        gap = f"\n{quote[0].rstrip()}\n"
    return SourceEdit(end, end, f"{gap}{lead}{text}")


def above_all(
    source: str, first: SourceMap, item: ContentParagraph, writer: MarkdownWriter
) -> SourceEdit:
    """A new paragraph before the first. Raises NoPlace."""
    start, _ = lines_around(source, first)
    text = writer.write(item, 0, len(item.text), WordLook(), opens=True)
    return SourceEdit(start, start, f"{lead_of('', item)}{text}\n\n")


def lead_of(above: str, item: ContentParagraph) -> str:
    """What stands before the words of a new paragraph below another one."""
    heading = HEADING.match(item.style)
    if heading:
        return "#" * int(heading[1]) + " "
    listed = ITEM.match(above)
    if item.marker:
        if listed and listed["number"]:
            return f"{listed['indent']}{int(listed['number']) + 1}{listed['dot']}{listed['gap']}"
        if listed:
            return listed[0]
        return "1. " if item.marker[:1].isdigit() else "- "
    if item.style.casefold() in QUOTED_STYLES:
        quote = QUOTE.match(above)
        return quote[0] if quote else "> "
    return ""


def is_tight(source: str, start: int, end: int) -> bool:
    """Whether the item's neighbours follow without a blank line."""
    following = source[end + 1 : source.find("\n", end + 1)]
    before = source[source.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]
    return bool(ITEM.match(following) or ITEM.match(before))


def releveled(source: str, found: SourceMap, level: int) -> SourceEdit:
    """A heading of another level, or a paragraph that became one. Raises NoPlace."""
    start, end = lines_around(source, found)
    signs = re.compile(r"#+[ \t]+").match(source, start, end)
    if signs is None and (ITEM.match(source, start) or "\n" in source[found.start : found.end]):
        raise NoPlace("a heading made of a longer paragraph")
    return SourceEdit(start, signs.end() if signs else start, "#" * level + " ")
