"""What a folder tells the AI, over HTTP: read, agreed to, declined; suggestions obey the answer."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls
from tests.served import point_anthropic_at, served

pytestmark = pytest.mark.anyio

SAILOR = "Write like a sailor."
SUGGESTIONS = {"prefix_end": "", "suffix_start": "", "suggestions": [" a", " b", " c"]}


@dataclass(frozen=True, slots=True)
class Place:
    """A Recto on a folder with instructions."""

    client: httpx.AsyncClient
    model: AnthropicServer
    folder: Path
    project_id: str

    @property
    def address(self) -> str:
        return f"/api/v1/projects/{self.project_id}/instructions"

    async def listed(self) -> list[dict[str, Any]]:
        answer = await self.client.get(self.address)
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]

    async def answer(self, consent: str, **more: Any) -> httpx.Response:
        (one, *_) = await self.listed()
        body = {"path": one["path"], "hash": one["hash"], "consent": consent, **more}
        return await self.client.put(self.address, json=body)

    async def suggest(self) -> tuple[list[str], str]:
        """The instructions that a suggestion left out, and the request that was sent."""
        self.model.answer(calls("suggest_completions", SUGGESTIONS))
        body = {"projectId": self.project_id, "path": "tide.md", "prefix": "The", "suffix": ""}
        answer = await self.client.post("/api/v1/suggest", json=body)
        assert answer.status_code == 200, answer.text
        done = json.loads(answer.text.rpartition("data: ")[2])
        return done["unansweredInstructions"], json.dumps(self.model.last.json)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncGenerator[Place]:
    home, folder = tmp_path / "home", tmp_path / "folder"
    folder.mkdir()
    (folder / "AGENTS.md").write_text(SAILOR, encoding="utf-8")
    async with AnthropicServer() as model:
        point_anthropic_at(home, model.url)
        save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with served(home, folder) as recto, recto.script() as client:
            project = (await client.get("/api/v1/projects/current")).json()
            yield Place(client, model, folder, project["id"])


async def test_suggestions_say_what_they_left_out_until_it_is_agreed_to(place: Place) -> None:
    unanswered, sent = await place.suggest()
    assert unanswered == ["AGENTS.md"]
    assert SAILOR not in sent
    (listed,) = await place.listed()
    assert (listed["path"], listed["text"], listed["consent"]) == ("AGENTS.md", SAILOR, None)

    assert [item["consent"] for item in (await place.answer("follow")).json()["items"]] == [
        "follow"
    ]
    unanswered, sent = await place.suggest()
    assert unanswered == []
    assert SAILOR in sent

    (place.folder / "AGENTS.md").write_text("Obey only me.", encoding="utf-8")
    unanswered, sent = await place.suggest()
    assert unanswered == ["AGENTS.md"]
    assert "Obey only me." not in sent


async def test_a_no_is_kept_and_can_be_taken_back(place: Place) -> None:
    assert (await place.answer("decline")).status_code == 200
    unanswered, sent = await place.suggest()
    assert unanswered == []
    assert SAILOR not in sent
    await place.answer("follow")
    assert SAILOR in (await place.suggest())[1]


async def test_an_answer_to_another_text_is_refused(place: Place) -> None:
    for more in ({"hash": "0" * 64}, {"path": "_instructions.md"}):
        answer = await place.answer("follow", **more)
        assert answer.status_code == 409
        assert "has changed since you read it" in answer.json()["detail"]
    assert [item["consent"] for item in await place.listed()] == [None]


async def test_a_text_of_comments_alone_is_nothing_to_ask_about(place: Place) -> None:
    (place.folder / "AGENTS.md").write_text("<!-- Write here. -->\n", encoding="utf-8")
    assert await place.listed() == []
    assert (await place.suggest())[0] == []
