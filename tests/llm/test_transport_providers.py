"""Known providers, called over HTTP at servers that refuse whatever the real ones refuse."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import anyio
import pytest

from recto.config import Secret
from recto.llm import PROVIDERS, Endpoint, Provider, Traits, Transport, read_model_list
from recto.messages import Finished, Origin, Request, user
from tests.fakes.providers import AnthropicServer, ChatServer, GeminiServer, ResponsesServer

pytestmark = pytest.mark.anyio

Server = AnthropicServer | ChatServer | GeminiServer | ResponsesServer


@dataclass(frozen=True, slots=True)
class Case:
    """A provider, a server that stands in for it, and a model that server has."""

    provider: Provider
    serve: Callable[[], Server]
    model: str
    version: str = ""
    """What the provider's base address ends in."""

    def endpoint(self, url: str) -> Endpoint:
        return replace(self.provider, url=url + self.version).endpoint(Secret("test-key"))


CASES = {
    "anthropic": Case(PROVIDERS["anthropic"], AnthropicServer, "claude-sonnet-4-6"),
    "openai": Case(PROVIDERS["openai"], ResponsesServer, "gpt-5.4"),
    "openrouter": Case(PROVIDERS["openrouter"], ChatServer, "gpt-4.1"),
    "openrouter with its version": Case(PROVIDERS["openrouter"], ChatServer, "gpt-4.1", "/v1"),
    "google": Case(PROVIDERS["google"], GeminiServer, "gemini-3.1-pro-preview", "/v1beta"),
}


@pytest.mark.parametrize("is_streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_a_known_provider_answers(case: Case, is_streamed: bool) -> None:
    request = Request(case.model, (user("Hello"),), max_output=100, stream=is_streamed)
    origin = Origin(case.provider.protocol, "account-1", case.model)
    calls = Transport()
    async with case.serve() as server:
        with anyio.fail_after(60):
            stream = calls.stream(case.endpoint(server.url), request, Traits(), origin)
            *_, end = [event async for event in stream]
    await calls.close()
    assert isinstance(end, Finished)
    assert (end.reason, end.failure, end.message.text) == ("end_turn", None, "Echo: Hello")
    assert end.usage is not None
    assert end.usage.source == "final"


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_a_known_provider_lists_its_models(case: Case) -> None:
    calls = Transport()
    async with case.serve() as server:
        with anyio.fail_after(60):
            found = await calls.get(case.endpoint(server.url), case.provider.models_path)
    await calls.close()
    assert isinstance(found, bytes)
    names = read_model_list(found)
    assert isinstance(names, frozenset)
    assert case.model in names
