"""A BibTeX file cut into its entries; every other byte stays where it is.

Nothing is ever written back from what was understood: entries are places in the text. Reading takes
time in proportion to the text, whatever is in it, and no text is refused: what can't be understood
is a broken entry or lies between the entries.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

# An entry begins here. A letter before the sign means an address such as me@example.org.
START = re.compile(r"(?<!\w)@\s*+([^\s\"#%'(),={}@]++)\s*+([{(])")
LINE_START = re.compile(r"^[ \t]*+@", re.MULTILINE)
KEYS = {
    "{": re.compile(r"\s*+([^\s,={}\"%]*+)\s*+(?=([,}=]|$)?)"),
    "(": re.compile(r"\s*+([^\s,={}\"%()]*+)\s*+(?=([,)=]|$)?)"),
}
GAP = re.compile(r"(?:[\s,]++|%[^\n]*+)*+")
BLANK = re.compile(r"(?:\s++|%[^\n]*+)*+")
NAME = re.compile(r"([^\s\"#%'(),={}]++)(?:\s++|%[^\n]*+)*+=(?:\s++|%[^\n]*+)*+")
BARE = re.compile(r"[^\s\"#%'(),={}]++")
IN_QUOTES = re.compile(r"[^\"{}]++")
BRACE = re.compile(r"[{}]")
FLAT = r"\{[^{}]*+\}"
SHALLOW = re.compile(
    r"\{(?:[^{}]++|\{(?:[^{}]++|\{(?:[^{}]++|\{(?:[^{}]++|" + FLAT + r")*+\})*+\})*+\})*+\}"
)
MONTHS = {
    "jan": "January",
    "feb": "February",
    "mar": "March",
    "apr": "April",
    "may": "May",
    "jun": "June",
    "jul": "July",
    "aug": "August",
    "sep": "September",
    "oct": "October",
    "nov": "November",
    "dec": "December",
}
# Most fields are written like this, and one match reads the whole of each.
PLAIN_FIELD = re.compile(
    r"[\s,]*+([A-Za-z][\w:+-]*+)\s*+=\s*+\{((?:[^{}]++|\{(?:[^{}]++|"
    + FLAT
    + r")*+\})*+)\}(?=\s*+,)"
)
REST = re.compile(r"[\s,]*+")
NO_KEY = "it has no key, such as pugh1987 in @book{pugh1987, …}"
Kind = Literal["entry", "string", "preamble", "comment", "broken"]


class BibField(NamedTuple):
    """One field of an entry, as places in the text."""

    name: str
    """In small letters, as BibTeX compares names."""
    start: int
    """Where the name begins."""
    name_end: int
    value_start: int
    value_end: int
    comma_end: int
    """After the comma that follows; the end of the value where there is none."""


@dataclass(slots=True)
class BibEntry:
    """One entry, as places in the text."""

    source: "BibSource"
    type: str
    """Such as "article", in small letters."""
    type_span: tuple[int, int]
    key: str
    key_span: tuple[int, int]
    start: int
    end: int
    body_end: int
    """Where its closing bracket stands."""
    _fields: tuple[BibField, ...] | None = None
    problem: str = ""
    """Why not all of it could be read."""

    @property
    def fields(self) -> tuple[BibField, ...]:
        """Its fields in their order; the first of a name counts."""
        if self._fields is None:
            found, _, problem = self.source.read_fields(self.key_span[1], self.body_end)
            self._fields, self.problem = found, problem
        return self._fields

    @property
    def text(self) -> str:
        """The entry as it stands in the file."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The number of its first line."""
        return self.source.text.count("\n", 0, self.start) + 1

    def values(self) -> dict[str, str]:
        """Each field with what it says: macros replaced, parts joined, LaTeX as it is."""
        found: dict[str, str] = {}
        text, at = self.source.text, self.key_span[1]
        if self._fields is None:
            while (plain := PLAIN_FIELD.match(text, at, self.body_end)) is not None:
                at = plain.end()
                found.setdefault(plain[1].lower(), plain[2])
            if skip(REST, text, at, self.body_end) == self.body_end:
                return found
        for item in self.fields:
            if item.name not in found:
                found[item.name] = self.source.value_of(item)
        return found


