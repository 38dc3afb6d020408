"""Cells that a model is writing: shown in their place while its call comes in, before it runs."""

import json
import re
from collections.abc import Callable
from typing import Any

from recto.notebooks.live.output_views import MAX_SHOWN

WRITING_TOOLS = ("edit_cell", "add_cell")
# Within a text: letters that stand for themselves, and escapes. A piece may end within an escape.
WITHIN = re.compile(r'(?:[^"\\]+|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))+')
ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
BETWEEN = re.compile(r'[":,{]')


class ComingTexts:
    """The texts of a JSON object that comes in pieces, by their names. Each piece is read once."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}
        self._whole: set[str] = set()
        self._coming: list[str] | None = None
        """What has come of the text that is coming; None between texts."""
        self._name: str | None = None
        """Of the value that comes."""
        self._last: str | None = None
        """The text before, which is a name if a colon follows."""
        self._rest = ""
        self._is_broken = False

    def add(self, piece: str) -> None:
        """More of it. What is no JSON tells what came before it."""
        text, at = self._rest + piece, 0
        self._rest = ""
        while at < len(text) and not self._is_broken:
            at = self._between(text, at) if self._coming is None else self._within(text, at)

    def get(self, name: str) -> str | None:
        """What has come of a text; None before it begins."""
        found = self._found.get(name)
        return None if found is None else joined(found)

    def get_whole(self, name: str) -> str | None:
        """A text that has come to its end."""
        return self.get(name) if name in self._whole else None

    def _between(self, text: str, at: int) -> int:
        found = BETWEEN.search(text, at)
        if found is None:
            return len(text)
        match found[0]:
            case '"':
                self._coming = []
                if self._name is not None:
                    self._found[self._name] = self._coming
            case ":":
                self._name, self._last = self._last, None
            case _:  # a number or nothing may have been the value
                self._name = self._last = None
        return found.end()

    def _within(self, text: str, at: int) -> int:
        assert self._coming is not None
        if text[at] == '"':
            self._end(self._coming)
            return at + 1
        found = WITHIN.match(text, at)
        if found is not None:
            self._coming.append(json.loads(f'"{found[0]}"', strict=False))
            return found.end()
        self._is_broken = ESCAPE_BEGUN.fullmatch(text, at) is None
        self._rest = text[at:]
        return len(text)

    def _end(self, came: list[str]) -> None:
        if self._name is None:
            self._last = joined(came)
        else:
            self._whole.add(self._name)
        self._name = self._coming = None


def joined(pieces: list[str]) -> str:
    """Pieces as one text: a letter of two escapes may have come in two pieces."""
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


class CellDraft:
    """A call that writes a cell, as far as its arguments have come."""

    def __init__(self, call_id: str, tool: str) -> None:
        self.call_id = call_id
        self._tool = tool
        self._texts = ComingTexts()

    def add(self, piece: str) -> None:
        """More of the arguments, as JSON."""
        self._texts.add(piece)

    @property
    def path(self) -> str | None:
        """The notebook that it is about, once that is said."""
        return self._texts.get_whole("path")

    @property
    def view(self) -> dict[str, Any] | None:
        """The cell that is written, or the one that it will follow; None as long as it is unknown.

        A new cell that follows none comes last.
        """
        cell, source = self._texts.get("cell"), self._texts.get("source")
        is_edit = self._tool == "edit_cell"
        if source is None or (is_edit and cell is None):
            return None
        return {
            "call": self.call_id,
            "cell": cell if is_edit else None,
            "after": self._texts.get("after"),
            "source": source[-MAX_SHOWN:],
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
