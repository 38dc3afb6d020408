"""A store that is used day after day grows by little more than the words that are new."""

from pathlib import Path

import pytest

from benchmarks.year import MOST_SHARE, SETTLED_DAYS, DayClock, live

pytestmark = pytest.mark.anyio


async def test_what_a_store_grows_by_each_day_stays_a_small_share_of_what_was_sent(
    tmp_path: Path,
) -> None:
    lived = await live(tmp_path / "recto.db", DayClock(), SETTLED_DAYS + 3, chats_a_day=2, steps=5)
    # Short chats: most of what they send is new in them.
    assert 0 < lived.share < 2 * MOST_SHARE
