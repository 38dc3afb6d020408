"""One value of a JSON object is another; every other byte is as it was."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.gateway.doors.splice import insert, splice

TEXTS = st.text(max_size=8)
NAMES = TEXTS.filter(lambda name: name != "model")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=3)


# How long drawing takes says how busy the machine is.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(OBJECTS, OBJECTS, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_only_the_model_changes(
    before: dict[str, Any], after: dict[str, Any], indent: Any, is_ascii: bool
) -> None:
    asked = {**before, "model": 'old "name" \\', **after}
    body = json.dumps(asked, indent=indent, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    old = json.dumps('old "name" \\').encode()
    changed = splice(body, ("model",), "new")
    assert changed is not None
    assert json.loads(changed.decode("utf-8", "surrogatepass")) == {**asked, "model": "new"}
    start = len(body) - len(body.partition(old)[2]) - len(old)
    if body.count(old) == 1:
        assert changed == body[:start] + b'"new"' + body[start + len(old) :]


@pytest.mark.parametrize(
    ("body", "path", "expected"),
    [
        (b'{"a":{"b":1},"b":2}', ("b",), b'{"a":{"b":1},"b":9}'),
        (b'{"a":{"b":1},"b":2}', ("a", "b"), b'{"a":{"b":9},"b":2}'),
        (b' { "a" : [ {"b":1} ] , "b" : "x" } ', ("b",), b' { "a" : [ {"b":1} ] , "b" : 9 } '),
        (b'{"m":"}\\"{","b":null}', ("b",), b'{"m":"}\\"{","b":9}'),
        (b'{"\\u0062":1}', ("b",), b'{"\\u0062":9}'),
        (b'{"b":1,"b":2}', ("b",), b'{"b":9,"b":9}'),
        (b'{"a":1}', ("b",), None),
        (b'{"a":1}', ("a", "b"), None),
        (b"{}", ("b",), None),
    ],
)
def test_a_value_is_found_where_it_stands(
    body: bytes, path: tuple[str, ...], expected: bytes | None
) -> None:
    assert splice(body, path, 9) == expected


@pytest.mark.parametrize(
    ("body", "path", "expected"),
    [
        (b"{}", ("b",), b'{"b":9}'),
        (b'{"a":1}', ("b",), b'{"b":9,"a":1}'),
        (b'{"a":1}', ("b", "c"), b'{"b":{"c":9},"a":1}'),
        (b'{"a":1,"b":{}}', ("b", "c"), b'{"a":1,"b":{"c":9}}'),
        (b'{"b": {"d":1}}', ("b", "c"), b'{"b": {"c":9,"d":1}}'),
        (b'{"b": 7}', ("b", "c"), None),
    ],
)
def test_a_value_is_put_where_there_was_none(
    body: bytes, path: tuple[str, ...], expected: bytes | None
) -> None:
    assert insert(body, path, 9) == expected
