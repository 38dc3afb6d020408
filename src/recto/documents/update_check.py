"""Looks at what a peer sent before the CRDT library does.

The library trusts its peers: values nested deep enough end the process, and a count that is not
true has it set memory aside for four billion entries. Pages only ever write text, so a walk over
the update finds anything else, and reads no value of it.
"""

from recto.documents.failures import BadUpdate

LARGEST = (1 << 32) - 1
"""What the library counts up to, within one peer's edits."""
LARGEST_CLIENT = (1 << 53) - 1

HAS_LEFT, HAS_RIGHT = 0x80, 0x40
HAS_KEY = 0x20
CONTENT = 0x1F
GONE, DELETED, STRING, SKIPPED = 0, 1, 4, 10
"""The kinds of content that texts are made of; all others are values, files or more documents."""

NO_TEXT = "it holds something that is no text"
CUT_SHORT = "it ends too soon"
TOO_LARGE = "a number in it is too large"


def check_update(update: bytes) -> None:
    """Raises BadUpdate unless it is nothing but edits of a text."""
    reader = UpdateReader(update)
    for _ in range(reader.count()):
        structs = reader.count()
        reader.number(LARGEST_CLIENT)
        clock = reader.number()
        for _ in range(structs):
            clock += check_struct(reader)
            if clock > LARGEST:
                raise BadUpdate(TOO_LARGE)
    for _ in range(reader.count()):
        reader.number(LARGEST_CLIENT)
        for _ in range(reader.count()):
            reader.number()
            reader.number()
    if not reader.is_at_end:
        raise BadUpdate("it goes on after its end")


def check_state(state: bytes) -> None:
    """Raises BadUpdate unless it says how far each peer's edits are known."""
    reader = UpdateReader(state)
    for _ in range(reader.count()):
        reader.number(LARGEST_CLIENT)
        reader.number()
    if not reader.is_at_end:
        raise BadUpdate("its state is not one")


def check_struct(reader: "UpdateReader") -> int:
    """One piece of text, whole or gone; how much it counts."""
    info = reader.byte()
    kind = info & CONTENT
    if kind in (GONE, SKIPPED):
        return reader.number()
    if kind not in (DELETED, STRING):
        raise BadUpdate(NO_TEXT)
    for origin in (HAS_LEFT, HAS_RIGHT):
        if info & origin:
            reader.number(LARGEST_CLIENT)
            reader.number()
    if not info & (HAS_LEFT | HAS_RIGHT):
        check_parent(reader, info)
    return reader.number() if kind == DELETED else reader.text_length()


def check_parent(reader: "UpdateReader", info: int) -> None:
    """Where a piece stands that has no neighbours: in a text by its name, under no key."""
    if info & HAS_KEY:
        raise BadUpdate(NO_TEXT)
    if reader.number():
        reader.text_length()
    else:
        reader.number(LARGEST_CLIENT)
        reader.number()


class UpdateReader:
    """Numbers and texts as Yjs writes them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        """Whether everything was read."""
        return self._at == len(self._data)

    def byte(self) -> int:
        """The next byte."""
        if self.is_at_end:
            raise BadUpdate(CUT_SHORT)
        self._at += 1
        return self._data[self._at - 1]

    def number(self, largest: int = LARGEST) -> int:
        """The next number, seven bits to a byte."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if value > largest or shift > 70:
                raise BadUpdate(TOO_LARGE)
            if byte < 0x80:
                return value

    def count(self) -> int:
        """How many things follow: none of them takes less than a byte."""
        count = self.number()
        if count > len(self._data) - self._at:
            raise BadUpdate(CUT_SHORT)
        return count

    def text_length(self) -> int:
        """Pass over a text; how many UTF-16 units it has, as the library counts them."""
        size = self.number()
        text = self._data[self._at : self._at + size]
        if len(text) < size:
            raise BadUpdate(CUT_SHORT)
        self._at += size
        try:
            return len(text.decode().encode("utf-16-le")) // 2
        except UnicodeDecodeError as error:
            raise BadUpdate("its text is not UTF-8") from error
