"""The parts of an answer that are still being written."""

from dataclasses import dataclass, field

from recto.messages import Json, encodable


@dataclass(slots=True)
class Pieces:
    """Text that comes in pieces. A pair of surrogates may be cut between two of them."""

    parts: list[str] = field(default_factory=list[str])
    half: str = ""

    def add(self, text: str) -> str:
        """Keep a piece; what of it is complete and can be shown now."""
        if text.isascii() and not self.half:
            if text:
                self.parts.append(text)
            return text
        text = self.half + text
        self.half = ""
        # Some providers cut JSON between the two escapes of one emoji: the rest comes next.
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self.half = text[:-1], text[-1]
        whole = encodable(text)
        if whole:
            self.parts.append(whole)
        return whole

    def end(self) -> str:
        """What is still to be shown: half a pair is never completed, and is replaced."""
        if not self.half:
            return ""
        self.half = ""
        self.parts.append("\ufffd")
        return "\ufffd"

    def replace(self, places: list[int], text: str) -> None:
        """Put a text in the place of some pieces: they turned out to lack something."""
        for place in places:
            self.parts[place] = ""
        self.parts[places[0]] = text
        if places[-1] == len(self.parts) - 1:
            self.half = ""

    def all(self) -> str:
        """Everything; half a pair at the end is shown as the replacement character."""
        return "".join(self.parts) + ("\ufffd" if self.half else "")


@dataclass(slots=True)
class OpenCall:
    """A tool call that is being written."""

    id: str
    name: str
    text: Pieces = field(default_factory=Pieces)
    payload: Json | None = None
    ended: bool = False
    arguments: Json | None = None


@dataclass(slots=True)
class OpenText:
    """Words that are being written."""

    text: Pieces = field(default_factory=Pieces)
    payload: Json | None = None
    ended: bool = False


@dataclass(slots=True)
class OpenThinking:
    """Thoughts that are being written."""

    text: Pieces = field(default_factory=Pieces)
    payload: Json | None = None
    ended: bool = False