class Broken(NamedTuple):
    """What begins like an entry and is none."""

    start: int
    end: int
    why: str


class Block(NamedTuple):
    """A piece of a file that begins with an @."""

    kind: Kind
    start: int
    end: int


@dataclass
class BibSource:
    """A file's text, and where its entries are."""

    text: str
    entries: list[BibEntry] = field(default_factory=list[BibEntry])
    blocks: list[Block] = field(default_factory=list[Block])
    broken: list[Broken] = field(default_factory=list[Broken])
    macros: dict[str, str] = field(default_factory=lambda: dict(MONTHS))
    _is_matched: bool = False

    @cached_property
    def _closing(self) -> dict[int, int]:
        """Where each bracket is closed; brackets that never are, are not in it."""
        closing: dict[int, int] = {}
        open_at: list[int] = []
        for found in BRACE.finditer(self.text):
            if found[0] == "{":
                open_at.append(found.start())
            elif open_at:
                closing[open_at.pop()] = found.start()
        return closing

    def closing(self, at: int) -> int | None:
        """Where the bracket at this place is closed."""
        if not self._is_matched:
            found = SHALLOW.match(self.text, at)
            if found is not None:
                return found.end() - 1
            # A second look for the end of a bracket without one would read the file once more.
            self._is_matched = True
        return self._closing.get(at)

    def read_fields(self, at: int, end: int | None) -> tuple[tuple[BibField, ...], int, str]:
        """The fields from a place on, where they end, and what could not be read.

        Without an end they go up to the first ")".
        """
        text, found = self.text, list[BibField]()
        stop = len(text) if end is None else end
        while True:
            at = skip(GAP, text, at, stop)
            if at >= stop or (end is None and text[at] == ")"):
                return tuple(found), at, ""
            name = NAME.match(text, at, stop)
            if name is None:
                return tuple(found), at, "a field such as title = {…} is expected"
            value_end = self._value_end(name.end(), stop)
            if value_end is None:
                return tuple(found), at, f"the value of {name[1]} has no end"
            comma = skip(BLANK, text, value_end, stop)
            has_comma = comma < stop and text[comma] == ","
            comma_end = comma + 1 if has_comma else value_end
            found.append(
                BibField(name[1].lower(), at, name.end(1), name.end(), value_end, comma_end)
            )
            at = comma_end

    def _value_end(self, at: int, stop: int) -> int | None:
        """Where a value ends, with all the parts that a # joins; None: it has no end."""
        text = self.text
        while True:
            end = self._part_end(at, stop)
            if end is None or end > stop:
                return None
            after = skip(BLANK, text, end, stop)
            if after >= stop or text[after] != "#":
                return end
            at = skip(BLANK, text, after + 1, stop)

    def _part_end(self, at: int, stop: int) -> int | None:
        if at >= stop:
            return None
        match self.text[at]:
            case "{":
                closing = self.closing(at)
                return None if closing is None else closing + 1
            case '"':
                return self._quote_end(at + 1, stop)
            case _:
                bare = BARE.match(self.text, at, stop)
                return None if bare is None else bare.end()

    def _quote_end(self, at: int, stop: int) -> int | None:
        """Where a quotation ends: brackets in it hide their quotation marks."""
        text = self.text
        while at < stop:
            words = IN_QUOTES.match(text, at, stop)
            at = at if words is None else words.end()
            if at >= stop or text[at] == "}":
                return None
            if text[at] == '"':
                return at + 1
            closing = self.closing(at)
            if closing is None:
                return None
            at = closing + 1
        return None

    def value_of(self, item: BibField) -> str:
        """What a field says, without its brackets or quotation marks."""
        return self.read_value(item.value_start, item.value_end)

    def read_value(self, at: int, stop: int) -> str:
        """The value at a place."""
        text = self.text
        if text[at] == "{" and self.closing(at) == stop - 1:
            return text[at + 1 : stop - 1]
        parts: list[str] = []
        while at < stop:
            end = self._part_end(at, stop)
            assert end is not None
            part = text[at:end]
            if part[0] in '{"':
                parts.append(part[1:-1])
            else:
                parts.append(self.macros.get(part.lower(), part))
            after = skip(BLANK, text, end, stop)
            at = skip(BLANK, text, after + 1, stop) if after < stop else stop
        return "".join(parts)

    def entry(self, key: str) -> BibEntry | None:
        """The first entry of a key."""
        return next((entry for entry in self.entries if entry.key == key), None)


