"""Suggestions over HTTP: streamed, stopped, decided on, and counted."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from recto.assist.confidence import NOT_IN_A_CALL
from recto.config import Home, Secret, Trust, save_keys
from recto.workspace import content_hash
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls
from tests.served import Served, point_anthropic_at, served

pytestmark = pytest.mark.anyio

ANSWER = {
    "prefix_end": "comes in twice",
    "suffix_start": "",
    "suggestions": [" a day.", " a day, and goes.", "twice in [value] hours."],
}
CALL = calls("suggest_completions", ANSWER)


@dataclass(frozen=True, slots=True)
class Place:
    """A Recto on a folder, with a model to ask."""

    recto: Served
    model: AnthropicServer
    project_id: str

    def body(self, **values: str) -> dict[str, str]:
        told = {"path": "tide.md", "prefix": "The tide comes in twice", "suffix": "", **values}
        return {"projectId": self.project_id, **told}

    async def ask(self, client: httpx.AsyncClient, **values: str) -> list[tuple[str, Any]]:
        answer = await client.post("/api/v1/suggest", json=self.body(**values))
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [read(frame) for frame in answer.text.split("\n\n") if frame.startswith("event")]


def read(frame: str) -> tuple[str, Any]:
    name, data = frame.split("\n")
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Place]:
    folder = tmp_path_factory.mktemp("suggest")
    async with AnthropicServer() as model:
        point_anthropic_at(folder / "home", model.url)
        save_keys(Home(folder / "home"), {"ANTHROPIC_API_KEY": Secret("test-key")})
        write_folder(folder / "folder")
        async with served(folder / "home", folder / "folder") as recto, recto.script() as client:
            project = (await client.get("/api/v1/projects/current")).json()
            yield Place(recto, model, project["id"])


def write_folder(folder: Path) -> None:
    folder.mkdir()
    (folder / "tide.md").write_text("The tide comes in twice", encoding="utf-8")
    (folder / ".env").write_text("KEY=1", encoding="utf-8")
    (folder / "_instructions.md").write_text("Write like a sailor.", encoding="utf-8")


async def test_suggestions_stream_and_say_where_they_come_from(place: Place) -> None:
    place.model.answer(CALL)
    async with place.recto.script() as client:
        *offered, (name, done) = await place.ask(client)

    first = offered[0][1]
    assert [name for name, _ in offered] == ["suggestion"] * 3
    assert first == {
        "id": done["id"],
        "index": 0,
        "text": " a day.",
        "confidence": None,
        "confidenceSource": "unknown",
        "confidenceReason": NOT_IN_A_CALL,
    }
    assert [item["text"] for _, item in offered] == [
        " a day.",
        " a day, and goes.",
        " in [value] hours.",
    ]
    assert (name, done["count"], done["reason"]) == ("done", 3, None)
    assert done["provenance"]["modelId"] == "anthropic/claude-haiku-5-5"
    assert done["provenance"]["promptTemplateId"] == "ghost/1"
    assert [confidence["confidenceReason"] for confidence in done["confidences"]] == [
        NOT_IN_A_CALL
    ] * 3


async def test_instructions_count_once_somebody_agreed_to_them(place: Place) -> None:
    words = "Write like a sailor."
    async with place.recto.script() as client:
        await place.ask(client)
        assert words not in json.dumps(place.model.last.json)
        trust = Trust(place.recto.home)
        root = str(place.recto.folder.resolve())
        trust.trust(root, "_instructions.md", content_hash(words.encode()))
        await place.ask(client)
        assert words in json.dumps(place.model.last.json)


async def test_a_secret_is_not_sent(place: Place) -> None:
    before = len(place.model.exchanges)
    async with place.recto.script() as client:
        ((name, done),) = await place.ask(client, path=".env")

    assert (name, done["count"], done["reason"]) == ("done", 0, "This file is kept from AI.")
    assert len(place.model.exchanges) == before


async def test_a_text_that_is_not_on_the_disk_any_more_is_written_on(place: Place) -> None:
    place.model.answer(CALL)
    async with place.recto.script() as client:
        *_, (name, done) = await place.ask(client, path="gone/tide.md")

    assert (name, done["count"]) == ("done", 3)


async def test_a_provider_that_fails_is_no_problem_of_the_page(place: Place) -> None:
    place.model.script(Fault(status=400, message="No."))
    async with place.recto.script() as client:
        ((name, done),) = await place.ask(client)

    assert (name, done["count"], done["reason"]) == ("done", 0, "No.")


async def test_closing_the_request_stops_the_model(place: Place) -> None:
    gate = Gate()
    place.model.answer(CALL, fault=Fault(drip=True, gate=gate))
    async with place.recto.script() as client:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(partial(client.post, "/api/v1/suggest", json=place.body()))
                await gate.arrived.wait()
                tasks.cancel_scope.cancel()
            await place.model.last.gone.wait()


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"prefix": "x" * 20_001}, 422),
        ({"path": ""}, 422),
        ({"projectId": "no-id"}, 422),
        ({"projectId": "0" * 26}, 404),
        ({"path": "../tide.md"}, 422),
        ({"surprise": "x"}, 422),
    ],
)
async def test_bad_input_is_refused(place: Place, values: dict[str, str], status: int) -> None:
    async with place.recto.script() as client:
        answer = await client.post("/api/v1/suggest", json={**place.body(), **values})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


async def test_half_a_character_is_no_text(place: Place) -> None:
    body = json.dumps(place.body()).replace("The tide", "\\ud83d tide")
    async with place.recto.script() as client:
        headers = {"content-type": "application/json"}
        answer = await client.post("/api/v1/suggest", content=body, headers=headers)
    assert answer.status_code == 422, answer.text


async def test_what_was_taken_with_an_unknown_confidence_teaches_nothing(place: Place) -> None:
    async with place.recto.script() as client:
        for outcome in ("accepted", "dismissed"):
            place.model.answer(CALL)
            *_, (_, done) = await place.ask(client)
            said = {"outcome": outcome, "index": 1, "characters": 4}
            answer = await client.post(f"/api/v1/suggestions/{done['id']}/outcome", json=said)
            assert answer.status_code == 204
        found = (await client.get("/api/v1/calibration")).json()
        gone = await client.post(f"/api/v1/suggestions/{'0' * 26}/outcome", json=said)
        odd = await client.post(
            f"/api/v1/suggestions/{done['id']}/outcome", json={**said, "index": 5}
        )

    assert found == {"sources": [], "count": 0}
    assert (gone.status_code, odd.status_code) == (404, 422)
