"""The first such passage is replaced, where it is, literally; else it is said how to look."""

from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.tools.document.edit_document import EditDocument, edit
from recto.tools.document.target import DocumentSnapshot, data_of, front_matter, plain
from recto.workspace.files import TextFile, content_hash
from recto.workspace.text import count_lines, decode
from tests.examples import examples
from tests.tools.document.desk import PATH, desk_with

pytestmark = pytest.mark.anyio


async def test_the_first_of_many_is_replaced_and_the_others_are_counted(root: Path) -> None:
    async with desk_with(root, "teh one\nteh two\nteh three\n") as desk:
        outcome = await desk.call("edit_document", find="teh", replace="the")

        assert desk.text == "the one\nteh two\nteh three\n"
        assert outcome.fact == "+1 −1"
        assert await desk.edit("teh", "the") == (
            "Replaced the passage at line 2. The same passage was there 1 time more; those are as "
            "they were."
        )


@pytest.mark.parametrize("new", ["$& $1 $$", r"\1 \g<0> \n", "{0} %s", "&", "\\"])
async def test_t2_the_replacement_is_plain_text_whatever_it_looks_like(
    root: Path, new: str
) -> None:
    async with desk_with(root, "one two three") as desk:
        await desk.edit("two", new)
        assert desk.text == f"one {new} three"


async def test_t2_edit_file_refuses_many_and_takes_its_replacement_literally(root: Path) -> None:
    async with desk_with(root, "two and two") as desk:
        edits = {"path": PATH, "old_string": "two", "new_string": r"$& \1"}
        assert "has this passage 2 times" in await desk.bench.fail("edit_file", **edits)
        assert desk.text == "two and two"
        await desk.bench.say("edit_file", **{**edits, "old_string": "and two"})
        assert desk.text == r"two $& \1"


BLOCKS = "# Über 😀\n\nFirst — teh.\n\n- 漢字\n- ﷽ e\u0301\n\n> teh 👩‍👩‍👧\n\n"


@pytest.mark.parametrize("blocks", [0, 1, 7, 100])
async def test_t12_an_edit_lands_where_its_passage_is_however_many_blocks_are_above(
    root: Path, blocks: int
) -> None:
    above = BLOCKS * blocks
    async with desk_with(root, f"{above}Here it is.\n\nBelow.\n") as desk:
        await desk.edit("it is", "it was")
        assert desk.text == f"{above}Here it was.\n\nBelow.\n"


LETTERS = st.text(alphabet="ab\r\n \té漢😀\u0301", max_size=20)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.differing_executors])
@given(LETTERS, LETTERS, LETTERS, st.sampled_from(["\n", "\r\n", "\r", ""]))
def test_t12_nothing_but_the_passage_changes_in_any_text(
    before: str, after: str, new: str, ending: str
) -> None:
    pieces = [alike(item, ending) for item in (before, "<passage>", after)]
    data = "".join(pieces).encode()
    read = decode(data)
    assert read is not None
    file = TextFile("a", read[0], len(data), content_hash(data), *read[1:], count_lines(read[0])[1])
    seen = DocumentSnapshot(file, plain(file), None)

    text, _ = edit(seen, EditDocument("<passage>", new))

    written = data_of(file, text).decode()
    assert written.startswith(pieces[0])
    assert written.endswith(pieces[2])
    inside = written[len(pieces[0]) : len(written) - len(pieces[2])]
    assert alike(inside, "\n") == alike(new, "\n")


def alike(text: str, ending: str) -> str:
    """A text with one kind of line end; as it is without one."""
    if not ending:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", ending)


async def test_a_passage_in_the_selection_comes_before_an_earlier_one(root: Path) -> None:
    async with desk_with(root, "so\r\nso\r\nso far\r\n") as desk:
        desk.select("so far", at=6)
        await desk.edit("so", "thus")
        assert desk.bench.read(PATH) == b"so\r\nso\r\nthus far\r\n"
        desk.selected = None
        await desk.edit("so\nso", "1\n2")
        assert desk.bench.read(PATH) == b"1\r\n2\r\nthus far\r\n"


async def test_what_is_not_in_the_selection_is_found_in_the_document(root: Path) -> None:
    async with desk_with(root, "one\ntwo\n") as desk:
        desk.select("two")
        await desk.edit("one", "1")
        assert desk.text == "1\ntwo\n"


async def test_a_passage_that_is_not_there_says_what_is_like_it_and_how_to_look(
    root: Path,
) -> None:
    async with desk_with(root, "The tide comes at noon.\nIt goes.\n") as desk:
        assert await desk.fail("edit_document", find="The tide came at noon", replace="x") == (
            "The document has no such passage. Most like it, with line numbers:\n\n"
            "1\tThe tide comes at noon.\n\n"
            "Look with search_document or read_document, then copy the passage exactly."
        )
        assert await desk.fail("edit_document", find="zebra", replace="x") == (
            "The document has no such passage. "
            "Look with search_document or read_document, then copy the passage exactly."
        )
        assert desk.bench.notes == []


async def test_typography_is_overlooked_only_where_that_is_clear(root: Path) -> None:
    async with desk_with(root, "“It’s” high. “It’s” low.") as desk:
        assert "2 passages that differ from it only in typography" in await desk.fail(
            "edit_document", find='"It\'s"', replace="x"
        )
        assert await desk.edit('"It\'s" high', "x") == (
            "Replaced the passage at line 1. Differences in typography were overlooked."
        )
        assert desk.text == "x. “It’s” low."


async def test_an_empty_document_takes_its_first_words(root: Path) -> None:
    async with desk_with(root, "") as desk:
        await desk.edit("", "Begin.\n")
        assert desk.text == "Begin.\n"
        assert "find is empty" in await desk.fail("edit_document", find="", replace="x")
        assert "nothing to change" in await desk.fail("edit_document", find="a", replace="a")


async def test_an_edit_of_the_front_matter_is_told(root: Path) -> None:
    async with desk_with(root, "---\ntitle: Teh\n---\n\nTeh end.\n") as desk:
        assert await desk.edit("title: Teh", "title: The") == (
            "Replaced the passage at line 2. This is in the front matter (lines 1 to 3). If the "
            "user did not ask for that, put it back."
        )
        assert await desk.edit("Teh end", "The end") == "Replaced the passage at line 5."


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        (["---", "a: 1", "---", "text"], 3),
        (["+++", "a = 1", "+++ "], 3),
        (["---", "a: 1", "..."], 3),
        (["---", "text"], 0),
        (["text", "---", "---"], 0),
        ([], 0),
    ],
)
def test_front_matter_is_what_stands_between_fences_at_the_top(lines: list[str], last: int) -> None:
    assert front_matter(lines) == last


async def test_whoever_types_at_the_same_moment_goes_first(root: Path) -> None:
    async with desk_with(root, "one two\n") as desk:
        write = desk.bench.context.files.write
        typed: list[str] = ["typed one two\n"]

        async def late(path: str, data: bytes, *, expected_hash: str | None) -> str:
            if typed:
                await anyio.Path(root / PATH).write_text(typed.pop(), encoding="utf-8")
            return await write(path, data, expected_hash=expected_hash)

        desk.bench.context.files.write = late  # pyright: ignore[reportAttributeAccessIssue]  # stands in between

        await desk.edit("two", "2")

        assert desk.text == "typed one 2\n"
