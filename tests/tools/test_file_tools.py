"""Creating, writing, renaming, moving, copying, deleting, listing, searching."""

from pathlib import Path
from typing import Any

import pytest

from recto.messages import ToolCall
from recto.tools import (
    Effect,
    FileState,
    Moved,
    Permissions,
    Toolbox,
    ToolRule,
    ToolRules,
    builtin_tools,
)
from tests.tools.bench import Bench, FakeShell, bench_in

pytestmark = pytest.mark.anyio

FOLDER = FileState("folder", mode=0o755)


async def test_a_file_is_created_with_its_folders_each_an_effect(bench: Bench) -> None:
    outcome = await bench.call("create_file", path="a/b/c.md", content="one\ntwo")

    assert outcome.fact == "2 lines"
    assert bench.notes == [
        (Effect("a", None, FOLDER),),
        (Effect("a/b", None, FOLDER),),
        (Effect("a/b/c.md", None, FileState("file", b"one\ntwo")),),
    ]
    assert bench.files() == {"a/b/c.md": "one\ntwo"}


async def test_creating_never_replaces(bench: Bench) -> None:
    bench.write("a.md", "mine")

    assert await bench.fail("create_file", path="a.md") == (
        '"a.md" exists already. Choose another name.'
    )
    assert await bench.fail("create_file", path="a.md/b.md") == (
        '"a.md" is not a folder. Choose a folder.'
    )
    assert bench.files() == {"a.md": "mine"}


async def test_a_whole_file_is_written_new_or_in_place_of_another(bench: Bench) -> None:
    assert await bench.say("write_file", path="sub/a.md", content="one") == "Created sub/a.md."
    assert await bench.say("write_file", path="sub/a.md", content="two\n") == "Replaced sub/a.md."

    assert bench.files() == {"sub/a.md": "two\n"}
    assert bench.notes[-1] == (
        Effect("sub/a.md", FileState("file", b"one"), FileState("file", b"two\n")),
    )


async def test_half_a_letter_can_not_be_written(bench: Bench) -> None:
    told = await bench.fail("write_file", path="sub/a.md", content="\ud800")

    assert told.startswith("The encoding utf-8 has no")
    assert bench.notes == []


async def test_a_folder_is_not_written_over(bench: Bench) -> None:
    bench.write("sub/a.md", "a")
    assert "is not an ordinary file" in await bench.fail("write_file", path="sub", content="x")


async def test_a_file_is_renamed_in_its_folder(bench: Bench) -> None:
    bench.write("sub/a.md", "a")

    assert await bench.say("rename_file", path="sub/a.md", new_name="b.md") == (
        "Renamed sub/a.md to sub/b.md."
    )
    assert await bench.fail("rename_file", path="sub/b.md", new_name="../b.md") == (
        "new_name has a folder in it. Use move_file to move a file."
    )
    assert bench.notes == [(Moved("sub/a.md", "sub/b.md"),)]
    assert bench.files() == {"sub/b.md": "a"}


async def test_a_folder_is_moved_with_all_that_is_in_it(bench: Bench) -> None:
    bench.write("sub/deep/a.md", "a")

    await bench.say("move_file", path="sub", new_path="new/place")

    assert bench.notes == [(Effect("new", None, FOLDER),), (Moved("sub", "new/place"),)]
    assert bench.files() == {"new/place/deep/a.md": "a"}


async def test_a_move_that_can_not_be_makes_no_folders(bench: Bench) -> None:
    bench.write("a.md", "a")
    bench.write("b.md", "b")

    assert "does not exist" in await bench.fail("move_file", path="c.md", new_path="x/c.md")
    assert "exists already" in await bench.fail("move_file", path="a.md", new_path="b.md")
    assert bench.notes == []


async def test_a_folder_with_a_secret_in_it_is_not_moved_to_where_it_would_show(
    bench: Bench,
) -> None:
    bench.write(".rectoignore", "/docs/plan.md\n")
    bench.write("docs/plan.md", "secret")

    assert "is kept from the AI" in await bench.fail("move_file", path="docs", new_path="open")
    assert bench.notes == []


