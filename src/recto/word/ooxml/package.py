"""The zip package of a Word document.

Parts are unpacked one by one under caps, and whatever is not changed keeps its bytes, packed as
they are, in its place.

The file may be hostile. Names that climb, parts that are there twice, headers that contradict each
other, encryption and parts that unpack to more than they may are refused before they are used.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from recto.word.failures import EditRefused, NotWord

MAX_PARTS = 20_000
MAX_PART_BYTES = 50_000_000
STORED, DEFLATED = 0, 8
ENCRYPTED, WITH_DESCRIPTOR = 0x1, 0x8
END = struct.Struct("<4s4H2LH")
CENTRAL = struct.Struct("<4s6H3L5H2L")
LOCAL = struct.Struct("<4s5H3L2H")
END_MARK, CENTRAL_MARK, LOCAL_MARK = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
MAX_COMMENT = 0xFFFF
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PASSWORD = "it needs a password, or is an old .doc under a new name"


@dataclass(frozen=True, slots=True)
class PartEntry:
    """One part as the directory tells of it, and where all its bytes lie."""

    name: str
    raw_name: bytes
    version_made: int
    version_needed: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed_size: int
    size: int
    extra: bytes
    comment: bytes
    internal: int
    external: int
    start: int
    """Where its local header begins."""
    data_start: int
    end: int
    """Where the next thing begins: what lies between, such as a data descriptor, belongs to it."""


class Package:
    """The parts of a document. Raises NotWord for what is no sound package."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._directory, self._tail = find_directory(data)
        self._entries = {entry.name: entry for entry in self._read_directory()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, in the directory's order."""
        return tuple(self._entries)

    def find(self, name: str) -> str | None:
        """The name as the package writes it: names of parts differ by more than case."""
        if name in self._entries:
            return name
        return next((item for item in self._entries if item.casefold() == name.casefold()), None)

    def read(self, name: str) -> bytes:
        """One part, unpacked and checked. Raises NotWord."""
        entry = self._entries.get(name)
        if entry is None:
            raise NotWord(f"it has no {name}")
        packed = self.data[entry.data_start : entry.data_start + entry.packed_size]
        content = packed if entry.method == STORED else unpack(packed, entry)
        if len(content) != entry.size or zlib.crc32(content) != entry.crc:
            raise NotWord(f"{name} is damaged")
        return content

    def is_but_for(self, part: str, other: "Package") -> bool:
        """Whether two packages have the same parts, byte for byte, but for the content of one."""
        return self.names == other.names and all(
            name == part or self.packed(name) == other.packed(name) for name in self._entries
        )

    def packed(self, name: str) -> tuple[int, int, int, bytes]:
        """A part as it is packed, and what the directory says of it."""
        entry = self._entries[name]
        content = self.data[entry.data_start : entry.data_start + entry.packed_size]
        return entry.method, entry.size, entry.crc, content

    def saved(self, parts: Mapping[str, bytes]) -> bytes:
        """The package with some parts changed or added; the same bytes if none differs."""
        changed = {
            name: content
            for name, content in parts.items()
            if name not in self._entries or self.read(name) != content
        }
        if not changed:
            return self.data
        out = bytearray()
        directory: list[bytes] = []
        by_place = sorted(self._entries.values(), key=lambda entry: entry.start)
        rows: dict[str, bytes] = {}
        for entry in by_place:
            content = changed.get(entry.name)
            written = entry if content is None else filled(entry, content)
            rows[entry.name] = directory_row(written, len(out))
            out += (
                self.data[entry.start : entry.end]
                if content is None
                else packed_part(written, content)
            )
        directory += (rows[name] for name in self._entries)
        for name, content in changed.items():
            if name not in self._entries:
                entry = filled(self._new_entry(name), content)
                directory.append(directory_row(entry, len(out)))
                out += packed_part(entry, content)
        place, size = len(out), sum(map(len, directory))
        comment = self._tail[END.size :]
        count = len(directory)
        end = END.pack(END_MARK, 0, 0, count, count, size, place, len(comment))
        return bytes(out) + b"".join(directory) + end + comment

    def _new_entry(self, name: str) -> PartEntry:
        """A part to add, with the time of the first one: the package is all it needs to know."""
        like = next(iter(self._entries.values()))
        return PartEntry(
            name, name.encode(), 20, 20, 0, DEFLATED, like.time, like.date,
            0, 0, 0, b"", b"", 0, 0, 0, 0, 0,
        )  # fmt: skip

    def _read_directory(self) -> Iterator[PartEntry]:
        rows = list(directory_rows(self._directory))
        seen: set[str] = set()
        places = sorted(int(row[1][16]) for row in rows)
        end_of_parts = len(self.data) - len(self._directory) - len(self._tail)
        following = dict(zip(places, [*places[1:], end_of_parts], strict=True))
        if len(following) != len(rows) or (places and places[0] != 0):
            raise NotWord("its parts overlap, or something lies before them")
        for name, fields, extra, comment in rows:
            if name.casefold() in seen:
                raise NotWord(f"{name} is there twice")
            seen.add(name.casefold())
            yield self._entry(name, fields, extra, comment, following[fields[16]])

    def _entry(
        self, name: str, fields: tuple[int, ...], extra: bytes, comment: bytes, end: int
    ) -> PartEntry:
        (_, made, needed, flags, method, time, date, crc, packed, size, *_rest) = fields
        start = fields[16]
        check_name(name)
        if flags & ENCRYPTED:
            raise NotWord("it needs a password")
        if method not in (STORED, DEFLATED):
            raise NotWord(f"{name} is packed in a way that Word does not use")
        raw_name, data_start = self._local(name, start, end)
        if data_start + packed > end:
            raise NotWord(f"{name} does not lie where the package says")
        return PartEntry(
            name, raw_name, made, needed, flags, method, time, date, crc, packed, size,
            extra, comment, fields[14], fields[15], start, data_start, end,
        )  # fmt: skip

    def _local(self, name: str, start: int, end: int) -> tuple[bytes, int]:
        """The name in a part's own header, and where its data begins."""
        if start + LOCAL.size > end or self.data[start : start + 4] != LOCAL_MARK:
            raise NotWord(f"{name} does not lie where the package says")
        local = LOCAL.unpack_from(self.data, start)
        name_end = start + LOCAL.size + local[9]
        raw = self.data[start + LOCAL.size : name_end]
        if decode_name(raw, local[2]) != name:
            raise NotWord(f"{name} has two names")
        return raw, name_end + local[10]


def find_directory(data: bytes) -> tuple[bytes, bytes]:
    """The directory of a zip file, and what ends it."""
    if data.startswith(OLE_MARK):
        raise NotWord(PASSWORD)
    at = data.rfind(END_MARK, max(0, len(data) - END.size - MAX_COMMENT))
    if not data.startswith(LOCAL_MARK) or at < 0 or at + END.size > len(data):
        raise NotWord("it is no zip package, or its end is missing")
    _, disk, first_disk, here, count, size, place, comment = END.unpack_from(data, at)
    if 0xFFFF in (here, count) or 0xFFFFFFFF in (size, place):
        raise NotWord("its package is of the kind for files over 4 GB")
    sound = disk == first_disk == 0 and here == count and place + size == at
    if not sound or at + END.size + comment != len(data):
        raise NotWord("its package is damaged")
    if count > MAX_PARTS:
        raise NotWord(f"it has over {MAX_PARTS:,} parts")
    directory = data[place:at]
    if sum(1 for _ in directory_rows(directory)) != count:
        raise NotWord("its package is damaged")
    return directory, data[at:]


def directory_rows(directory: bytes) -> Iterator[tuple[str, tuple[int, ...], bytes, bytes]]:
    """The name, numbers, extra field and comment of each row of a directory."""
    at = 0
    while at < len(directory):
        if at + CENTRAL.size > len(directory) or directory[at : at + 4] != CENTRAL_MARK:
            raise NotWord("its package is damaged")
        fields = CENTRAL.unpack_from(directory, at)
        name_end = at + CENTRAL.size + fields[10]
        extra_end = name_end + fields[11]
        end = extra_end + fields[12]
        if end > len(directory) or 0xFFFFFFFF in (fields[8], fields[9], fields[16]):
            raise NotWord("its package is damaged")
        name = decode_name(directory[at + CENTRAL.size : name_end], fields[3])
        yield name, fields, directory[name_end:extra_end], directory[extra_end:end]
        at = end


def decode_name(raw: bytes, flags: int) -> str:
    """A name; without the flag for UTF-8 it is in the old code page."""
    try:
        return raw.decode("utf-8" if flags & 0x800 or raw.isascii() else "cp437")
    except UnicodeDecodeError as error:
        raise NotWord("a part of it has a name that can't be read") from error


def check_name(name: str) -> None:
    """Refuse a name that could mean a place outside, wherever somebody unpacks it."""
    climbs = ".." in name.split("/") or name.startswith("/") or "\\" in name or ":" in name
    if climbs or not name or "\0" in name:
        raise NotWord(f"a part of it is named {name[:80]!r}, which points outside")


def unpack(packed: bytes, entry: PartEntry) -> bytes:
    """Undo the packing, up to the cap. Raises NotWord."""
    if entry.size > MAX_PART_BYTES:
        raise NotWord(f"{entry.name} unpacks to over {MAX_PART_BYTES // 1_000_000} MB")
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        # One byte more than promised shows whether it keeps its promise.
        content = inflate.decompress(packed, entry.size + 1)
    except zlib.error as error:
        raise NotWord(f"{entry.name} is damaged") from error
    return content


def filled(entry: PartEntry, content: bytes) -> PartEntry:
    """A part's row with other content."""
    return replace(
        entry,
        flags=entry.flags & ~WITH_DESCRIPTOR,
        method=DEFLATED,
        crc=zlib.crc32(content),
        packed_size=len(pack(content)),
        size=len(content),
    )


def packed_part(entry: PartEntry, content: bytes) -> bytes:
    """A part's header and its packed content."""
    header = LOCAL.pack(
        LOCAL_MARK, entry.version_needed, entry.flags, entry.method, entry.time, entry.date,
        entry.crc, entry.packed_size, entry.size, len(entry.raw_name), 0,
    )  # fmt: skip
    return header + entry.raw_name + pack(content)


def directory_row(entry: PartEntry, place: int) -> bytes:
    """A part's row in the directory, with the place where the part begins now."""
    if place > 0xFFFFFFFE:
        raise EditRefused("The document would be over 4 GB.")
    row = CENTRAL.pack(
        CENTRAL_MARK, entry.version_made, entry.version_needed, entry.flags, entry.method,
        entry.time, entry.date, entry.crc, entry.packed_size, entry.size, len(entry.raw_name),
        len(entry.extra), len(entry.comment), 0, entry.internal, entry.external, place,
    )  # fmt: skip
    return row + entry.raw_name + entry.extra + entry.comment


@lru_cache(maxsize=4)
def pack(content: bytes) -> bytes:
    """Deflated, the same each time; asked for its size first, then for itself."""
    deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(content) + deflate.flush()
