"""Large texts in parts: every line once, in order, with its number."""

import os
from pathlib import Path

import pytest

from recto.workspace import parts
from recto.workspace.failures import BinaryFile, PathNotFound, TooLarge
from recto.workspace.files import content_hash
from recto.workspace.jail import Jail
from recto.workspace.parts import TextPart, read_part


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few bytes, so that all their edges are seen."""
    monkeypatch.setattr(parts, "PART_BYTES", 10)
    monkeypatch.setattr(parts, "LONGEST_LINE", 8)


def all_parts(jail: Jail, path: str) -> list[TextPart]:
    first = read_part(jail, path)
    return [first, *(read_part(jail, path, part=part) for part in range(2, first.parts + 1))]


def test_a_part_is_whole_lines_with_the_number_of_the_first(jail: Jail, root: Path) -> None:
    (root / "a.log").write_bytes(b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n")

    assert all_parts(jail, "a.log") == [
        TextPart("a.log", "one\ntwo\n", 1, 3, 1, 29, content_hash(b"one\r\ntwo\r\n")),
        TextPart("a.log", "three\nfour\n", 2, 3, 3, 29, content_hash(b"three\r\nfour\r\n")),
        TextPart("a.log", "five\n", 3, 3, 5, 29, content_hash(b"five\r\n")),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short",
        b"one\ntwo\nthree\nfour\nfive\nsix\n",
        b"\n" * 35,
        b"a line that goes on and on and on for longer than a part\nand one more\n",
        "äöüßäöüßäöüßäöüßäöüß".encode(),
        "€€€€€€€€€€€€\n€€€€€€€€\n€".encode(),
        "𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞\n𝄞".encode(),
        b"123456789\n" * 4,
        b"1234567890\n" * 4,
        b"12345678\nlonger",
    ],
)
def test_the_parts_together_are_the_text_and_lines_are_counted(
    data: bytes, jail: Jail, root: Path
) -> None:
    (root / "a.log").write_bytes(data)
    found = all_parts(jail, "a.log")
    text = data.decode()

    assert "".join(part.text for part in found) == text
    assert {(part.part, part.parts) for part in found} == {
        (number, len(found)) for number in range(1, len(found) + 1)
    }
    before = ""
    for part in found:
        assert part.first_line == before.count("\n") + 1
        before += part.text
    assert all(part.text for part in found) or text == ""


def test_a_line_is_found_in_its_part_and_one_beyond_the_end_in_the_last(
    jail: Jail, root: Path
) -> None:
    lines = [f"line {number}\n" for number in range(1, 31)]
    (root / "a.log").write_text("".join(lines), encoding="utf-8")
    last = read_part(jail, "a.log").parts
    for number in range(1, 31):
        part = read_part(jail, "a.log", line=number)
        assert part.text.split("\n")[number - part.first_line] == f"line {number}"
    assert read_part(jail, "a.log", line=999).part == last
    assert read_part(jail, "a.log", part=999).part == last


def test_what_is_no_text_at_its_beginning_is_none_and_stray_bytes_later_are_shown(
    jail: Jail, root: Path
) -> None:
    (root / "a.bin").write_bytes(b"a\0b" * 10)
    (root / "a.log").write_bytes(b"begins ok\nthen \0\xff\nends ok\n")
    (root / "wide.txt").write_bytes(b"\xff\xfe" + ("a\n" * 20).encode("utf-16-le"))

    with pytest.raises(BinaryFile):
        read_part(jail, "a.bin")
    assert "".join(part.text for part in all_parts(jail, "a.log")) == (
        "begins ok\nthen \0\N{REPLACEMENT CHARACTER}\nends ok\n"
    )
    with pytest.raises(TooLarge, match="UTF-16"):
        read_part(jail, "wide.txt")
    with pytest.raises(PathNotFound):
        read_part(jail, "missing.log")


def test_over_a_gigabyte_is_refused(jail: Jail, root: Path) -> None:
    with (root / "a.log").open("wb") as sparse:
        os.truncate(sparse.fileno(), parts.MAX_PARTED_BYTES + 1)

    with pytest.raises(TooLarge, match="1 GB"):
        read_part(jail, "a.log")
