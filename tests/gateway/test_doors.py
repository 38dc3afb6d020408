"""Who gets in, and what a client is told that does not: each in its own protocol."""

import asyncio
import json
from dataclasses import replace
from typing import Any, cast

import pytest

from recto.access import Deployment, SpendingScope
from recto.gateway import Refused
from recto.gateway.doors.services import purpose_of
from recto.messages import Failure
from recto.storage import ServerGone
from tests.fakes.callers import ANYBODY, KEY
from tests.fakes.providers import Fault, Script, Tokens, says
from tests.gateway.world import UPSTREAMS, GatewayWorld

pytestmark = pytest.mark.anyio

DOORS = {
    "anthropic-messages": "/v1/messages",
    "openai-responses": "/v1/responses",
    "openai-chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/{model}:generateContent",
}
STREAMED = {**DOORS, "gemini": "/v1beta/models/{model}:streamGenerateContent?alt=sse"}


def asked(door: str, model: str, **more: Any) -> dict[str, Any]:
    """The smallest request of a protocol."""
    said = [{"role": "user", "content": "Hi"}]
    match door:
        case "anthropic-messages":
            return {"model": model, "max_tokens": 100, "messages": said, **more}
        case "openai-responses":
            return {"model": model, "input": "Hi", **more}
        case "openai-chat":
            return {"model": model, "messages": said, **more}
        case _:
            return {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], **more}


def kind_of(door: str, body: Any) -> Any:
    """What an API calls an error; that it stands there at all proves the shape."""
    match door:
        case "anthropic-messages":
            assert body["type"] == "error"
            return body["error"]["type"]
        case "gemini":
            return body["error"]["status"]
        case _:
            assert body["error"].keys() >= {"message", "type", "param", "code"}
            return body["error"]["type"]


REFUSALS = {
    401: ("authentication_error", "invalid_request_error", "UNAUTHENTICATED"),
    403: ("permission_error", "permission_error", "PERMISSION_DENIED"),
    404: ("not_found_error", "invalid_request_error", "NOT_FOUND"),
    405: ("invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
    429: ("rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"),
    503: ("overloaded_error", "service_unavailable_error", "UNAVAILABLE"),
}


def expected(status: int, door: str) -> str:
    anthropic, openai, gemini = REFUSALS[status]
    return {"anthropic-messages": anthropic, "gemini": gemini}.get(door, openai)


@pytest.mark.parametrize(
    "headers",
    [{"x-api-key": KEY}, {"authorization": f"Bearer {KEY}"}, {"x-goog-api-key": KEY}, {}],
    ids=["x-api-key", "bearer", "x-goog-api-key", "query"],
)
@pytest.mark.parametrize("door", DOORS)
async def test_a_key_is_found_wherever_a_client_puts_it(
    world: GatewayWorld, door: str, headers: dict[str, str]
) -> None:
    path = DOORS[door].format(model="claude") + ("" if headers else f"?key={KEY}")
    async with world.client() as client:
        del client.headers["authorization"]
        answer = await client.post(path, json=asked(door, "claude"), headers=headers)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("door", DOORS)
async def test_every_refusal_has_the_shape_and_status_of_the_clients_api(
    world: GatewayWorld, door: str
) -> None:
    path, body = DOORS[door].format(model="claude"), asked(door, "claude")
    async with world.client() as client:
        answers = {401: await client.post(path, json=body, headers={"authorization": "Bearer no"})}
        missing = DOORS[door].format(model="nobody")
        answers[404] = await client.post(missing, json=asked(door, "nobody"))
        answers[405] = await client.put(path, json=body)
        world.callers.known[KEY] = replace(ANYBODY, models=frozenset({"gpt"}))
        answers[403] = await client.post(path, json=body)
        world.callers.known[KEY] = ANYBODY
        limit = Failure("rate_limit", "Too many requests.")
        world.callers.refusal = Refused(limit, 429, retry_after_s=7)
        answers[429] = await client.post(path, json=body)
    assert {status: answer.status_code for status, answer in answers.items()} == {
        status: status for status in answers
    }
    kinds = {status: kind_of(door, answer.json()) for status, answer in answers.items()}
    assert kinds == {status: expected(status, door) for status in answers}
    assert answers[429].headers["retry-after"] == "7"
    assert answers[403].headers["x-should-retry"] == "false"
    assert world.callers.inside == 0


@pytest.mark.parametrize("door", DOORS)
async def test_a_body_that_is_no_request_is_told_so(world: GatewayWorld, door: str) -> None:
    path = DOORS[door].format(model="gpt" if door != "openai-responses" else "claude")
    async with world.client() as client:
        broken = await client.post(path, content=b'{"model": "claude", "messages": [')
        wrong = await client.post(path, json={"model": "gpt", "messages": 7, "input": 7})
    for answer in (broken, wrong):
        assert answer.status_code == 400, answer.text
        kind_of(door, answer.json())


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("is_declared", [True, False])
async def test_a_body_that_is_too_large_is_not_taken(
    world: GatewayWorld, door: str, is_declared: bool
) -> None:
    headers = [(b"authorization", f"Bearer {KEY}".encode())]
    headers += [(b"content-length", b"99999999")] if is_declared else []
    scope = {"type": "http", "method": "POST", "path": DOORS[door].format(model="gpt")}
    told: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b" " * (1 << 22), "more_body": True}

    async def send(message: Any) -> None:
        told.append(message)

    await world.application({**scope, "headers": headers}, receive, send)
    assert told[0]["status"] == 413
    kind_of(door, json.loads(told[1]["body"]))


