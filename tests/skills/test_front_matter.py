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
LETTERS = st.characters(
    exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp"), exclude_characters="\ufeff"
)
WORDS = st.text(LETTERS, min_size=1)
A_TEXT = "a text is expected here, or a list of texts"


def read(head: str) -> dict[str, Value]:
    inner, _ = split_front_matter(f"---\n{head}\n---\nBody.\n")
    return read_front_matter(inner, WANTED)


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
        ("description: *alias", "line 2: this is not YAML (found undefined alias 'alias')"),
        ("description: !!python/object a", f"line 2: {A_TEXT}"),
        ("description: !!int 3", f"line 2: {A_TEXT}"),
        ("description: {a: b}", f"line 2: {A_TEXT}"),
        ("description: [a, [b]]", f"line 2: {A_TEXT}"),
        ('description: "open', "line 2: a quotation or a bracket has no end"),
        ('description: "a" b', "line 2: this does not belong to anything"),
        (
            'description: "\\q"',
            "line 2: this is not YAML (found unknown escape character 'q')",
        ),
        ("description: [a]\n  b", "line 3: this does not belong to anything"),
        ("description: a\n\tb", "line 3: indent with spaces, not with tabs"),
        ("description:\n- a\nb", "line 4: a key and a colon are expected, such as name: …"),
        ("name: a\nname: b", "line 3: name appears a second time"),
        ("? [a]\n: b", "line 2: a key must be a word, such as name: …"),
        ("- a", "line 2: keys with values are expected, such as name: …"),
        ("name: \x00", "line 1: it has a character that YAML does not allow"),
        ("a: " + "[" * 1_000, "line 1: it is nested too deeply"),
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
    head = "metadata:\n  a: {b: [c, &d e]}\n  name: no\nlicense: !f a\nhooks:\n- x: *d\nname: a"
    assert read(head) == {"name": "a"}


def test_aliases_that_stand_for_one_another_do_not_grow() -> None:
    lines = [
        "a0: &a0 [x, x]",
        *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)),
    ]
    assert read("\n".join([*lines, "name: a"])) == {"name": "a"}


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
    items = [json.dumps(text, ensure_ascii=False) for text in texts]
    assert description(f"[{', '.join(items)}]") == tuple(texts)
    if texts:
        assert description("".join(f"\n- {item}" for item in items)) == tuple(texts)


@given(st.lists(WORDS.filter(lambda one: one.strip(" ") == one), min_size=1, max_size=5))
def test_a_block_stands_as_it_is(lines: list[str]) -> None:
    assert description("|\n" + "\n".join(f"  {line}" for line in lines)) == "\n".join(lines)
