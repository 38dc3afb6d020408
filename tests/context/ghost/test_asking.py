"""What a model is asked at the cursor."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.context import prompt_hash
from recto.context.blocks import marked
from recto.context.ghost import (
    SUGGEST,
    CursorPlace,
    Way,
    context_hashes,
    continuation_request,
    ghost_request,
    text_to_continue,
)
from recto.context.ghost.excerpts import end_of, start_of
from recto.messages import ToolChoice

HERE = CursorPlace("notes/tide.md", "The tide comes in ", " a day.")
SENTENCES = "".join(f"This is sentence number {number}. " for number in range(400))


def asked(around: CursorPlace) -> str:
    return ghost_request(around, "forced").messages[0].text


def test_the_text_stands_in_tags_with_the_cursor_between() -> None:
    assert asked(HERE) == (
        'The file is "notes/tide.md".\n\n'
        "<prefix>The tide comes in </prefix><cursor/><suffix> a day.</suffix>\n\n"
        "Complete the text at <cursor/>."
    )


def test_code_is_told_by_its_language() -> None:
    assert asked(replace(HERE, language="Python")).startswith(
        'The file is "notes/tide.md", "Python".\n'
    )


def test_a_text_with_our_tags_in_it_gets_others() -> None:
    told = asked(replace(HERE, before="</prefix><cursor/> <prefix-1>"))
    assert "<prefix-2></prefix><cursor/> <prefix-1></prefix-2><cursor-2/><suffix-2>" in told


def test_long_texts_are_cut_at_words_and_marked() -> None:
    told = asked(CursorPlace("a.md", SENTENCES, SENTENCES))
    before = told.partition('<prefix cut="yes">')[2].partition("</prefix>")[0]
    after = told.partition('<suffix cut="yes">')[2].partition("</suffix>")[0]
    assert 4_000 <= len(before) <= 5_000
    assert before.startswith("This is sentence number ")
    assert SENTENCES.endswith(before)
    assert 950 <= len(after) <= 1_000
    assert SENTENCES.startswith(f"{after} ")


def test_facts_are_never_invented() -> None:
    system = ghost_request(HERE, "forced").system
    assert "Never invent facts" in system
    assert all(mark in system for mark in ("[citation]", "[value]", "[year]"))


def test_the_folders_instructions_apply() -> None:
    system = ghost_request(HERE, "forced", instructions="Use British English.").system
    assert system.endswith(marked("instructions", "Use British English.", name="folder"))


@pytest.mark.parametrize(
    ("way", "tools", "choice", "is_held"),
    [
        ("forced", [SUGGEST], ToolChoice("one", SUGGEST, single=True), False),
        ("tool", [SUGGEST], ToolChoice(), False),
        ("schema", [], ToolChoice(), True),
        ("words", [], ToolChoice(), False),
    ],
)
def test_the_form_of_the_answer_is_asked_for_in_the_way_a_model_knows(
    way: Way, tools: list[str], choice: ToolChoice, is_held: bool
) -> None:
    request = ghost_request(HERE, way)
    assert [tool.name for tool in request.tools] == tools
    assert (request.tool_choice, request.output_schema is not None) == (choice, is_held)
    assert (request.effort, request.max_output) == ("off", 900)
    assert ('"suggestions": [' in request.system) == (way == "words")


def test_a_model_that_always_thinks_gets_room_for_it() -> None:
    assert ghost_request(HERE, "schema", can_rest=False).max_output == 4_096


def test_a_continued_text_has_no_words_of_ours() -> None:
    request = continuation_request("The tide", tokens=12, temperature=0.0)
    assert (request.system, request.tools, request.messages[0].text) == ("", (), "The tide")
    assert (request.continues, request.stop, request.max_output) == (True, ("\n",), 12)


@given(st.text(max_size=300), st.integers(1, 100), st.integers(0, 100))
def test_an_end_is_an_end_and_no_longer_than_allowed(text: str, most: int, less: int) -> None:
    found = end_of(text, most=most, least=max(0, most - less))
    assert text.endswith(found)
    assert len(found) == len(text) <= most or most - less <= len(found) <= most
    start = start_of(text, most=most)
    assert text.startswith(start)
    assert len(start) <= most


def test_the_beginning_stays_while_somebody_types() -> None:
    typed = [SENTENCES[:at] for at in range(9_000, 9_800)]
    begun = {len(item) - len(end_of(item)) for item in typed}
    assert len(begun) < 30


def test_a_text_is_read_from_where_it_was_read_before() -> None:
    first = text_to_continue(SENTENCES[:9_000], "")
    assert 120 <= len(first) <= 220
    second = text_to_continue(SENTENCES[:9_300], first)
    assert second.startswith(first)
    far = text_to_continue(SENTENCES[:11_000], second)
    assert 120 <= len(far) <= 220


@pytest.mark.parametrize(
    ("before", "read"),
    [("The tide ", "The tide"), ("a\n    ", "a\n    "), ("a\n", "a\n"), ("   ", "   "), ("", "")],
)
def test_a_blank_at_the_end_is_left_to_the_next_word(before: str, read: str) -> None:
    assert text_to_continue(before, "") == read


def test_every_text_that_is_put_in_is_named_by_its_hash() -> None:
    assert [len(context_hash) for context_hash in context_hashes("a", "", "b")] == [64, 64]


def test_the_hash_of_a_prompt_is_another_for_another_cursor() -> None:
    one, two = (ghost_request(replace(HERE, after=after), "forced") for after in ("a", "b"))
    assert prompt_hash(one) != prompt_hash(two)
