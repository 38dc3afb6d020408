"""A whole gateway in this process: real SQLite, real HTTP, a strict provider of each protocol."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx

from recto.access import Markup
from recto.access.leases import NO_MARKUP
from recto.app.gateway_doors import open_gateway_doors
from recto.app.gateway_services import supervised
from recto.clock import SystemClock, SystemIds
from recto.config import Home
from recto.gateway import GatewayDoors, KeptCalls
from recto.server.listen import Listener, bind
from recto.storage import LedgerRow, Storage
from tests.fakes.callers import KEY, FakeCallers
from tests.fakes.providers import AnthropicServer, ChatServer, GeminiServer, ResponsesServer
from tests.served import NO_CERTIFICATES
from tests.stores import open_empty

Upstream = AnthropicServer | ChatServer | GeminiServer | ResponsesServer
UPSTREAMS = ("claude", "gpt", "chat", "gemini")
"""The gateway's models, one of each protocol."""
MODELS = {
    "claude": ("anthropic", "claude-opus-4-6"),
    "gpt": ("openai", "gpt-5.6-sol"),
    "chat": ("deepseek", "qwen3:8b"),
    "gemini": ("google", "gemini-3.8-flash"),
}
ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "test-key",
    "OPENAI_API_KEY": "test-key",
    "GEMINI_API_KEY": "test-key",
    "DEEPSEEK_API_KEY": "test-key",
    "SECOND_API_KEY": "second-key",
}
PRICE = {"input": 2, "output": 10, "cacheRead": 0.2, "cacheWrite": 2.5}


@dataclass
class GatewayWorld:
    """A running gateway and everything around it."""

    url: str
    home: Path
    upstreams: dict[str, Upstream]
    callers: FakeCallers
    storage: Storage
    application: GatewayDoors
    keeping: KeptCalls

    def client(self, **headers: str) -> httpx.AsyncClient:
        """Somebody with a key."""
        known = {"authorization": f"Bearer {KEY}", **headers}
        return httpx.AsyncClient(
            base_url=self.url, headers=known, timeout=120, verify=NO_CERTIFICATES
        )

    async def spent(self) -> list[LedgerRow]:
        """What was booked, oldest first."""
        return list(await self.storage.ledger.between(0, 1 << 60))


def models_file(upstreams: dict[str, Upstream]) -> dict[str, Any]:
    """A models.json that names the strict servers."""
    urls = {name: server.url for name, server in upstreams.items()}
    return {
        "models": [
            {"id": id, "name": id, "provider": provider, "model": model, "price": PRICE}
            for id, (provider, model) in MODELS.items()
        ],
        "providers": {
            "anthropic": {"url": urls["claude"]},
            "openai": {"url": urls["gpt"]},
            "google": {"url": urls["gemini"] + "/v1beta"},
            "deepseek": {
                "url": urls["chat"],
                "protocol": "openai-chat",
                "apiKeyEnv": "DEEPSEEK_API_KEY",
            },
        },
    }


@asynccontextmanager
async def running_gateway(
    home: Path,
    *,
    keep_alive_s: float = 10.0,
    markup: Markup = NO_MARKUP,
    file: Callable[[dict[str, Upstream]], dict[str, Any]] = models_file,
    environment: Mapping[str, str] = ENVIRONMENT,
    **options: Any,
) -> AsyncGenerator[GatewayWorld]:
    """A gateway on a free port, for the length of the block; `file` says its models.json.

    Other options are those of its doors.
    """
    upstreams: dict[str, Upstream] = {
        "claude": AnthropicServer(),
        "gpt": ResponsesServer(),
        "chat": ChatServer(flavour="deepseek"),
        "gemini": GeminiServer(),
    }
    clock = SystemClock()
    ids = SystemIds(clock)
    callers = FakeCallers()
    async with AsyncExitStack() as running:
        for server in upstreams.values():
            server.keys["second-key"] = "account-2"
            await running.enter_async_context(server)
        models = json.dumps(file(upstreams))
        await anyio.Path(home, "models.json").write_text(models, encoding="utf-8")
        storage = await open_empty(home / "recto.db", clock=clock)
        running.push_async_callback(storage.close)
        keeping = KeptCalls(storage, clock=clock, ids=ids)
        doors = open_gateway_doors(
            Home(home),
            storage,
            callers,
            keeping,
            clock=clock,
            ids=ids,
            environment=environment,
            supervisor=await running.enter_async_context(supervised(clock)),
            markup=markup,
            is_alone=True,
            keep_alive_s=keep_alive_s,
            **options,
        )
        application = await running.enter_async_context(doors)
        url = await running.enter_async_context(listening(application))
        yield GatewayWorld(url, home, upstreams, callers, storage, application, keeping)


@asynccontextmanager
async def listening(application: GatewayDoors) -> AsyncGenerator[str]:
    """The address of an application that is served over real HTTP."""
    is_ready = anyio.Event()
    listener = Listener(
        application, on_stop=lambda: None, serves_many=True, begin_ahead=application.begin
    )
    with bind("127.0.0.1", 0) as socket:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: listener.serve_on(socket, ready=is_ready.set))
            await is_ready.wait()
            try:
                yield f"http://127.0.0.1:{socket.getsockname()[1]}"
            finally:
                listener.stop()
