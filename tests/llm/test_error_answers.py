"""What error answers of all APIs have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.error_answers import first_words, read_may_retry, read_retry_after

DATE = "Wed, 11 Nov 2026 10:00:00 GMT"
LATER = "Wed, 11 Nov 2026 10:00:30 GMT"


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": LATER, "date": DATE}, 30.0),
        ({"retry-after": DATE, "date": LATER}, 0.0),
        ({"retry-after": LATER}, None),
        ({"retry-after": LATER.removesuffix(" GMT"), "date": DATE}, None),
        ({"retry-after": "soon", "date": DATE}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-1"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_in_every_way_it_is_written(
    headers: dict[str, str], wait_s: float | None
) -> None:
    assert read_retry_after(headers) == wait_s


@given(st.text(), st.text())
def test_no_header_is_too_odd(one: str, other: str) -> None:
    headers = {"retry-after": one, "retry-after-ms": other, "date": one, "x-should-retry": other}
    wait = read_retry_after(headers)
    assert wait is None or wait >= 0
    assert read_may_retry(headers) in (True, False, None)


@pytest.mark.parametrize(
    ("told", "expected"), [("true", True), ("False", False), ("perhaps", None), ("", None)]
)
def test_a_provider_may_say_whether_to_try_again(told: str, expected: bool | None) -> None:
    assert read_may_retry({"x-should-retry": told}) is expected
    assert read_may_retry({}) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"  <h1>Bad Gateway</h1>\n", "<h1>Bad Gateway</h1>"),
        ("é".encode() * 999, "é" * 200),
        (b"a\xff", "a\ufffd"),
        (b"", ""),
    ],
)
def test_of_a_body_the_first_words_are_shown(body: bytes, words: str) -> None:
    assert first_words(body) == words
