"""Calls to providers over HTTP: what arrives, what breaks, and what never leaves."""

import asyncio
import gzip
import json
import logging
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from recto.config import Secret
from recto.llm import Endpoint, KeyHeader, Timeouts, Traits, Transport
from recto.llm.http import http_call
from recto.messages import Failure, Finished, Request, Started, StreamEvent, TextDelta, assistant
from tests.llm.upstream import (
    ASKED,
    AT_ONCE_S,
    BROKE_OFF,
    EVENTS,
    LAST_CHUNK,
    ORIGIN,
    PLAIN,
    Asked,
    answers,
    chunk,
    event,
    serving,
    whole,
)

pytestmark = pytest.mark.anyio

KEY = "sk-canary-0123456789"
GOOD = (EVENTS, chunk(event(start="a1")), chunk(event(text="Hi")), chunk(event(end="")), LAST_CHUNK)
GOOD_EVENTS = [Started("a1", "small"), TextDelta("Hi"), Finished("end_turn", assistant("Hi"))]
WHOLE_EVENTS = [TextDelta("Hi"), Finished("end_turn", assistant("Hi"))]
PINGS = chunk(event(ping=""))


@pytest.fixture(params=[False, True], ids=["session", "own connections"])
def makes_many(request: pytest.FixtureRequest) -> bool:
    """Whose connections are used."""
    return request.param


@pytest.fixture
async def calls(makes_many: bool) -> AsyncGenerator[Transport, None]:
    calls = Transport(makes_many=makes_many)
    yield calls
    await calls.close()


def to(url: str, **changes: object) -> Endpoint:
    endpoint = Endpoint("plain", url, PLAIN, key=Secret(KEY))
    return replace(endpoint, **changes)


async def collect(
    calls: Transport, endpoint: Endpoint, request: Request = ASKED
) -> list[StreamEvent]:
    with anyio.fail_after(60):
        return [item async for item in calls.stream(endpoint, request, Traits(), ORIGIN)]


async def fail(calls: Transport, endpoint: Endpoint, request: Request = ASKED) -> Failure:
    """The failure of a call that tells nothing else."""
    events = await collect(calls, endpoint, request)
    assert [type(item) for item in events] == [Finished]
    (end,) = events
    assert isinstance(end, Finished)
    assert end.failure is not None
    assert end == Finished("error", assistant(), failure=end.failure)
    return end.failure


def failure(kind: str, message: str, **more: object) -> Failure:
    common: dict[str, object] = {"provider": "plain", "request_id": "r1"}
    return replace(Failure("upstream", message), **{**common, "kind": kind, **more})


async def test_a_stream_becomes_events(calls: Transport) -> None:
    async with serving(answers(*GOOD)) as upstream:
        assert await collect(calls, to(upstream.url)) == GOOD_EVENTS


async def test_the_request_says_what_it_must_and_no_more(calls: Transport) -> None:
    async with serving(answers(*GOOD)) as upstream:
        await collect(calls, to(upstream.url, headers={"x-own": "1"}))
    (asked,) = upstream.asked
    assert asked.line == "POST /v1/plain?a=b HTTP/1.1"
    assert asked.body == b"Hello"
    assert asked.headers == {
        "host": upstream.url.removeprefix("http://"),
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "authorization": f"Bearer {KEY}",
        "content-length": "5",
        "content-type": "application/json",
        "plain": "yes",
        "user-agent": "recto",
        "x-own": "1",
    }


async def test_the_key_goes_where_the_provider_wants_it(calls: Transport) -> None:
    async with serving(answers(*GOOD)) as upstream:
        await collect(calls, to(upstream.url, key_header=KeyHeader("x-api-key", "")))
        await collect(calls, to(upstream.url, key=None))
    with_key, without = (item.headers for item in upstream.asked)
    assert with_key["x-api-key"] == KEY
    assert not {"authorization", "x-api-key"} & set(without)


async def test_a_key_that_no_header_can_carry_is_refused_before_anything_is_sent(
    calls: Transport,
) -> None:
    async with serving(answers(*GOOD)) as upstream:
        found = await fail(calls, to(upstream.url, key=Secret("sk\r\nhost: evil")))
    assert upstream.asked == []
    assert found.kind == "auth"


