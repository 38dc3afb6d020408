"""Tool names and call ids on the wire."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.openai_chat.names import made_id, plain_name, wire_id, wire_name

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("read_file", "read_file"),
        ("mcp__docs__search-all", "mcp__docs__search-all"),
        ("files.read", "files_x2E_read"),
        ("suche ä", "suche_x20__xE4_"),
        ("a_x2E_b", "a_x5F_x2E_b"),
        ("_x2E.", "_x5F_x2E_x2E_"),
    ],
    ids=["plain", "dashes", "Q22-dots", "letters", "like-an-escape", "escape-at-the-end"],
)
def test_a_name_is_escaped_only_where_it_must_be(name: str, wire: str) -> None:
    assert wire_name(name) == wire
    assert plain_name(wire) == name


def test_Q22_a_name_too_long_is_cut_and_stays_its_own() -> None:
    one, other = "a" * 69 + "1", "a" * 69 + "2"
    assert wire_name(one) != wire_name(other)
    assert LEGAL.fullmatch(wire_name(one))
    assert plain_name(wire_name(one)) == wire_name(one)


names = st.text(st.sampled_from("ax2E5F_-.:ä😀 "), max_size=30) | st.text(max_size=20)


@given(names)
def test_every_name_becomes_a_legal_one_and_comes_back(name: str) -> None:
    wire = wire_name(name)
    assert LEGAL.fullmatch(wire)
    if wire_is_whole(name):
        assert plain_name(wire) == name


def wire_is_whole(name: str) -> bool:
    """Whether the escaped name fits: each character takes at most nine."""
    return len(name) > 0 and len(name) * 9 <= 64


@given(st.text(st.sampled_from("ax2E5FDF8_-"), max_size=40))
def test_a_name_from_the_wire_is_never_confused_with_another(wire: str) -> None:
    plain = plain_name(wire)
    assert plain == wire or wire_name(plain) == wire
    plain.encode()


@pytest.mark.parametrize("call_id", ["toolu_01", "functions.Bash:0", "x" * 64])
def test_an_id_that_fits_is_kept(call_id: str) -> None:
    assert wire_id(call_id, set()) == call_id


@pytest.mark.parametrize("call_id", ["", "x" * 65, "x" * 83])
def test_an_id_that_does_not_fit_is_made_anew_and_always_the_same(call_id: str) -> None:
    assert wire_id(call_id, set()) == made_id(call_id)


def test_no_two_calls_share_an_id() -> None:
    taken: set[str] = set()
    ids = [wire_id("same", taken) for _ in range(3)]
    assert ids == ["same", made_id("same:1"), made_id("same:2")]
    assert taken == set(ids)
