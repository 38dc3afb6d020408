"""The framing of server-sent events: the web platform's own cases, and those that providers add."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.llm import framing
from recto.llm.framing import BOM, Frame, FrameTooLarge, SseDecoder
from tests.examples import examples
from tests.growth import is_linear

# After the event-stream tests of web-platform-tests: each a stream and the data of its events.
WEB_PLATFORM: dict[str, tuple[bytes, list[bytes]]] = {
    "bom": (b"\xef\xbb\xbfdata:1\n\n\xef\xbb\xbfdata:2\n\ndata:3\n\n", [b"1", b"3"]),
    "bom-2": (b"\xef\xbb\xbf\xef\xbb\xbfdata:1\n\ndata:2\n\ndata:3\n\n", [b"2", b"3"]),
    "comments": (
        b"data:1\r:\0\n:\r\ndata:2\n:" + b"x" * 2048 + b"\rdata:3\n:data:fail\r:x\ndata:4\n\n",
        [b"1\n2\n3\n4"],
    ),
    "data-before-final-empty-line": (
        b"retry:1000\ndata:test1\n\nid:test\ndata:test2",
        [b"test1"],
    ),
    "field-data": (b"data:\n\ndata\ndata\n\ndata:test\n\n", [b"", b"\n", b"test"]),
    "field-id": (b"id: 1\ndata:one\n\ndata:two\n\n", [b"one", b"two"]),
    "field-parsing": (
        b"data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n"
        b" data:32\ndata:4\n\n",
        [b"\0\n 2\n1\n3\n\n4"],
    ),
    "field-retry": (b"retry:03000\ndata:x\n\nretry:1000x\ndata:y\n\n", [b"x", b"y"]),
    "field-unknown": (
        b"data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n",
        [b"test\n\ntest"],
    ),
    "leading-space": (b"data:\ttest\rdata: \ndata:test\n\n", [b"\ttest\n\ntest"]),
    "newlines": (b"data:test\r\ndata\ndata:test\r\n\r", [b"test\n\ntest"]),
    "null-character": (b"data:\0\n\n\n\n", [b"\0"]),
    "utf-8": ("data:okÄ€\n\n".encode(), ["okÄ€".encode()]),
}
EMOJI = json.dumps({"text": "a😀b"}, ensure_ascii=False).encode()
SEPARATORS = '{"text":"a\u2028b\u2029c\u0085d\u000be\u001ef"}'.encode()
STREAMS: dict[str, tuple[bytes, list[Frame]]] = {
    "X1 emoji": (b"data: " + EMOJI + b"\n\n", [Frame("", EMOJI)]),
    "X2 CRLF": (b"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", [Frame("a", b"1"), Frame("", b"2")]),
    "X3 CR": (b"event: a\rdata: 1\r\rdata: 2\r\r", [Frame("a", b"1"), Frame("", b"2")]),
    "X4 other line ends": (b"data: " + SEPARATORS + b"\n\n", [Frame("", SEPARATORS)]),
    "X5 spaces": (b"data:{}\n\ndata:  {}\n\n", [Frame("", b"{}"), Frame("", b" {}")]),
    "X6 two lines": (b'data: {"a":\ndata: 1}\n\n', [Frame("", b'{"a":\n1}')]),
    "X7 comments": (
        b": before\n\n: x\nevent: a\n: inside\ndata: 1\n:\n\n: after\n\n",
        [Frame("a", b"1")],
    ),
    "X8 BOM": (b"\xef\xbb\xbfevent: a\ndata: 1\n\n", [Frame("a", b"1")]),
    "X9 event and data": (b"event: ping\ndata: {}\n\n", [Frame("ping", b"{}")]),
    "X10 ten events": (
        b"".join(b"data: %d\n\n" % number for number in range(10)),
        [Frame("", b"%d" % number) for number in range(10)],
    ),
    "X11 no blank line": (b'data: 1\n\ndata: {"a":1}', [Frame("", b"1"), Frame("", b'{"a":1}')]),
    "X11 one line end": (b'event: a\ndata: {"a":1}\n', [Frame("a", b'{"a":1}')]),
    "X11 mark of the end": (b"data: [DONE]", [Frame("", b"[DONE]")]),
    "X12 torn": (b'data: {"a":1}\n\ndata: {"a":"b', [Frame("", b'{"a":1}')]),
    "X12 torn mark": (b"data: 1\n\ndata: [DON", [Frame("", b"1")]),
    "X13 unknown fields": (
        b"id: 7\nretry: 10\nfoo: bar\nevent: a\nbaz\ndata: 1\n\n",
        [Frame("a", b"1")],
    ),
    "X22 NUL": (b'data: "\\u0000\x00"\n\n', [Frame("", b'"\\u0000\x00"')]),
    "an event without data is none": (b"event: a\n\ndata: 1\n\n", [Frame("", b"1")]),
    "an event name holds for one event": (
        b"event: a\ndata: 1\n\ndata: 2\n\n",
        [Frame("a", b"1"), Frame("", b"2")],
    ),
    "the last name counts": (b"event: a\nevent: b\ndata: 1\n\n", [Frame("b", b"1")]),
    "mixed line ends, the last a CR": (
        b"data: a\rdata: b\n\ndata: c\r\n\n\r",
        [Frame("", b"a\nb"), Frame("", b"c")],
    ),
    "a name and no more": (b"event: data: 1", []),
    "nothing": (b"", []),
    "blank lines": (b"\n\r\n\r\r\n", []),
    "half a BOM": (b"\xef\xbb", []),
    "an error as bare JSON": (
        b'data: 1\n\n{\n  "error": {\n\n    "code": 503\n  }\n}\n',
        [Frame("", b"1"), Frame("", b'{\n  "error": {\n    "code": 503\n  }\n}\n')],
    ),
    "a torn error as bare JSON": (b'data: 1\n\n{\n  "error": {\n', [Frame("", b"1")]),
}
STREAMS.update(
    {
        f"web platform {name}": (stream, [Frame("", data) for data in found])
        for name, (stream, found) in WEB_PLATFORM.items()
    }
)


def decode(*chunks: bytes) -> list[Frame]:
    decoder = SseDecoder()
    return [*(frame for chunk in chunks for frame in decoder.feed(chunk)), *decoder.end()]


@pytest.mark.parametrize(("stream", "frames"), STREAMS.values(), ids=STREAMS)
def test_a_stream_gives_its_frames(stream: bytes, frames: list[Frame]) -> None:
    assert decode(stream) == frames


@pytest.mark.parametrize(("stream", "frames"), STREAMS.values(), ids=STREAMS)
def test_one_byte_at_a_time_gives_the_same_frames(stream: bytes, frames: list[Frame]) -> None:
    assert decode(*(bytes([byte]) for byte in stream)) == frames


@pytest.mark.parametrize(("stream", "frames"), STREAMS.values(), ids=STREAMS)
def test_every_cut_in_two_gives_the_same_frames(stream: bytes, frames: list[Frame]) -> None:
    found = [decode(stream[:cut], stream[cut:]) for cut in range(len(stream) + 1)]
    assert found == [frames] * len(found)


@pytest.mark.parametrize(("stream", "frames"), STREAMS.values(), ids=STREAMS)
def test_a_stream_gives_the_same_frames_after_another_event(
    stream: bytes, frames: list[Frame]
) -> None:
    if not stream.startswith(BOM[:1]):
        assert decode(b"event: first\ndata: 1\n\n", stream) == [Frame("first", b"1"), *frames]


def test_events_of_one_line_that_come_together_are_no_others_than_alone() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\n\n") == [Frame("", b"1")]
    assert decoder.feed(b"data: 2\n\ndata: 3\n\n") == [Frame("", b"2"), Frame("", b"3")]
    assert decoder.feed(b"data: 4\rdata: 5\n\ndata: 6\n\n") == [Frame("", b"4\n5"), Frame("", b"6")]
    assert decoder.feed(b"data: 7\nid: 8\n\ndata: 9\n\n") == [Frame("", b"7"), Frame("", b"9")]


@pytest.mark.parametrize("pieces", [2, 3, 4])
def test_X1_a_character_cut_into_pieces_stays_whole(pieces: int) -> None:
    before, emoji, after = EMOJI.partition("😀".encode())
    size = -(-len(emoji) // pieces)
    cut = [emoji[start : start + size] for start in range(0, len(emoji), size)]
    assert decode(b"data: " + before, *cut, after + b"\n\n") == [Frame("", EMOJI)]


@given(
    st.sampled_from(list(STREAMS.values())),
    st.lists(st.integers(min_value=0, max_value=40), max_size=20),
)
def test_any_cuts_give_the_same_frames(case: tuple[bytes, list[Frame]], sizes: list[int]) -> None:
    stream, frames = case
    chunks: list[bytes] = []
    rest = stream
    for size in sizes:
        chunks.append(rest[:size])
        rest = rest[size:]
    assert decode(*chunks, rest) == frames


WORDS = [b"data: ", b"data", b"event: ", b"event", b":", b" ", b"\r", b"\n", b"\r\n", b"\n\n"]


@given(st.lists(st.sampled_from([*WORDS, b"{", b"}", b"1", b"x", b"\xef\xbb\xbf"])), st.booleans())
@settings(max_examples=examples(250))
def test_hostile_lines_decode_the_same_whole_and_byte_by_byte(
    words: list[bytes], is_under_way: bool
) -> None:
    before = b"data: 1\n\n" if is_under_way else b""
    stream = b"".join(words)
    assert decode(before, stream) == decode(before, *(bytes([byte]) for byte in stream))


@given(st.binary(max_size=200))
def test_no_bytes_are_too_strange(stream: bytes) -> None:
    assert decode(stream) == decode(*(bytes([byte]) for byte in stream))


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"])), max_size=5))
def test_what_json_can_say_comes_through_unchanged(texts: list[str]) -> None:
    data = [json.dumps(text, ensure_ascii=False).encode() for text in texts]
    stream = b"".join(b"data: " + item + b"\n\n" for item in data)
    assert decode(stream) == [Frame("", item) for item in data]


def test_X14_a_large_event_costs_no_more_per_byte_than_a_small_one() -> None:
    def read(megabytes: int) -> None:
        line = b"data: " + b"x" * (megabytes << 20) + b"\n\n"
        chunks = [line[start : start + 4096] for start in range(0, len(line), 4096)]
        (frame,) = decode(*chunks)
        assert len(frame.data) == megabytes << 20

    assert is_linear(read, 1)


@pytest.mark.parametrize(
    "line",
    [b"data: " + b"x" * 100, b"data: " + b"x" * 100 + b"\n", b"data:\n", b"x" * 100, b"{\n"],
    ids=["one line", "many lines", "empty lines", "no field", "bare JSON"],
)
def test_an_event_without_end_is_refused(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_EVENT_BYTES", 1000)
    decoder = SseDecoder()
    with pytest.raises(FrameTooLarge):
        list(map(decoder.feed, [line] * 1000))


def test_events_before_one_that_is_too_large_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_EVENT_BYTES", 1000)
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\n\ndata: " + b"x" * 2000) == [Frame("", b"1")]
    with pytest.raises(FrameTooLarge):
        decoder.feed(b"x")


def test_many_events_of_a_common_size_are_never_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_EVENT_BYTES", 1000)
    stream = b"event: a\ndata: " + b"x" * 500 + b"\n\n"
    assert len(decode(*[stream] * 100)) == 100
