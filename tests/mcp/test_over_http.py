"""Servers at an address: one Recto uses the tools of another, over streamable HTTP."""

from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer
from tests.mcp.conftest import lay_servers, talk_with
from tests.mcp.talking import call_tool
from tests.served import TOKEN, served

pytestmark = pytest.mark.anyio


async def test_another_rectos_tools_work_in_a_chat_and_its_refusal_is_told(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    async with served(tmp_path / "far-home", tmp_path / "far") as far:
        (far.folder / "tides.md").write_text("High water at noon.\n", encoding="utf-8")
        address = {"url": f"{far.url}/mcp"}
        bearer = {"headers": {"Authorization": "Bearer ${FAR_TOKEN}"}}
        lay_servers(tmp_path / "home", far={**address, **bearer}, closed=address)
        async with talk_with(upstream, tmp_path) as (talk, servers):
            keyless = await servers.until("far", lambda one: one["state"] != "starting")
            assert "There is no key FAR_TOKEN" in keyless["words"]
            await talk.client.put("/api/v1/keys/FAR_TOKEN", json={"value": TOKEN})
            await servers.post("far", "/restart")
            ready = await servers.ready("far")
            assert (ready["transport"], ready["revision"]) == ("http", "2026-07-28")
            assert TOKEN not in str(ready), "a key is shown by its name only"
            assert await servers.put("far", "", ready) == ready, "what is read can be put back"
            read = await call_tool(talk, upstream, "far__read_file", {"path": "tides.md"})
            assert "High water at noon." in read["text"]
            missing = await call_tool(talk, upstream, "far__read_file", {"path": "../secret"})
            assert missing["state"] == "error"
            closed = await servers.until("closed", lambda one: one["state"] != "starting")
            assert closed["state"] == "needs_sign_in"
