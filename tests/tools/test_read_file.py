"""Files as a model reads them."""

import io
import json
from pathlib import Path
from typing import Any

import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from recto.messages import Image, Text
from recto.tools.reading.lines import split_lines
from recto.tools.reading.pdf import NotPdf, pdf_text
from tests.tools.bench import Bench, bench_in

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n\0rest"


async def test_text_comes_as_numbered_lines(bench: Bench) -> None:
    bench.write("a.md", "# Title\r\n\r\nGrüße\rend".encode("cp1252"))

    outcome = await bench.call("read_file", path="a.md")

    assert outcome.content == (Text("1\t# Title\n2\t\n3\tGrüße\n4\tend"),)
    assert outcome.fact == "4 lines"


async def test_an_empty_file_is_said_to_be_empty(bench: Bench) -> None:
    bench.write("a.md", "")
    assert await bench.say("read_file", path="a.md") == "a.md is empty."


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (1, 2, "1\tline 1\n2\tline 2\n[Lines 1 to 2 of 12.]"),
        (12, None, "12\tline 12\n[Lines 12 to 12 of 12.]"),
        (11, 99, "11\tline 11\n12\tline 12\n[Lines 11 to 12 of 12.]"),
    ],
)
async def test_a_part_is_read_by_its_lines(
    bench: Bench, start: int, end: int | None, shown: str
) -> None:
    bench.write("a.md", "".join(f"line {number}\n" for number in range(1, 13)))

    told = await bench.say("read_file", path="a.md", start_line=start, end_line=end)

    assert told == shown


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [(4, None, "there are none from 4"), (3, 2, "there are none 3 to 2")],
)
async def test_lines_that_are_not_there_are_an_error(
    bench: Bench, start: int, end: int | None, why: str
) -> None:
    bench.write("a.md", "1\n2\n3\n")

    told = await bench.fail("read_file", path="a.md", start_line=start, end_line=end)

    assert told == f'"a.md" has 3 lines; {why}.'


async def test_a_long_file_is_cut_and_says_how_to_read_on(root: Path) -> None:
    async with bench_in(root, room=1000) as bench:
        bench.write("long.txt", "".join(f"line number {number}\n" for number in range(1, 501)))

        first = await bench.say("read_file", path="long.txt")
        reached = int(first.split("\n")[-2].partition("\t")[0])
        then = await bench.say("read_file", path="long.txt", start_line=reached + 1)

    assert len(first) <= 1000
    assert first.endswith(
        f"[Lines 1 to {reached} of 500, as many as fit. Read on with start_line {reached + 1}.]"
    )
    assert then.startswith(f" {reached + 1}\tline number {reached + 1}\n")


async def test_a_line_without_end_is_cut(bench: Bench) -> None:
    bench.write("min.js", "x" * 100_000)

    assert await bench.say("read_file", path="min.js") == (
        f"1\t{'x' * 2000} [98,000 more characters in this line]"
    )


async def test_a_picture_is_shown_to_models_that_see(bench: Bench) -> None:
    bench.write("plot.png", PNG)

    outcome = await bench.call("read_file", path="plot.png")

    assert outcome.content == (Text("plot.png (image/png, 1 kB)"), Image("image/png", PNG))
    assert outcome.fact == "1 kB"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff\xd8\xff\xe0\0", "image/jpeg"),
        (b"GIF89a\0", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
async def test_pictures_are_known_by_their_bytes(bench: Bench, data: bytes, kind: str) -> None:
    bench.write("picture", data)

    outcome = await bench.call("read_file", path="picture")

    assert outcome.content[1:] == (Image(kind, data),)


async def test_a_picture_is_an_error_for_models_that_do_not_see(root: Path) -> None:
    async with bench_in(root, sees_images=False) as bench:
        bench.write("plot.png", PNG)
        told = await bench.fail("read_file", path="plot.png")

    assert told == '"plot.png" is a picture, and this model does not see pictures.'


async def test_a_picture_that_is_too_large_is_an_error(bench: Bench) -> None:
    bench.write("plot.png", PNG + bytes(11_000_000))

    assert await bench.fail("read_file", path="plot.png") == (
        '"plot.png" is a picture of 11.0 MB; at most 5 MB can be shown.'
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("data.bin", '"data.bin" is not a text file.'),
        ("sub", '"sub" is not an ordinary file.'),
        ("gone.md", '"gone.md" does not exist.'),
        ("output:9", "There is no output:9."),
    ],
)
async def test_what_can_not_be_read_is_a_clear_error(bench: Bench, path: str, why: str) -> None:
    bench.write("data.bin", b"\0\1\2")
    bench.write("sub/a.md", "")

    assert (await bench.fail("read_file", path=path)).startswith(why)


