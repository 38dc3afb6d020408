"""An export of one Recto comes into another, once, as it was."""

import json

import pytest

from tests.fakes.providers import AnthropicServer, says
from tests.talk import Talk, texts

pytestmark = pytest.mark.anyio


async def test_an_exported_chat_comes_back_once(talk: Talk, upstream: AnthropicServer) -> None:
    upstream.answer(says("The bore runs up the Severn."))
    await talk.ask("Which river?")
    exported = await talk.client.get(talk.path("export"), params={"format": "json"})
    address = f"/api/v1/projects/{talk.project_id}/chats/import"
    first = await talk.client.post(address, content=exported.content)
    assert first.json() == {"imported": 1, "known": 0, "skipped": []}
    again = await talk.client.post(address, content=exported.content)
    assert again.json() == {"imported": 0, "known": 1, "skipped": []}

    listed = await talk.client.get(f"/api/v1/projects/{talk.project_id}/chats")
    (copy,) = [item for item in listed.json()["items"] if item["id"] != talk.chat_id]
    other = Talk(talk.client, talk.project_id, copy["id"])
    assert texts(await other.entries()) == ["The bore runs up the Severn."]
    upstream.answer(says("Twice a day."))
    await other.ask("How often?")
    assert "The bore runs up the Severn." in json.dumps(upstream.last.json)


async def test_what_is_no_export_says_so_and_adds_nothing(talk: Talk) -> None:
    address = f"/api/v1/projects/{talk.project_id}/chats/import"
    answer = await talk.client.post(address, content=b"not an export")
    assert answer.status_code == 200
    assert answer.json()["imported"] == 0
    assert len(answer.json()["skipped"]) == 1
