"""A passage is replaced, or it is said why not; every other byte stays."""

import codecs

import anyio
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from recto.tools.editing.nearest import Candidate, nearest
from recto.tools.editing.passages import find_passages, replace_passages
from recto.tools.editing.simplified_text import FORMS, simplify
from recto.workspace.text import decode, encode
from tests.examples import examples
from tests.tools.bench import Bench

pytestmark = pytest.mark.anyio


async def test_the_one_passage_is_replaced(bench: Bench) -> None:
    bench.write("a.md", "one\ntwo\nthree\n")

    outcome = await bench.call("edit_file", path="a.md", old_string="two", new_string="2\n2")

    assert bench.read("a.md") == b"one\n2\n2\nthree\n"
    assert outcome.fact == "+2 −1"
    assert await bench.say("edit_file", path="a.md", old_string="three", new_string="3") == (
        "Replaced the passage at line 4 in a.md."
    )


@pytest.mark.parametrize("new", [r"\1 \g<0> $& $1 \\ {0}", "a\\nb", "\\"])
async def test_the_replacement_is_literal(bench: Bench, new: str) -> None:
    bench.write("a.md", "one two three")

    await bench.say("edit_file", path="a.md", old_string="two", new_string=new)

    assert bench.read("a.md").decode() == f"one {new} three"


async def test_every_passage_is_replaced_when_asked(bench: Bench) -> None:
    bench.write("a.md", "aaa aaa")

    told = await bench.say(
        "edit_file", path="a.md", old_string="aa", new_string="b", replace_all=True
    )

    assert told == "Replaced 2 passages in a.md."
    assert bench.read("a.md") == b"ba ba"


async def test_a_passage_that_is_there_twice_is_an_error_with_its_places(bench: Bench) -> None:
    bench.write("a.md", "say it\nno\nsay it again\n" + "say it\n" * 7)

    told = await bench.fail("edit_file", path="a.md", old_string="say it", new_string="x")

    assert told == (
        '"a.md" has this passage 9 times, with line numbers:\n\n'
        " 1\tsay it\n 3\tsay it again\n 4\tsay it\n 5\tsay it\n 6\tsay it\nand 4 more\n\n"
        "Add the lines around the one you mean, or set replace_all."
    )
    assert bench.notes == []


async def test_overlapping_passages_are_not_unique(bench: Bench) -> None:
    bench.write("a.md", "aaa")

    assert "2 times" in await bench.fail("edit_file", path="a.md", old_string="aa", new_string="b")


async def test_a_passage_that_is_not_there_is_an_error_with_the_nearest(bench: Bench) -> None:
    bench.write(
        "a.py",
        "def first():\n    return 1\n\n\ndef total(items):\n    return sum(items)\n",
    )

    told = await bench.fail(
        "edit_file",
        path="a.py",
        old_string="def total(item):\n    return sum(item)",
        new_string="",
    )

    assert told == (
        '"a.py" has no such passage. Most like it, with line numbers:\n\n'
        "5\tdef total(items):\n6\t    return sum(items)\n\nCopy the passage exactly."
    )


async def test_nothing_alike_is_said(bench: Bench) -> None:
    bench.write("a.md", "one\n")

    assert await bench.fail("edit_file", path="a.md", old_string="zebra", new_string="x") == (
        '"a.md" has no such passage. Nothing in it is like it; read the file again.'
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("", "x", "old_string is empty. Use write_file to write a whole file."),
        ("x", "x", "old_string and new_string are the same, so there is nothing to change."),
    ],
)
async def test_an_edit_of_nothing_is_an_error(bench: Bench, old: str, new: str, why: str) -> None:
    bench.write("a.md", "x")
    assert await bench.fail("edit_file", path="a.md", old_string=old, new_string=new) == why


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("“It’s” – he said…", '"It\'s" - he said...'),
        ('"It\'s" - he said...', "“It’s” — he said…"),
        ("10\u00a0km\u202f!", "10 km !"),
        ("a−b", "a–b"),
    ],
)
async def test_typography_counts_as_equal(bench: Bench, text: str, old: str) -> None:
    bench.write("a.md", f"<{text}>")

    told = await bench.say("edit_file", path="a.md", old_string=old, new_string="it")

    assert told == "Replaced the passage at line 1 in a.md, overlooking differences in typography."
    assert bench.read("a.md") == b"<it>"


async def test_the_exact_passage_comes_before_one_that_is_only_alike(bench: Bench) -> None:
    bench.write("a.md", '“a” and "a"')

    await bench.say("edit_file", path="a.md", old_string='"a"', new_string="b")

    assert bench.read("a.md").decode() == "“a” and b"


async def test_half_of_an_ellipsis_is_not_there(bench: Bench) -> None:
    bench.write("a.md", "wait…")
    assert "has no such passage" in await bench.fail(
        "edit_file", path="a.md", old_string="wait..", new_string="x"
    )


@pytest.mark.parametrize(
    ("text", "old", "result"),
    [
        ("one  \ntwo\t\nthree", "one\ntwo\nthree", "X"),
        ("one\ntwo\nthree", "one \ntwo  \nthree", "X"),
        ("one  \ntwo  \nthree", "one\ntwo", "X  \nthree"),
        ("one  \r\ntwo\r\n", "one\ntwo", "X\r\n"),
        ("one\n", "one  ", "X\n"),
    ],
)
async def test_white_space_at_line_ends_counts_as_equal(
    bench: Bench, text: str, old: str, result: str
) -> None:
    bench.write("a.md", text)

    told = await bench.say("edit_file", path="a.md", old_string=old, new_string="X")

    assert told.endswith("overlooking differences in white space at line ends.")
    assert bench.read("a.md").decode() == result


