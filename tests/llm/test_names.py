"""Tool names and call ids on the wire: accepted by every API, and never taken for another."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recto.llm.names import CutNames, free_id, own_name, wire_id, wire_name
from recto.messages import (
    Finished,
    Request,
    TextDelta,
    ToolCall,
    ToolCallStarted,
    ToolSpec,
    assistant,
    user,
)

PORTABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
PORTABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

anything = st.text(st.characters(exclude_categories=()), max_size=90)
"""Halves of surrogate pairs, too."""
like_escapes = st.text(st.sampled_from("esc-2da0F._é\ud800"), max_size=70)
names = anything | like_escapes | like_escapes.map("esc-".__add__)
portable = st.from_regex(PORTABLE_NAME, fullmatch=True)


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("read_file-2", "read_file-2"),
        ("mcp__docs__search-all", "mcp__docs__search-all"),
        ("_private", "_private"),
        ("x" * 64, "x" * 64),
        ("files.read:now/here", "esc-files-2eread-3anow-2fhere"),
        ("1st", "esc-1st"),
        ("-a", "esc--2da"),
        ("suche größe", "esc-suche-20gr-c3-b6-c3-9fe"),
        ("😀", "esc--f0-9f-98-80"),
        ("read\n", "esc-read-0a"),
        ("esc-a", "esc-esc-2da"),
        ("", "esc-"),
    ],
)
def test_Q22_a_name_is_escaped_only_where_it_must_be_and_comes_back(name: str, wire: str) -> None:
    assert wire_name(name) == wire
    assert own_name(wire) == name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("n" * 65, "n" * 51),
        ("a.b" * 30, "a_b" * 17),
        ("1" * 70, "_" + "1" * 50),
        ("esc-" + "a" * 70, "esc_" + "a" * 47),
        ("a\ud800", "a_"),
    ],
    ids=["long", "long-and-odd", "digits", "like-an-escape", "half-a-pair"],
)
def test_Q22_a_name_that_can_not_come_back_is_cut_and_ends_in_a_hash(name: str, kept: str) -> None:
    wire = wire_name(name)
    assert re.fullmatch(f"{kept}_[0-9a-f]{{12}}", wire)
    assert own_name(wire) == wire_name(wire) == wire


@given(names)
def test_Q22_every_name_becomes_a_portable_one(name: str) -> None:
    assert PORTABLE_NAME.fullmatch(wire_name(name))


@given(st.text(max_size=25) | like_escapes.filter(str.isascii))
def test_Q22_every_name_whose_escaped_form_fits_comes_back(name: str) -> None:
    is_kept = [chr(byte) == "_" or (byte < 128 and chr(byte).isalnum()) for byte in name.encode()]
    assume(len("esc-") + sum(1 if kept else 3 for kept in is_kept) <= 64)
    assert own_name(wire_name(name)) == name


@given(portable.filter(lambda name: not name.startswith("esc-")))
def test_Q22_a_portable_name_stays_as_it_is(name: str) -> None:
    assert wire_name(name) == own_name(name) == name


@given(names, names)
def test_Q22_unlike_names_stay_unlike(one: str, other: str) -> None:
    assert (wire_name(one) == wire_name(other)) == (one == other)


@given(names)
def test_a_name_that_we_did_not_write_stays_as_it_is(wire: str) -> None:
    own = own_name(wire)
    assert own == wire or wire_name(own) == wire


@pytest.mark.parametrize(
    "wire", ["esc-a", "esc--ff", "esc--ed-a0-80", "esc--2E", "esc-a-", "a-2eb", "esc--2e\n"]
)
def test_a_name_that_only_looks_escaped_is_left_alone(wire: str) -> None:
    assert own_name(wire) == wire


LONG = "look.up." + "x" * 70


def test_Q22_a_name_that_was_cut_is_told_again_by_the_request_it_was_cut_for() -> None:
    tools = (ToolSpec(LONG, "", {}), ToolSpec("a.b", "", {}))
    names = CutNames(Request("m", (user("Hi"),), 10, tools=tools))
    cut, plain = ToolCall("c1", wire_name(LONG), {}), ToolCall("c2", "a.b", {})
    assert own_name(cut.name) == cut.name
    assert names.restore(ToolCallStarted(0, "c1", cut.name)) == ToolCallStarted(0, "c1", LONG)
    assert names.restore(ToolCallStarted(1, "c2", "a.b")) == ToolCallStarted(1, "c2", "a.b")
    end = Finished("tool_use", assistant("Well.", cut, plain))
    own = Finished("tool_use", assistant("Well.", replace(cut, name=LONG), plain))
    assert names.restore(end) == own
    assert names.restore(TextDelta("Hi")) == TextDelta("Hi")


def test_Q22_a_tool_of_an_earlier_turn_keeps_its_long_name() -> None:
    talk = (user("Hi"), assistant(ToolCall("c0", LONG, {})))
    names = CutNames(Request("m", talk, 10))
    told = ToolCallStarted(0, "c1", wire_name(LONG))
    assert names.restore(told) == replace(told, name=LONG)


@given(st.lists(names, unique=True, max_size=5))
def test_Q22_every_name_comes_back_to_the_request_that_sent_it(known: list[str]) -> None:
    cut = CutNames(Request("m", (), 10, tools=tuple(ToolSpec(name, "", {}) for name in known)))
    for name in known:
        told = ToolCallStarted(0, "c", own_name(wire_name(name)))
        assert cut.restore(told) == replace(told, name=name)


@pytest.mark.parametrize("call_id", ["toolu_01", "call-2", "0", "x" * 64])
def test_an_id_that_every_API_takes_is_kept(call_id: str) -> None:
    assert wire_id(call_id) == call_id


@pytest.mark.parametrize(
    ("call_id", "kept"),
    [("functions.Bash:0", "functions_Bash_0"), ("x" * 65, "x" * 51), ("", ""), ("a\n", "a_")],
)
def test_Q13_any_other_id_is_cleaned_and_ends_in_a_hash(call_id: str, kept: str) -> None:
    assert re.fullmatch(f"{kept}_[0-9a-f]{{12}}", wire_id(call_id))


@given(anything, anything)
def test_Q13_ids_are_accepted_and_unlike_ones_stay_unlike(one: str, other: str) -> None:
    assert PORTABLE_ID.fullmatch(wire_id(one))
    assert (wire_id(one) == wire_id(other)) == (one == other)


def test_A34_a_taken_id_gets_the_first_free_number() -> None:
    taken = {"a": 1, "a_3": 1}
    assert [free_id(item, taken) for item in ("a", "a", "b")] == ["a_2", "a_4", "b"]
    assert taken.keys() == {"a", "a_2", "a_3", "a_4", "b"}


def test_a_long_id_makes_room_for_its_number() -> None:
    assert free_id("x" * 64, {"x" * 64: 1}) == "x" * 62 + "_2"
