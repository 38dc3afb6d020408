"""A whole Recto in this process: real SQLite, real HTTP on a free loopback port."""

import asyncio
import json
import shutil
import signal
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread
import httpx
from anyio.abc import TaskGroup

from recto.app import ReadyServer, ServeOptions, serve
from recto.config import Home, Secret, Settings
from recto.server.gate import PAGE_HEADER
from recto.supervisor import Supervisor
from tests.stores import lay_store

TOKEN = "a-token-for-the-tests-of-recto"
# The servers speak plain HTTP: no client needs to read the certificates of the world.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass(frozen=True, slots=True)
class Served:
    """A running Recto and how to reach it."""

    ready: ReadyServer
    home: Home
    folder: Path

    @property
    def url(self) -> str:
        return self.ready.url

    @property
    def cookie_name(self) -> str:
        return f"recto_{self.url.rpartition(':')[2]}"

    def script(self) -> httpx.AsyncClient:
        """A script that knows the token."""
        return self._client({"authorization": f"Bearer {TOKEN}"})

    def stranger(self) -> httpx.AsyncClient:
        """Somebody who knows nothing."""
        return self._client({})

    @asynccontextmanager
    async def browser(self, link: str | None = None) -> AsyncGenerator[httpx.AsyncClient]:
        """A browser that opened a link: it has the cookie and the page's secret."""
        async with self._client({"sec-fetch-site": "same-origin"}) as client:
            answer = await client.get(
                link or self.ready.link, headers={"sec-fetch-site": "none", "accept": "text/html"}
            )
            assert answer.status_code == 303, answer.text
            client.headers[PAGE_HEADER] = page_parts(answer)[0]
            yield client

    def _client(self, headers: dict[str, str]) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self.url, headers=headers, timeout=60, verify=NO_CERTIFICATES
        )


def page_parts(answer: httpx.Response) -> tuple[str, str]:
    """The secret and the ticket that a sign-in hands to the page."""
    secret, _, ticket = answer.headers["location"].partition("#page=")[2].partition(".")
    return secret, ticket


def point_anthropic_at(home: Path, url: str) -> None:
    """Have a Recto of this home take another address for Anthropic."""
    home.mkdir(exist_ok=True)
    models = {"providers": {"anthropic": {"url": url}}}
    (home / "models.json").write_text(json.dumps(models), encoding="utf-8")


def empty(folder: Path) -> None:
    """Take away all that is in a folder; the folder itself is watched and stays."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@asynccontextmanager
async def served(
    home: Path,
    folder: Path,
    settings: Settings | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    supervise: Callable[[TaskGroup, Callable[[], float]], Supervisor] = Supervisor,
) -> AsyncGenerator[Served]:
    """Run Recto on a folder for the length of the block, then stop it gracefully."""
    for needed in (folder, home):
        await anyio.Path(needed).mkdir(exist_ok=True)
    if not (settings and settings.storage.url) and not await anyio.Path(home, "recto.db").exists():
        await anyio.to_thread.run_sync(lay_store, home / "recto.db")
    options = ServeOptions(
        folder=folder, host=host, port=port, token=Secret(TOKEN), plain_http=True
    )
    answers: list[ReadyServer] = []
    is_ready = anyio.Event()

    def note(ready: ReadyServer) -> None:
        answers.append(ready)
        is_ready.set()

    async def run() -> None:
        await serve(options, Home(home), settings or Settings(), ready=note, supervise=supervise)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(60):
            await is_ready.wait()
        try:
            yield Served(answers[0], Home(home), folder)
        finally:
            answers[0].stop()
    # The loop may serve more tests, and these may be interrupted.
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().remove_signal_handler(number)
