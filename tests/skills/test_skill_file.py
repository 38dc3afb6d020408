"""What a SKILL.md says, and for which reasons it can't be used."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.skills.skill_file import BadSkill, SkillFile, read_skill_file

TIDES = """\
---
name: tides
description: >
  Reads tide tables.
  Use it for ports.
license: MIT
allowed-tools: Read Bash(git log:*), search_content
model: anthropic/claude-sonnet-4-6
metadata:
  author: somebody
---

# Tides

Look up the port first.
"""


def with_head(head: str, body: str = "Do it.") -> str:
    return f"---\n{head}\n---\n{body}\n"


def test_a_skill_has_a_name_a_use_and_a_text_and_may_want_tools_and_a_model() -> None:
    assert read_skill_file(TIDES) == SkillFile(
        name="tides",
        description="Reads tide tables. Use it for ports.",
        body="# Tides\n\nLook up the port first.",
        tools=("read_file", "run_command", "search_content"),
        model="anthropic/claude-sonnet-4-6",
    )


@pytest.mark.parametrize(
    "tools", ["[Write, Grep]", "Write, Grep", "Write Grep(a b)", "\n- Write\n- Grep"]
)
def test_tools_are_named_in_any_common_way(tools: str) -> None:
    found = read_skill_file(with_head(f"name: a\ndescription: b\nallowed-tools: {tools}"))
    assert found.tools == ("write_file", "search_content")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Just words.", "Its head can't be read: line 1: the file must begin with a line ---"),
        (with_head("name: a"), "Its head has no description. Add a line description: …"),
        (with_head("description: b"), "Its head has no name. Add a line name: …"),
        (with_head("name: [a]\ndescription: b"), "Its name is a list. Write one text."),
        (with_head("name: a\ndescription: b\nmodel: [c]"), "Its model is a list. Write one."),
        (with_head(f"name: {'a' * 65}\ndescription: b"), "Its name has 65 characters."),
        (with_head(f"name: a\ndescription: {'b' * 1025}"), "Its description has 1,025 characters."),
        (with_head("name: a\ndescription: b", " \n"), "It has no text"),
        (with_head("name: a\ndescription: b: c"), "line 3: a text with a colon"),
    ],
)
def test_a_skill_that_is_not_as_it_must_be_says_why(text: str, why: str) -> None:
    with pytest.raises(BadSkill) as refused:
        read_skill_file(text)
    assert why in str(refused.value)


@pytest.mark.parametrize("letter", ["\u200b", "\u202e", "\U000e0041", "\x1b", "\u2063"])
@pytest.mark.parametrize("place", ["name: a{}\ndescription: b", "name: a\ndescription: b{}"])
def test_what_nobody_sees_is_refused_also_where_the_head_writes_it_as_an_escape(
    letter: str, place: str
) -> None:
    with pytest.raises(BadSkill, match="is invisible"):
        read_skill_file(with_head(place.format(letter)))
    if ord(letter) <= 0xFFFF:
        escaped = place.replace("a{}", '"a{}"').replace("b{}", '"b{}"')
        with pytest.raises(BadSkill, match="is invisible"):
            read_skill_file(with_head(escaped.format(f"\\u{ord(letter):04x}")))


def test_what_nobody_sees_is_refused_in_the_text() -> None:
    with pytest.raises(BadSkill, match="Line 5, character 4 is invisible"):
        read_skill_file(with_head("name: a\ndescription: b", "Do \u2063it."))


@given(st.text())
def test_any_text_is_a_skill_or_refused(text: str) -> None:
    for whole in (text, with_head(text), with_head(f"name: a\ndescription: b\n{text}", text)):
        try:
            found = read_skill_file(whole)
        except BadSkill:
            continue
        assert found.name
        assert found.description
        assert found.body.strip()
        assert found.name.isprintable()