async def test_passwords_kept_for_other_programs_are_not_sent(
    calls: Transport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login somebody password hunter2\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    async with serving(answers(*GOOD)) as upstream:
        await collect(calls, to(upstream.url, key=None))
    assert "authorization" not in upstream.asked[0].headers


async def test_a_large_request_arrives_whole(calls: Transport) -> None:
    words = "x" * (3 << 20)
    request = replace(ASKED, messages=(replace(ASKED.messages[0], parts=assistant(words).parts),))
    async with serving(answers(*GOOD)) as upstream:
        assert await collect(calls, to(upstream.url), request) == GOOD_EVENTS
    assert upstream.asked[0].body == words.encode()


async def test_an_answer_that_is_not_streamed_becomes_the_same_events(calls: Transport) -> None:
    async with serving(answers(whole(b'{"content":"Hi"}'))) as upstream:
        found = await collect(calls, to(upstream.url), replace(ASKED, stream=False))
    assert found == WHOLE_EVENTS
    assert upstream.asked[0].headers["accept"] == "application/json"


async def test_a_server_that_does_not_stream_is_read_all_the_same(calls: Transport) -> None:
    async with serving(answers(whole(b' \n{"error":null,"content":"Hi"}'))) as upstream:
        assert await collect(calls, to(upstream.url)) == WHOLE_EVENTS


async def test_a_stream_is_known_by_its_bytes_whatever_its_type_says(calls: Transport) -> None:
    said = event(text="Hi") + event(end="")
    async with serving(answers(whole(said, "content-type: application/json"))) as upstream:
        assert await collect(calls, to(upstream.url)) == WHOLE_EVENTS


async def test_an_error_status_is_read_by_the_protocol(calls: Transport) -> None:
    refusal = whole(b"Slow down", "Retry-After: 7", status="429 Too Many Requests")
    async with serving(answers(refusal)) as upstream:
        found = await fail(calls, to(upstream.url))
    assert found == failure("rate_limit", "Slow down", status=429, retry_after_s=7)


async def test_an_error_whose_words_break_off_is_still_that_error(calls: Transport) -> None:
    async def answering(asked: Asked) -> None:
        await asked.send(b"HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\nIt bro")
        asked.writer.close()

    async with serving(answering) as upstream:
        found = await fail(calls, to(upstream.url))
    assert found == failure("upstream", "It bro", status=500, request_id=None)


async def test_X15_a_page_is_a_failure_and_nothing_of_it_is_quoted(
    calls: Transport, caplog: pytest.LogCaptureFixture
) -> None:
    page = b"<!doctype html><title>Sign in</title>" + b"x" * 500
    async with serving(answers(whole(page, "content-type: text/html"))) as upstream:
        found = await fail(calls, to(upstream.url))
    words = "127.0.0.1 answered with a web page. Check the provider's address."
    assert found == failure("upstream", words)
    (record,) = caplog.records
    assert record.getMessage() == f"127.0.0.1 answered with a page of {len(page)} bytes"


@pytest.mark.parametrize("body", [b'{"error":{"message":"No"}}', b'[{"error":{"code":503}}]'])
async def test_an_error_that_comes_with_status_200_is_a_failure(
    calls: Transport, body: bytes
) -> None:
    async with serving(answers(whole(body))) as upstream:
        assert await fail(calls, to(upstream.url)) == failure("upstream", body.decode())


async def test_an_error_before_the_first_event_is_a_plain_failure(calls: Transport) -> None:
    async with serving(answers(EVENTS, chunk(event(error="Busy")), LAST_CHUNK)) as upstream:
        found = await fail(calls, to(upstream.url))
    assert found == failure("overloaded", "Busy")


async def test_nothing_follows_the_end(calls: Transport) -> None:
    more = event(text="Hi") + event(end="") + event(text="more") + event(end="")
    async with serving(answers(EVENTS, chunk(more), LAST_CHUNK)) as upstream:
        assert await collect(calls, to(upstream.url)) == WHOLE_EVENTS


async def test_X12_a_stream_that_ends_too_early_keeps_what_came(calls: Transport) -> None:
    torn = event(text="Hi") + b'data: {"text":"th'
    async with serving(answers(EVENTS, chunk(torn), LAST_CHUNK)) as upstream:
        found = await collect(calls, to(upstream.url))
    broke = replace(BROKE_OFF, provider="plain", request_id="r1")
    assert found == [TextDelta("Hi"), Finished("error", assistant("Hi"), failure=broke)]


async def test_an_empty_answer_is_a_failure(calls: Transport) -> None:
    async with serving(answers(whole(b""))) as upstream:
        found = await fail(calls, to(upstream.url))
    assert found == replace(BROKE_OFF, provider="plain", request_id="r1")


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
async def test_X16_a_packed_stream_is_unpacked(calls: Transport, packing: str) -> None:
    said = event(start="a1") + event(text="Hi") + event(end="")
    packed = gzip.compress(said) if packing == "gzip" else zlib.compress(said)
    head = EVENTS.replace(b"request-id", b"content-encoding: %s\r\nx" % packing.encode())
    pieces = [chunk(packed[at : at + 1]) for at in range(len(packed))]
    async with serving(answers(head, *pieces, LAST_CHUNK)) as upstream:
        assert await collect(calls, to(upstream.url)) == GOOD_EVENTS


@pytest.mark.parametrize(
    ("packing", "words"),
    [
        ("gzip", "127.0.0.1 sent an answer that can't be unpacked."),
        ("br", "127.0.0.1 packed its answer in an unknown way."),
    ],
)
async def test_bytes_that_cannot_be_unpacked_are_a_failure(
    calls: Transport, packing: str, words: str
) -> None:
    async with serving(answers(whole(b"junk", f"content-encoding: {packing}"))) as upstream:
        assert await fail(calls, to(upstream.url)) == failure("upstream", words)


async def test_a_small_answer_that_unpacks_to_a_huge_one_is_cut_off(
    calls: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_call, "MAX_ANSWER_BYTES", 4 << 20)
    taken: list[int] = []
    bomb = gzip.compress(b": " + b"x" * (64 << 20))
    assert len(bomb) < 100_000
    async with serving(answers(whole(bomb, "content-encoding: gzip"))) as upstream:
        with anyio.fail_after(60):
            events = [
                item
                async for item in calls.stream(
                    to(upstream.url),
                    ASKED,
                    Traits(),
                    ORIGIN,
                    record=lambda kind, data: taken.append(len(data) * (kind == "answer")),
                )
            ]
    words = "127.0.0.1 answered with more data than Recto takes."
    assert events == [Finished("error", assistant(), failure=failure("upstream", words))]
    assert max(taken) <= 256 * 1024
    assert sum(taken) <= 4 << 20


async def test_X17_a_reset_keeps_what_was_told(calls: Transport) -> None:
    told = asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(EVENTS, chunk(event(text="Hi")))
        await told.wait()
        asked.reset()

    events: list[StreamEvent] = []
    async with serving(answering) as upstream:
        with anyio.fail_after(60):
            async for item in calls.stream(to(upstream.url), ASKED, Traits(), ORIGIN):
                events.append(item)
                told.set()
    lost = failure("network", "The connection to 127.0.0.1 was lost.")
    assert events == [TextDelta("Hi"), Finished("error", assistant("Hi"), failure=lost)]


async def test_what_arrived_before_a_reset_is_told_even_if_nobody_was_reading(
    calls: Transport,
) -> None:
    reading, over = asyncio.Event(), asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(EVENTS, chunk(event(text="H")))
        await reading.wait()
        await asked.send(chunk(event(text="i")))
        asked.writer.close()
        await asked.writer.wait_closed()
        over.set()

    async with (
        serving(answering) as upstream,
        aclosing(calls.stream(to(upstream.url), ASKED, Traits(), ORIGIN)) as events,
    ):
        with anyio.fail_after(60):
            found = [await anext(events)]
            reading.set()
            await over.wait()
            # Both the words and the end have arrived once the loop has turned a few times.
            for _ in range(20):
                await asyncio.sleep(0)
            found += [item async for item in events]
    lost = failure("network", "The connection to 127.0.0.1 was lost.")
    end = Finished("error", assistant("Hi"), failure=lost)
    assert found == [TextDelta("H"), TextDelta("i"), end]


async def test_X18_a_reset_before_any_event_may_be_tried_again(calls: Transport) -> None:
    async def answering(asked: Asked) -> None:
        asked.reset()

    async with serving(answering) as upstream:
        found = await fail(calls, to(upstream.url))
    words = "The connection to 127.0.0.1 was lost."
    assert found == failure("network", words, request_id=None)
    assert found.retryable


async def test_a_server_that_is_not_there_is_a_failure(calls: Transport) -> None:
    async with serving(answers(*GOOD)) as upstream:
        pass
    found = await fail(calls, to(upstream.url))
    words = "Nothing answers at 127.0.0.1. Check that it runs."
    assert found == failure("network", words, request_id=None)


async def test_bytes_that_are_not_HTTP_are_a_failure(calls: Transport) -> None:
    async with serving(answers(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")) as upstream:
        found = await fail(calls, to(upstream.url))
    words = "127.0.0.1 answered with something that is not HTTP."
    assert found == failure("upstream", words, request_id=None)


async def test_bytes_that_stop_being_HTTP_keep_what_was_told(calls: Transport) -> None:
    told = asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(EVENTS, chunk(event(text="Hi")))
        await told.wait()
        await asked.send(b"zz\r\nno chunk\r\n")
        await asked.until_gone()

    events: list[StreamEvent] = []
    async with serving(answering) as upstream:
        with anyio.fail_after(60):
            async for item in calls.stream(to(upstream.url), ASKED, Traits(), ORIGIN):
                events.append(item)
                told.set()
    *before, end = events
    assert before == [TextDelta("Hi")]
    assert isinstance(end, Finished)
    assert end.message == assistant("Hi")
    assert end.failure is not None
    assert end.failure.kind in {"network", "upstream"}


@pytest.mark.parametrize(
    ("waits", "sent", "words"),
    [
        (Timeouts(first_s=0.05), b"", "127.0.0.1 did not begin to answer within 0.05 s."),
        (Timeouts(first_s=0.05), EVENTS, "127.0.0.1 did not begin to answer within 0.05 s."),
        (Timeouts(idle_s=0.05), EVENTS + PINGS, "127.0.0.1 was silent for 0.05 s."),
        (Timeouts(total_s=0.05), EVENTS + PINGS, "127.0.0.1 did not finish within 0.05 s."),
    ],
    ids=["no headers", "no bytes", "silence", "too long"],
)
async def test_X19_silence_ends_the_call_and_the_connection(
    waits: Timeouts, sent: bytes, words: str, makes_many: bool
) -> None:
    gone = asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(sent)
        await asked.until_gone()
        gone.set()

    calls = Transport(waits, makes_many=makes_many)
    async with serving(answering) as upstream:
        found = await fail(calls, to(upstream.url))
        with anyio.fail_after(60):
            await gone.wait()
    await calls.close()
    assert (found.kind, found.message) == ("timeout", words)


async def test_signs_of_life_alone_do_not_keep_a_call_alive(makes_many: bool) -> None:
    async def answering(asked: Asked) -> None:
        await asked.send(EVENTS)
        while not asked.writer.is_closing():
            await asked.send(PINGS)
            await asyncio.sleep(0)

    calls = Transport(Timeouts(content_s=0.05), makes_many=makes_many)
    async with serving(answering) as upstream:
        found = await fail(calls, to(upstream.url))
    await calls.close()
    words = "127.0.0.1 sent nothing to show for 0.05 s."
    assert (found.kind, found.message) == ("timeout", words)


async def test_an_answer_that_is_not_streamed_may_take_its_time_to_begin(makes_many: bool) -> None:
    calls = Transport(Timeouts(first_s=0, idle_s=1), makes_many=makes_many)
    async with serving(answers(whole(b'{"content":"Hi"}'))) as upstream:
        found = await collect(calls, to(upstream.url), replace(ASKED, stream=False))
    await calls.close()
    assert found == WHOLE_EVENTS


@pytest.mark.parametrize("sent", [b"", EVENTS + PINGS], ids=["before headers", "in the stream"])
async def test_cancelling_closes_the_connection_at_once(calls: Transport, sent: bytes) -> None:
    asked_for, gone = asyncio.Event(), asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(sent)
        asked_for.set()
        await asked.until_gone()
        gone.set()

    async with serving(answering) as upstream:
        task = asyncio.create_task(collect(calls, to(upstream.url)))
        with anyio.fail_after(60):
            await asked_for.wait()
        task.cancel()
        with anyio.fail_after(AT_ONCE_S):
            await gone.wait()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_closing_the_stream_closes_the_connection_at_once(calls: Transport) -> None:
    gone = asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(*GOOD[:3])
        await asked.until_gone()
        gone.set()

    async with serving(answering) as upstream:
        with anyio.fail_after(60):
            events = calls.stream(to(upstream.url), ASKED, Traits(), ORIGIN)
            assert await anext(events) == Started("a1", "small")
        with anyio.fail_after(AT_ONCE_S):
            await events.aclose()
            await gone.wait()


async def test_a_connection_is_used_again(calls: Transport) -> None:
    async with serving(answers(*GOOD)) as upstream:
        for _ in range(3):
            assert await collect(calls, to(upstream.url)) == GOOD_EVENTS
        assert (len(upstream.asked), upstream.connections) == (3, 1)


async def test_a_server_that_never_ends_its_answer_holds_nobody_up(calls: Transport) -> None:
    gone = asyncio.Event()

    async def answering(asked: Asked) -> None:
        await asked.send(*GOOD[:4])
        await asked.until_gone()
        gone.set()

    async with serving(answering) as upstream:
        assert await collect(calls, to(upstream.url)) == GOOD_EVENTS
        with anyio.fail_after(60):
            await gone.wait()


async def test_redirects_are_not_followed(calls: Transport) -> None:
    moved = whole(b"", "location: /elsewhere", status="307 Temporary Redirect")
    async with serving(answers(moved)) as upstream:
        found = await fail(calls, to(upstream.url))
    words = (
        "127.0.0.1 sends calls on to another address, which Recto does not follow. "
        "Name the right address in models.json."
    )
    assert found == failure("not_found", words, status=307, code="redirect")
    assert not found.retryable
    assert len(upstream.asked) == 1


ECHO = f"You sent {KEY}, wrongly".encode()


@pytest.mark.parametrize(
    "sent",
    [
        whole(ECHO, status="401 Unauthorized"),
        whole(b"<html>" + ECHO),
        whole(b'{"error":"' + ECHO + b'"}'),
        EVENTS + chunk(event(error=ECHO.decode())) + LAST_CHUNK,
        whole(b"", status="500 No").replace(b"r1", KEY.encode()),
        b"",
    ],
    ids=["status", "page", "error with 200", "event", "request id", "nothing"],
)
async def test_the_key_is_in_no_failure_and_in_no_log(
    sent: bytes, makes_many: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    calls = Transport(Timeouts(first_s=0.1), makes_many=makes_many)
    async with serving(answers(sent)) as upstream:
        found = await fail(calls, to(upstream.url))
    await calls.close()
    assert KEY not in repr(found)
    assert KEY not in repr(to(upstream.url))
    assert KEY not in caplog.text
    assert "/v1/plain" not in repr(found)


async def test_the_exact_bytes_of_a_call_can_be_recorded(calls: Transport) -> None:
    kept: list[tuple[str, bytes]] = []
    async with serving(answers(whole(event(text="Hi") + event(end="")))) as upstream:
        stream = calls.stream(
            to(upstream.url),
            ASKED,
            Traits(),
            ORIGIN,
            record=lambda kind, data: kept.append((kind, data)),
        )
        with anyio.fail_after(60):
            assert [item async for item in stream] == WHOLE_EVENTS
    length = len(event(text="Hi") + event(end=""))
    head = {"status": 200, "headers": {"request-id": "r1", "content-length": str(length)}}
    assert [kind for kind, _ in kept[:3]] == ["request", "head", "request_id"]
    assert [kept[0][1], json.loads(kept[1][1]), kept[2][1]] == [b"Hello", head, b"r1"]
    assert {kind for kind, _ in kept[3:]} == {"answer"}
    assert b"".join(data for _, data in kept[3:]) == event(text="Hi") + event(end="")


async def test_the_record_of_a_refusal_holds_its_status_and_no_key_and_no_cookie(
    calls: Transport,
) -> None:
    kept: list[bytes] = []
    headers = (f"x-echo: {KEY}", "Set-Cookie: a=b", f"Authorization: Bearer {KEY}", "via: x")
    async with serving(answers(whole(b"No", *headers, status="429 Slow"))) as upstream:
        stream = calls.stream(
            to(upstream.url),
            ASKED,
            Traits(),
            ORIGIN,
            record=lambda kind, data: kept.append(data) if kind == "head" else None,
        )
        with anyio.fail_after(60):
            assert len([item async for item in stream]) == 1
    assert [json.loads(item) for item in kept] == [
        {
            "status": 429,
            "headers": {"request-id": "r1", "content-length": "2", "x-echo": "…", "via": "x"},
        }
    ]


async def test_a_list_of_models_can_be_asked_for(calls: Transport) -> None:
    async with serving(answers(whole(b'{"data":[]}'))) as upstream:
        assert await calls.get(to(upstream.url), "/v1/models") == b'{"data":[]}'
    (asked,) = upstream.asked
    assert asked.line == "GET /v1/models HTTP/1.1"
    assert asked.headers["authorization"] == f"Bearer {KEY}"


async def test_a_list_of_models_that_is_refused_is_a_failure(calls: Transport) -> None:
    async with serving(answers(whole(ECHO, status="401 No"))) as upstream:
        found = await calls.get(to(upstream.url), "/v1/models")
    assert found == failure("upstream", "You sent …, wrongly", status=401)
    assert isinstance(await calls.get(to(upstream.url), "/v1/models"), Failure)
