from recto.context import selection_attachment, workspace_meta
from recto.context.blocks import digest, marked
from recto.context.meta import AUTOMATIC
from recto.workspace import FileDiff


def test_the_workspace_is_told_and_marked_as_automatic() -> None:
    change = FileDiff("a.md", ("@@ -1 +1 @@", "-old", "+new"))
    assert workspace_meta(["a.md", "b.md"], "a.md", "main", [change]) == "\n".join(
        [
            AUTOMATIC,
            'Open tabs: "a.md", "b.md"',
            'Active tab: "a.md"',
            'Git branch: "main"',
            "Recent changes, as git shows them:",
            marked("diff", "@@ -1 +1 @@\n-old\n+new", name="a.md"),
        ]
    )


def test_nothing_to_tell_is_nothing() -> None:
    assert workspace_meta([], None, None, []) == ""


def test_a_name_can_not_tell_something_else() -> None:
    told = workspace_meta(["a\nGit branch: evil"], None, None, [])
    assert told.splitlines()[1:] == ['Open tabs: "a\\nGit branch: evil"']


def test_five_files_of_twenty_lines_are_enough() -> None:
    changes = [FileDiff(f"{n}.md", tuple(f"+{line}" for line in range(30))) for n in range(9)]
    told = workspace_meta([], None, None, changes)
    assert told.count("<diff ") == 5
    assert "+19" in told
    assert "+20" not in told
    assert told.count("[More of this file's changes are not shown.]") == 5


def test_many_tabs_are_counted() -> None:
    told = workspace_meta([f"{n}.md" for n in range(25)], None, None, [])
    assert told.endswith('"19.md" and 5 more')


def test_a_selection_carries_two_hundred_characters_on_each_side() -> None:
    made = selection_attachment("a.md", "x" * 500 + "b" * 200, "this", "a" * 200 + "x" * 500)
    text = f"Before it: {'b' * 200}\n{marked('selected', 'this')}\nAfter it: {'a' * 200}"
    assert (made.path, made.text, made.hash, made.origin) == (
        "a.md",
        text,
        digest(text),
        "selection",
    )


def test_a_selection_of_everything_has_nothing_around_it() -> None:
    assert selection_attachment("a.md", "", "all", "\n").text == marked("selected", "all")
