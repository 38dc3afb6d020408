"""How a file spells its JSON: indentation, line ends, separators, escapes; and new values so."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recto.notebooks.file.json_spans import JsonItem
from recto.notebooks.file.notebook import Notebook

SURROGATE = re.compile("[\ud800-\udfff]")
# Every escape is a match, so that the second half of an escaped backslash begins none.
ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|[^u])")
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Layout:
    """The spelling of one file."""

    newline: str = "\n"
    indent: str | None = " "
    """None: everything in one line."""
    comma: str = ","
    """Between items, where they share a line."""
    colon: str = ": "
    ascii_only: bool = False

    def string(self, text: str) -> str:
        """A text as JSON."""
        written = json.dumps(text, ensure_ascii=self.ascii_only)
        # Half a surrogate pair has no bytes in UTF-8; as an escape it has.
        return SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)

    def value(self, value: Any, margin: str) -> str:
        """A value as JSON, its further lines behind a margin; keys sorted, as Jupyter does."""
        written = json.dumps(
            value,
            indent=self.indent,
            sort_keys=True,
            separators=("," if self.indent is not None else self.comma, self.colon),
            ensure_ascii=self.ascii_only,
        )
        written = SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
        return written if self.indent is None else written.replace("\n", self.newline + margin)

    def separator(self, lead: str) -> str:
        """What stands between items of an array whose first one has this before it."""
        return f",{lead}" if LINE_END.search(lead) else self.comma

    def array(self, items: Sequence[str], margin: str) -> str:
        """Items that are written already, as an array whose closing bracket is at the margin."""
        if not items:
            return "[]"
        if self.indent is None:
            return f"[{self.comma.join(items)}]"
        lead = self.newline + margin + self.indent
        return f"[{lead}{f',{lead}'.join(items)}{self.newline}{margin}]"


def layout_of(notebook: Notebook) -> Layout:
    """How a notebook's file is spelled."""
    text = notebook.text
    members = list(notebook.members.values())
    first = members[0]
    lead = text[text.find("{") + 1 : first.key_start]
    found = LINE_END.search(lead)
    colon = text[first.key_end : first.start]
    comma = ", " if colon.endswith(" ") else ","
    if found is None and len(members) > 1:
        comma = text[first.end : members[1].key_start]
    return Layout(
        newline=found[0] if found else "\n",
        indent=LINE_END.split(lead)[-1] if found else None,
        comma=comma,
        colon=colon,
        ascii_only=text.isascii() and escapes_letters(text),
    )


def escapes_letters(text: str) -> bool:
    """Whether a letter that could stand for itself is escaped; controls and surrogates can't."""
    codes = (int(found["code"], 16) for found in ESCAPE.finditer(text) if found["code"])
    return any(code >= 0xA0 and not 0xD800 <= code < 0xE000 for code in codes)


def margin_of(text: str, at: int) -> str:
    """The white space before a place, if nothing else stands before it in its line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    before = text[start:at]
    return before if not before.strip(" \t") else ""


def rewritten_array(
    layout: Layout,
    text: str,
    span: tuple[int, int],
    old: Sequence[JsonItem],
    new: Sequence[str],
    margin: str,
) -> str:
    """An array with other items, spaced as it was."""
    if not old or not new:
        return layout.array(new, margin)
    start, end = span
    lead, tail = text[start + 1 : old[0].start], text[old[-1].end : end - 1]
    comma = text[old[0].end : old[1].start] if len(old) > 1 else layout.separator(lead)
    return f"[{lead}{comma.join(new)}{tail}]"
