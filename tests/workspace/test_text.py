"""Whatever is read as text goes back to the same bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.workspace.failures import NotRepresentable
from recto.workspace.text import Encoding, LineEnding, count_lines, decode, encode

SENTENCE = "Grüße, naïve café — „quoted“"


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        (b"", ("", "utf-8", False)),
        (b"plain", ("plain", "utf-8", False)),
        (b"%PDF- begins a PDF", ("%PDF- begins a PDF", "utf-8", False)),
        (SENTENCE.encode(), (SENTENCE, "utf-8", False)),
        (b"\xef\xbb\xbfmark", ("mark", "utf-8", True)),
        (b"\xef\xbb\xbf", ("", "utf-8", True)),
        (b"\xff\xfe" + SENTENCE.encode("utf-16-le"), (SENTENCE, "utf-16-le", True)),
        (b"\xfe\xff" + SENTENCE.encode("utf-16-be"), (SENTENCE, "utf-16-be", True)),
        (SENTENCE.encode("cp1252"), (SENTENCE, "cp1252", False)),
        (b"caf\xe9 \x81", ("caf\xe9 \x81", "latin-1", False)),
        (b"\xef\xbb\xbfcaf\xe9", ("ï»¿café", "cp1252", False)),
    ],
)
def test_the_encoding_is_found(data: bytes, decoded: tuple[str, Encoding, bool]) -> None:
    assert decode(data) == decoded


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\xef\xbb\xbfa\0b",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xff\xfe\0\0a\0\0\0",
        b"\xff\xfea\0\0",
        b"\xff\xfe" + "a\0b".encode("utf-16-le"),
        bytes(range(1, 256)),
        b"%PDF-1.4\n1 0 obj <</Type/Catalog>> endobj\n%%EOF\n",
    ],
)
def test_what_is_not_text_is_not_decoded(data: bytes) -> None:
    assert decode(data) is None


@given(st.binary(max_size=300))
def test_bytes_that_are_text_come_back_the_same(data: bytes) -> None:
    decoded = decode(data)
    if decoded is not None:
        text, encoding, bom = decoded
        assert encode(text, encoding, bom=bom) == data


@given(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    st.sampled_from(
        ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "koi8-r"]
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_texts_in_other_encodings_and_line_endings_come_back_the_same(
    text: str, codec: str, ending: str, last: bool
) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(codec, b"")
    data = mark + (text.replace("\n", ending) + ending * last).encode(codec, "ignore")

    decoded = decode(data)

    if decoded is not None:
        found, encoding, bom = decoded
        assert encode(found, encoding, bom=bom) == data


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("", (1, "none")),
        ("one", (1, "none")),
        ("one\ntwo", (2, "lf")),
        ("one\r\ntwo\r\n", (3, "crlf")),
        ("one\rtwo", (2, "cr")),
        ("one\r\ntwo\n", (3, "mixed")),
        ("one\n\rtwo", (3, "mixed")),
    ],
)
def test_lines_are_counted_and_their_ending_named(
    text: str, counted: tuple[int, LineEnding]
) -> None:
    assert count_lines(text) == counted


def test_a_letter_that_the_encoding_lacks_is_named() -> None:
    with pytest.raises(NotRepresentable, match="cp1252 has no 'Ω'"):
        encode("a Ω", "cp1252", bom=False)
