"""Opening and saving changes no byte: encodings, marks, line endings, this repository."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.documents import LiveDocument, ReadOnly, Splice
from recto.documents.file_format import FileFormat
from recto.workspace import LineEnding, TextFile
from tests.documents.folder import ANN, document, folder

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
EVERY = 1 if os.environ.get("RECTO_CORPUS") == "all" else 4  # how many of the repository's files
SENTENCES = {
    "ascii": "Plain words.",
    "utf-8": "Größe, 漢字, שלום, 😀 and e\u0301.",
    "utf-8-sig": "A mark before 漢字.",
    "utf-16-le": "Pairs 😀 of units.",
    "utf-16-be": "Pairs 😀 of units.",
    "cp1252": "“Straße” – 5 €",
    "latin-1": "caf\xe9 \x81 cr\xe8me",
    "iso8859-15": "caf\xe9, 5 €, na\xefve",
    "koi8-r": "Привет, мир",
    "shift-jis": "日本語の文",
    "gb18030": "中文文本",
    "cp437": "│ box ┤ ü",
}
ENDS = {
    "lf": "{0}\nsecond\n",
    "crlf": "{0}\r\nsecond\r\n",
    "cr": "{0}\rsecond\r",
    "mixed": "{0}\r\nsecond\nthird\rfourth\n\r",
    "no final newline": "{0}\nsecond",
    "one line": "{0}",
    "empty lines": "\n\n{0}\n\n\n",
}


def written(encoding: str, text: str) -> bytes:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    return mark + text.encode(encoding)


@pytest.mark.parametrize("encoding", SENTENCES)
async def test_an_edit_and_its_undoing_leave_every_byte(tmp_path: Path, encoding: str) -> None:
    async with folder(tmp_path) as home:
        for number, form in enumerate(ENDS.values()):
            name, data = f"{number}.txt", written(encoding, form.format(SENTENCES[encoding]))
            home.put(name, data)
            async with home.documents.using(name) as live:
                if isinstance(live, ReadOnly):
                    continue
                await live.edit([Splice(1, 1, "x")], ANN)
                await live.save()
                assert home.disk(name) != data
                await live.edit([Splice(1, 2, "")], ANN)
                await live.save()
            assert home.disk(name) == data


async def test_an_edit_in_a_file_of_mixed_endings_leaves_all_other_lines(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.txt", b"one\r\ntwo\nthree\rfour")
        async with document(home, "a.txt") as live:
            await live.edit([Splice(live.text.index("two"), live.text.index("two"), "2 ")], ANN)
        assert home.disk("a.txt") == b"one\r\n2 two\nthree\rfour"


async def test_new_lines_end_as_the_file_does_whoever_writes_them(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.txt", b"one\r\n")
        async with document(home, "a.txt") as live:
            await live.edit([Splice(0, 0, "a\nb\r\nc\r")], ANN)
        assert home.disk("a.txt") == b"a\r\nb\r\nc\r\none\r\n"


async def test_every_file_of_this_repository_comes_back_as_it_was(tmp_path: Path) -> None:
    places = [ROOT / "src", ROOT / "tests", ROOT / "web" / "src", ROOT / "scripts"]
    found = [item for place in places for item in place.rglob("*") if item.is_file()]
    wanted = sorted(item for item in found if "__pycache__" not in item.parts)
    assert len(wanted) > 1200
    opened = 0
    async with folder(tmp_path) as home:
        for number, file in enumerate(wanted[::EVERY]):
            data = file.read_bytes()
            name = f"{number}{file.suffix}"
            home.put(name, data)
            async with home.documents.using(name) as live:
                if isinstance(live, LiveDocument):
                    opened += 1
                    assert live.shape.write(live.text) == data, file
                    await live.edit([Splice(0, 0, "x")], ANN)
                    await live.edit([Splice(0, 1, "")], ANN)
            assert home.disk(name) == data, file
    assert opened > 300


@given(
    st.lists(st.sampled_from(["a", "é", "😀", "\n", "\r\n", "\r", " "]), max_size=12).map("".join)
)
def test_any_mixture_of_endings_comes_back(text: str) -> None:
    file = file_of(text)
    shape = FileFormat.of(file)
    assert shape.write(shape.read(text)) == text.encode()


def file_of(text: str) -> TextFile:
    bare = text.replace("\r\n", "")
    kinds: dict[LineEnding, bool] = {"crlf": "\r\n" in text, "lf": "\n" in bare, "cr": "\r" in bare}
    used: list[LineEnding] = [kind for kind, is_used in kinds.items() if is_used]
    ending: LineEnding = "none" if not used else used[0] if len(used) == 1 else "mixed"
    return TextFile("a.txt", text, len(text), "0", "utf-8", bom=False, line_ending=ending)
