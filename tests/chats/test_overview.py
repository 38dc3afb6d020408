"""What goes along by itself for a model that can't look into the folder."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer, says
from tests.served import Served, served
from tests.talk import MODEL, Json, Talk, open_talk, talk_to

pytestmark = pytest.mark.anyio

README = "# Tide gauges\n\nThis project separates the tide from the weather.\n"
BRIEF = "brief"


def lay_folder(folder: Path) -> None:
    (folder / "pipeline").mkdir(parents=True)
    (folder / "README.md").write_text(README, encoding="utf-8")
    (folder / "pipeline" / "fit.py").write_text("print(1)\n", encoding="utf-8")
    (folder / ".env").write_text("SECRET=1\n", encoding="utf-8")


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    """A Recto with the built-in model, which is not to talk for long."""
    lay_folder(tmp_path / "folder")
    (tmp_path / "home").mkdir()
    brief = {"id": BRIEF, "name": "Brief", "provider": "builtin", "model": "smollm2-135m"}
    models = {"models": [{**brief, "maxOutput": 24}]}
    (tmp_path / "home" / "models.json").write_text(json.dumps(models), encoding="utf-8")
    async with served(tmp_path / "home", tmp_path / "folder") as running:
        yield running


@pytest.fixture
async def talk(recto: Served) -> AsyncGenerator[Talk]:
    async with recto.script() as client:
        project = (await client.get("/api/v1/projects/current")).json()
        yield await open_talk(client, project["id"], BRIEF)


def attached(entry: Json) -> list[tuple[str, str]]:
    return [(row["origin"], row["path"]) for row in entry["attached"]]


async def parts(talk: Talk, text: str) -> list[Json]:
    """What a question would send."""
    body = {"chatId": talk.chat_id, "turn": {"text": text}, "texts": True}
    preview = await talk.client.post(f"/api/v1/projects/{talk.project_id}/preview", json=body)
    assert preview.status_code == 200, preview.text
    return preview.json()["parts"]


async def test_the_first_question_to_the_built_in_model_brings_the_readme_and_names(
    talk: Talk,
) -> None:
    await talk.say("What is this folder about?")
    (first,) = await talk.entries("user")
    origins = [part["origin"] for part in await parts(talk, "And more?")]
    assert attached(first) == [("names", "names of files"), ("file", "README.md")]
    assert origins.count("names") == 1, "it stands in the chat already"


async def test_what_a_person_attaches_goes_alone(talk: Talk) -> None:
    await talk.say("What does it do?", files=["pipeline/fit.py"])
    (first,) = await talk.entries("user")
    assert attached(first) == [("file", "pipeline/fit.py")]


async def test_what_is_kept_from_the_ai_is_not_named(talk: Talk) -> None:
    sent = await parts(talk, "What is this folder about?")
    (names,) = [item for item in sent if item["origin"] == "names"]
    assert "README.md\npipeline/fit.py" in names["text"]
    assert ".env" not in names["text"]


async def test_a_model_with_tools_looks_for_itself(tmp_path: Path) -> None:
    lay_folder(tmp_path / "folder")
    async with AnthropicServer() as upstream, talk_to(upstream, tmp_path) as talk:
        upstream.answer(says("Tides."))
        await talk.say("What is this folder about?", model=MODEL)
        (first,) = await talk.entries("user")
    assert attached(first) == []


async def test_a_transform_that_the_built_in_model_does_badly_is_refused(talk: Talk) -> None:
    document = {"path": "README.md", "selection": {"start": 0, "end": 13}}
    body = {"profile": "document", "document": document, "transform": {"id": "fix"}}
    answer = await talk.client.post(talk.path("turns"), json={**body, "text": ""})
    models = (await talk.client.get("/api/v1/models")).json()["items"]
    (brief,) = [model for model in models if model["id"] == BRIEF]
    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        "Brief is too small for “Fix spelling and grammar”.",
    )
    assert (brief["hasTools"], brief["transforms"]) == (False, [])
