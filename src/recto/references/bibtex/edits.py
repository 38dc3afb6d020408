"""Edits of a BibTeX file: one entry is changed in the way the file is written, nothing else."""

import re
from collections.abc import Mapping, Sequence

from recto.references.bibtex.source import BibEntry, BibField, BibSource, parse_bibtex
from recto.references.failures import ReferenceInvalid

NAME = re.compile(r"[^\s\"#%'(),={}\\@]+")
CITATION_KEY = re.compile(r"[^\s,={}\"#%()\\~'@]+")
BLANK_LINES = re.compile(r"[ \t]*(?:\r\n|\n|\r|$)")
LOOSE_COMMA = re.compile(r"\s*,")
INDENT = "  "


def set_fields(entry: BibEntry, changes: Mapping[str, str | None]) -> str:
    """The whole text with other values for some fields of an entry; None takes a field away.

    Raises ReferenceInvalid for a name or a value that BibTeX can't hold.
    """
    fields = entry.fields
    if entry.problem:
        words = f"The entry {entry.key} can't be edited: {entry.problem}. Fix it in the file."
        raise ReferenceInvalid(words)
    usual = line_end(entry.source.text) + usual_indent(entry.source)
    lead = lead_of(entry) if fields else usual
    text = entry.text
    for name, value in changes.items():
        check_name(name)
        if value is not None:
            check_value(name, value)
        # Alone it is a small text, which is soon read again after each change.
        [alone] = parse_bibtex(text).entries
        text = with_field(alone, name, value, lead)
    return entry.source.text[: entry.start] + text + entry.source.text[entry.end :]


def with_field(entry: BibEntry, name: str, value: str | None, lead: str) -> str:
    """The text with one field as it shall be."""
    text = entry.source.text
    same = [field for field in entry.fields if field.name == name.lower()]
    if value is None:
        return spliced(text, [removal(entry, field) for field in same])
    if not same:
        return spliced(text, [addition(entry, name, value, lead)])
    # The first of a name is the one that counts.
    start, end = same[0].value_start, same[0].value_end
    return spliced(text, [(start, end, written(text[start:end], value))])


def set_key(entry: BibEntry, key: str) -> str:
    """The whole text with another key for an entry. Raises ReferenceInvalid."""
    check_key(key)
    return spliced(entry.source.text, [(*entry.key_span, key)])


def set_type(entry: BibEntry, kind: str) -> str:
    """The whole text with another type for an entry. Raises ReferenceInvalid."""
    check_name(kind)
    return spliced(entry.source.text, [(*entry.type_span, kind)])


def add_entry(source: BibSource, kind: str, key: str, fields: Mapping[str, str]) -> str:
    """The whole text with one more entry at its end. Raises ReferenceInvalid."""
    return with_entries(source, [new_entry(source, kind, key, fields)])


def with_entries(source: BibSource, entries: Sequence[str]) -> str:
    """The whole text with more entries at its end, an empty line before each."""
    text, newline = source.text, line_end(source.text)
    if not text.strip():
        return text + newline.join(entries)
    before = "" if ends_blank(text) else newline
    before = before if text.endswith(("\n", "\r")) else newline * 2
    return text + before + newline.join(entries)


def new_entry(source: BibSource, kind: str, key: str, fields: Mapping[str, str]) -> str:
    """An entry as this file's entries are written. Raises ReferenceInvalid."""
    check_name(kind)
    check_key(key)
    for name, value in fields.items():
        check_name(name)
        check_value(name, value)
    newline = line_end(source.text)
    indent = usual_indent(source)
    width = max(map(len, fields), default=0) if is_aligned(source) else 0
    lines = [f"@{kind}{{{key},"]
    lines += [f"{indent}{name:<{width}} = {{{value}}}," for name, value in fields.items()]
    return newline.join([*lines, "}", ""])


def span_of_removal(entry: BibEntry) -> tuple[int, int]:
    """What goes with an entry: itself, and the empty line that it would leave."""
    text = entry.source.text
    end = BLANK_LINES.match(text, entry.end)
    stop = entry.end if end is None else end.end()
    if end is not None and ends_blank(text[: entry.start]):
        following = BLANK_LINES.match(text, stop)
        stop = stop if following is None else following.end()
    return entry.start, stop


