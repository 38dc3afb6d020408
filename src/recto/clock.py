"""Time and ids: the only place that reads a clock or draws a random name.

Both are handed to whoever needs them, so that a recorded run can be replayed with the same values.
"""

import os
import time
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
ID_LENGTH = 26
PAIRS = [first + second for first in ALPHABET for second in ALPHABET]


class Clock(Protocol):
    """What the program knows of time."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, for records and people."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, for durations and deadlines."""
        ...


class Ids(Protocol):
    """Where new names come from."""

    def new(self) -> str:
        """A name nobody has had; later ones sort after earlier ones."""
        ...

    def secret(self) -> str:
        """A name nobody can guess: 256 random bits, safe in an address."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()


class SystemIds:
    """Sortable ids: 48 bits of time, 80 bits of chance, as 26 characters."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0

    def new(self) -> str:
        """A sortable id. Within one millisecond, and when the clock steps back, it counts on."""
        drawn = self._clock.now_ms() << 80 | int.from_bytes(os.urandom(10), "big")
        self._last = drawn if drawn > self._last else self._last + 1
        return encode(self._last)

    def secret(self) -> str:
        """256 random bits as lower-case hex."""
        return os.urandom(32).hex()


def chance() -> float:
    """A number from 0 up to 1, for spreading what should not happen all at once."""
    return int.from_bytes(os.urandom(7), "big") / (1 << 56)


class LocalZone(tzinfo):
    """The user's own time zone as the system knows it, with its changes through the year."""

    def utcoffset(self, dt: datetime | None) -> timedelta:
        """How far local time is ahead at that moment."""
        return timedelta(seconds=local_fields(dt).tm_gmtoff)

    def dst(self, dt: datetime | None) -> timedelta:
        """Not told apart from the rest of the offset."""
        return timedelta(0)

    def tzname(self, dt: datetime | None) -> str:
        """What the zone is called at that moment."""
        return local_fields(dt).tm_zone

    def fromutc(self, dt: datetime) -> datetime:
        """Local time for a moment given in UTC."""
        # The hour that comes twice in autumn is told apart by the system's own conversion.
        local = datetime.fromtimestamp(dt.replace(tzinfo=UTC).timestamp())
        return local.replace(tzinfo=self)


def local_fields(moment: datetime | None) -> time.struct_time:
    """What the system says of a local time."""
    if moment is None:
        return time.localtime()
    return time.localtime(moment.replace(tzinfo=None).timestamp())


def encode(number: int) -> str:
    """Write 128 bits as 26 characters that sort like the number."""
    # In three parts and without a loop: shifting all of it for each pair takes twice as long.
    high, middle, low = number >> 100, number >> 50 & (1 << 50) - 1, number & (1 << 50) - 1
    pairs = PAIRS
    return (
        f"{pairs[high >> 20]}{pairs[high >> 10 & 1023]}{pairs[high & 1023]}"
        f"{pairs[middle >> 40]}{pairs[middle >> 30 & 1023]}{pairs[middle >> 20 & 1023]}"
        f"{pairs[middle >> 10 & 1023]}{pairs[middle & 1023]}"
        f"{pairs[low >> 40]}{pairs[low >> 30 & 1023]}{pairs[low >> 20 & 1023]}"
        f"{pairs[low >> 10 & 1023]}{pairs[low & 1023]}"
    )
