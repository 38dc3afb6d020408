"""What the page reads when it opens: in one answer, each part as if it had been asked by itself."""

import json
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.responses import Response

from recto.server.errors import on_bug
from recto.server.many_answers import ManyAnswers
from recto.server.page import STATIC
from tests.served import Served

pytestmark = pytest.mark.anyio

FIRST_SCRIPT_BYTES = 200_000


async def lines_of(recto: Served, query: str = "") -> list[dict[str, object]]:
    async with recto.script() as script:
        answer = await script.get(f"/api/v1/start{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


async def test_each_line_is_what_its_address_answers(recto: Served) -> None:
    first, *lines = await lines_of(recto)
    addresses = [str(line["address"]) for line in lines]
    assert first == {"expected": first["expected"]}
    assert sorted(addresses) == sorted(first["expected"])  # type: ignore[arg-type]
    async with recto.script() as script:
        for line in lines:
            alone = await script.get(str(line["address"]))
            assert alone.status_code == line["status"] == 200
            # Checks take their time, and say how long; everything else is the same bytes.
            if line["address"] != "/api/v1/doctor":
                assert alone.json() == line["body"]
            assert line["headers"].get("etag") == alone.headers.get("etag")  # type: ignore[union-attr]


async def test_an_unknown_project_gives_way_to_the_current_one(recto: Served) -> None:
    expected = (await lines_of(recto, f"?project={'0' * 26}"))[0]["expected"]
    async with recto.script() as script:
        current = (await script.get("/api/v1/projects/current")).json()["id"]
    assert f"/api/v1/projects/{current}/chats?limit=500" in str(expected)


async def test_a_part_with_a_bug_leaves_the_others_as_they_are() -> None:
    app = FastAPI()
    app.add_exception_handler(Exception, on_bug)

    async def bad() -> None:
        raise ZeroDivisionError

    async def good() -> str:
        return "here"

    async def everything() -> Response:
        return ManyAnswers(app, ["/bad", "/good"])

    for address, answer in (("/bad", bad), ("/good", good), ("/all", everything)):
        app.add_api_route(address, answer, response_model=None)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://recto") as client:
        _, *lines = (await client.get("/all")).text.splitlines()

    found = {line["address"]: line["status"] for line in map(json.loads, lines)}
    assert found == {"/bad": 500, "/good": 200}


async def test_a_stranger_reads_nothing(recto: Served) -> None:
    async with recto.stranger() as stranger:
        assert (await stranger.get("/api/v1/start")).status_code == 401


def test_the_first_load_is_small_and_its_words_wait_for_nothing() -> None:
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    words = html.index("Opening the folder")
    named = [part.partition('"')[0] for part in html.split('src="/')[1:]]
    assert all(html.index(f'src="/{name}"') > words for name in named)
    assert html.index('rel="stylesheet"') > words
    assert sum(packed(STATIC / name) for name in named) <= FIRST_SCRIPT_BYTES


def packed(file: Path) -> int:
    """How many bytes of a script go over the wire."""
    return file.with_name(file.name + ".br").stat().st_size