async def test_copies_are_numbered(bench: Bench) -> None:
    bench.write("sub/x.md", b"\xff\0bytes")

    for _ in range(3):
        await bench.say("duplicate_file", path="sub/x.md")
    bench.write("noend", "n")
    bench.write(".hidden", "h")
    await bench.say("duplicate_file", path="noend")
    await bench.say("duplicate_file", path=".hidden")

    assert sorted(bench.files()) == [
        ".hidden", ".hidden (copy)", "noend", "noend (copy)", "sub/x (copy 2).md",
        "sub/x (copy 3).md", "sub/x (copy).md", "sub/x.md",
    ]  # fmt: skip
    assert bench.read("sub/x (copy 3).md") == b"\xff\0bytes"


async def test_a_folder_is_deleted_with_all_of_it_noted(bench: Bench) -> None:
    bench.write("sub/a.md", "a")
    bench.write("sub/run", "r")
    (bench.root / "sub" / "run").chmod(0o755)
    (bench.root / "sub" / "link").symlink_to("../..")

    outcome = await bench.call("delete_file", path="sub")

    assert outcome.fact == "4 deleted"
    assert bench.notes == [
        (
            Effect("sub/run", FileState("file", b"r", 0o755), None),
            Effect("sub/link", FileState("link", b"../..", 0o777), None),
            Effect("sub/a.md", FileState("file", b"a"), None),
            Effect("sub", FOLDER, None),
        )
    ]
    assert bench.files() == {}
    assert bench.root.is_dir()


async def test_the_folder_itself_is_not_deleted(bench: Bench) -> None:
    bench.write("a.md", "a")

    for path in ("", ".", "..", "/"):
        assert (await bench.call("delete_file", path=path)).is_error
    assert bench.files() == {"a.md": "a"}


def furnish(bench: Bench) -> None:
    bench.write("a.md", "a" * 12)
    bench.write("data/big.csv", "x" * 1_234_567)
    bench.write("data/deep/deeper/end.md", "")
    bench.write("node_modules/x/index.js", "")
    bench.write(".env", "SECRET")
    bench.write(".gitignore", "node_modules/\n")
    (bench.root / "link").symlink_to("a.md")
    (bench.root / "empty").mkdir()


async def test_a_folder_is_listed_as_a_tree_without_what_is_ignored(bench: Bench) -> None:
    furnish(bench)

    outcome = await bench.call("list_files", depth=2)

    assert outcome.fact == "7 entries"
    assert await bench.say("list_files", depth=2) == (
        "data/\n  deep/\n  big.csv (1.2 MB)\nempty/\n.gitignore (14 bytes)\na.md (12 bytes)\n"
        "link (link)\n[1 ignored or hidden, not shown]"
    )


async def test_a_folder_is_listed_as_paths(bench: Bench) -> None:
    furnish(bench)

    assert await bench.say("list_files", path="data/", form="paths") == (
        "data/deep/\ndata/deep/deeper/\ndata/deep/deeper/end.md (0 bytes)\ndata/big.csv (1.2 MB)"
    )


@pytest.mark.parametrize("path", ["", ".", "./"])
async def test_an_empty_folder_is_said_to_be_empty(bench: Bench, path: str) -> None:
    assert await bench.say("list_files", path=path) == "There is nothing in this folder."


async def test_long_folders_are_cut_and_say_how_many_more(bench: Bench) -> None:
    for number in range(120):
        bench.write(f"many/{number:03}.md", "")
        bench.write(f"{number:03}.md", "")

    tree = await bench.say("list_files")
    paths = await bench.say("list_files", form="paths")

    assert tree.count("\n") == 201
    assert tree.split("\n")[101] == "  [20 more]"
    assert tree.split("\n")[-1] == "[21 more]"
    assert paths.split("\n")[101] == "[20 more in many]"


async def test_lines_are_found_by_file_with_their_numbers(bench: Bench) -> None:
    bench.write("a.md", "one\nNeedle here\nthree\n")
    bench.write("src/b.py", "needle = 1\n" * 2)

    outcome = await bench.call("search_content", query="needle")

    assert outcome.fact == "3 matches"
    assert await bench.say("search_content", query="needle") == (
        "a.md\n2\tNeedle here\n\nsrc/b.py\n1\tneedle = 1\n2\tneedle = 1"
    )


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"query": "needle", "case_sensitive": True}, "b.py\n1\tneedle"),
        ({"query": "n.+dle", "regex": True, "glob": "*.md"}, "a.md\n3\tNeedle"),
        ({"query": "n.+dle"}, "Nothing was found."),
        ({"query": "needle", "path": "a.md"}, "a.md\n3\tNeedle"),
        (
            {"query": "needle", "path": "a.md", "context": 1},
            "a.md\n2\ttwo\n3\tNeedle\n4\tfour",
        ),
    ],
)
async def test_a_search_is_narrowed(bench: Bench, arguments: dict[str, Any], found: str) -> None:
    bench.write("a.md", "one\ntwo\nNeedle\nfour\nfive\n")
    bench.write("b.py", "needle\n")

    assert await bench.say("search_content", **arguments) == found


