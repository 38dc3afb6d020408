"""Two gateways on one PostgreSQL under load: killed, cut off from it, lied to, hung up on.

A few kills and one restart by default. For a while: RECTO_LOAD_S=600 pytest tests/faults/test_gateway_load.py
"""  # noqa: E501 - a command to be copied

import json
import os
import random
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx
import pytest
from anyio import to_thread

from recto.access import LeasedBudget
from recto.clock import SystemIds
from recto.config import Home, Secret, save_keys
from recto.storage import Storage
from tests.fakes.providers import AnthropicServer, Fault, Script, Tokens, says
from tests.faults.test_lease_kills import LaterClock
from tests.forking import Started, start
from tests.gateway.served import PASSWORD
from tests.gateway.world import PRICE
from tests.served import NO_CERTIFICATES
from tests.storage.server import running_server, start_server, stop_server, url

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

LOAD_S = float(os.environ.get("RECTO_LOAD_S", "0"))
"""For how long; else until a few things have happened."""
CLIENTS = 6
CALLS_BETWEEN = 12
"""How many calls end between two of them."""
KEY_LIMIT = 30_000
GATEWAY_USD = 2000
KEY_NAMES = [f"ANTHROPIC_KEY_{number}" for number in range(12)]
WORDS = "The tide comes and goes. "
READY = "Recto gateway is ready at "


@pytest.fixture
def server() -> Generator[Path]:
    with running_server() as folder:
        yield folder


@dataclass
class RunningGateway:
    """One of the gateways, in a process of its own; begun again after a kill."""

    home: Path
    process: Started | None = None
    has_admin_link: bool = True
    address: str = ""
    link: str = ""
    kills: int = 0

    async def begin(self) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environment = {**kept, "RECTO_HOME": str(self.home)}
        words = ("recto", "gateway", "--port", "0")
        self.process = start("recto.cli", *words, environment=environment)
        while not self.address:
            line = await to_thread.run_sync(self.process.stdout.readline, abandon_on_cancel=True)
            assert line, self.process.stderr.read()
            if line.startswith(READY):
                self.address = line.removeprefix(READY).strip()
        if self.has_admin_link:
            self.has_admin_link = False
            line = await to_thread.run_sync(self.process.stdout.readline, abandon_on_cancel=True)
            self.link = line.strip().rpartition("/")[2]

    def kill(self) -> None:
        self.address = ""
        self.kills += 1
        if self.process is not None:
            self.process.kill()
            self.process.communicate()


@dataclass
class Heard:
    """What clients were told."""

    ends: dict[str, int] = field(default_factory=dict[str, int])
    lies: list[str] = field(default_factory=list[str])
    calls: int = 0
    news: anyio.Event = field(default_factory=anyio.Event)

    def note(self, end: str) -> None:
        self.ends[end] = self.ends.get(end, 0) + 1
        self.calls += 1
        self.news.set()
        self.news = anyio.Event()

    async def more(self, many: int) -> None:
        """Wait until so many more calls have ended."""
        wanted = self.calls + many
        while self.calls < wanted:
            await self.news.wait()


def anything(chance: random.Random) -> Script:
    """An answer: right, cut, refused, or with a count that can't be.

    Never a 500: whoever is told that one was told by the gateway itself.
    """
    usage = chance.choice([None, None, Tokens(prompt=10**9, output=10**9), Tokens(0, 0)])
    fault = chance.choice(
        [
            *[None] * 20,
            Fault(eof_after=chance.randrange(1500)),
            Fault(reset_after=chance.randrange(1500)),
            Fault(status=chance.choice([400, 400, 429, 529, 529])),
        ]
    )
    return Script((says(*[WORDS] * chance.randrange(1, 12)),), usage=usage, fault=fault)


@dataclass
class LoadClient:
    """Somebody who asks again and again, at whichever gateway answers."""

    gateways: list[RunningGateway]
    keys: list[str]
    upstream: AnthropicServer
    heard: Heard
    chance: random.Random
    is_over: bool = False

    async def ask_on(self) -> None:
        while not self.is_over:
            address = self.chance.choice(self.gateways).address
            if not address:
                await anyio.sleep(0.01)
                continue
            self.upstream.queue.append(anything(self.chance))
            try:
                self.heard.note(await self.ask(address))
            except httpx.TransportError:
                # The connection broke: nobody was told that the answer was whole.
                self.heard.note("connection lost")

    async def ask(self, address: str) -> str:
        """One call; how it ended, as the client understands it."""
        is_translated = self.chance.random() < 0.5
        path = "/v1/chat/completions" if is_translated else "/v1/messages"
        body = {
            "model": "sonnet",
            "max_tokens": self.chance.choice([30, 300]),
            "messages": [{"role": "user", "content": "x" * self.chance.randrange(2_000)}],
            "stream": True,
        }
        headers = {"authorization": f"Bearer {self.chance.choice(self.keys)}"}
        leaves = self.chance.random() < 0.2
        async with (
            httpx.AsyncClient(base_url=address, timeout=120, verify=NO_CERTIFICATES) as client,
            client.stream("POST", path, json=body, headers=headers) as answer,
        ):
            text = ""
            async for piece in answer.aiter_text():
                text += piece
                if leaves and answer.status_code == 200:
                    return "left"
        if answer.status_code != 200:
            return self.check_refusal(answer, text)
        whole = "data: [DONE]" if is_translated else "event: message_stop"
        if whole in text:
            return "whole"
        if '"error"' in text:
            return "told of an error"
        self.heard.lies.append(f"{path} ended as if it were whole: {text[-300:]}")
        return "lie"

    def check_refusal(self, answer: httpx.Response, text: str) -> str:
        status = answer.status_code
        is_vague = status == 503 and "retry-after" not in answer.headers
        if status == 500 or is_vague:
            self.heard.lies.append(f"{status}: {text[:300]}")
        try:
            said: Any = json.loads(text)["error"]["message"]
        except (ValueError, KeyError, TypeError):
            self.heard.lies.append(f"{status}: {text[:300]}")
            return "lie"
        assert said
        return f"refused with {status}"


