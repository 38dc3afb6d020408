"""What the document agent is told, and what is made of an answer that is a passage."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.context import (
    TRANSFORMS,
    DocumentFacts,
    SystemParts,
    document_meta,
    document_prompt,
    read_passage,
)
from recto.context.blocks import marked

TOOLS = ("read_document", "edit_document")
PARTS = SystemParts(date(2026, 11, 15), tools=TOOLS, instructions="Use British English.")
WITHOUT = replace(PARTS, tools=())


def test_the_agent_is_told_its_steps_the_day_and_the_folders_instructions() -> None:
    told = document_prompt(PARTS, steps=8)
    assert "You have 8 steps in all." in told
    assert "Today is Sunday, 2026-11-15." in told
    assert "# What counts as an instruction" in told
    assert told.endswith(marked("instructions", "Use British English.", name="_instructions.md"))


def test_front_matter_is_left_alone_unless_asked_for() -> None:
    assert "stays as it is, unless the request is about it" in document_prompt(PARTS, steps=8)


def test_without_tools_no_step_and_no_edit_is_spoken_of() -> None:
    told = document_prompt(WITHOUT, steps=8)
    assert "You can't open or change it" in told
    assert "steps" not in told


def test_a_small_model_gets_a_short_prompt() -> None:
    bare = replace(WITHOUT, instructions="")
    for rewrites in (True, False):
        long = document_prompt(bare, steps=8, rewrites=rewrites)
        short = document_prompt(bare, steps=8, rewrites=rewrites, is_small=True)
        assert len(short) < 100 < len(long)


def test_a_rewriter_is_told_to_answer_with_the_passage_alone() -> None:
    told = document_prompt(WITHOUT, steps=8, rewrites=True)
    assert "Answer with the new passage and nothing else" in told


FACTS = DocumentFacts("a/b.md", 1200, 8000, 51234)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (FACTS, "Nothing is selected."),
        (replace(FACTS, selected=(3, 3)), "The selected passage is in line 3."),
        (replace(FACTS, selected=(3, 5)), "The selected passage is in lines 3 to 5."),
        (replace(FACTS, cursor=7), "Nothing is selected. The cursor is in line 7."),
    ],
)
def test_a_request_says_which_document_it_is_about(facts: DocumentFacts, says: str) -> None:
    size = '"a/b.md": 1,200 lines, 8,000 words, 51,234 characters'
    assert document_meta(facts) == f"The open document is {size}. {says}"


def test_every_transform_takes_what_it_names() -> None:
    assert all(
        ("{argument}" in transform.prompt) == (transform.argument is not None)
        for transform in TRANSFORMS
    )
    translate = TRANSFORMS[-1]
    assert "this language: {argument} $& \\1. Keep" in translate.request("{argument} $& \\1")


@pytest.mark.parametrize(
    ("answer", "passage", "new"),
    [
        ("The sea.", "Teh sea.", "The sea."),
        ("\n The sea. \n", "Teh sea.", "The sea."),
        ("The sea.", "  Teh sea.\n\n", "  The sea.\n\n"),
        ('"The sea."', "Teh sea.", "The sea."),
        ("“The sea.”", "Teh sea.", "The sea."),
        ('"The sea."', '"Teh sea."', '"The sea."'),
        ('"The" and "sea"', "Teh", '"The" and "sea"'),
        ("```markdown\nThe sea.\n```", "Teh sea.", "The sea."),
        ("```\nx = 1\n```", "```\nx=1\n```", "```\nx = 1\n```"),
        ("", "Teh", ""),
        ('""', "Teh", ""),
        (" \n", "Teh", ""),
    ],
)
def test_an_answer_becomes_the_passage(answer: str, passage: str, new: str) -> None:
    assert read_passage(answer, passage) == new


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_answered_the_white_space_around_the_passage_stays(
    answer: str, passage: str
) -> None:
    new = read_passage(answer, passage)
    if new and passage.strip():
        before = passage[: len(passage) - len(passage.lstrip())]
        after = passage[len(passage.rstrip()) :]
        assert new == f"{before}{new.strip()}{after}"
    assert new.strip() in answer
