"""The gateway's people API as it describes itself, and its doors with whatever a program may send.

No answer is a server's error; each of the people's API is as described, and each of a door's can be
read by its client.
"""

import copy
import json
import os
from collections.abc import AsyncGenerator, Iterator
from typing import Any, cast

import httpx
import pytest
from anyio import from_thread, to_thread
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from recto.config import SearchSettings
from recto.gateway.application import build_people_api
from tests.fuzz.described import Case, Operation, by_label, capped, check, schemathesis
from tests.fuzz.test_every_route import as_sent
from tests.gateway.served import ServedGateway, served_gateway
from tests.gateway.world import GatewayWorld, running_gateway

pytestmark = pytest.mark.anyio

WANTED = os.environ.get("RECTO_FUZZ_EXAMPLES")
ALL_CHECKS = [
    HealthCheck.too_slow,
    HealthCheck.filter_too_much,
    HealthCheck.data_too_large,
    HealthCheck.large_base_example,
]
FEW = settings(
    max_examples=int(WANTED or 4),
    deadline=None,
    database=None,
    derandomize=WANTED is None,
    phases=[Phase.generate],
    suppress_health_check=ALL_CHECKS,
)
MANY = settings(FEW, max_examples=int(WANTED or 4) * 5)
PROBLEM = {
    "description": "A problem",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "required": ["type", "title", "status", "detail"],
                "properties": {"status": {"type": "integer"}, "detail": {"type": "string"}},
            }
        }
    },
}
ENDS_THE_SESSION = ("DELETE /api/v1/session",)


def described() -> dict[str, Any]:
    """The people's API in its own words; whatever goes wrong is a problem."""
    description = build_people_api().openapi()
    for operations in description["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = PROBLEM
    return description


PEOPLE: dict[str, Operation] = by_label(capped(described()))
LABELS = [
    label
    for label in PEOPLE
    if label not in ENDS_THE_SESSION and not label.endswith(("/healthz", "/readyz"))
]


@pytest.fixture(scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[ServedGateway]:
    async with served_gateway(tmp_path_factory.mktemp("fuzzed") / "home") as served:
        yield served


@pytest.fixture(scope="module")
async def people(gateway: ServedGateway) -> AsyncGenerator[httpx.AsyncClient]:
    """An admin, so that nothing is refused for who asks."""
    async with gateway.client(await gateway.admin()) as client:
        yield client


@pytest.mark.parametrize("label", LABELS)
async def test_the_people_s_api_answers_as_it_describes_itself(
    people: httpx.AsyncClient, label: str
) -> None:
    ids = [item["id"] for item in (await people.get("/api/v1/people")).json()]
    kinds = [schemathesis.GenerationMode(kind) for kind in ("positive", "negative")]

    async def send(request: httpx.Request) -> httpx.Response:
        return await people.send(request)

    @given(data=st.data())
    @FEW
    def fuzz(data: DataObject) -> None:
        mode = data.draw(st.sampled_from(kinds))
        case: Case = data.draw(PEOPLE[label].as_strategy(generation_mode=mode))
        for name in case.path_parameters or ():
            case.path_parameters[name] = data.draw(st.sampled_from([*ids, "nobody"]))
        if isinstance(case.body, dict):
            body = cast("dict[str, Any]", case.body)
            for field in ("role", "isDisabled"):
                body.pop(field, None)  # the admin must stay one
        check(case, from_thread.run(send, as_sent(case, people)))

    await to_thread.run_sync(fuzz)


WORDS = "When is high water?"
TURN = {"role": "user", "content": WORDS}
DOORS: dict[str, dict[str, Any]] = {
    "/v1/messages": {
        "model": "chat",
        "max_tokens": 50,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": WORDS}]}],
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "thinking": {"type": "disabled"},
    },
    "/v1/messages/count_tokens": {"model": "gemini", "messages": [TURN]},
    "/v1/chat/completions": {
        "model": "claude",
        "max_tokens": 50,
        "messages": [TURN],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}],
        "response_format": {"type": "text"},
        "stream_options": None,
    },
    "/v1/responses": {
        "model": "claude",
        "input": [{"type": "message", "role": "user", "content": WORDS}],
        "instructions": "Be brief.",
        "reasoning": {"effort": "low"},
        "store": False,
    },
    "/v1/responses/compact": {"model": "gpt", "input": WORDS},
    "/v1beta/models/claude:generateContent": {
        "contents": [{"role": "user", "parts": [{"text": WORDS}]}],
        "generationConfig": {"maxOutputTokens": 50},
        "tools": [{"functionDeclarations": [{"name": "look"}]}],
    },
    "/v1beta/models/chat:streamGenerateContent": {
        "contents": [{"role": "user", "parts": [{"text": WORDS}]}],
    },
    "/v1/embeddings": {"model": "chat", "input": WORDS},
    "/api/v1/search": {"action": "openalex_search", "query": "tides", "count": 2},
}
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=8),
)
anything = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Everywhere in a body."""
    yield path
    if isinstance(value, dict):
        for name, field in cast("dict[str, Any]", value).items():
            yield from places(field, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from places(item, (*path, number))


def with_another(body: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The body with something else at a place."""
    if not path:
        return value
    changed = copy.deepcopy(body)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return changed


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[GatewayWorld]:
    nobody = SearchSettings(openalex_url="http://127.0.0.1:9", exa_url="http://127.0.0.1:9")
    async with running_gateway(tmp_path_factory.mktemp("doors"), searching=nobody) as world:
        yield world


@pytest.mark.parametrize("path", DOORS)
async def test_a_door_tells_its_client_what_is_wrong_with_whatever_comes(
    world: GatewayWorld, path: str
) -> None:
    usual = DOORS[path]
    where = list(places(usual))

    async def send(client: httpx.AsyncClient, sent: bytes) -> httpx.Response:
        headers = {"content-type": "application/json"}
        return await client.post(path, content=sent, headers=headers)

    async with world.client() as client:

        @given(data=st.data())
        @MANY
        def fuzz(data: DataObject) -> None:
            body: Any = with_another(usual, data.draw(st.sampled_from(where)), data.draw(anything))
            for name in ("claude", "gpt", "chat", "gemini"):
                world.application.health.succeeded(f"{name}#0")
            is_json = data.draw(st.integers(0, 9)) > 0
            sent = json.dumps(body).encode() if is_json else data.draw(st.binary())
            answer = from_thread.run(send, client, sent)
            said = f"{sent!r} -> {answer.status_code} {answer.text[:500]}"
            assert answer.status_code < 500 or answer.status_code in (502, 503, 504), said
            assert "The gateway failed" not in answer.text, said
            if answer.status_code >= 400:
                assert json.loads(answer.content), said

        await to_thread.run_sync(fuzz)
