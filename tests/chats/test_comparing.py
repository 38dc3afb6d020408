"""Two requests side by side: what stays, what is new, what is gone, what a provider remembers."""

from recto.chats.preview.cache_breaks import why_system, why_tools
from recto.chats.preview.comparison import compare, remembered
from recto.context import PromptSlice, SentPart
from recto.messages import Text, ToolSpec


def part(text: str, *, origin: str = "message", name: str = "", entry: str = "") -> SentPart:
    """A part that is known by its text."""
    found = PromptSlice("message", name or text, 1, Text(text), entry)
    match origin:
        case "file":
            found = PromptSlice("file", name, 1, Text(text), entry)
        case "system":
            found = PromptSlice("system", "system prompt", 1, Text(text))
        case _:
            pass
    return SentPart(found, 0, ends=origin != "file")


def test_a_request_that_grows_has_only_new_parts_at_its_end() -> None:
    before = [part("a"), part("b")]
    found = compare(before, [*before, part("c")])
    assert (found.states, found.same, found.removed) == (("same", "same", "new"), 2, ())


def test_what_moved_stays_the_same_and_what_is_another_version_changed() -> None:
    before = [part("S1", origin="system"), part("old", origin="file", name="a.md"), part("b")]
    now = [
        part("S2", origin="system"),
        part("b"),
        part("new", origin="file", name="a.md"),
        part("c"),
    ]
    found = compare(before, now)
    assert found.states == ("changed", "same", "changed", "new")
    assert (found.same, found.removed) == (0, ())


def test_what_is_gone_is_told_once_for_each_time_it_was_there() -> None:
    found = compare([part("a"), part("x"), part("x"), part("x")], [part("a"), part("x")])
    assert [removed_part.hash for removed_part in found.removed] == [part("x").slice.hash] * 2
    assert found.same == 2


def test_the_same_words_in_another_role_are_another_part() -> None:
    found = compare([part("a", origin="file", name="a")], [part("a", name="a")])
    assert (found.states, found.same) == (("new",), 0)


def test_a_provider_that_remembers_at_marks_has_what_ends_at_one() -> None:
    before = [part("s"), part("file", origin="file", name="f"), part("words"), part("more")]
    assert remembered(before, 2, at_marks=True) == 1
    assert remembered(before, 2, at_marks=False) == 2
    assert remembered(before, 0, at_marks=True) == 0


def test_where_the_system_prompt_changed_is_named_by_its_heading() -> None:
    old = "You help.\n# Here and now\nToday is Monday.\n# Skills\n- one"
    assert why_system(old, old.replace("Monday", "Tuesday")) == (
        "The system prompt changed, under “Here and now”."
    )
    assert why_system(old, "You do not.") == "The system prompt changed."
    assert why_system(old, f"{old}\n- two") == "The system prompt changed, under “Skills”."


def test_tools_that_came_and_went_are_named_but_not_all_of_many() -> None:
    tools = [ToolSpec(name, "", {}) for name in "abcde"]
    assert why_tools(tools[:1], tools[:2]) == "The tools changed: b added."
    assert why_tools(tools, tools[:1]) == "The tools changed: b, c, d and 1 more taken away."
    assert why_tools(tools[:1], [ToolSpec("a", "Other.", {})]) == (
        "The tools changed: one of them is described in other words."
    )
