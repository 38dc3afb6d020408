"""What must go back with thoughts: OpenRouter's `reasoning_details`, Mistral's thinking parts.

Both hold signatures or sealed thoughts, so that they go back as they came. A stream sends them in
pieces: those with the same type, index and id are one, until it is signed.
"""

from dataclasses import dataclass, field
from typing import Any, cast

from recto.llm.tool_arguments import writable
from recto.messages import Json

WORDS = ("text", "summary", "data")
"""The fields of a detail that come in pieces; the others come once."""


@dataclass(slots=True)
class ReasoningDetail:
    """One of the details, in the making."""

    fields: dict[str, Any]
    words: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, piece: dict[str, Any]) -> None:
        """Some more of it. What is null in a later piece says nothing."""
        for name, value in piece.items():
            if name in WORDS and isinstance(value, str):
                self.words.setdefault(name, []).append(value)
                self.fields.setdefault(name, "")
            elif value is not None or name not in self.fields:
                self.fields[name] = value

    def continues(self, piece: dict[str, Any]) -> bool:
        """Whether a piece of the same type and index is more of this one."""
        known, new = self.fields.get("id"), piece.get("id")
        if known is not None and new is not None and known != new:
            return False
        return not self.fields.get("signature") or not any(piece.get(name) for name in WORDS)

    def whole(self) -> dict[str, Any]:
        """All of it."""
        return {**self.fields, **{name: "".join(parts) for name, parts in self.words.items()}}


class Thoughts:
    """What the thoughts of an answer came with, taken when they end."""

    def __init__(self) -> None:
        self._field: str | None = None
        self._details: list[ReasoningDetail] = []
        self._by_key: dict[tuple[str, int], ReasoningDetail] = {}
        self._part: dict[str, Any] | None = None
        self._part_words: list[dict[str, Any] | str] = []

    @property
    def is_open(self) -> bool:
        """Whether there is something to take."""
        return bool(self._field or self._details or self._part is not None)

    def came_in(self, name: str) -> None:
        """Thoughts came as the plain text of a field."""
        self._field = name

    def add_details(self, found: Any, *, is_whole: bool) -> str:
        """OpenRouter's details; returns their words. Those of a whole answer are not in pieces."""
        shown: list[str] = []
        for piece in as_objects(found):
            self._add_detail(piece, is_whole=is_whole)
            shown += [piece[name] for name in ("text", "summary") if is_text(piece.get(name))]
        return "".join(shown)

    def _add_detail(self, piece: dict[str, Any], *, is_whole: bool) -> None:
        key = None if is_whole else key_of(piece)
        detail = None if key is None else self._by_key.get(key)
        if detail is None or not detail.continues(piece):
            detail = ReasoningDetail({})
            self._details.append(detail)
        if key is not None:
            self._by_key[key] = detail
        detail.add(piece)

    def add_part(self, piece: dict[str, Any]) -> str:
        """One of Mistral's thinking parts, or a piece of one; returns its words."""
        found = piece.get("thinking")
        inner = [found] if isinstance(found, str) else as_objects(found)
        self._part_words += inner
        rest = {name: value for name, value in piece.items() if name != "thinking"}
        known = self._part or {}
        self._part = {**known, **{name: value for name, value in rest.items() if value is not None}}
        return "".join(words_of(item) for item in inner)

    @property
    def is_signed(self) -> bool:
        """Whether the thinking part is complete: more thoughts are another one."""
        return bool(self._part and self._part.get("signature"))

    def take(self) -> Json:
        """The provider data of the thoughts that end now; what follows are others."""
        payload: dict[str, Any] = {}
        if self._field is not None:
            payload["field"] = self._field
        details = [
            found for _detail in self._details if (found := kept(_detail.whole())) is not None
        ]
        if details:
            payload["details"] = details
        if self._part is not None:
            part = kept({**self._part, "thinking": joined(self._part_words)})
            if part is not None:
                payload["part"] = part
        self._field, self._part = None, None
        self._details, self._part_words = [], []
        self._by_key.clear()
        return payload


def key_of(piece: dict[str, Any]) -> tuple[str, int] | None:
    """What a piece says of the detail it belongs to; None if that is nothing."""
    kind, index = piece.get("type"), piece.get("index")
    return (kind, index) if isinstance(kind, str) and isinstance(index, int) else None


def kept(found: dict[str, Any]) -> dict[str, Any] | None:
    """What can be written as JSON again; nested too deeply, it could not go back."""
    try:
        return writable(found)
    except ValueError:
        return None


def as_objects(found: Any) -> list[dict[str, Any]]:
    """The objects of a list, whatever else is there."""
    if not isinstance(found, list):
        return []
    return [item for item in cast(list[Any], found) if isinstance(item, dict)]


def words_of(one: dict[str, Any] | str) -> str:
    """The words of a piece of a thinking part."""
    text = one if isinstance(one, str) else one.get("text")
    return text if isinstance(text, str) else ""


def joined(pieces: list[dict[str, Any] | str]) -> list[dict[str, Any]] | str:
    """The content of a thinking part, texts in a row made one again."""
    if pieces and all(isinstance(piece, str) for piece in pieces):
        return "".join(words_of(piece) for piece in pieces)
    found: list[dict[str, Any]] = []
    texts: list[str] = []
    for piece in pieces:
        if isinstance(piece, str) or is_plain(piece):
            texts.append(words_of(piece))
            continue
        found += as_text(texts)
        texts.clear()
        found.append(piece)
    return found + as_text(texts)


def is_plain(one: dict[str, Any]) -> bool:
    """Whether a piece is a text and nothing else."""
    return one.keys() == {"type", "text"} and one["type"] == "text" and is_text(one["text"])


def is_text(found: Any) -> bool:
    """Whether something is a text."""
    return isinstance(found, str)


def as_text(texts: list[str]) -> list[dict[str, Any]]:
    """Texts as one piece, if there are any."""
    return [{"type": "text", "text": "".join(texts)}] if texts else []