async def test_a_key_for_one_door_opens_no_other(world: GatewayWorld) -> None:
    world.callers.known[KEY] = replace(ANYBODY, doors=frozenset({"openai-chat"}))
    async with world.client() as client:
        other = await client.post("/v1/messages", json=asked("anthropic-messages", "claude"))
        own = await client.post("/v1/chat/completions", json=asked("openai-chat", "claude"))
    assert (other.status_code, own.status_code) == (403, 200)


async def test_the_models_are_listed_in_the_shape_that_the_headers_tell(
    world: GatewayWorld,
) -> None:
    world.callers.known[KEY] = replace(
        ANYBODY, model_map={"gpt-4o": "claude"}, models=frozenset({"gpt-4o", "gemini"})
    )
    async with world.client() as client:
        openai = (await client.get("/v1/models")).json()
        anthropic = (
            await client.get("/v1/models", headers={"anthropic-version": "2023-06-01"})
        ).json()
        google = (await client.get("/v1beta/models")).json()
        newer = (await client.get("/v1/models", headers={"x-goog-api-key": KEY})).json()
        one = (await client.get("/v1/models/gpt-4o")).json()
        missing = await client.get("/v1/models/claude")
    assert [model["id"] for model in openai["data"]] == ["gemini", "gpt-4o"]
    assert openai["object"] == "list"
    assert (anthropic["first_id"], anthropic["has_more"]) == ("gemini", False)
    assert [model["name"] for model in google["models"]] == ["models/gemini", "models/gpt-4o"]
    assert newer == google
    assert (one["id"], missing.status_code) == ("gpt-4o", 404)


@pytest.mark.parametrize("door", DOORS)
async def test_a_mapped_model_answers_under_the_name_that_was_asked_for(
    world: GatewayWorld, door: str
) -> None:
    world.callers.known[KEY] = replace(ANYBODY, model_map={"my-model": "claude"})
    async with world.client() as client:
        path = DOORS[door].format(model="my-model")
        answer = (await client.post(path, json=asked(door, "my-model"))).json()
    assert world.upstreams["claude"].last.json["model"] == "claude-opus-4-6"
    if door != "anthropic-messages":
        # Of the same protocol, the answer is passed back as it is.
        assert "my-model" in (answer.get("model"), answer.get("modelVersion"))


async def test_a_websocket_is_declined_at_once(world: GatewayWorld) -> None:
    host, _, port = world.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        b"GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    assert b" 426 " in await asyncio.wait_for(reader.readline(), 120)
    writer.close()


async def test_what_is_stored_elsewhere_gets_a_clear_error(world: GatewayWorld) -> None:
    async with world.client() as client:
        chained = await client.post(
            "/v1/responses", json={"model": "claude", "input": "Hi", "previous_response_id": "r1"}
        )
        stored = await client.get("/v1/responses/resp_1")
        compact = await client.post("/v1/responses/compact", json={"model": "claude", "input": "x"})
        interaction = await client.post("/v1beta/interactions", json={"model": "claude"})
    assert (chained.status_code, stored.status_code) == (400, 404)
    assert "whole conversation" in chained.json()["error"]["message"]
    assert (compact.status_code, interaction.status_code) == (400, 404)
    assert "generateContent" in interaction.json()["error"]["message"]


@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize("door", DOORS)
async def test_an_upstream_that_fails_first_is_a_real_http_error(
    world: GatewayWorld, door: str, upstream: str
) -> None:
    server = world.upstreams[upstream]
    server.script(Fault(status=429, headers={"retry-after": "2"}, retry_delay="2s"))
    path = STREAMED[door].format(model=upstream)
    more = {} if door == "gemini" else {"stream": True}
    async with world.client() as client:
        answer = await client.post(path, json=asked(door, upstream, **more))
    assert answer.status_code == 429, answer.text
    assert kind_of(door, answer.json()) == expected(429, door)


