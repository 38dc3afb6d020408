import json

import anyio
import httpx
import pytest

from recto.config import Secret
from recto.server import Sessions
from recto.server.gate import PAGE_HEADER
from tests.fakes import CountingIds, FakeClock
from tests.served import TOKEN, Served, page_parts, served

pytestmark = pytest.mark.anyio


class Kept:
    """A file in memory."""

    def __init__(self) -> None:
        self.data = b"{}"

    def save(self, data: bytes) -> None:
        self.data = data


def sessions(
    kept: Kept, clock: FakeClock, token: str = TOKEN, *, is_chosen: bool = True
) -> Sessions:
    return Sessions(
        Secret(token),
        is_chosen=is_chosen,
        clock=clock,
        ids=CountingIds(),
        saved=kept.data,
        save=kept.save,
    )


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


async def test_another_token_lets_in_nobody_of_before() -> None:
    kept, clock = Kept(), FakeClock()
    before = sessions(kept, clock)
    cookie = before.redeem(before.new_link_code())
    assert cookie is not None
    assert sessions(kept, clock, "another token of twenty").find(cookie) is None
    assert sessions(kept, clock, "drawn by chance", is_chosen=False).find(cookie) is None


async def test_a_token_drawn_at_each_start_keeps_browsers_signed_in() -> None:
    kept, clock = Kept(), FakeClock()
    before = sessions(kept, clock, "one of today", is_chosen=False)
    cookie = before.redeem(before.new_link_code())
    assert cookie is not None
    assert sessions(kept, clock, "one of tomorrow", is_chosen=False).find(cookie) is not None


async def test_signing_out_everywhere_ends_all_others_and_the_links_that_are_out() -> None:
    kept, clock = Kept(), FakeClock()
    known = sessions(kept, clock)
    cookies = [known.redeem(known.new_link_code(), f"browser {number}") for number in range(3)]
    found = [known.find(cookie or "") for cookie in cookies]
    mine = found[1]
    assert mine is not None
    link = known.new_link_code()
    known.end_others(mine)
    assert known.redeem(link) is None
    assert [session is not None and session.ended.is_set() for session in found] == [
        True,
        False,
        True,
    ]
    for again in (known, sessions(kept, clock)):
        assert [again.find(cookie or "") is not None for cookie in cookies] == [False, True, False]
        assert [session.browser for session in again.all] == ["browser 1"]


async def test_what_is_kept_opens_no_door() -> None:
    kept = Kept()
    known = sessions(kept, FakeClock())
    cookie = known.redeem(known.new_link_code())
    assert cookie is not None
    assert cookie.encode() not in kept.data
    stolen = next(iter(json.loads(kept.data)["sessions"]))
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
    """A used one leads to the page; a fresh one gives a page the secret that it has lost."""
    async with recto.browser() as browser:
        used = await browser.get(recto.ready.link)
        link = (await browser.post("/api/v1/session/link")).json()["url"]
        fresh = await browser.get(link)
        assert page_parts(fresh)[0] == browser.headers[PAGE_HEADER]
        assert "set-cookie" not in fresh.headers
    assert (used.status_code, used.headers["location"]) == (303, "/")


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
        stranger.headers[PAGE_HEADER] = page_parts(right)[0]
        health = await stranger.get("/api/v1/health")
    assert (wrong.status_code, right.status_code, health.status_code) == (401, 303, 200)


async def test_signing_out_ends_the_open_stream(recto: Served) -> None:
    async with recto.browser() as browser:
        async with browser.stream("GET", "/api/v1/events") as stream:
            lines = stream.aiter_lines()
            assert await anext(lines) == "event: hello"
            assert (await browser.delete("/api/v1/session")).status_code == 204
            # Nothing else would end it: it would wait here.
            with anyio.fail_after(120):
                async for _ in lines:
                    pass
        assert (await browser.get("/api/v1/health")).status_code == 401


async def test_a_restart_keeps_a_browser_signed_in(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("folder")
    async with served(home, folder) as first, first.browser() as browser:
        cookie, page = browser.cookies[first.cookie_name], browser.headers[PAGE_HEADER]
    async with served(home, folder) as second, second.stranger() as browser:
        browser.cookies.set(second.cookie_name, cookie)
        browser.headers[PAGE_HEADER] = page
        assert (await browser.get("/api/v1/health")).status_code == 200


async def test_the_list_names_each_browser_and_signs_one_or_all_others_out(recto: Served) -> None:
    agents = {
        "Firefox on Linux": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/146.0",
        "Edge on Windows": "Mozilla/5.0 (Windows NT 10.0) Chrome/142.0 Safari/537.36 Edg/142.0",
        "": "curl/8.5.0",
    }
    async with recto.browser() as first:
        others: dict[str, httpx.Response] = {}
        for name, agent in agents.items():
            link = (await first.post("/api/v1/session/link")).json()["url"]
            async with recto.stranger() as stranger:
                answer = await stranger.get(link, headers={"user-agent": agent})
                others[name] = answer
        rows = (await first.get("/api/v1/sessions")).json()["items"]
        assert sorted(row["browser"] for row in rows if not row["isThis"]) == sorted(agents)
        assert [row["isThis"] for row in rows].count(True) == 1
        one = next(row["id"] for row in rows if row["browser"] == "Edge on Windows")
        assert (await first.delete(f"/api/v1/sessions/{one}")).status_code == 204
        assert (await first.delete(f"/api/v1/sessions/{one}")).status_code == 404
        assert await health_of(recto, others) == {
            "Edge on Windows": 401,
            "Firefox on Linux": 200,
            "": 200,
        }
        assert (await first.delete("/api/v1/sessions")).status_code == 204
        assert set((await health_of(recto, others)).values()) == {401}
        assert (await first.get("/api/v1/health")).status_code == 200


async def health_of(recto: Served, sign_ins: dict[str, httpx.Response]) -> dict[str, int]:
    """How Recto answers each browser."""
    found: dict[str, int] = {}
    for name, sign_in in sign_ins.items():
        async with recto.stranger() as browser:
            browser.cookies = sign_in.cookies
            browser.headers[PAGE_HEADER] = page_parts(sign_in)[0]
            found[name] = (await browser.get("/api/v1/health")).status_code
    return found
