"""Provider data that travels through a foreign client and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.carrier import CarriedData, carried, carry, is_carrier
from recto.messages import Origin, ProviderData

ORIGIN = Origin("gemini", "account", "model")
payloads = st.dictionaries(st.text(), st.text() | st.integers(-9, 9) | st.none(), max_size=3)


@given(payloads, st.none() | st.text())
def test_W16_what_is_carried_comes_back(payload: dict[str, Any], call_id: str | None) -> None:
    data = ProviderData(ORIGIN, payload)
    text = carry(data, call_id)
    assert is_carrier(text)
    assert carried(text) == CarriedData(data, call_id)


def test_half_a_character_is_replaced() -> None:
    found = carried(carry(ProviderData(ORIGIN, {"a": "\ud800"})))
    assert found == CarriedData(ProviderData(ORIGIN, {"a": "\ufffd"}), None)


@pytest.mark.parametrize("text", ["gw1.", "gw1.?", "gw1.e30", "gw1.W10", "gw1." + "W1tb" * 999])
def test_W16_a_damaged_carrier_brings_nothing(text: str) -> None:
    assert carried(text) is None
