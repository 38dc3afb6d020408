import anyio
import pytest

from recto.config import Secret
from recto.server import Sessions
from tests.fakes import CountingIds, FakeClock
from tests.served import TOKEN, Served, served

pytestmark = pytest.mark.anyio


class Kept:
    """A file in memory."""

    def __init__(self) -> None:
        self.data = b"{}"

    def save(self, data: bytes) -> None:
        self.data = data


def sessions(kept: Kept, clock: FakeClock) -> Sessions:
    return Sessions(Secret(TOKEN), clock=clock, ids=CountingIds(), saved=kept.data, save=kept.save)


async def test_a_link_signs_in_once() -> None:
    known = sessions(Kept(), FakeClock())
    code = known.new_link_code()
    cookie = known.redeem(code)
    assert cookie is not None
    assert known.find(cookie) is not None
    assert known.redeem(code) is None


async def test_a_link_grows_old() -> None:
    clock = FakeClock()
    known = sessions(Kept(), clock)
    code = known.new_link_code()
    clock.pass_time(61 * 60)
    assert known.redeem(code) is None


async def test_a_session_survives_a_restart_and_ends_after_thirty_days() -> None:
    kept, clock = Kept(), FakeClock()
    before = sessions(kept, clock)
    cookie = before.redeem(before.new_link_code())
    assert cookie is not None
    assert sessions(kept, clock).find(cookie) is not None
    clock.pass_time(31 * 24 * 60 * 60)
    assert before.find(cookie) is None
    assert sessions(kept, clock).find(cookie) is None


async def test_what_is_kept_opens_no_door() -> None:
    kept = Kept()
    known = sessions(kept, FakeClock())
    cookie = known.redeem(known.new_link_code())
    assert cookie is not None
    assert cookie.encode() not in kept.data
    stolen = kept.data.decode().split('"')[1]
    assert known.find(stolen) is None


async def test_signing_out_is_kept() -> None:
    kept, clock = Kept(), FakeClock()
    known = sessions(kept, clock)
    cookie = known.redeem(known.new_link_code())
    assert cookie is not None
    session = known.find(cookie)
    assert session is not None
    known.end(session)
    assert session.ended.is_set()
    assert sessions(kept, clock).find(cookie) is None


async def test_the_oldest_of_too_many_browsers_is_signed_out() -> None:
    clock = FakeClock()
    known = sessions(Kept(), clock)
    cookies: list[str] = []
    for _ in range(201):
        clock.pass_time(1)
        cookie = known.redeem(known.new_link_code())
        assert cookie is not None
        cookies.append(cookie)
    assert [known.find(cookie) is None for cookie in cookies] == [True] + [False] * 200


async def test_a_used_link_says_so_in_words(recto: Served) -> None:
    async with recto.browser():
        pass
    async with recto.stranger() as stranger:
        answer = await stranger.get(recto.ready.link, headers={"accept": "text/html"})
    assert answer.status_code == 401
    assert "This link has been used" in answer.text


async def test_a_browser_that_is_signed_in_may_use_any_link_again(recto: Served) -> None:
    async with recto.browser() as browser:
        answer = await browser.get(recto.ready.link)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


async def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(recto: Served) -> None:
    async with recto.stranger() as stranger:
        answer = await stranger.get(recto.ready.link)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert recto.ready.link.rpartition("/")[2] not in cookie


async def test_a_link_for_another_browser_works_there(recto: Served) -> None:
    async with recto.browser() as first:
        link = (await first.post("/api/v1/session/link")).json()["url"]
    async with recto.browser(link) as second:
        assert (await second.get("/api/v1/health")).status_code == 200


async def test_the_token_can_be_typed_in(recto: Served) -> None:
    async with recto.stranger() as stranger:
        wrong = await stranger.post("/sign-in", data={"token": "wrong"})
        right = await stranger.post("/sign-in", data={"token": TOKEN})
        stranger.cookies = right.cookies
        health = await stranger.get("/api/v1/health")
    assert (wrong.status_code, right.status_code, health.status_code) == (401, 303, 200)


async def test_signing_out_ends_the_open_stream_within_a_second(recto: Served) -> None:
    async with recto.browser() as browser:
        async with browser.stream("GET", "/api/v1/events") as stream:
            lines = stream.aiter_lines()
            assert await anext(lines) == "event: hello"
            assert (await browser.delete("/api/v1/session")).status_code == 204
            with anyio.fail_after(1):
                async for _ in lines:
                    pass
        assert (await browser.get("/api/v1/health")).status_code == 401


async def test_a_restart_keeps_a_browser_signed_in(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("folder")
    async with served(home, folder) as first, first.browser() as browser:
        cookie = browser.cookies[first.cookie_name]
    async with served(home, folder) as second, second.stranger() as browser:
        browser.cookies.set(second.cookie_name, cookie)
        assert (await browser.get("/api/v1/health")).status_code == 200
