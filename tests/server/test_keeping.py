"""The rules of keeping, as people read them."""

import pytest

from recto.chats import keeping_rules
from tests.served import Served

pytestmark = pytest.mark.anyio


async def test_what_is_kept_is_told_with_how_long(recto: Served) -> None:
    async with recto.script() as script:
        answer = await script.get("/api/v1/keeping")
    found = {rule["kept"]: rule["howLong"] for rule in answer.json()["rules"]}
    assert found["The exact requests and answers of each turn"] == "365 days"
    assert found["The pieces in which an answer came"] == "1 day"
    assert found["A deleted chat"] == "up to a quarter of an hour"


def test_the_days_are_those_of_the_settings() -> None:
    chosen = [rule for rule in keeping_rules(30, 7) if "settings.toml" in rule.why]
    assert [rule.how_long for rule in chosen] == ["30 days", "7 days"]
