"""The page is there before the program: what a browser gets meanwhile, and what waits."""

import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from anyio import wait_all_tasks_blocked
from starlette.responses import PlainTextResponse

from recto.app import CannotStart, ReadyServer, ServeOptions, serve
from recto.app import server as app_server
from recto.config import Home, Secret, Settings
from recto.server import BuiltPage, OpeningApplication, ServerIdentity, Sessions, Site
from tests.fakes import CountingIds, FakeClock

pytestmark = pytest.mark.anyio

TOKEN = "t" * 20
BY_TOKEN = {"authorization": f"Bearer {TOKEN}"}
WHOLE = PlainTextResponse("the whole program")
PAGE = "<!doctype html><title>Recto</title>"
HEAVY = ("fastapi", "sqlalchemy", "aiohttp", "pycrdt", "recto.storage", "recto.chats")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "index.html").write_text(PAGE)
    return Site(
        Sessions(Secret(TOKEN), clock=FakeClock(), ids=CountingIds(), save=lambda _: None),
        ServerIdentity("http", frozenset({"here"}), "recto"),
        "http://here",
        BuiltPage(tmp_path),
    )


def client_of(application: OpeningApplication) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application)
    return httpx.AsyncClient(transport=transport, base_url="http://here", timeout=None)


async def test_a_link_and_the_page_are_answered_while_the_program_is_being_loaded(
    site: Site,
) -> None:
    async with client_of(OpeningApplication(site)) as browser:
        opened = await browser.get(f"/open/{site.sessions.new_link_code()}")
        page = await browser.get("/")
    assert (opened.status_code, page.status_code, page.text) == (303, 200, PAGE)
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_who_may_have_the_page_is_asked_as_ever(site: Site) -> None:
    application = OpeningApplication(site)
    async with client_of(application) as stranger:
        answers = {
            "stranger": await stranger.get("/"),
            "wrong link": await stranger.get("/open/" + "0" * 64),
            "foreign host": await stranger.get("/", headers=BY_TOKEN | {"host": "elsewhere"}),
            "foreign page": await stranger.get("/", headers=BY_TOKEN | {"origin": "http://evil"}),
        }
    assert {who: answer.status_code for who, answer in answers.items()} == {
        "stranger": 401,
        "wrong link": 401,
        "foreign host": 421,
        "foreign page": 403,
    }


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/v1/health"), ("POST", "/"), ("HEAD", "/"), ("GET", "/nothing.js")],
)
async def test_everything_else_waits_for_the_program(site: Site, method: str, path: str) -> None:
    application = OpeningApplication(site)
    answers: list[httpx.Response] = []

    async def ask() -> None:
        async with client_of(application) as script:
            answers.append(await script.request(method, path, headers=BY_TOKEN))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await wait_all_tasks_blocked()
        assert answers == []
        application.open(WHOLE)
    assert [answer.status_code for answer in answers] == [200]


async def test_who_waited_for_a_program_that_does_not_come_is_told_so(site: Site) -> None:
    application = OpeningApplication(site)
    answers: list[httpx.Response] = []

    async def ask() -> None:
        async with client_of(application) as script:
            answers.append(await script.get("/api/v1/health", headers=BY_TOKEN))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await wait_all_tasks_blocked()
        application.give_up()
    assert [answer.status_code for answer in answers] == [503]
    assert answers[0].json()["title"] == "Recto could not open the folder"


@asynccontextmanager
async def opening(tmp_path: Path, failures: list[BaseException]) -> AsyncGenerator[ReadyServer]:
    """A Recto whose page is there; how it ended is noted."""
    folder = tmp_path / "folder"
    folder.mkdir()
    is_there = anyio.Event()
    servers: list[ReadyServer] = []

    def note(server: ReadyServer) -> None:
        servers.append(server)
        is_there.set()

    def never(server: ReadyServer) -> None:
        raise AssertionError(f"{server} is not ready")

    async def run() -> None:
        options = ServeOptions(folder, "127.0.0.1", 0, Secret(TOKEN))
        home = Home(tmp_path / "home")
        try:
            await serve(options, home, Settings(), page_ready=note, ready=never)
        except CannotStart as failure:
            failures.append(failure)

    (tmp_path / "home").mkdir()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await is_there.wait()
        yield servers[0]


async def test_what_goes_wrong_while_loading_ends_the_server_with_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_fail = threading.Event()

    def fail() -> None:
        may_fail.wait()
        raise CannotStart("There is no room.")

    monkeypatch.setattr(app_server, "load_application", fail)
    failures: list[BaseException] = []
    async with opening(tmp_path, failures) as server, httpx.AsyncClient(headers=BY_TOKEN) as script:
        page = await script.get(server.url)
        may_fail.set()
    assert page.status_code == 200
    assert [str(failure) for failure in failures] == ["There is no room."]


async def test_a_server_that_is_stopped_while_it_opens_waits_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endless:
        def __init__(self, *_: object) -> None:
            self.was_ended = False

        async def __aenter__(self) -> None:
            opened.append(self)
            is_opening.set()
            try:
                await anyio.sleep_forever()
            finally:
                self.was_ended = True

        async def __aexit__(self, *_: object) -> None: ...

    opened: list[Endless] = []
    is_opening = anyio.Event()
    monkeypatch.setattr(app_server, "load_application", lambda: Endless)
    failures: list[BaseException] = []
    with anyio.fail_after(60):
        async with opening(tmp_path, failures) as server:
            await is_opening.wait()
            server.stop()
    assert failures == []
    assert [one.was_ended for one in opened] == [True]


def test_nothing_that_the_page_does_without_is_loaded_before_it() -> None:
    code = f"import sys; import recto.app.server; print([x for x in {HEAVY} if x in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
