"""The head of a SKILL.md: what is read, what is refused, and that nothing else happens."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.skills.front_matter import (
    BadFrontMatter,
    Value,
    read_front_matter,
    split_front_matter,
)

WANTED = ("name", "description", "allowed-tools")
# Letters that a line of a head can hold; what else there is, a head writes as an escape.
LETTERS = st.characters(exclude_categories=("Cc", "Cs"))
WORDS = st.text(LETTERS, min_size=1)


def read(head: str) -> dict[str, Value]:
    lines, _ = split_front_matter(f"---\n{head}\n---\nBody.\n")
    return read_front_matter(lines, WANTED)


def description(value: str) -> Value:
    return read(f"description: {value}")["description"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Reads tides.", "Reads tides."),
        ("It's 3:15 # at noon", "It's 3:15"),
        ("https://example.org/#a", "https://example.org/#a"),
        ("one\n  two\n\n  three", "one two\nthree"),
        ("\n  Below its key,\n  in two lines", "Below its key, in two lines"),
        ('"quoted: \\"yes\\" \\u00e9\\n"', 'quoted: "yes" é\n'),
        ("'it''s # no comment'  # but this is", "it's # no comment"),
        ('"over\n  two lines"', "over two lines"),
        (">-\n  folded\n  lines\n\n  and\n    kept\n  ones", "folded lines\nand\n  kept\nones"),
        ("|\n  as\n   it\n\n  stands", "as\n it\n\nstands"),
        ("~", ""),
        ("", ""),
        ("# only a comment", ""),
        ("[a, 'b, c', \"d\"]  # three", ("a", "b, c", "d")),
        ("[ ]", ()),
        ("[Bash(git:*), Read]", ("Bash(git:*)", "Read")),
        ("\n- one\n- 'two'\n# a word\n- three", ("one", "two", "three")),
        ("\n  - one\n  - two", ("one", "two")),
    ],
)
def test_each_form_is_read_as_it_is_meant(written: str, meant: Value) -> None:
    assert description(written) == meant


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("description: a: b", "line 2: a text with a colon in it needs quotes around it"),
        ("description: &anchor a", "line 2: a text that begins with & needs quotes"),
        ("description: *alias", "line 2: a text that begins with * needs quotes"),
        ("description: !!python/object a", "line 2: a text that begins with ! needs quotes"),
        ("description: {a: b}", "line 2: a text with a colon in it needs quotes around it"),
        ('description: "open', 'line 2: the quotation that begins with " has no good end'),
        ('description: "a" b', 'line 2: the quotation that begins with " has no good end'),
        ('description: "\\q"', "line 2: \\q means nothing in quotes"),
        ("description: [a, [b]]", "line 2: the list in brackets is not like [one, two]"),
        ("description: [a] b", "line 2: something stands behind the list"),
        ("description: [a]\n  b", "line 3: this does not belong to anything"),
        ("description: a\n\tb", "line 3: indent with spaces, not with tabs"),
        ("description: a\n  # no\n  b", "line 3: a comment can't stand inside a text"),
        ("description:\n- a\nb", "line 4: a key and a colon are expected, such as name: …"),
        ("description:\n  - a\n  b", "line 4: each line of this list must begin with a dash"),
        ("  description: a", "line 2: a key and a colon are expected, such as name: …"),
        ("name: a\nname: b", "line 3: name stands here a second time"),
        ("<<: b", "line 2: a key and a colon are expected, such as name: …"),
    ],
)
def test_what_is_not_plain_is_refused_with_its_line(head: str, why: str) -> None:
    with pytest.raises(BadFrontMatter) as refused:
        read(head)
    assert str(refused.value) == why


@pytest.mark.parametrize("text", ["", "name: a\n", "\n---\nname: a\n---\n", "---\nname: a\n"])
def test_a_head_stands_between_two_lines_at_the_beginning(text: str) -> None:
    with pytest.raises(BadFrontMatter, match="line 1"):
        split_front_matter(text)


def test_line_ends_of_every_system_are_line_ends() -> None:
    lines, body = split_front_matter("---\r\nname: a\r\n---\r\n\r\nOne.\r\nTwo.\r\n")
    assert read_front_matter(lines, WANTED) == {"name": "a"}
    assert body == "One.\nTwo."


def test_what_nobody_asks_for_is_passed_over() -> None:
    head = "metadata:\n  a: {b: [c, *d]}\n  name: no\nlicense: a: b\nhooks:\n- x: &y !z\nname: a"
    assert read(head) == {"name": "a"}


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        lines, _ = split_front_matter(f"---\n{text}\n---\n")
        found = read_front_matter(lines, WANTED)
    except BadFrontMatter:
        return
    assert found.keys() <= set(WANTED)


@given(st.lists(st.text("ab :-#[]{}'\"\\,|>&*!%@`~?\n\t ", max_size=12), max_size=6))
def test_any_arrangement_of_signs_is_read_or_refused(parts: list[str]) -> None:
    head = "\n".join(f"description:{part}" if at == 0 else part for at, part in enumerate(parts))
    try:
        found = read(head)
    except BadFrontMatter:
        return
    assert found.keys() <= set(WANTED)


@given(WORDS)
def test_a_text_in_quotes_comes_back(text: str) -> None:
    assert description(json.dumps(text, ensure_ascii=False)) == text
    assert description("'" + text.replace("'", "''") + "'") == text


@given(st.lists(st.text(LETTERS), max_size=5))
def test_a_list_of_quoted_texts_comes_back(texts: list[str]) -> None:
    items = [json.dumps(one, ensure_ascii=False) for one in texts]
    assert description(f"[{', '.join(items)}]") == tuple(texts)
    if texts:
        assert description("".join(f"\n- {one}" for one in items)) == tuple(texts)


@given(st.lists(WORDS.filter(lambda one: one.strip(" ") == one), min_size=1, max_size=5))
def test_a_block_stands_as_it_is(lines: list[str]) -> None:
    assert description("|\n" + "\n".join(f"  {one}" for one in lines)) == "\n".join(lines)
