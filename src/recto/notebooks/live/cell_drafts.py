"""Cells that a model is writing: shown in their place while its call comes in, before it runs."""

import json
import re
from collections.abc import Callable
from typing import Any

from recto.notebooks.live.output_views import MAX_SHOWN

WRITING_TOOLS = ("edit_cell", "add_cell")
# A string of JSON as far as it is whole: a piece may end within an escape.
TOKEN = re.compile(r'"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*)("?)|:')


class CellDraft:
    """A call that writes a cell, as far as its arguments have come."""

    def __init__(self, call_id: str, tool: str) -> None:
        self.call_id = call_id
        self._tool = tool
        self._text = ""

    def add(self, piece: str) -> None:
        """More of the arguments, as JSON."""
        self._text += piece

    @property
    def path(self) -> str | None:
        """The notebook that it is about, once that is said."""
        return whole_members(self._text).get("path")

    @property
    def view(self) -> dict[str, Any] | None:
        """The cell that is written, or the one that it will follow; None as long as it is unknown.

        A new cell that follows none comes last.
        """
        found = members(self._text)
        if "source" not in found or (self._tool == "edit_cell" and "cell" not in found):
            return None
        return {
            "call": self.call_id,
            "cell": found["cell"] if self._tool == "edit_cell" else None,
            "after": found.get("after"),
            "source": found["source"][-MAX_SHOWN:],
        }


class CellDrafts:
    """The cells of one notebook that are being written."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._drafts: dict[str, CellDraft] = {}

    def show(self, draft: CellDraft) -> None:
        """A cell is being written; or there is more of it."""
        self._drafts[draft.call_id] = draft
        self._tell()

    def end(self, draft: CellDraft) -> None:
        """The call has run, or never will."""
        if self._drafts.pop(draft.call_id, None) is not None:
            self._tell()

    @property
    def views(self) -> list[dict[str, Any]]:
        """What pages are told of them."""
        return [view for draft in self._drafts.values() if (view := draft.view) is not None]


def members(text: str) -> dict[str, str]:
    """The texts by their names in JSON that is still coming; of the last one, what is there."""
    return {name: value for name, value, _ in named_texts(text)}


def whole_members(text: str) -> dict[str, str]:
    """Those that are complete."""
    return {name: value for name, value, is_whole in named_texts(text) if is_whole}


def named_texts(text: str) -> list[tuple[str, str, bool]]:
    """Each text that has a name, and whether it has come to its end."""
    found: list[tuple[str, str, bool]] = []
    name: str | None = None
    last: str | None = None
    for token in TOKEN.finditer(text):
        if token[0] == ":":
            name, last = last, None
            continue
        words: str = json.loads(f'"{token[1]}"', strict=False)
        if name is not None:
            found.append((name, words, token[2] == '"'))
            name = None
        else:
            last = words
        if token[2] != '"':
            break
    return found
