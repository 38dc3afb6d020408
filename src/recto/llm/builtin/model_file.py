"""Reads the beginning of a GGUF file: enough to know that it is a model and how much it can read.

Counts in the file are not believed: whatever they say, only a bounded beginning is read.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = b"GGUF"
LARGEST_WINDOW = 8192
"""A longer context would cost more memory than a small helper is worth."""
USUAL_WINDOW = 2048
LONGEST_KEY = 65_535
MOST_KEYS = 10_000
STRING, ARRAY = 8, 9
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
WHOLE_NUMBERS = {2: "<H", 4: "<I", 5: "<i", 10: "<Q", 11: "<q"}


class InvalidModelFile(Exception):
    """There is no usable model file; the text says why."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on disk."""

    path: Path
    window: int
    """How many tokens of prompt and answer together it is run with."""


def read_model_file(path: Path) -> ModelFile:
    """Look at a model file. Raises InvalidModelFile."""
    try:
        with path.open("rb") as file:
            return ModelFile(path, read_window(file))
    except OSError as error:
        why = (error.strerror or "it can't be read").lower()
        raise InvalidModelFile(f"The model {path} can't be opened: {why}.") from error
    except (struct.error, ValueError, OverflowError) as error:
        raise InvalidModelFile(f"{path} is not a GGUF model, or is damaged.") from error


def read_window(file: BinaryIO) -> int:
    """The context the model was made for, as far as we use it. Raises ValueError, struct.error."""
    magic, version, _, keys = struct.unpack("<4sIQQ", file.read(24))
    if magic != MAGIC or version < 2:
        raise ValueError(magic)
    for key, value in read_numbers(file, min(keys, MOST_KEYS)):
        if key.endswith(b".context_length"):
            return min(value, LARGEST_WINDOW)
    return USUAL_WINDOW


def read_numbers(file: BinaryIO, keys: int) -> Iterator[tuple[bytes, int]]:
    """Every whole number among the first keys, up to the tokens: what we need stands before."""
    for _ in range(keys):
        (length,) = struct.unpack("<Q", file.read(8))
        if length > LONGEST_KEY:
            raise ValueError(length)
        key = file.read(length)
        (kind,) = struct.unpack("<I", file.read(4))
        if key == b"tokenizer.ggml.tokens":
            return
        if kind in WHOLE_NUMBERS:
            yield key, struct.unpack(WHOLE_NUMBERS[kind], file.read(SIZES[kind]))[0]
        else:
            skip(file, kind)


def skip(file: BinaryIO, kind: int) -> None:
    """Pass over a value. Raises ValueError for a kind that GGUF does not have."""
    if kind == STRING:
        file.seek(struct.unpack("<Q", file.read(8))[0], 1)
    elif kind == ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        if inner in SIZES:
            file.seek(SIZES[inner] * count, 1)
            return
        if inner != STRING:
            raise ValueError(inner)
        for _ in range(count):
            skip(file, STRING)
    elif kind in SIZES:
        file.seek(SIZES[kind], 1)
    else:
        raise ValueError(kind)
