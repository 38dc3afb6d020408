"""Packages: saved with every untouched byte, and hostile ones refused before they are used."""

import io
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.word import NotWord
from recto.word.failures import WordFailure
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.package import OLE_MARK, Package
from tests.word.documents import (
    MAIN,
    TYPES,
    by_hand,
    by_python_docx,
    edited,
    line_at,
    paragraph,
    parts_of,
    view_of,
)

HEADER = 30


def zipped(files: list[tuple[str, bytes]]) -> bytes:
    """A zip of files, names twice if they are given twice."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


@pytest.mark.parametrize("data", [by_python_docx(), by_hand(paragraph("x"))])
def test_a_document_that_nobody_changed_is_saved_as_the_very_bytes(data: bytes) -> None:
    document = WordDocument(data)
    view_of(data)
    assert document.saved() is data


def test_one_edit_changes_one_part_and_every_other_keeps_its_packed_bytes_and_place() -> None:
    data = by_python_docx()
    at = line_at(data, "teh document")
    number = view_of(data).lines[at].paragraphs[0].number

    after = edited(data, at, at, f"¶{number} The end of the document.")

    old, new = parts_of(data), parts_of(after)
    assert [name for name in old if old[name] != new[name]] == [MAIN]
    with zipfile.ZipFile(io.BytesIO(data)) as one, zipfile.ZipFile(io.BytesIO(after)) as other:
        assert one.namelist() == other.namelist()
        for was, now in zip(one.infolist(), other.infolist(), strict=True):
            assert (was.date_time, was.external_attr) == (now.date_time, now.external_attr)
            if was.filename != MAIN:
                size = HEADER + len(was.filename) + was.compress_size
                packed = [
                    bytes_[item.header_offset : item.header_offset + size]
                    for bytes_, item in ((data, was), (after, now))
                ]
                assert packed[0] == packed[1]


def test_a_part_that_is_added_comes_last_and_macros_stay_as_they_are() -> None:
    data = by_hand(paragraph("x"), {"word/vbaProject.bin": "\0macro\1"})

    after = Package(data).saved({"word/new.xml": b"<x/>"})

    assert parts_of(after) == parts_of(data) | {"word/new.xml": b"<x/>"}
    assert Package(after).names[-1] == "word/new.xml"


def bomb() -> bytes:
    """A part that unpacks to far more than it may."""
    return zipped([(MAIN, b" " * 60_000_000)])


def lying() -> bytes:
    """A part that is larger than the directory says."""
    data = bytearray(zipped([(MAIN, b"<x/>" + b" " * 5000)]))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<L", 4)
    return bytes(data)


def two_names() -> bytes:
    """A part with one name in the directory and another before its data."""
    data = bytearray(zipped([("word/document.xml", b"<x/>")]))
    data[HEADER : HEADER + 4] = b"evil"
    return bytes(data)


def encrypted() -> bytes:
    """A part that says that it is encrypted."""
    data = bytearray(zipped([(MAIN, b"<x/>")]))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (bomb, "unpacks to over 50 MB"),
        (lying, "is damaged"),
        (two_names, "has two names"),
        (encrypted, "needs a password"),
        (lambda: OLE_MARK + b"x" * 600, "needs a password, or is an old .doc"),
        (lambda: zipped([("../../evil.xml", b"x"), (MAIN, b"<x/>")]), "points outside"),
        (lambda: zipped([("/etc/passwd", b"x"), (MAIN, b"<x/>")]), "points outside"),
        (lambda: zipped([("word\\x.xml", b"x"), (MAIN, b"<x/>")]), "points outside|two names"),
        (lambda: zipped([(MAIN, b"<x/>"), (MAIN, b"<y/>")]), "is there twice"),
        (lambda: zipped([(MAIN, b"<x/>"), (MAIN.upper(), b"<y/>")]), "is there twice"),
        (lambda: b"junk" + zipped([(MAIN, b"<x/>")]), "no zip package"),
        (lambda: by_hand(paragraph("x"))[:-3], "damaged|no zip package"),
        (lambda: zipped([("a.txt", b"x")]), "a zip package of something else"),
        (lambda: zipped([(f"{n}.xml", b"") for n in range(20_001)]), "over 20,000 parts"),
    ],
)  # fmt: skip
def test_a_hostile_package_is_refused_in_words(make: Callable[[], bytes], why: str) -> None:
    with pytest.raises(NotWord, match=why):
        view_of(make())


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
        '<!doctype x [<!entity % p SYSTEM "http://127.0.0.1:9/x">%p;]>',
    ],
)
def test_a_part_that_defines_a_document_type_is_refused(prolog: str) -> None:
    main = f'{prolog}<w:document xmlns:w="x"><w:body/></w:document>'.encode()
    data = zipped([("[Content_Types].xml", TYPES.encode()), (MAIN, main)])
    with pytest.raises(NotWord, match="defines a document type"):
        view_of(data)


def test_a_part_in_utf_16_is_refused_rather_than_read_past_the_check() -> None:
    main = '<?xml version="1.0" encoding="UTF-16"?><x/>'.encode("utf-16")
    with pytest.raises(NotWord, match="not in UTF-8"):
        view_of(zipped([(MAIN, main)]))


def test_deep_xml_is_refused() -> None:
    deep = "<w:sdt><w:sdtContent>" * 3000 + "</w:sdtContent></w:sdt>" * 3000
    with pytest.raises(NotWord):
        view_of(by_hand(deep))


GOOD = by_hand(paragraph("x"))


@given(st.binary(max_size=200), st.integers(0, len(GOOD)), st.binary(min_size=1, max_size=8))
def test_any_bytes_are_a_document_or_refused(junk: bytes, at: int, patch: bytes) -> None:
    for data in (junk, GOOD[:at] + patch + GOOD[at + len(patch) :]):
        with suppress(WordFailure):
            view_of(data)
