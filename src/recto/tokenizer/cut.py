"""Cutting texts into tokens, and counting them."""

from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any, Protocol, cast

ASCII = bytes(range(128))


class Encoding(Protocol):
    """A tokenizer's vocabulary."""

    def count(self, text: str) -> int:
        """How many tokens a text takes."""
        ...


@cache
def encoding() -> Encoding:
    """The vocabulary, loaded when first needed."""
    return cast(Encoding, compiled().tokenizer_for_encoding("o200k_base"))


@cache
def compiled() -> Any:
    """The package's compiled part, by itself.

    The package around it reads three vocabularies into memory when it is imported, which takes a
    second, and refuses long texts.
    """
    package = find_spec("bpe_openai")
    places = package.submodule_search_locations if package else None
    spec = PathFinder.find_spec("bpe_openai._bindings", places)
    if spec is None or spec.loader is None:
        raise ImportError("The package bpe-openai is missing, or is for another computer.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
