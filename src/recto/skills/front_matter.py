"""The head of a SKILL.md: the few forms of YAML that such heads use, read strictly.

Keys, plain and quoted texts, block texts, lists of texts. What is wanted and written in any other
form is refused with its line; what nobody asks for is passed over unread.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

FENCE = "---"
KEY = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*):(?:[ ]+(.*))?")
BLOCK = re.compile(r"([|>])(?:[+-]|[1-9]|[+-][1-9]|[1-9][+-])?(?:[ ]+#.*)?")
QUOTED = {
    '"': re.compile(r'"((?:[^"\\]|\\.)*)"[ ]*(?:#.*)?'),
    "'": re.compile(r"'((?:[^']|'')*)'[ ]*(?:#.*)?"),
}
ITEM = re.compile(r"""[ ]*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\[\]{}"'#]+)[ ]*(,|\])""")
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
ESCAPES = {'"': '"', "\\": "\\", "/": "/", " ": " ", "n": "\n", "t": "\t", "r": "\r"}
NOT_PLAIN = frozenset("&*!|>'\"%@`{}[],#")
NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
Value = str | tuple[str, ...]


class BadFrontMatter(ValueError):
    """The head can't be read; says where and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the head, with its number in the file."""

    number: int
    text: str

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in it but perhaps a comment."""
        bare = self.text.strip(" ")
        return not bare or bare.startswith("#")


def split_front_matter(text: str) -> tuple[tuple[Line, ...], str]:
    """The lines of the head, and the body. Raises BadFrontMatter."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != FENCE:
        raise BadFrontMatter(1, f"the file must begin with a line {FENCE}, then name and more")
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            head = tuple(Line(number, one) for number, one in enumerate(lines[1:at], 2))
            return head, "\n".join(lines[at + 1 :]).strip("\n")
    raise BadFrontMatter(1, f"the head has no end: a second line {FENCE} is missing")


def read_front_matter(head: Sequence[Line], wanted: Collection[str]) -> dict[str, Value]:
    """The values of the wanted keys that are there. Raises BadFrontMatter."""
    found: dict[str, Value] = {}
    seen: set[str] = set()
    at = 0
    while at < len(head):
        line = head[at]
        at += 1
        if line.is_empty:
            continue
        match = KEY.fullmatch(line.text.rstrip(" "))
        if match is None:
            raise BadFrontMatter(line.number, "a key and a colon are expected, such as name: …")
        start = at
        while at < len(head) and belongs(head[at]):
            at += 1
        key = match[1]
        if key in seen:
            raise BadFrontMatter(line.number, f"{key} stands here a second time")
        seen.add(key)
        if key in wanted:
            found[key] = read_value((match[2] or "").strip(" "), line, head[start:at])
    return found


def belongs(line: Line) -> bool:
    """Whether a line goes on with the value of the key above."""
    return line.is_empty or line.text.startswith((" ", "\t", "- ")) or line.text == "-"


def read_value(first: str, line: Line, more: Sequence[Line]) -> Value:
    """A value that begins behind its key. Raises BadFrontMatter."""
    for one in more:
        if one.text.lstrip(" ").startswith("\t"):
            raise BadFrontMatter(one.number, "indent with spaces, not with tabs")
    if block := BLOCK.fullmatch(first):
        return block_text(block[1], more)
    if first[:1] in QUOTED:
        return quoted_text(folded([first, *(one.text for one in more)]), line)
    if first.startswith("["):
        refuse_more(more)
        return flow_list(first, line)
    items = [one for one in more if not one.is_empty]
    if (not first or first.startswith("#")) and items and items[0].text.lstrip(" ")[:1] == "-":
        return tuple(item_text(one) for one in items)
    return plain_text(first, line, more)


def refuse_more(more: Sequence[Line]) -> None:
    """Nothing may follow. Raises BadFrontMatter."""
    for one in more:
        if not one.is_empty:
            raise BadFrontMatter(one.number, "this does not belong to anything")


