from hypothesis import given
from hypothesis import strategies as st

from recto.colours import PALETTE, colour_of


def test_a_name_has_its_colour_by_the_letters_and_where_they_stand() -> None:
    assert colour_of("") == "#3b82f6"
    assert colour_of("a") == PALETTE[97 % 8] == "#8b5cf6"
    assert colour_of("ab") == PALETTE[(97 + 98 * 2) % 8] == "#ef4444"
    assert colour_of("ba") == PALETTE[(98 + 97 * 2) % 8] == "#f59e0b"


@given(st.text())
def test_every_name_has_a_colour_of_the_palette(name: str) -> None:
    assert colour_of(name) in PALETTE
