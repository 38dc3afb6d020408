"""Heads by which later requests of a connection are known: the plain ones alone, byte by byte."""

from typing import Any

import pytest

from recto.server.ahead import MOST_HEAD_BYTES, learned

START = b"POST /v1/x HTTP/1.1\r\n"
LINES = b"host: here\r\nx-key: k\r\n"
BODY = b'{"a":1}'


def scope(lines: bytes, *, method: str = "POST", version: str = "1.1") -> dict[str, Any]:
    """As the parser tells of it."""
    pairs = [line.split(b": ", 1) for line in lines.split(b"\r\n") if line]
    headers = [(name.lower(), value) for name, value in pairs]
    return {"method": method, "http_version": version, "headers": headers}


def whole(lines: bytes, body: bytes = BODY) -> bytes:
    return START + lines + b"\r\n" + body


def of_length(length: bytes) -> bytes:
    return LINES + b"content-length: " + length + b"\r\naccept: */*\r\n"


PLAIN = of_length(b"7")


def test_a_request_is_known_by_its_head_whatever_its_length() -> None:
    head = learned(whole(PLAIN), scope(PLAIN))
    assert head is not None
    assert head.body_of(whole(PLAIN)) == BODY
    assert head.body_of(whole(of_length(b"0"), b"")) == b""
    assert head.body_of(whole(of_length(b"12345678"), b"x" * 12_345_678)) == b"x" * 12_345_678


@pytest.mark.parametrize("length", [b"6", b"8", b"", b"+7", b"-7", b"7 ", b" 7", b"0x7", b"7,7"])
def test_a_length_that_is_another_or_none_is_not_taken(length: bytes) -> None:
    head = learned(whole(PLAIN), scope(PLAIN))
    assert head is not None
    assert head.body_of(whole(of_length(length))) is None


def test_no_part_of_a_request_and_no_two_are_taken_for_one() -> None:
    data = whole(PLAIN)
    head = learned(data, scope(PLAIN))
    assert head is not None
    assert [head.body_of(data[:cut]) for cut in range(len(data))] == [None] * len(data)
    assert [head.body_of(data[cut:]) for cut in range(1, len(data))] == [None] * (len(data) - 1)
    assert head.body_of(data + data) is None
    assert head.body_of(data + b"G") is None


def test_any_other_byte_of_the_head_is_another_head() -> None:
    data = whole(PLAIN)
    head = learned(data, scope(PLAIN))
    assert head is not None
    length_at = data.index(b": 7") + 2
    for place in range(len(data) - len(BODY)):
        if place != length_at:
            changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            assert head.body_of(changed) is None, place


@pytest.mark.parametrize(
    "more",
    [
        b"transfer-encoding: chunked\r\n",
        b"Transfer-Encoding: identity\r\n",
        b"expect: 100-continue\r\n",
        b"upgrade: websocket\r\n",
        b"trailer: x\r\n",
        b"content-length: 7\r\n",
        b"Content-Length: 8\r\n",
        b"host: there\r\n",
    ],
)
def test_a_head_that_says_more_of_its_connection_is_not_learned(more: bytes) -> None:
    for lines in (PLAIN + more, more + PLAIN):
        assert learned(whole(lines), scope(lines)) is None


def test_a_head_of_another_kind_is_not_learned() -> None:
    data = whole(PLAIN)
    assert learned(data, scope(PLAIN, method="PUT")) is None
    assert learned(data, scope(PLAIN, version="1.0")) is None
    assert learned(whole(LINES), scope(LINES)) is None
    assert learned(data + data, scope(PLAIN)) is None, "more than one request was read"
    assert learned(data[:30], scope(PLAIN)) is None
    large = PLAIN + b"x-much: " + b"y" * MOST_HEAD_BYTES + b"\r\n"
    assert learned(whole(large), scope(large)) is None


def test_a_head_whose_body_is_still_coming_is_learned() -> None:
    head = learned(whole(PLAIN, b""), scope(PLAIN))
    assert head is not None
    assert head.body_of(whole(PLAIN)) == BODY
