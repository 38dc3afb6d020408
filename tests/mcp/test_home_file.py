"""Servers of the home as they come and go: no name twice, and nothing is left of one that went."""

import json
from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer
from tests.mcp.conforming import visit
from tests.mcp.conftest import lay_servers, program, talk_with
from tests.mcp.guarded_server import GuardedServer
from tests.mcp.talking import call_tool

pytestmark = pytest.mark.anyio


async def test_a_name_that_is_taken_is_refused_and_its_server_goes_on(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    lay_servers(tmp_path / "home", one=program())
    async with talk_with(upstream, tmp_path) as (talk, servers):
        await servers.ready("one")
        before = (tmp_path / "home" / "mcp.json").read_text(encoding="utf-8")
        refused = await talk.client.post(servers.address, json={"name": "one", "command": "true"})
        assert (refused.status_code, refused.json()["title"]) == (409, "Taken")
        assert "There is a server one already" in refused.json()["detail"]
        assert (tmp_path / "home" / "mcp.json").read_text(encoding="utf-8") == before
        assert (await servers.get("one"))["state"] == "ready"


async def test_of_a_removed_server_nothing_is_left_for_another_of_its_name(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    async with GuardedServer() as far:
        lay_servers(home, one=program(), far={"url": f"{far.url}/mcp"})
        async with talk_with(upstream, tmp_path) as (talk, servers):
            await servers.ready("one")
            await servers.put("one", "/tools/one__echo", {"permission": "allow"})
            await talk.client.put("/api/v1/tools/read_file", json={"permission": "deny"})
            await servers.put("one", "", {"inDocuments": True, "trustsWords": True})
            await servers.until("far", lambda server: server["state"] == "needs_sign_in")
            await visit((await servers.post("far", "/sign-in"))["url"])
            await servers.ready("far")
            for name in ("one", "far"):
                found = await servers.get(name)
                gone = await talk.client.delete(f"{servers.address}/{found['id']}")
                assert gone.status_code == 204, gone.text
            assert json.loads((home / "mcp-sign-ins.json").read_text(encoding="utf-8")) == []

            again = {"name": "one", **program(words="Another server.")}
            await talk.post(servers.address, again, status=201)
            new = await servers.ready("one")
            assert (new["inDocuments"], new["trustsWords"]) == (False, False)
            assert [tool["permission"] for tool in new["tools"]] == ["ask"]
            asked = await call_tool(talk, upstream, "one__echo", {"text": "x"}, answer="deny")
            assert (len(asked["asked"]), asked["state"]) == (1, "denied")
            rules = json.loads((home / "tools.json").read_text(encoding="utf-8"))
            assert (rules["allow"], rules["disabled"]) == ([], ["read_file"])
