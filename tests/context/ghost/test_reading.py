"""Suggestions are read while the answer comes, whatever it is and however it is cut."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.context.ghost import SuggestionReader, suggestions_in
from recto.context.ghost.suggestion_reader import MOST_READ

FIVE = ["and goes.", 'He said "no".', "a\nb\\", "🙂 é", ""]
ANSWER = {"prefix_end": '"suggestions": [', "suffix_start": "", "suggestions": FIVE}


def read(*pieces: str) -> list[str]:
    reader = SuggestionReader()
    return [item.text for piece in pieces for item in reader.feed(piece)]


def cut(text: str, sizes: list[int]) -> list[str]:
    pieces: list[str] = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [*pieces, text]


@given(st.lists(st.integers(0, 12), max_size=60), st.booleans())
def test_an_answer_is_read_the_same_however_it_is_cut(sizes: list[int], escaped: bool) -> None:
    told = json.dumps(ANSWER, ensure_ascii=escaped)
    assert read(*cut(told, sizes)) == FIVE
    assert read(*told) == FIVE


def test_each_is_there_with_its_last_letter() -> None:
    reader = SuggestionReader()
    assert reader.feed('{"prefix_end": "x", "suggestions": ["one') == []
    assert [item.text for item in reader.feed('", "two", "thr')] == ["one", "two"]
    assert [item.text for item in reader.feed('ee"')] == ["three"]
    assert reader.feed("]}") == []


def test_a_suggestion_knows_which_part_of_the_answer_it_is() -> None:
    told = json.dumps(ANSWER)
    reader = SuggestionReader()
    found = [item for letter in told for item in reader.feed(letter)]
    assert [json.loads(told[item.start : item.end]) for item in found] == FIVE


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ('```json\n{"suggestions": ["a", "b"]}\n```', ["a", "b"]),
        ('Here it is: {"suggestions" :\n[ "a" ]}', ["a"]),
        ('{"suggestions": ["bare\nbreak"]}', ["bare\nbreak"]),
        ('{"suggestions": ["bad \\x escape", "good"]}', ["good"]),
        ('{"suggestions": ["half \\ud83d"]}', ["half \ufffd"]),
        ('{"suggestions": ["a", 7, "b"]}', ["a"]),
        ('{"suggestions": [{"text": "a"}]}', []),
        ('{"suggestions": ["a"], "suggestions": ["b"]}', ["a"]),
        (json.dumps({"suggestions": list("abcdefg")}), list("abcde")),
        ('{"suggestions": "a"}', []),
        ('{"suggestions": ["never closed', []),
        ("", []),
    ],
)
def test_only_what_is_surely_a_suggestion_is_read(told: str, found: list[str]) -> None:
    assert read(told) == read(*told) == found


@given(st.lists(st.text(st.sampled_from('"\\[]{}:, \nau0sge' + "suggestions"), max_size=30)))
def test_nothing_that_comes_breaks_the_reader(pieces: list[str]) -> None:
    told = "".join(pieces)
    assert read(*pieces) == read(told)
    assert read('{"suggestions": [', *pieces) == read('{"suggestions": [' + told)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_text_break_nothing(data: bytes) -> None:
    told = data.decode("latin-1")
    assert len(read(*told)) <= 5
    assert len(suggestions_in(None, told)) <= 5


def test_an_answer_without_end_is_not_read_to_its_end() -> None:
    endless = "x" * 1000
    assert read('{"suggestions": ["', *[endless] * 50, '"]}') == []
    assert suggestions_in(None, '{"suggestions": ["' + "x" * MOST_READ + '"]}') == []


@pytest.mark.parametrize(
    ("arguments", "text", "found"),
    [
        ({"suggestions": ["a", "b"]}, "", ["a", "b"]),
        ({"suggestions": [{"text": "a"}, {"n": 1}, 3, None]}, "", ["a"]),
        ({"suggestions": "a"}, "", []),
        ({}, '{"suggestions": ["a"]}', []),
        (None, 'Sure:\n["a", "b"]', ["a", "b"]),
        (None, '{"suggestions": ["a"]} and more', ["a"]),
        (None, "I can't do that.", []),
        (None, "[" * 5000, []),
    ],
)
def test_a_whole_answer_is_read_in_the_forms_that_models_give_it(
    arguments: dict[str, Any] | None, text: str, found: list[str]
) -> None:
    assert suggestions_in(arguments, text) == found