async def test_context_is_joined_and_gaps_are_shown(bench: Bench) -> None:
    bench.write("a.md", "x\na\nx\nb\nc\nd\ne\nx\n")

    assert await bench.say("search_content", query="x", context=1) == (
        "a.md\n1\tx\n2\ta\n3\tx\n4\tb\n...\n7\te\n8\tx"
    )


async def test_a_search_that_finds_too_much_says_so(bench: Bench) -> None:
    bench.write("a.md", "x\n" * 300)

    told = await bench.say("search_content", query="x")

    assert told.count("\tx") == 200
    assert told.endswith(
        "[There may be more. Narrow the search with path, glob or a longer query.]"
    )


@pytest.mark.parametrize("query", ["(", "(?=x)", r"(a)\1"])
async def test_a_pattern_that_can_not_be_is_a_clear_error(bench: Bench, query: str) -> None:
    bench.write("a.md", "x")

    assert (await bench.fail("search_content", query=query, regex=True)).startswith(
        "This search can't run: "
    )


async def test_kept_output_is_searched_by_its_handle(bench: Bench) -> None:
    handle = await bench.outputs.keep("start\r\n" + "filler\n" * 20 + "Error: disk\nend")

    assert await bench.say("search_content", query="^error", regex=True, path=handle) == (
        "22\tError: disk"
    )
    assert await bench.say("search_content", query="error", path=handle, context=1) == (
        "21\tfiller\n22\tError: disk\n23\tend"
    )
    assert await bench.say("search_content", query="absent", path=handle) == "Nothing was found."


async def test_very_long_kept_output_is_searched_to_its_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.tools.builtin.search_content.PIECE", 100)
    handle = await bench.outputs.keep("filler line\n" * 50 + "needle\n" + "filler line\n" * 50)

    assert await bench.say("search_content", query="needle", path=handle) == "51\tneedle"


async def test_a_short_room_keeps_what_does_not_fit(root: Path) -> None:
    async with bench_in(root, room=500) as bench:
        bench.write("a.md", "a matching line of some length\n" * 100)

        told = await bench.say("search_content", query="matching")

        assert len(told) <= 500
        assert "All is kept as output:1" in told
        assert (await bench.say("read_file", path="output:1", end_line=2)).startswith("1\ta.md\n")


async def test_absolute_paths_in_the_folder_and_ways_up_are_resolved(
    bench: Bench, root: Path
) -> None:
    bench.write("a/deep/one.md", "One.\n")
    bench.write("b.md", "Two.\n")
    (root / "link").symlink_to("a/deep")
    assert "One." in await bench.say("read_file", path=f"{root}/a/deep/one.md")
    assert "Two." in await bench.say("read_file", path="a/../b.md")
    assert "Two." in await bench.say("read_file", path="nowhere/../b.md")
    # From a link the way up goes where the link leads, as for every program.
    assert "one.md" in await bench.say("list_files", path="link/../deep")
    await bench.say("create_file", path=f"{root}/new/../c.md", content="Three.\n")
    await bench.say("move_file", path=f"{root}/b.md", new_path="a/deep/../b.md")
    assert bench.read("c.md") == b"Three.\n"
    assert bench.read("a/b.md") == b"Two.\n"


@pytest.mark.parametrize("path", ["../b.md", "a/../../b.md", "/etc/passwd", "{root}x/b.md"])
async def test_what_leaves_the_folder_is_refused(bench: Bench, root: Path, path: str) -> None:
    bench.write("b.md", "Two.\n")
    told = await bench.fail("read_file", path=path.format(root=root))
    assert "is not an accepted path" in told


async def test_rules_are_about_the_path_that_is_meant(bench: Bench, root: Path) -> None:
    bench.write("secret/a.md", "One.\n")
    rules = ToolRules(disabled=(ToolRule("read_file", "secret/*"),))
    toolbox = Toolbox(builtin_tools(FakeShell()), Permissions(rules))
    for path in (f"{root}/secret/a.md", "x/../secret/a.md", "./secret//a.md"):
        call = ToolCall("1", "read_file", {"path": path})
        assert (await toolbox.judge(call, bench.workspace)).kind == "deny"
