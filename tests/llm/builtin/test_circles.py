"""An answer that says the same again and again is ended; patterns with good reason are not."""

import pytest

from recto.llm.builtin.circles import goes_round

SAME = "The project is a self-contained project that combines tides with weather data.\n\n"


def test_an_answer_is_ended_when_it_says_the_same_the_third_time() -> None:
    text = f"# The project\n\n{SAME * 5}"

    ended = next(end for end in range(len(text)) if goes_round(text[:end]))

    assert text[:ended].count(SAME.strip()) in (2, 3)


@pytest.mark.parametrize(
    "text",
    [
        SAME * 2,
        "| --- | --- | --- |\n" * 30,
        "0, 0, 0, 0, 0, 0\n" * 30,
        "".join(f"{number}. The port of call number {number} is open.\n" for number in range(40)),
        "    <td>tide</td><td>weather</td>\n" * 2 + "</tr>\n",
        "no no no no no no",
    ],
    ids=["twice", "table", "numbers", "list", "cells", "few words"],
)
def test_what_repeats_with_good_reason_goes_on(text: str) -> None:
    assert not any(goes_round(text[:end]) for end in range(len(text) + 1))
