"""Whatever happens to a chat, no strict server refuses the next request.

RECTO_HISTORIES says how many requests are made; RECTO_SEED where the dice begin.
"""

import os

import pytest

from tests.llm.any_history.play import play

REQUESTS = int(os.environ.get("RECTO_HISTORIES", "800"))
SEED = int(os.environ.get("RECTO_SEED", "20261115"))


@pytest.mark.parametrize("part", [0, 1])
def test_no_request_of_a_random_chat_is_refused(part: int) -> None:
    tally = play(SEED + part, REQUESTS // 2)
    assert tally.requests == REQUESTS // 2
    assert len(tally.by_protocol) == 4
    # Leaving every thought out would be accepted as well.
    assert tally.bound_back > tally.requests // 100
    print(f"\n{tally.requests} requests, 0 refusals: {tally}")  # noqa: T201 - the proof's own words
