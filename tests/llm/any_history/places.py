"""Where a chat may go on: every model that the strict servers know, as the catalogue knows it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from urllib.parse import parse_qsl, urlsplit

from recto.access import Family, fingerprint, load_catalogue
from recto.config import Secret
from recto.llm import PROVIDERS, Endpoint, Provider, Traits, WireRequest, compatible
from recto.messages import Origin
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    Incoming,
    ResponsesServer,
)
from tests.fakes.providers.models import CLAUDE, GEMINI, GPT

Server = AnthropicServer | ChatServer | GeminiServer | ResponsesServer
KEYS = {"key-of-one": "one", "key-of-two": "two"}
LOCAL_MODELS = ("qwen3:8b", "llama-4-8b")


@dataclass(frozen=True, slots=True)
class Place:
    """A model at a provider, asked with one of two accounts."""

    server: str
    """Which of the strict servers stands in for the provider."""
    provider: Provider
    model: str
    key: str
    family: Family

    @property
    def traits(self) -> Traits:
        return self.family.traits

    @property
    def origin(self) -> Origin:
        key = Secret(self.key)
        return Origin(self.provider.protocol, fingerprint(self.provider.url, key), self.model)

    @property
    def endpoint(self) -> Endpoint:
        return self.provider.endpoint(Secret(self.key))

    def incoming(self, wire: WireRequest) -> Incoming:
        """A request as it reaches the server, with the headers that the transport sends."""
        endpoint = self.endpoint
        parts = urlsplit(endpoint.address(wire.path))
        key = endpoint.key_header
        headers = {**endpoint.headers, **wire.headers, key.name: key.prefix + self.key}
        lower = {name.lower(): value for name, value in headers.items()}
        return Incoming("POST", parts.path, lower, wire.body, dict(parse_qsl(parts.query)))


SERVERS: dict[str, Callable[[], Server]] = {
    "anthropic": lambda: AnthropicServer(KEYS),
    "openai": lambda: ResponsesServer(KEYS),
    "google": lambda: GeminiServer(KEYS),
    "openai chat": lambda: ChatServer(KEYS),
    "ollama": lambda: ChatServer(KEYS, flavour="ollama"),
    "vllm": lambda: ChatServer(KEYS, flavour="vllm"),
    "lmstudio": lambda: ChatServer(KEYS, flavour="lmstudio"),
    "deepseek": lambda: ChatServer(KEYS, flavour="deepseek"),
}


@cache
def places() -> tuple[Place, ...]:
    """All of them; the traits are those of the catalogue's data."""
    chat = replace(PROVIDERS["openai"], protocol="openai-chat")
    deepseek = compatible("deepseek", "http://deepseek", key_name="DEEPSEEK_API_KEY")
    # With the others, that endpoint refuses tools unless thinking is off.
    plain = [model for model, row in GPT.items() if row.chat_tools == "free"]
    return (
        *at("anthropic", PROVIDERS["anthropic"], CLAUDE),
        *at("openai", PROVIDERS["openai"], GPT),
        *at("google", PROVIDERS["google"], GEMINI),
        *at("openai chat", chat, plain),
        *at("openai chat", PROVIDERS["openrouter"], ("gpt-4.1", "gpt-4o")),
        *at("ollama", PROVIDERS["ollama"], LOCAL_MODELS),
        *at("vllm", PROVIDERS["vllm"], LOCAL_MODELS),
        *at("lmstudio", PROVIDERS["lmstudio"], LOCAL_MODELS),
        *at("deepseek", deepseek, LOCAL_MODELS),
        *at("vllm", compatible("mine", "http://mine"), LOCAL_MODELS),
    )


def at(server: str, provider: Provider, models: Iterable[str]) -> list[Place]:
    """The models of one provider, with either account."""
    version = "/v1beta" if provider.protocol == "gemini" else ""
    called = replace(provider, url=f"http://{provider.id}.localhost{version}")
    catalogue, protocol = load_catalogue(), provider.protocol
    return [
        Place(server, called, model, key, catalogue.family(provider.id, model, protocol=protocol))
        for model in models
        for key in KEYS
    ]