async def test_kept_output_is_read_by_its_handle(bench: Bench) -> None:
    handle = await bench.outputs.keep("one\ntwo\nthree")

    assert await bench.say("read_file", path=handle, start_line=2) == (
        "2\ttwo\n3\tthree\n[Lines 2 to 3 of 3.]"
    )


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {"x": 1}})


async def test_a_notebook_is_read_as_its_cells(bench: Bench) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["\x1b[31mred\x1b[0m\n", "two\n"]},
        {"output_type": "display_data", "data": {"image/png": "aGk=", "text/plain": "<Figure>"}},
        {"output_type": "error", "ename": "E", "traceback": ["Traceback", "\x1b[1mE\x1b[0m"]},
        {"output_type": "execute_result", "data": {"text/plain": ["x" * 600]}},
    ]
    bench.write(
        "a.ipynb",
        notebook(
            {"cell_type": "markdown", "source": ["# Title\n", "words"], "id": "a"},
            {"cell_type": "code", "source": "plot()", "outputs": outputs, "execution_count": 1},
        ),
    )

    told = await bench.say("read_file", path="a.ipynb")

    assert [line.partition("\t")[2] for line in told.split("\n")] == [
        "# Cell 1 (markdown)", "# Title", "words", "", "# Cell 2 (code)", "plot()",
        "# Output of cell 2", "red", "two", "# Output of cell 2", "<Figure>", "[image/png]",
        "# Output of cell 2", "Traceback", "E", "# Output of cell 2", "x" * 500,
        "[100 more characters]",
    ]  # fmt: skip


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cells": 3}', '{"cells": [{}]}', "\xff"])
async def test_a_broken_notebook_is_a_clear_error(bench: Bench, content: str) -> None:
    bench.write("a.ipynb", content)

    told = await bench.fail("read_file", path="a.ipynb")

    assert told.startswith('"a.ipynb" is not a notebook that can be read: ')


def pdf(*pages: str, password: str | None = None) -> bytes:
    """A PDF with a line of text on each page."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(width=200, height=200)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)  # pyright: ignore[reportPrivateUsage]  # there is no other way to add a page's content
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


async def test_a_pdf_is_read_page_by_page(bench: Bench) -> None:
    bench.write("paper.PDF", pdf("First page", "Second page"))

    assert await bench.say("read_file", path="paper.PDF") == (
        "1\t# Page 1\n2\tFirst page\n3\t# Page 2\n4\tSecond page"
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", ""),
        (b"%PDF-1.7 broken", ""),
        (b"\0" * 100_000, ""),
        (pdf(""), "it has no text; its pages may be pictures"),
        (pdf("x", password="secret"), "it needs a password"),
    ],
)
async def test_a_pdf_that_can_not_be_read_is_a_clear_error(
    bench: Bench, data: bytes, why: str
) -> None:
    bench.write("a.pdf", data)

    told = await bench.fail("read_file", path="a.pdf")

    assert told.startswith('"a.pdf" is not a PDF that can be read: ' + why)


async def test_a_pdf_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(NotPdf, match="it takes over 0.01 s"):
        await pdf_text(pdf("x"), "slow.pdf", deadline_s=0.01)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb\rc\n\n", ["a", "b", "c", ""])],
)
def test_lines_end_in_any_way(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