async def test_white_space_at_the_end_of_the_passage_must_be_at_a_line_end(bench: Bench) -> None:
    bench.write("a.md", "one\ttwo")
    assert "has no such passage" in await bench.fail(
        "edit_file", path="a.md", old_string="one  ", new_string="x"
    )


async def test_letters_that_the_encoding_lacks_are_an_error(bench: Bench) -> None:
    bench.write("a.md", "Grüße".encode("cp1252"))

    told = await bench.fail("edit_file", path="a.md", old_string="Gr", new_string="日")

    assert told.startswith("The encoding cp1252 has no '日'.")
    assert bench.read("a.md") == "Grüße".encode("cp1252")


CODINGS = (("utf-8", False), ("utf-8", True), ("utf-16-le", True), ("utf-16-be", True),
           ("cp1252", False), ("latin-1", False))  # fmt: skip
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
LETTERS = st.text(alphabet="ab \t\r\nü“-\u00a0é", max_size=30)


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(LETTERS, LETTERS, LETTERS.filter(bool), LETTERS, st.sampled_from(CODINGS))
def test_bytes_outside_the_passage_are_never_touched(
    before: str, after: str, passage: str, new: str, coding: tuple[str, bool]
) -> None:
    """In every encoding and with any line ends: what is around the passage stays, byte for byte."""
    name, bom = coding
    # a byte that UTF-8 never has, and one that Windows-1252 lacks, decide the encoding
    sign = {"cp1252": "ÿ§", "latin-1": "ÿ§\x81"}.get(name, "§")
    before, after = f"{sign}{before}§", f"§{after}"
    try:
        around = [piece.encode(name) for piece in (before, passage, after, new)]
    except UnicodeEncodeError:
        assume(False)
        return
    mark = MARKS[name] if bom else b""
    data = mark + around[0] + around[1] + around[2]
    read = decode(data)
    assert read is not None
    assert read[1:] == coding
    text = read[0]

    asked = passage.replace("\r\n", "\n").replace("\r", "\n")
    found = find_passages(text, asked, all_of_them=False)
    spans = [span for span in found.spans if span == (len(before), len(before) + len(passage))]
    assume(spans)
    written = encode(replace_passages(text, spans, new), read[1], bom=bom)

    assert written.startswith(mark + around[0])
    assert written.endswith(around[2])
    inside = written[len(mark) + len(around[0]) : len(written) - len(around[2])]
    same = inside.decode(name).replace("\r\n", "\n").replace("\r", "\n")
    assert same == new.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a\r\nX\r\nb", "a\r\n1\r\n2\r\nb"),
        ("a\nX\nb", "a\n1\n2\nb"),
        ("a\rX\rb", "a\r1\r2\rb"),
        ("a\nb\r\nX", "a\nb\r\n1\r\n2"),
        ("X\r\na\n", "1\r\n2\r\na\n"),
        ("X", "1\n2"),
    ],
)
async def test_new_lines_end_as_those_around_them(bench: Bench, text: str, result: str) -> None:
    bench.write("a.md", text)

    await bench.say("edit_file", path="a.md", old_string="X", new_string="1\n2")

    assert bench.read("a.md").decode() == result


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
async def test_the_final_line_end_stays(bench: Bench, end: bytes) -> None:
    bench.write("a.md", b"one\ntwo" + end)

    await bench.say("edit_file", path="a.md", old_string="two", new_string="2")

    assert bench.read("a.md") == b"one\n2" + end


async def test_a_file_that_somebody_else_changes_meanwhile_stays_theirs(bench: Bench) -> None:
    bench.write("a.md", "one")
    write = bench.context.files.write

    async def late(path: str, data: bytes, *, expected_hash: str | None) -> str:
        await anyio.Path(bench.root / "a.md").write_bytes(b"one more")
        return await write(path, data, expected_hash=expected_hash)

    bench.context.files.write = late  # pyright: ignore[reportAttributeAccessIssue]  # stands in between

    assert "was changed or removed" in await bench.fail(
        "edit_file", path="a.md", old_string="one", new_string="1"
    )
    assert bench.read("a.md") == b"one more"


@given(st.text(alphabet="ab \t\r\n“…-\u00a0", max_size=40), st.sampled_from(list(FORMS)))
def test_every_place_of_a_form_is_a_place_of_the_text(text: str, name: str) -> None:
    form = simplify(text, FORMS[name])

    for place in range(len(form.text) + 1):
        start, end = form.start(place), form.end(place)
        assert (start is None) == (end is None)
        if start is not None and end is not None:
            assert end <= start
            assert simplify(text[:end], FORMS[name]).text.startswith(form.text[:place].rstrip())
    assert (form.start(0), form.end(len(form.text))) != (None, None)


def test_a_long_run_of_white_space_takes_no_time() -> None:
    text = (" " * 1000 + "x") * 2000

    assert find_passages(text, "y \nz", all_of_them=False).spans == ()


def test_the_nearest_lines_do_not_overlap_and_are_few() -> None:
    lines = ["alpha beta gamma", "alpha beta gamme", "other", "alpha beta", "alpha beta gamma!"]

    assert nearest(lines, ["alpha beta gamma"], limit=2) == [
        Candidate(1, ("alpha beta gamma",)),
        Candidate(5, ("alpha beta gamma!",)),
    ]
    assert nearest(lines, ["", "other"]) == [Candidate(2, ("alpha beta gamme", "other"))]
    assert nearest([], ["x"]) == []
    assert nearest(lines, [" "]) == []