def removal(entry: BibEntry, field: BibField) -> tuple[int, int, str]:
    """What goes with a field: its comma, and the line that it leaves empty."""
    text, start = entry.source.text, field.start
    while start > entry.key_span[1] and text[start - 1] in " \t":
        start -= 1
    for newline in ("\r\n", "\n", "\r"):
        if text.endswith(newline, entry.key_span[1], start):
            line = max(text.rfind("\n", 0, start - len(newline)), entry.key_span[1])
            # The end of a comment must stay, or what follows becomes part of it.
            start -= 0 if "%" in text[line:start] else len(newline)
            break
    return start, field.comma_end, ""


def addition(entry: BibEntry, name: str, value: str, lead: str) -> tuple[int, int, str]:
    """Where a new field goes, and how: as the entry's last field is written."""
    text, fields = entry.source.text, entry.fields
    if fields:
        lead = lead_of(entry)
    line = f"{lead}{name:<{equals_column(entry)}}{equals_of(entry)}{{{value}}}"
    if fields and fields[-1].comma_end > fields[-1].value_end:
        return fields[-1].comma_end, fields[-1].comma_end, f"{line},"
    at = fields[-1].value_end if fields else entry.key_span[1]
    after = LOOSE_COMMA.match(text, at)
    if after is None:
        return at, at, f",{line}"
    return after.end(), after.end(), line


def lead_of(entry: BibEntry) -> str:
    """What stands before the last field: usually a new line and some spaces."""
    text = entry.source.text
    start = at = entry.fields[-1].start
    while at > entry.key_span[1] and text[at - 1] in " \t\r\n":
        at -= 1
    lead = text[at:start]
    cut = max(lead.rfind("\n"), lead.rfind("\r"))
    return lead if cut < 0 else line_end(text) + lead[cut + 1 :]


def equals_of(entry: BibEntry) -> str:
    """The sign between name and value as the last field has it."""
    if not entry.fields:
        return " = "
    field = entry.fields[-1]
    between = entry.source.text[field.name_end : field.value_start]
    if between.strip() != "=":
        return " = "
    left, _, right = between.partition("=")
    return ("" if not left else " ") + "=" + ("" if not right else " ")


def equals_column(entry: BibEntry) -> int:
    """How wide names are, where the equals signs of an entry stand below each other."""
    widths = {entry.source.text.find("=", field.name_end) - field.start for field in entry.fields}
    return widths.pop() - 1 if len(entry.fields) > 1 and len(widths) == 1 else 0


def written(old: str, value: str) -> str:
    """A value in the brackets or quotation marks of the one before."""
    if old.startswith('"') and old.endswith('"') and '"' not in value and "#" not in old:
        return f'"{value}"'
    if old.isdigit() and value.isdigit():
        return value
    return f"{{{value}}}"


def spliced(text: str, pieces: list[tuple[int, int, str]]) -> str:
    """The text with some places replaced."""
    for start, end, new in sorted(pieces, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def check_name(name: str) -> None:
    """Refuse a name that no field or type can have."""
    if NAME.fullmatch(name) is None or len(name) > 100:
        raise ReferenceInvalid(f"{name!r} can't be the name of a field. Use a word such as title.")


def check_key(key: str) -> None:
    """Refuse what can't be cited."""
    if CITATION_KEY.fullmatch(key) is None or len(key) > 200:
        words = f"{key!r} can't be a key. Use letters and digits, such as pugh1987."
        raise ReferenceInvalid(words)


def check_value(name: str, value: str) -> None:
    """Refuse a value that would end its field early."""
    depth = 0
    for character in value:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            break
    if depth:
        words = f"The value of {name} has a bracket {{ or }} without its other half. Add it."
        raise ReferenceInvalid(words)
    if "\0" in value:
        raise ReferenceInvalid(f"The value of {name} has a character that no text may have.")


def line_end(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def ends_blank(text: str) -> bool:
    """Whether a text ends with an empty line, or is empty."""
    return not text or text.endswith(("\n\n", "\r\n\r\n"))


def usual_indent(source: BibSource) -> str:
    """What the file's first fields are indented by."""
    for entry in source.entries[:5]:
        for field in entry.fields[:1]:
            start = source.text.rfind("\n", 0, field.start) + 1
            lead = source.text[start : field.start]
            if start > entry.start and not lead.strip():
                return lead
    return INDENT


def is_aligned(source: BibSource) -> bool:
    """Whether the file's equals signs stand below each other."""
    return any(equals_column(entry) for entry in source.entries[:5])
