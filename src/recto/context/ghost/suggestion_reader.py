"""Reads suggestions out of an answer while it comes: each as soon as its last letter is there.

The answer is the arguments of a call, or a text that holds the same JSON, whatever is around it.
Nothing here trusts it: what is no JSON string is passed over, and what is too long is not read.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from recto.messages import Json, encodable

MOST_READ = 40_000
"""Five suggestions of a few lines are much shorter."""
MOST_SUGGESTIONS = 5
# A key is followed by a colon, so that these very words inside another text can't be meant.
OPENING = re.compile(r'"suggestions"\s*:\s*\[')
BETWEEN = re.compile(r"[\s,]*")
QUOTE, ESCAPE = '"', "\\"


@dataclass(frozen=True, slots=True)
class ReadSuggestion:
    """A suggestion, and which part of the answer it was."""

    text: str
    start: int
    end: int


class SuggestionReader:
    """Takes an answer piece by piece."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        """Up to here everything is read; inside the list, this is between two of its items."""
        self._seen = 0
        """Up to here an item that has no end yet was looked at."""
        self._is_inside = False
        self._is_over = False
        self._count = 0

    def feed(self, piece: str) -> list[ReadSuggestion]:
        """What became complete with this piece."""
        if self._is_over:
            return []
        self._text += piece
        if len(self._text) > MOST_READ:
            self._is_over = True
            return []
        found = list(self._complete())
        self._count += len(found)
        return found

    def _complete(self) -> Iterator[ReadSuggestion]:
        if not self._is_inside and not self._enter():
            return
        room = MOST_SUGGESTIONS - self._count
        while room:
            begun = cast(re.Match[str], BETWEEN.match(self._text, self._at)).end()
            if begun >= len(self._text):
                return
            if self._text[begun] != QUOTE:
                break  # the list's end, or nothing that was asked for
            end = self._end_of(begun)
            if end is None:
                return
            self._at = self._seen = end
            text = decoded(self._text[begun:end])
            if text is not None:
                room -= 1
                yield ReadSuggestion(text, begun, end)
        self._is_over = True

    def _enter(self) -> bool:
        """Find where the list begins. What was looked at before is not looked at again."""
        found = OPENING.search(self._text, self._at)
        if found is None:
            # The beginning of the opening may be at the end.
            self._at = max(self._at, self._text.rfind(QUOTE, 0, len(self._text) - 1) - 20, 0)
            return False
        self._is_inside = True
        self._at = self._seen = found.end()
        return True

    def _end_of(self, begun: int) -> int | None:
        """Where the string ends that begins here; None when its end has not come yet."""
        at = max(self._seen, begun + 1)
        while at < len(self._text):
            if self._text[at] == ESCAPE:
                at += 2
            elif self._text[at] == QUOTE:
                return at + 1
            else:
                at += 1
        self._seen = at
        return None


def decoded(literal: str) -> str | None:
    """The text of a JSON string; None when it is none. Bare line breaks are let pass."""
    try:
        found = json.loads(literal, strict=False)
    except ValueError:
        return None
    return encodable(found) if isinstance(found, str) else None


def suggestions_in(arguments: Json | None, text: str) -> list[str]:
    """The suggestions of a whole answer, whose arguments may have come in one piece.

    Models also give objects that hold a text, or a list and nothing around it.
    """
    found: Any = arguments if arguments is not None else parsed(text)
    if isinstance(found, dict):
        found = cast(dict[str, Any], found).get("suggestions")
    if not isinstance(found, list):
        return []
    texts = (text_of(item) for item in cast(Sequence[Any], found)[:MOST_SUGGESTIONS])
    return [encodable(item) for item in texts if item is not None]


def parsed(text: str) -> Any:
    """The JSON in a text, without the fence or the words around it; None when there is none."""
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    if not starts or len(text) > MOST_READ:
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, min(starts))[0]
    except (ValueError, RecursionError):
        return None


def text_of(one: Any) -> str | None:
    """The text of one item of the list."""
    if isinstance(one, dict):
        texts = [value for value in cast(dict[str, Any], one).values() if isinstance(value, str)]
        return texts[0] if texts else None
    return one if isinstance(one, str) else None