@pytest.mark.parametrize("door", DOORS)
async def test_an_error_as_the_first_event_is_a_real_http_error(
    world: GatewayWorld, door: str
) -> None:
    world.upstreams["claude"].script(Fault(error_event="overloaded_error", error_at=0))
    path = STREAMED[door].format(model="claude")
    more = {} if door == "gemini" else {"stream": True}
    async with world.client() as client:
        answer = await client.post(path, json=asked(door, "claude", **more))
    assert answer.status_code in (503, 529), answer.text


@pytest.mark.parametrize("door", ["openai-responses", "openai-chat", "gemini"])
async def test_an_upstream_key_that_is_refused_is_not_the_clients_fault(
    world: GatewayWorld, door: str
) -> None:
    world.upstreams["claude"].script(Fault(status=401))
    async with world.client() as client:
        path = DOORS[door].format(model="claude")
        answer = await client.post(path, json=asked(door, "claude"))
    assert answer.status_code in (500, 502)
    assert "Tell whoever runs the gateway" in answer.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("upstream", UPSTREAMS)
async def test_no_money_no_request(world: GatewayWorld, door: str, upstream: str) -> None:
    """I7: no model call without a reservation."""
    scope = SpendingScope(f"key:{door}:{upstream}", 0, "this key's limit")
    world.callers.known[KEY] = replace(ANYBODY, scopes=(scope,))
    server = world.upstreams[upstream]
    before = len(server.exchanges)
    async with world.client() as client:
        path = DOORS[door].format(model=upstream)
        answer = await client.post(path, json=asked(door, upstream))
    assert answer.status_code in (400, 402, 429)
    assert "this key's limit" in answer.text
    assert len(server.exchanges) == before


@pytest.mark.parametrize("door", DOORS)
async def test_the_answer_is_as_long_as_the_money_lasts(world: GatewayWorld, door: str) -> None:
    scope = SpendingScope(f"short:{door}", 25_000, "this key's limit")
    world.callers.known[KEY] = replace(ANYBODY, scopes=(scope,))
    limits: list[int] = []
    for upstream in UPSTREAMS:
        server = world.upstreams[upstream]
        server.script(Script((says("ok"),), usage=Tokens(prompt=1, output=1)))
        async with world.client() as client:
            path = DOORS[door].format(model=upstream)
            answer = await client.post(path, json=asked(door, upstream))
        assert answer.status_code == 200, answer.text
        sent = server.last.json
        config = sent.get("generationConfig", {})
        names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
        told = [sent[name] for name in names if name in sent]
        limits += [*told, *(v for v in (config.get("maxOutputTokens"),) if v)]
    assert len(limits) == len(UPSTREAMS)
    assert max(limits) <= 2_500
    spending = (await world.storage.ledger.spending([scope.name]))[scope.name]
    assert 0 < spending.total_micros < 25_000


async def test_gemini_streams_an_array_to_clients_that_ask_for_no_events(
    world: GatewayWorld,
) -> None:
    world.upstreams["claude"].answer(says("Hel", "lo."))
    async with world.client() as client:
        path = "/v1beta/models/claude:streamGenerateContent"
        answer = await client.post(path, json=asked("gemini", "claude"))
    pieces = [
        part
        for item in answer.json()
        for part in item["candidates"][0].get("content", {}).get("parts", [])
    ]
    assert "".join(part["text"] for part in pieces) == "Hello."


async def test_chat_clients_get_a_count_only_when_they_ask(world: GatewayWorld) -> None:
    for upstream in ("claude", "chat"):
        for wants in (False, True):
            server = world.upstreams[upstream]
            server.script(Script((says("Hi"),), usage=Tokens(prompt=30, output=7)))
            more = {"stream_options": {"include_usage": True}} if wants else {}
            async with world.client() as client:
                body = asked("openai-chat", upstream, stream=True, **more)
                answer = await client.post("/v1/chat/completions", json=body)
            assert (b'"choices":[]' in answer.content) is wants
            assert answer.content.endswith(b"data: [DONE]\n\n")
            spend = (await world.spent())[-1].spend
            assert (spend.input_tokens, spend.output_tokens) == (30, 7)
            assert spend.body["source"] == "final"


def test_a_call_that_would_count_nowhere_is_never_made() -> None:
    way = cast("Deployment", None)
    with pytest.raises(ValueError, match="some scope"):
        purpose_of(replace(ANYBODY, scopes=()), way)


@pytest.mark.parametrize("door", DOORS)
async def test_while_the_database_is_restarted_clients_are_told_to_try_again(
    world: GatewayWorld, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise ServerGone

    monkeypatch.setattr(world.callers, "enter", gone)
    async with world.client() as client:
        body = asked(door, "claude")
        answer = await client.post(DOORS[door].format(model="claude"), json=body)
    assert (answer.status_code, kind_of(door, answer.json())) == (503, expected(503, door))
    assert answer.headers["retry-after"] == "5"