async def lay_home(home: Path, database: str, upstream: AnthropicServer) -> None:
    await anyio.Path(home).mkdir()
    model = {"id": "sonnet", "name": "Sonnet", "provider": "anthropic", "price": PRICE}
    # So many that some are well at any time: one that fails rests for seconds.
    ways = [{"provider": "anthropic", "apiKeyEnv": name} for name in KEY_NAMES]
    models = {
        "models": [{**model, "model": "claude-sonnet-5-5", "deployments": ways}],
        "providers": {"anthropic": {"url": upstream.url}},
    }
    await anyio.Path(home, "models.json").write_text(json.dumps(models), encoding="utf-8")
    limit = {"monthly_limit_usd": GATEWAY_USD}
    await anyio.Path(home, "budget.json").write_text(json.dumps(limit), encoding="utf-8")
    settings = f'[storage]\nurl = "{database}"\n[gateway]\nmarkup_percent = 10\n'
    await anyio.Path(home, "settings.toml").write_text(settings, encoding="utf-8")
    save_keys(Home(home), {name: Secret("test-key") for name in KEY_NAMES})


async def make_keys(gateway: RunningGateway) -> list[str]:
    """A key whose limit is soon reached, and one that has none."""
    async with httpx.AsyncClient(
        base_url=gateway.address, timeout=60, verify=NO_CERTIFICATES
    ) as client:
        body = {"code": gateway.link, "password": PASSWORD}
        signed_in = await client.post("/api/v1/invitations/accept", json=body)
        assert signed_in.status_code == 200, signed_in.text
        client.headers["authorization"] = f"Bearer {signed_in.json()['accessToken']}"
        made = [
            await client.post("/api/v1/keys", json={"limits": limits})
            for limits in ({"monthlyMicros": KEY_LIMIT}, {"requestsPerMinute": 1_000_000})
        ]
        return [one.json()["secret"] for one in made]


async def disturb(server: Path, gateways: list[RunningGateway], heard: Heard) -> None:
    """Kill one, then the other, then restart the database; as long as there is time."""
    until = time.monotonic() + LOAD_S
    steps: list[Literal[0, 1, "database"]] = [0, 1, "database"]
    while True:
        for step in steps:
            await heard.more(CALLS_BETWEEN)
            if step == "database":
                await to_thread.run_sync(stop_server, server)
                await to_thread.run_sync(start_server, server)
            else:
                gateways[step].kill()
                await gateways[step].begin()
        await heard.more(CALLS_BETWEEN)
        if time.monotonic() >= until:
            return


async def check_books(database: str, upstream: AnthropicServer, kills: int) -> dict[str, int]:
    """Everything is settled once, and within the limits."""
    clock = LaterClock()
    storage = await Storage.open(database, clock=clock)
    budget = LeasedBudget(storage, clock=clock, ids=SystemIds(clock))
    with anyio.fail_after(60):
        while await storage.leases.all() or await storage.ledger.held():
            await budget.sweep()
    assert await storage.ledger.wrong_totals() == ()
    rows = await storage.ledger.between(0, 1 << 60)
    booked = [row.reservation_id for row in rows]
    assert len(booked) == len(set(booked))
    by_key: dict[str, int] = {}
    for row in rows:
        cost = (row.spend.cost_micros or 0) + row.spend.markup_micros
        by_key[row.spend.body["key"]] = by_key.get(row.spend.body["key"], 0) + cost
    answered = sum(exchange.reply.status == 200 for exchange in upstream.exchanges)
    # What was asked in the moment of a kill has left no row; each client had one such call at most.
    assert len(rows) >= answered - kills * CLIENTS
    await storage.close()
    return by_key


async def test_under_load_and_kills_no_limit_is_passed_and_everybody_is_told_the_truth(
    server: Path, tmp_path: Path
) -> None:
    database = url(server)
    heard = Heard()
    async with AnthropicServer() as upstream:
        gateways = [RunningGateway(tmp_path / name) for name in ("one", "two")]
        try:
            with anyio.fail_after(120 + 3 * LOAD_S):
                for gateway in gateways:
                    await lay_home(gateway.home, database, upstream)
                    await gateway.begin()
                # A new link ends the one before.
                keys = await make_keys(gateways[-1])
                clients = [
                    LoadClient(gateways, keys, upstream, heard, random.Random(number))
                    for number in range(CLIENTS)
                ]
                async with anyio.create_task_group() as tasks:
                    for client in clients:
                        tasks.start_soon(client.ask_on)
                    await disturb(server, gateways, heard)
                    for client in clients:
                        client.is_over = True
        finally:
            for gateway in gateways:
                gateway.kill()
        assert heard.lies == []
        assert {"whole", "left"} <= heard.ends.keys(), heard.ends
        assert heard.ends["whole"] > heard.calls / 10, f"hardly any load: {heard.ends}"
        kills = sum(gateway.kills for gateway in gateways)
        by_key = await check_books(database, upstream, kills)
    spent = sorted(by_key.values())
    assert spent[0] <= KEY_LIMIT
    assert spent[-1] > KEY_LIMIT, "the other key has no such limit"