def skip(pattern: re.Pattern[str], text: str, at: int, stop: int) -> int:
    """Where what a pattern passes over ends."""
    found = pattern.match(text, at, stop)
    return at if found is None else found.end()


def parse_bibtex(text: str) -> BibSource:
    """Find the entries of a file."""
    source = BibSource(text)
    at = 0
    while (found := START.search(text, at)) is not None:
        line = max(text.rfind("\n", at, found.start()) + 1, at)
        if text.find("%", line, found.start()) >= 0:
            end = text.find("\n", found.start())
            at = len(text) if end < 0 else end
            continue
        at = read_block(source, found)
    return source


def read_block(source: BibSource, found: re.Match[str]) -> int:
    """Take in what begins at an @; answers where it ends."""
    start, opening = found.start(), found.end() - 1
    body_end = source.closing(opening) if found[2] == "{" else None
    if found[2] == "{" and body_end is None:
        return add_broken(source, start, "its { is never closed")
    kind = found[1].lower()
    if kind == "comment" or kind == "preamble":
        # In round brackets nothing says where it ends.
        end = found.end() if body_end is None else body_end + 1
        source.blocks.append(Block(kind, start, end))
        return end
    if kind == "string":
        return read_string(source, found, body_end)
    return read_entry(source, found, body_end)


def read_string(source: BibSource, found: re.Match[str], body_end: int | None) -> int:
    """Take in a macro; answers where it ends."""
    fields, end, problem = source.read_fields(found.end(), body_end)
    if problem or end >= len(source.text):
        return add_broken(source, found.start(), problem or "its ( is never closed")
    for item in fields:
        source.macros[item.name] = source.value_of(item)
    source.blocks.append(Block("string", found.start(), end + 1))
    return end + 1


def read_entry(source: BibSource, found: re.Match[str], body_end: int | None) -> int:
    """Take in an entry; answers where it ends."""
    text, start = source.text, found.start()
    stop = len(text) if body_end is None else body_end
    key = KEYS[found[2]].match(text, found.end(), stop)
    assert key is not None
    name, key_span = key[1], key.span(1)
    if not name or key[2] == "=":
        return add_broken(source, start, NO_KEY, body_end)
    if key[2] is None and NAME.match(text, key.end(), stop) is None:
        return add_broken(source, start, "a comma is expected after its key", body_end)
    fields = None
    if body_end is None:
        fields, stop, problem = source.read_fields(key_span[1], None)
        if problem or stop >= len(text):
            return add_broken(source, start, problem or "its ( is never closed")
    kind, kind_span = found[1].lower(), found.span(1)
    entry = BibEntry(source, kind, kind_span, name, key_span, start, stop + 1, stop, fields)
    source.entries.append(entry)
    source.blocks.append(Block("entry", start, entry.end))
    return entry.end


def add_broken(source: BibSource, start: int, why: str, body_end: int | None = None) -> int:
    """Note what is no entry: up to its end, or the next line with an @. Answers where that is."""
    stop = len(source.text) if body_end is None else body_end + 1
    following = LINE_START.search(source.text, start + 1, stop)
    end = stop if following is None else following.start()
    source.broken.append(Broken(start, end, why))
    source.blocks.append(Block("broken", start, end))
    return end
