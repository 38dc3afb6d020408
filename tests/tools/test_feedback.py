"""The tools that speak in the margin: what they show and refuse, and that no file changes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.tools import OpenTask, Option, ThreadSubject
from recto.tools.feedback.passages import edited
from recto.tools.tool import ToolFailure
from recto.workspace import TextFile
from tests.tools.bench import Bench, Tasked

pytestmark = pytest.mark.anyio

TEXT = "The sea comes.\nThe sea goes.\nThe moon “stays”.\n"
CHOICE = {"title": "Short"}


def edit(path: str, old: str, new: str, title: str = "An edit") -> dict[str, str]:
    return {"title": title, "path": path, "old_string": old, "new_string": new}


@pytest.fixture
def thread(bench: Bench) -> Bench:
    """A bench in a thread on the second line."""
    bench.write("a.md", TEXT)
    bench.margin.about = ThreadSubject("a.md", (15, 28))
    return bench


async def test_a_proposed_edit_is_shown_and_nothing_changes(thread: Bench) -> None:
    outcome = await thread.call(
        "propose_edit", old_string="sea goes", new_string="tide\r\ngoes", note="Clearer."
    )

    assert outcome.fact == "+2 −1"
    assert thread.margin.proposed == [
        ("Clearer.", (Option("Edit of a.md", "", "a.md", "sea goes", "tide\ngoes"),))
    ]
    assert (thread.files(), thread.notes) == ({"a.md": TEXT}, [])


async def test_a_passage_that_is_there_twice_is_meant_where_the_thread_is(thread: Bench) -> None:
    told = await thread.say("propose_edit", old_string="The sea", new_string="A sea")

    assert told == (
        "The user sees the edit of a.md, line 2, as a card and can apply it. Nothing has changed "
        "yet."
    )


async def test_typography_counts_as_equal_and_the_words_of_the_text_are_kept(thread: Bench) -> None:
    await thread.say("propose_edit", old_string='"stays"', new_string="waits")

    ((_, (option,)),) = thread.margin.proposed
    assert (option.old, option.new) == ("“stays”", "waits")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("sea", "sea", "the same"),
        ("", "x", "passage is empty"),
        (" \n", "x", "passage is empty"),
        ("The sea coms.", "x", "has no such passage"),
        (".\n", "!\n", "3 times, in lines 1, 2, 3"),
    ],
)
async def test_an_edit_that_could_not_be_applied_is_not_shown(
    thread: Bench, old: str, new: str, why: str
) -> None:
    assert why in await thread.fail("propose_edit", old_string=old, new_string=new)
    assert thread.margin.proposed == []


async def test_outside_a_thread_there_is_no_such_tool(bench: Bench) -> None:
    told = await bench.fail("propose_edit", old_string="a", new_string="b")

    assert told.startswith("There is no tool 'propose_edit' here.")


async def test_a_proposal_may_be_a_choice_or_an_edit(bench: Bench) -> None:
    bench.write("a.md", TEXT)

    options = [edit("./a.md", "comes", "arrives"), {"title": "Leave it", "detail": "It is *good*."}]
    outcome = await bench.call("create_proposal", question="Which?", options=options)

    assert outcome.fact == "2 options"
    assert bench.margin.proposed == [
        (
            "Which?",
            (
                Option("An edit", "", "a.md", "comes", "arrives"),
                Option("Leave it", "It is *good*."),
            ),
        )
    ]
    assert (bench.files(), bench.notes) == ({"a.md": TEXT}, [])


async def test_in_a_thread_an_option_needs_no_path(thread: Bench) -> None:
    options = [{"title": "A", "old_string": "The sea", "new_string": "A sea"}, CHOICE]
    await thread.say("create_proposal", question="Which?", options=options)

    ((_, (first, _)),) = thread.margin.proposed
    assert first == Option("A", "", "a.md", "The sea", "A sea")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([CHOICE], "length >= 2"),
        ([CHOICE] * 6, "length <= 5"),
        ([CHOICE, {"title": ""}], "length >= 1"),
        ([CHOICE, {"title": "x", "path": "a.md"}], "Option 2 has a path"),
        ([CHOICE, edit("", "sea", "x")], "Option 2 is an edit, but has no path."),
        ([CHOICE, edit("a.md", "sea", "x")], "Option 2: "),
        ([CHOICE, edit("b.md", "sea", "x")], 'Option 2: "b.md" does not exist'),
        ([CHOICE, edit("a.md", "comes", "comes")], "would change nothing"),
        ([CHOICE, edit("../a.md", "comes", "x")], "Option 2: "),
        ([CHOICE, edit(".env", "SECRET", "x")], "Option 2: "),
    ],
)
async def test_a_proposal_that_could_not_be_taken_is_not_shown(
    bench: Bench, options: list[Any], why: str
) -> None:
    bench.write("a.md", TEXT)
    bench.write(".env", "SECRET=1")

    assert why in await bench.fail("create_proposal", question="Which?", options=options)
    assert bench.margin.proposed == []


async def test_a_task_is_noted_where_its_words_are(bench: Bench) -> None:
    bench.write("a.md", TEXT.replace("\n", "\r\n"))

    outcome = await bench.call("add_task", path="./a.md", passage="sea goes", task="Check.")

    assert outcome.fact == "line 2"
    assert "stays there" in outcome.not_covered
    assert bench.margin.tasks == [Tasked("a.md", (19, 27), "sea goes", "Check.")]
    assert bench.notes == []


@pytest.mark.parametrize(
    ("path", "passage", "why"),
    [
        ("a.md", "sea", "2 times, in lines 1, 2"),
        ("a.md", "ocean", "no such passage"),
        ("b.md", "sea", "does not exist"),
        (".env", "SECRET", "kept"),
    ],
)
async def test_a_task_needs_a_place(bench: Bench, path: str, passage: str, why: str) -> None:
    bench.write("a.md", TEXT)
    bench.write(".env", "SECRET=1")

    assert why in await bench.fail("add_task", path=path, passage=passage, task="Check.")
    assert bench.margin.tasks == []


async def test_open_tasks_are_listed_with_place_words_and_state(bench: Bench) -> None:
    bench.write("a.md", TEXT)
    bench.write(".env", "SECRET=1")
    bench.margin.open = [
        OpenTask("a.md", 2, "sea\n goes", "Check this.\nTwice.", "run", "not answered yet"),
        OpenTask("a.md", None, "x" * 400, "Why?", "person", "answered"),
        OpenTask("", None, "An answer.", "", "person", "in conversation"),
        OpenTask(".env", 1, "SECRET=1", "hidden", "person", "answered"),
    ]

    outcome = await bench.call("read_tasks")

    assert outcome.fact == "3 open"
    assert await bench.say("read_tasks", path="a.md") == (
        "1. a.md, line 2, by a model, not answered yet\n"
        "   On: “sea goes”\n"
        "   Check this.\n   Twice.\n\n"
        "2. a.md, the passage is gone, by the user, answered\n"
        f"   On: “{'x' * 300}…”\n"
        "   Why?"
    )
    assert await bench.say("read_tasks", path="b.md") == "There are no open tasks or comments here."


def file_of(text: str) -> TextFile:
    ending = "crlf" if "\r\n" in text else "lf"
    return TextFile("a.md", text, len(text), "", "utf-8", bom=False, line_ending=ending)


def test_only_the_passage_is_replaced_and_line_ends_are_kept() -> None:
    file = file_of("one\r\ntwo\r\nthree\r\n")

    assert edited(file, "two\nthree", "2\n3") == b"one\r\n2\r\n3\r\n"


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


LETTERS = st.text('ab \n\r“"é😀', max_size=40)


@given(text=LETTERS, old=LETTERS, new=LETTERS)
def test_whatever_is_replaced_the_rest_stays(text: str, old: str, new: str) -> None:
    text = plain(text)
    try:
        made = edited(file_of(text), old, new).decode()
    except ToolFailure:
        return
    starts = [at for at in range(len(text) + 1) if made.startswith(text[:at] + plain(new))]
    assert any(made[at + len(plain(new)) :] in text for at in starts)
    assert text.count(old) <= 1


@given(text=LETTERS, old=LETTERS.filter(str.strip), new=LETTERS)
def test_a_passage_that_is_there_once_is_replaced(text: str, old: str, new: str) -> None:
    whole = f"{plain(text)}<{plain(old)}>"

    assert edited(file_of(whole), f"<{old}>", new).decode() == plain(text) + plain(new)
