"""Links, headings and tags of a Markdown text, each with its place; code and comments aside."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Literal, cast
from urllib.parse import unquote

import yaml
from markdown_it import MarkdownIt

LinkKind = Literal["wiki", "address", "bracketed", "attribute"]
Passage = tuple[int, int]
"""Where a part of a text begins and ends."""

FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n(.*?\r?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL
)
NEWLINE = re.compile(r"\r\n?|\n")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
CODE_MARK = re.compile(r"`+|\n[^\S\n]*\n")  # what a code span may begin, or must end at
WIKI = re.compile(
    r"(?P<embed>!?)\[\[(?P<name>[^\[\]|#\n]*)(?P<heading>#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]"
)
ANGLED = r"<(?P<angled>[^<>\n]*)>"
BARE = r"(?P<bare>(?:\\[^\s]|[^\s()<>\\]|\((?:\\[^\s]|[^\s()\\])*\))+)"
TITLE = r"""(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?"""
INLINE = re.compile(rf"\]\([ \t]*(?:{ANGLED}|{BARE}){TITLE}[ \t]*\)")
DEFINITION = re.compile(
    rf"^(?:[ \t]*>)*[ \t]*\[(?!\^)[^\[\]\n]+\]:[ \t]*(?:{ANGLED}|{BARE})", re.MULTILINE
)
ATTRIBUTE = re.compile(
    r"""<(?:img|a|source|video|audio)\b[^<>]*?\s(?:src|href)=(?P<quote>["'])(?P<value>[^"'\n<>]*)(?P=quote)""",
    re.IGNORECASE,
)
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
SCHEME = re.compile(r"[^/]*:")
TAG = re.compile(r"(?<![^\s(,;\"'])#(?P<tag>[\w/-]*[^\W\d][\w/-]*)")
TAGS_KEY = re.compile(r"^tags[ \t]*:", re.MULTILINE)
FAR = 2000  # how far before its end the beginning of a link's words is looked for
BLOCKS = MarkdownIt("commonmark").enable("table")
BLOCKS.core.ruler.enableOnly(["normalize", "block"])


@dataclass(frozen=True, slots=True)
class TextLink:
    """A link to a file: the place of the part that names it, and what that says."""

    kind: LinkKind
    start: int
    end: int
    raw: str
    line: int
    is_embed: bool = False
    in_head: bool = False
    """Whether it stands in the front matter, where quotes end its text."""

    @property
    def target(self) -> str:
        """What is named, in plain letters."""
        if self.kind == "wiki":
            return self.raw.strip()
        text = unescape(self.raw)
        if self.kind != "attribute":
            text = ESCAPED.sub(r"\1", text)
        return unquote(text)


@dataclass(frozen=True, slots=True)
class TextTag:
    """A tag in a text, and its line."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class TextFacts:
    """What a text links to, and how it is tagged."""

    links: tuple[TextLink, ...]
    tags: tuple[TextTag, ...]
    lines: Mapping[int, str]
    """The lines with links or tags, by their number."""


def read_facts(text: str, passages: Sequence[Passage] | None = None) -> TextFacts:
    """The links and tags of a text, or of some passages of it that are Markdown by themselves."""
    links = find_links(text, passages)
    tags = tuple(
        TextTag(tag.name, tag.line + above)
        for start, end in whole(text, passages)
        # Once for a passage: one of many links in a long text would be slow else.
        for above in [lines_before(text, start)]
        for tag in tags_in(text[start:end])
    )
    wanted = {item.line for item in (*links, *tags)}
    lines = {
        number: line.strip()[:300]
        for number, line in enumerate(NEWLINE.split(text), 1)
        if number in wanted
    }
    return TextFacts(links, tags, lines)


def whole(text: str, passages: Sequence[Passage] | None) -> Sequence[Passage]:
    """The passages that are Markdown: those given, or all of it."""
    return ((0, len(text)),) if passages is None else passages


def lines_before(text: str, at: int) -> int:
    """How many lines end before a place."""
    return len(NEWLINE.findall(text, 0, at))


def find_links(text: str, passages: Sequence[Passage] | None = None) -> tuple[TextLink, ...]:
    """Every link that may lead to a file, from front to back; in passages of a text, or in all."""
    return tuple(
        replace(
            link,
            start=link.start + start,
            end=link.end + start,
            line=link.line + above,
        )
        for start, end in whole(text, passages)
        for above in [lines_before(text, start)]
        for link in links_in(text[start:end])
    )


def links_in(text: str) -> tuple[TextLink, ...]:
    """The links of a Markdown text."""
    if "[[" not in text and "](" not in text and "]:" not in text and "<" not in text:
        return ()
    shown, prose = without_code(text)
    head = FRONT_MATTER.match(text)
    head_end = 0 if head is None else head.end()
    places = sorted(
        {
            *wiki_places(text[:head_end]),
            *wiki_places(prose),
            *address_places(prose),
            *attribute_places(shown),
        }
    )
    found: list[TextLink] = []
    line, counted, done = 1, 0, -1
    for start, end, kind, is_embed in places:
        if start < done:
            continue  # within another one
        raw = text[start:end]
        if kind != "wiki" and not may_be_file(raw):
            continue
        line += len(NEWLINE.findall(text, counted, start))
        counted, done = start, end
        found.append(TextLink(kind, start, end, raw, line, is_embed, start < head_end))
    return tuple(found)


def tags_in(text: str) -> tuple[TextTag, ...]:
    """The tags of a text, each as often as it stands there; those of the front matter too."""
    head = FRONT_MATTER.match(text)
    found: list[TextTag] = []
    if head is not None:
        key = TAGS_KEY.search(head[0])
        line = 1 + lines_before(text, key.start() if key else 0)
        found += (TextTag(name, line) for name in tags_of_head(head[1] or ""))
    if "#" not in text:
        return tuple(found)
    _, prose = without_code(text)
    for pattern in (INLINE, WIKI):
        prose = pattern.sub(blank, prose)
    line, counted = 1, 0
    for match in TAG.finditer(prose):
        line += len(NEWLINE.findall(prose, counted, match.start()))
        counted = match.start()
        found.append(TextTag(match["tag"], line))
    return tuple(found)


def tags_of_head(yaml_text: str) -> list[str]:
    """What the front matter says under `tags`."""
    try:
        head: object = yaml.safe_load(yaml_text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return []  # shown as it is; nothing here depends on it
    tags = cast("dict[object, object]", head).get("tags") if isinstance(head, dict) else None
    if isinstance(tags, str):
        return [tag.removeprefix("#") for tag in re.split(r"[,\s]+", tags) if tag]
    listed = cast("list[object]", tags) if isinstance(tags, list) else []
    return [tag.removeprefix("#") for tag in listed if isinstance(tag, str) and tag]


def without_code(text: str) -> tuple[str, str]:
    """The text with spaces where code is, and where HTML blocks are besides; every place stays."""
    shown = COMMENT.sub(blank, FRONT_MATTER.sub(blank, text))
    lines = NEWLINE.split(shown)
    starts = [0, *(match.end() for match in NEWLINE.finditer(shown)), len(shown)]
    code: list[tuple[int, int]] = []
    besides: list[tuple[int, int]] = []
    for token in BLOCKS.parse(shown):
        if token.type not in {"fence", "code_block", "html_block"} or token.map is None:
            continue
        place = starts[token.map[0]], starts[min(token.map[1], len(lines))]
        besides.append(place)
        if token.type != "html_block":
            code.append(place)
    shown, prose = blanked(shown, code), blanked(shown, besides)
    return blanked(shown, code_spans(shown)), blanked(prose, code_spans(prose))


def code_spans(text: str) -> list[tuple[int, int]]:
    """Where code stands within paragraphs. In one pass: a text may be made to be slow to read."""
    marks = [match.span() for match in CODE_MARK.finditer(text)]
    later: dict[int, int] = {}
    closing = [-1] * len(marks)
    for at in range(len(marks) - 1, -1, -1):
        start, end = marks[at]
        if text[start] == "\n":
            later.clear()
        else:
            closing[at] = later.get(end - start, -1)
            later[end - start] = at
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(marks):
        start, close = marks[at][0], closing[at]
        if close >= 0 and text[start - 1 : start] != "\\":
            found.append((start, marks[close][1]))
            at = close
        at += 1
    return found


def blanked(text: str, places: list[tuple[int, int]]) -> str:
    """A text with spaces in places that are in order; its lines stay."""
    pieces: list[str] = []
    done = 0
    for start, end in places:
        pieces += (text[done:start], blank_text(text[start:end]))
        done = end
    return "".join((*pieces, text[done:]))


def blank(match: re.Match[str]) -> str:
    """Spaces in the place of a match; its lines stay."""
    return blank_text(match[0])


def blank_text(text: str) -> str:
    """Spaces in the place of a text; its lines stay."""
    return re.sub(r"[^\r\n]", " ", text)


Place = tuple[int, int, LinkKind, bool]


def wiki_places(prose: str) -> Iterator[Place]:
    """Where wiki links name a file."""
    for match in WIKI.finditer(prose):
        name = match["name"].rstrip("\\")  # a stroke that is escaped, as tables want it
        if name.strip() and not is_escaped(prose, match.start()):
            start = match.start("name") + len(name) - len(name.lstrip())
            yield start, start + len(name.strip()), "wiki", match["embed"] == "!"


def address_places(prose: str) -> Iterator[Place]:
    """Where links and definitions have an address, what it asks of its file aside."""
    for match in INLINE.finditer(prose):
        opens = opening(prose, match.start())
        if opens >= 0:
            yield address(match, is_embed=opens > 0 and prose[opens - 1] == "!")
    for match in DEFINITION.finditer(prose):
        yield address(match, is_embed=False)


def address(match: re.Match[str], *, is_embed: bool) -> Place:
    """The place of the path in an address."""
    group = "angled" if match["angled"] is not None else "bare"
    start = match.start(group)
    kind: LinkKind = "bracketed" if group == "angled" else "address"
    return start, start + len(path_part(match[group])), kind, is_embed


def attribute_places(shown: str) -> Iterator[Place]:
    """Where tags of HTML name a file."""
    for match in ATTRIBUTE.finditer(shown):
        start = match.start("value")
        yield start, start + len(path_part(match["value"])), "attribute", False


def path_part(raw: str) -> str:
    """An address without its query and fragment."""
    return re.split(r"(?<!&)[?#]", raw, maxsplit=1)[0]


def may_be_file(raw: str) -> bool:
    """Whether an address may lead to a file of the folder."""
    return raw.strip() != "" and not raw.startswith(("/", "\\")) and SCHEME.match(raw) is None


def is_escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    before = text[max(0, at - 20) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def opening(prose: str, close: int) -> int:
    """The bracket that a link's words begin with; -1 if there is none."""
    if is_escaped(prose, close):
        return -1
    depth = 0
    for at in range(close - 1, max(-1, close - FAR), -1):
        sign = prose[at]
        if sign not in "[]\n" or (sign != "\n" and is_escaped(prose, at)):
            continue
        if sign == "\n":
            if at > 0 and prose[at - 1] == "\n":
                return -1
        elif sign == "]":
            depth += 1
        elif depth == 0:
            return at
        else:
            depth -= 1
    return -1
