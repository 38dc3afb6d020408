"""Cutting texts into tokens, and counting them."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Protocol, cast

ASCII = bytes(range(128))


class Encoding(Protocol):
    """A tokenizer's vocabulary."""

    def count(self, text: str) -> int:
        """How many tokens a text takes."""
        ...


@cache
def encoding() -> Encoding:
    """The vocabulary, loaded when first needed."""
    rs_bpe = import_module("rs_bpe.bpe")
    return cast(Encoding, rs_bpe.openai.o200k_base())


@dataclass(frozen=True, slots=True)
class Count:
    """Tokens by our own vocabulary: of ASCII text, and of all other."""

    ascii: int = 0
    other: int = 0

    def __add__(self, more: "Count") -> "Count":
        return Count(self.ascii + more.ascii, self.other + more.other)

    @property
    def total(self) -> int:
        """All of them."""
        return self.ascii + self.other


def tokenize(text: str) -> Count:
    """Cut a text into tokens, and count them."""
    total = encoding().count(text)
    if text.isascii():
        return Count(total)
    other = min(total, encoding().count(text.encode().translate(None, ASCII).decode()))
    return Count(total - other, other)
