"""Providers and endpoints: where calls go, and what a base address may be."""

import subprocess
import sys
from dataclasses import replace

import pytest
from yarl import URL

from recto.config import Secret
from recto.llm import (
    PROTOCOL_IDS,
    PROVIDERS,
    AddressRefused,
    Endpoint,
    KeyHeader,
    Provider,
    compatible,
    load_protocol,
)
from recto.llm.http.transport import proxy_for
from tests.llm.upstream import PLAIN

KEY = "sk-canary-0123456789"


@pytest.mark.parametrize(
    ("url", "path", "address"),
    [
        ("https://a.com", "/v1/messages", "https://a.com/v1/messages"),
        ("https://a.com/", "/v1/messages", "https://a.com/v1/messages"),
        ("https://a.com/v1", "/v1/messages", "https://a.com/v1/messages"),
        ("https://a.com/anthropic", "/v1/messages", "https://a.com/anthropic/v1/messages"),
        ("http://[::1]:80/api/v1/", "/v1/models", "http://[::1]:80/api/v1/models"),
        ("https://a.com/paas/v4", "/v1/chat/completions", "https://a.com/paas/v4/chat/completions"),
        (
            "https://a.com/v1beta/openai",
            "/v1/chat/completions",
            "https://a.com/v1beta/openai/chat/completions",
        ),
        (
            "https://a.com/v1/account/gate/anthropic",
            "/v1/messages",
            "https://a.com/v1/account/gate/anthropic/v1/messages",
        ),
        (
            "https://a.com/v1beta",
            "/models/m:streamGenerateContent?alt=sse",
            "https://a.com/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
    ],
)
def test_a_base_address_and_a_path_make_one_address(url: str, path: str, address: str) -> None:
    assert Endpoint("a", url, PLAIN).address(path) == address


@pytest.mark.parametrize(
    "url",
    [
        "",
        "a.com",
        "ftp://a.com",
        "file:///etc/passwd",
        "https://",
        f"https://{KEY}@a.com",
        f"https://user:{KEY}@a.com",
        f"https://a.com/?key={KEY}",
        f"https://a.com/#{KEY}",
        f"https://a.com:{KEY}",
        f"https://[{KEY}",
    ],
)
def test_an_address_that_is_none_or_holds_a_key_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        Endpoint("a", url, PLAIN)
    assert KEY not in str(refused.value)


def test_an_endpoint_shows_neither_its_key_nor_its_headers() -> None:
    endpoint = Endpoint("a", "https://a.com", PLAIN, key=Secret(KEY), headers={"x-secret": KEY})
    assert KEY not in repr(endpoint)


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=PROVIDERS)
def test_a_known_provider_can_be_called(provider: Provider) -> None:
    endpoint = provider.endpoint(Secret(KEY))
    assert endpoint.provider == provider.id
    assert endpoint.protocol.id == provider.protocol
    assert provider.is_local == (URL(provider.url).scheme == "http")
    assert provider.is_local == (provider.key_name is None)


def test_every_protocol_loads_by_its_id() -> None:
    assert [load_protocol(protocol_id).id for protocol_id in PROTOCOL_IDS] == [
        "anthropic-messages",
        "openai-responses",
        "openai-chat",
        "gemini",
    ]


def test_any_compatible_server_is_a_provider() -> None:
    found = compatible("mine", "http://192.168.1.7:8080", key_name="MY_KEY")
    assert found == Provider(
        id="mine",
        name="mine",
        url="http://192.168.1.7:8080",
        protocol="openai-chat",
        key_name="MY_KEY",
    )
    anthropic = compatible("other", "https://a.com", protocol="anthropic-messages")
    assert anthropic.key_header == KeyHeader("x-api-key", "")


def test_a_setting_may_move_a_known_provider() -> None:
    moved = replace(PROVIDERS["ollama"], url="http://10.0.0.2:11434/v1").endpoint()
    assert moved.address("/v1/chat/completions") == "http://10.0.0.2:11434/v1/chat/completions"


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://api.a.com", "http://proxy:3128"),
        ("http://api.a.com", None),
        ("https://inside.a.com", None),
        ("https://localhost:1", None),
        ("https://127.0.0.1", None),
        ("https://[::1]", None),
    ],
)
def test_the_environment_names_the_proxy_but_never_for_this_machine(
    url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "inside.a.com")
    assert proxy_for(URL(url)) == proxy


def test_importing_the_room_loads_nothing_heavy() -> None:
    program = (
        "import sys, recto.llm; heavy = {'aiohttp', 'msgspec', 'pydantic', 'xllamacpp'}; "
        "print(sorted(heavy & set(sys.modules)), "
        "[one for one in sys.modules if one.startswith('recto.llm.protocols')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[] []"
