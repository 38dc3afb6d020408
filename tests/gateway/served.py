"""A whole gateway in this process: real records, real HTTP on a free loopback port."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx

from recto.app import GatewayOptions, OpenDoors, ReadyGateway, serve_gateway
from recto.app.gateway_doors import open_doors
from recto.app.gateway_services import Supervise
from recto.config import Home, Settings
from recto.supervisor import Supervisor
from tests.served import NO_CERTIFICATES
from tests.stores import lay_store

PASSWORD = "a long password"


@dataclass(frozen=True, slots=True)
class ServedGateway:
    """A running gateway and how to reach it."""

    ready: ReadyGateway
    home: Home

    @property
    def url(self) -> str:
        return self.ready.url

    def client(self, token: str | None = None) -> httpx.AsyncClient:
        """Somebody with a token, or a stranger."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return httpx.AsyncClient(
            base_url=self.url, headers=headers, timeout=60, verify=NO_CERTIFICATES
        )

    async def accept(self, link: str) -> str:
        """Accept an invitation; the access token that comes of it."""
        code = urlsplit(link).path.rpartition("/")[2]
        async with self.client() as client:
            answer = await client.post(
                "/api/v1/invitations/accept", json={"code": code, "password": PASSWORD}
            )
            assert answer.status_code == 200, answer.text
            return str(answer.json()["accessToken"])

    async def admin(self) -> str:
        """The first admin's access token."""
        assert self.ready.admin_link is not None
        return await self.accept(self.ready.admin_link)

    async def member(self, admin: str, name: str) -> str:
        """Somebody whom the admin invited: their access token."""
        async with self.client(admin) as client:
            answer = await client.post("/api/v1/people", json={"name": name})
            assert answer.status_code == 201, answer.text
            return await self.accept(answer.json()["link"])


@asynccontextmanager
async def served_gateway(
    home: Path,
    settings: Settings | None = None,
    *,
    doors: OpenDoors = open_doors,
    supervise: Supervise = Supervisor,
) -> AsyncGenerator[ServedGateway]:
    """Run a gateway for the length of the block, then stop it gracefully."""
    await anyio.Path(home).mkdir(exist_ok=True)
    if not (settings and settings.storage.url) and not await anyio.Path(home, "recto.db").exists():
        await anyio.to_thread.run_sync(lay_store, home / "recto.db")
    answers: list[ReadyGateway] = []
    is_ready = anyio.Event()

    def note(ready: ReadyGateway) -> None:
        answers.append(ready)
        is_ready.set()

    async def run() -> None:
        options = GatewayOptions("127.0.0.1", 0)
        await serve_gateway(
            options,
            Home(home),
            settings or Settings(),
            ready=note,
            doors=doors,
            supervise=supervise,
        )

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(60):
            await is_ready.wait()
        try:
            yield ServedGateway(answers[0], Home(home))
        finally:
            answers[0].stop()
    # The loop may serve more tests, and these may be interrupted.
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().remove_signal_handler(number)
