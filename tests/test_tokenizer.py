"""The vocabulary comes from a compiled part that fits every Python, loaded at the first count."""

import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from recto.tokenizer import Count, tokenize
from recto.tokenizer.cut import compiled

LOADED = """
import sys
import recto.tokenizer
assert not [name for name in sys.modules if "bpe" in name], "loaded before the first count"
assert recto.tokenizer.tokenize("hello world").total == 2
assert "bpe_openai" not in sys.modules, "the package around it reads every vocabulary"
"""


def test_texts_are_cut_as_the_vocabulary_says() -> None:
    assert tokenize("hello world") == Count(2)
    assert tokenize("<|endoftext|>") == Count(7)
    assert tokenize("grüße, 世界") == Count(2, 3)
    assert tokenize("many words " * 200_000).total == 400_001


def test_the_vocabulary_is_loaded_at_the_first_count_and_alone() -> None:
    subprocess.run([sys.executable, "-I", "-c", LOADED], check=True)


def test_one_compiled_part_fits_every_python_from_3_11() -> None:
    name = Path(compiled().__file__).name
    stable = {suffix for suffix in EXTENSION_SUFFIXES if "cpython" not in suffix} | {".pyd"}
    assert name.removeprefix("_bindings") in stable
