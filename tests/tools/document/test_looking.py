"""Reading and searching one document: as it is now, in bounds, and saying how to go on."""

from pathlib import Path

import pytest

from recto.messages import ToolCall
from recto.tools import DocumentSelection, Permissions, PermissionVerdict, ToolRules, read_rule
from tests.tools.document.desk import PATH, desk_with

pytestmark = pytest.mark.anyio


async def test_lines_come_numbered_below_name_and_size(root: Path) -> None:
    async with desk_with(root, "# Tide\r\n\r\nIt comes.\r\n") as desk:
        assert await desk.say("read_document") == (
            '"notes.md": 3 lines, 4 words.\n1\t# Tide\n2\t\n3\tIt comes.'
        )
        assert await desk.say("read_document", start_line=3, end_line=9) == (
            '"notes.md": 3 lines, 4 words.\n3\tIt comes.\n[Lines 3 to 3 of 3.]'
        )


async def test_a_long_document_is_read_on_until_nothing_is_left(root: Path) -> None:
    lines = [f"Line {number} of the tide table" for number in range(1, 1001)]
    async with desk_with(root, "\n".join(lines)) as desk:
        read: list[str] = []
        while len(read) < len(lines):
            told = await desk.say("read_document", start_line=len(read) + 1)
            assert len(told) <= 8000
            shown = [
                splitline.split("\t", 1)[1] for splitline in told.splitlines() if "\t" in splitline
            ]
            read += shown
            if len(read) < len(lines):
                assert told.endswith(
                    f"[Cut before line {len(read) + 1:,} of 1,000. "
                    f"Read on with start_line {len(read) + 1}.]"
                )
        assert read == lines


async def test_a_line_longer_than_an_answer_is_cut_and_says_so(root: Path) -> None:
    async with desk_with(root, "tide " * 3000 + "\nEnd.\n") as desk:
        told = await desk.say("read_document")
        assert len(told) <= 8000
        assert "more characters: find places in them with search_document." in told
        assert told.endswith("The next line is start_line 2.]")
        assert len(await desk.say("read_document", room=2000)) <= 2000


async def test_lines_that_are_not_there_are_an_error(root: Path) -> None:
    async with desk_with(root, "one\n") as desk:
        assert await desk.fail("read_document", start_line=5) == (
            '"notes.md": 1 line, 1 word. There are no lines 5 to 1.'
        )


async def test_an_empty_document_is_said_to_be_empty(root: Path) -> None:
    async with desk_with(root, "") as desk:
        assert await desk.say("read_document") == '"notes.md": 0 lines, 0 words.\nIt is empty.'
        assert "Nothing was found" in await desk.say("search_document", query="x")


async def test_t13_case_counts_for_neither_words_nor_expressions(root: Path) -> None:
    async with desk_with(root, "Teh tide\nand\nso\nTEH moon\nÜBER\n") as desk:
        shown = "1\tTeh tide\n2\tand\n3\tso\n4\tTEH moon\n5\tÜBER"
        assert await desk.say("search_document", query="teh") == shown
        assert await desk.say("search_document", query="t[e]h", is_regex=True) == shown
        assert await desk.say("search_document", query="über") == "4\tTEH moon\n5\tÜBER"
        assert await desk.say("search_document", query="(?-i)Teh", is_regex=True) == (
            "1\tTeh tide\n2\tand"
        )


async def test_t13_a_cruel_expression_takes_no_longer_than_a_kind_one(root: Path) -> None:
    async with desk_with(root, "a" * 50_000 + "!\n") as desk:
        assert "Nothing was found" in await desk.say(
            "search_document", query="(a+)+$", is_regex=True
        )
        assert "unclosed group" in await desk.fail("search_document", query="(a", is_regex=True)


async def test_at_most_twenty_lines_are_shown_with_one_around_each(root: Path) -> None:
    async with desk_with(root, "".join(f"x{n}\nteh\ny{n}\n\n" for n in range(30))) as desk:
        outcome = await desk.call("search_document", query="teh")
        told = await desk.say("search_document", query="teh")
        assert outcome.fact == "30 lines found"
        assert told.count("\tteh") == 20
        assert (told.count("\tx"), told.count("\ty")) == (20, 20)
        assert told.endswith("[10 other lines have it, too. Narrow the search to see them.]")


async def test_the_facts_tell_what_is_selected_and_where(root: Path) -> None:
    async with desk_with(root, "---\na: 1\n---\nGröße 😀\nand so on\n") as desk:
        facts = "Name: notes.md\nLines: 5\nWords: 9\nCharacters: 31\nFront matter: lines 1 to 3\n"
        assert await desk.say("get_document_info") == f"{facts}Selection: none"
        desk.select("😀\nand")
        assert await desk.say("get_document_info") == (
            f"{facts}Selection: lines 4 to 5, 5 characters:\n😀\nand"
        )
        desk.selected = DocumentSelection(20, 20, "")
        assert await desk.say("get_document_info") == (
            f"{facts}Selection: none; the cursor is in line 4"
        )


async def test_a_selection_of_another_text_is_looked_up_again_and_then_given_up(
    root: Path,
) -> None:
    async with desk_with(root, "one two\n") as desk:
        desk.selected = DocumentSelection(0, 3, "two")
        settled: list[int] = []
        desk.on_settle = lambda: settled.append(1)
        assert "Selection: none" in await desk.say("get_document_info")
        assert len(settled) == 5


async def test_what_people_typed_is_brought_to_the_disk_first(root: Path) -> None:
    async with desk_with(root, "old\n") as desk:
        desk.on_settle = lambda: desk.bench.write(PATH, "typed\n")
        assert "1\ttyped" in await desk.say("read_document")


def ruled(**lists: str) -> Permissions:
    rules = {name: (read_rule(item, "here"),) for name, item in lists.items()}
    return Permissions(ToolRules(**rules), sandboxed=True)


async def test_the_rules_of_edit_file_and_read_file_hold(root: Path) -> None:
    async with desk_with(root, "notes here\n") as desk:
        edit = ToolCall("c", "edit_document", {"find": "notes", "replace": "x"})

        async def judged(**lists: str) -> PermissionVerdict:
            desk.permissions = ruled(**lists)
            return await desk.toolbox.judge(edit, desk.bench.workspace)

        assert (await judged()).kind == "allow"
        assert (await judged(ask="edit_file")).kind == "ask"
        assert (await judged(ask="edit_file: notes.*")).kind == "ask"
        assert (await judged(disabled="edit_file: notes")).kind == "allow"
        assert (await judged(disabled="edit_file: *.md")).kind == "deny"

        desk.permissions = ruled(disabled="edit_file")
        assert [offer.name for offer in desk.toolbox.offered()] == [
            "read_document",
            "search_document",
            "get_document_info",
        ]
        desk.permissions = ruled(ask="edit_file")
        assert str(await desk.toolbox.rule_for(edit, desk.bench.workspace)) == "edit_file"


async def test_a_plan_changes_nothing(root: Path) -> None:
    async with desk_with(root, "one\n") as desk:
        assert "edit_document" not in [offer.name for offer in desk.toolbox.offered(plan=True)]