def plain_text(first: str, line: Line, more: Sequence[Line]) -> str:
    """Words without quotes, perhaps over several lines. Raises BadFrontMatter."""
    lines = [Line(line.number, first), *more]
    while lines and lines[-1].is_empty:
        lines.pop()
    parts: list[str] = []
    for at, one in enumerate(lines):
        text = one.text.strip(" ")
        is_comment = text.startswith("#")
        if is_comment and at:
            raise BadFrontMatter(one.number, "a comment can't stand inside a text")
        text = "" if is_comment else text.partition(" #")[0].rstrip(" ")
        if ": " in text or text.endswith(":"):
            raise BadFrontMatter(one.number, "a text with a colon in it needs quotes around it")
        parts.append(text)
    words = folded(parts).strip()
    if words[:1] in NOT_PLAIN or words.startswith(("- ", "? ", ": ")):
        raise BadFrontMatter(line.number, f"a text that begins with {words[0]} needs quotes")
    return "" if words in NOTHING else words


def folded(lines: Sequence[str]) -> str:
    """Lines as one text: an empty line is a line break, any other end of line a space."""
    text = ""
    breaks = 0
    for at, line in enumerate(lines):
        words = line.strip(" ")
        if not words:
            breaks += at > 0
            continue
        if text:
            text += "\n" * breaks if breaks else " "
        text += words
        breaks = 0
    return text


def block_text(style: str, more: Sequence[Line]) -> str:
    """An indented text below its key, as it stands or with its lines joined."""
    texts = [one.text for one in more]
    indents = [len(one) - len(one.lstrip(" ")) for one in texts if one.strip(" ")]
    lines = [one[min(indents, default=0) :] for one in texts]
    whole = "\n".join(lines) if style == "|" else folded_block(lines)
    return whole.strip("\n")


def folded_block(lines: Sequence[str]) -> str:
    """A block with its lines joined, but for those that are indented further."""
    text = ""
    before = ""
    breaks = 0
    for line in lines:
        if not line.strip(" "):
            breaks += 1
            continue
        is_kept = line.startswith(" ") or before.startswith(" ")
        joint = "\n" * (breaks + is_kept) or " "
        text += (joint if text else "") + line
        before, breaks = line, 0
    return text


def quoted_text(text: str, line: Line) -> str:
    """A text in quotes. Raises BadFrontMatter."""
    mark = text[0]
    match = QUOTED[mark].fullmatch(text)
    if match is None:
        raise BadFrontMatter(line.number, f"the quotation that begins with {mark} has no good end")
    if mark == "'":
        return match[1].replace("''", "'")
    return ESCAPE.sub(lambda found: unescaped(found[1], line), match[1])


def unescaped(escape: str, line: Line) -> str:
    """What a backslash and what follows it stand for. Raises BadFrontMatter."""
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape not in ESCAPES:
        raise BadFrontMatter(line.number, f"\\{escape} means nothing in quotes")
    return ESCAPES[escape]


def flow_list(text: str, line: Line) -> tuple[str, ...]:
    """A list in brackets, on one line. Raises BadFrontMatter."""
    at, items = 1, list[str]()
    if text[1:].lstrip(" ").startswith("]"):
        at = text.index("]") + 1
    while text[at - 1] != "]" or at == 1:
        item = ITEM.match(text, at)
        if item is None:
            raise BadFrontMatter(line.number, "the list in brackets is not like [one, two]")
        items.append(scalar(item[1].strip(" "), line))
        at = item.end()
    rest = text[at:].strip(" ")
    if rest and not rest.startswith("#"):
        raise BadFrontMatter(line.number, "something stands behind the list")
    return tuple(items)


def item_text(line: Line) -> str:
    """One item of a list below its key. Raises BadFrontMatter."""
    text = line.text.strip(" ")
    if not text.startswith("- "):
        raise BadFrontMatter(line.number, "each line of this list must begin with a dash")
    return scalar(text[2:].strip(" "), line)


def scalar(text: str, line: Line) -> str:
    """A text on one line, quoted or plain. Raises BadFrontMatter."""
    return quoted_text(text, line) if text[:1] in QUOTED else plain_text(text, line, ())
