"""How bytes are stored: deflated where that helps, or as what is new beside earlier bytes."""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from recto.alike import same_end, same_start

LEAST_DEFLATED = 512
LEVEL = 1
"""Fast: what is stored is written once for every answer, and read hardly ever."""
MOST_LINKS = 1000
MOST_CHAIN = 4
"""Reading what is stored as a chain touches at most this many times its own bytes."""


@dataclass(frozen=True, slots=True)
class PackBase:
    """Bytes that are stored already, and that others can be stored as a change of."""

    digest: str
    data: bytes
    links: int = 0
    """How many others have to be read first."""
    chain_bytes: int = 0
    """How many bytes that reads, itself included."""


@dataclass(frozen=True, slots=True)
class PackedBytes:
    """Bytes ready to be stored."""

    digest: str
    size: int
    data: bytes
    """What is stored: all of it, or what stands between the prefix and the suffix of the base."""
    is_deflated: bool
    base: str | None = None
    prefix: int = 0
    suffix: int = 0
    links: int = 0
    chain_bytes: int = 0

    def as_base(self, whole: bytes) -> PackBase:
        """What the next ones are stored as a change of."""
        return PackBase(self.digest, whole, self.links, self.chain_bytes)


def pack(whole: bytes, base: PackBase | None = None) -> PackedBytes:
    """Bytes as they are stored; beside a base, only what is new in them, if that is little."""
    digest = hashlib.sha256(whole).hexdigest()
    if base is not None and base.digest != digest:
        prefix = same_start(base.data, whole)
        suffix = same_end(base.data, whole, min(len(base.data), len(whole)) - prefix)
        new = whole[prefix : len(whole) - suffix]
        chain_bytes = base.chain_bytes + len(new)
        is_little = len(new) * 2 <= len(whole) and chain_bytes <= MOST_CHAIN * len(whole)
        if is_little and base.links < MOST_LINKS:
            data, is_deflated = deflated(new)
            return PackedBytes(
                digest,
                len(whole),
                data,
                is_deflated,
                base.digest,
                prefix,
                suffix,
                base.links + 1,
                chain_bytes,
            )
    data, is_deflated = deflated(whole)
    return PackedBytes(digest, len(whole), data, is_deflated, chain_bytes=len(whole))


def unpack(chain: Sequence[PackedBytes]) -> bytes:
    """The bytes that the last of a chain stands for; the first one has no base.

    Raises zlib.error when stored bytes are not what was written.
    """
    whole = b""
    for packed in chain:
        new = zlib.decompress(packed.data) if packed.is_deflated else packed.data
        end = whole[len(whole) - packed.suffix :] if packed.suffix else b""
        whole = whole[: packed.prefix] + new + end
    return whole


def deflated(data: bytes) -> tuple[bytes, bool]:
    """The bytes made smaller, and whether they are: pictures can't be."""
    if len(data) >= LEAST_DEFLATED:
        small = zlib.compress(data, LEVEL)
        if len(small) * 10 <= len(data) * 9:
            return small, True
    return data, False
