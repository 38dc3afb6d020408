"""A value that must not be shown: it cannot be printed, logged or formatted by accident."""

from typing import Final


class Secret:
    """Holds a key or token; only `reveal` gives it out."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value: Final = value

    def reveal(self) -> str:
        """The value itself, for the one place that sends it."""
        return self._value

    def hint(self) -> str:
        """Enough to tell two keys apart, too little to use: the end of a long one."""
        return f"…{self._value[-4:]}" if len(self._value) >= 16 else "…"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def __format__(self, spec: str) -> str:
        return "…"

    def __reduce__(self) -> str:
        raise TypeError("A secret cannot be pickled.")
