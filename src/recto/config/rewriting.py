"""Changes single values of a TOML text; everything else in it, comments too, stays as it is.

The caller reads what comes out: the file may be written in a way that this does not follow.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array, Table

Scalar = str | int | float | bool
Item = Mapping[str, Scalar]


def with_value(text: str, section: str, name: str, value: Scalar) -> str:
    """The text with another value for one name of a table."""

    def change(table: Any) -> None:
        table[name] = value

    return _with_table(text, section, change)


def with_list(text: str, section: str, name: str, items: Sequence[Item]) -> str:
    """The text with another list of small tables for one name of a table."""

    def change(table: Any) -> None:
        listed = table.get(name)
        if not items:
            table.pop(name, None)
        elif isinstance(listed, AoT):
            _change_items(listed, items)
        elif listed is None and isinstance(table, Table) and not table.is_super_table():
            table[name] = tomlkit.aot()
            _change_items(table[name], items)
        else:
            table[name] = _in_brackets(items)

    return _with_table(text, section, change)


def _with_table(text: str, section: str, change: Callable[[Any], None]) -> str:
    # A last line without an end would run into what the library puts behind it.
    is_open = bool(text) and not text.endswith("\n")
    document: Any = tomlkit.parse(text + "\n" if is_open else text)
    if section not in document:
        document[section] = tomlkit.table()
    change(document[section])
    written = tomlkit.dumps(document)
    # The library ends the lines that it adds by a line feed alone.
    is_crlf = "\r\n" in text
    return written.replace("\r\n", "\n").replace("\n", "\r\n") if is_crlf else written


def _change_items(listed: Any, items: Sequence[Item]) -> None:
    """Other values where they differ, so that what stays keeps its comments."""
    for at, item in enumerate(items):
        if at == len(listed):
            listed.append(tomlkit.table())
        for name, value in item.items():
            if listed[at].get(name) != value:
                listed[at][name] = value
    del listed[len(items) :]


def _in_brackets(items: Sequence[Item]) -> Array:
    """The list as one value."""
    listed: Any = tomlkit.array()
    for item in items:
        written: Any = tomlkit.inline_table()
        written.update(item)
        listed.append(written)
    return listed
