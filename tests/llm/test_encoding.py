"""JSON whose bytes are always the same for the same value."""

from typing import Any

import msgspec

from recto.llm.encoding import encode


class Body(msgspec.Struct, omit_defaults=True):
    """Fields in an order of their own."""

    name: str
    arguments: dict[str, Any]
    left_out: str | None = None


def test_keys_are_sorted_and_fields_keep_their_order() -> None:
    body = Body("é", {"b": 1, "a": [{"d": 2, "c": 3}]})
    assert encode(body).decode() == '{"name":"é","arguments":{"a":[{"c":3,"d":2}],"b":1}}'


def test_half_a_character_changes_nothing_else() -> None:
    body = Body("\ud83d\ude00\ud800", {"b\udc00": 1, "a": None})
    assert encode(body).decode() == '{"name":"😀\ufffd","arguments":{"a":null,"b\ufffd":1}}'
