"""Signing in to a server: once by a person, then renewed, and again in the chat that waits."""

from pathlib import Path

import anyio
import httpx2
import pytest

from recto.config import Home
from recto.mcp import McpSignIns
from tests.fakes.providers import AnthropicServer
from tests.mcp.conforming import visit
from tests.mcp.conftest import lay_servers, talk_with
from tests.mcp.guarded_server import GuardedServer
from tests.mcp.talking import call_tool
from tests.talk import Json

pytestmark = pytest.mark.anyio


def needs_sign_in(server: Json) -> bool:
    return server["state"] == "needs_sign_in"


async def test_a_sign_in_is_renewed_and_done_again_where_a_chat_waits(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    async with GuardedServer() as far:
        lay_servers(tmp_path / "home", far={"url": f"{far.url}/mcp"})
        async with talk_with(upstream, tmp_path) as (talk, servers):
            await servers.until("far", needs_sign_in)
            far.lasts_s = 30
            await visit((await servers.post("far", "/sign-in"))["url"])
            await servers.ready("far")
            # The first token was about to end, so it was renewed before it was used.
            assert (far.registered, far.renewed > 0) == (1, True)
            kept = tmp_path / "home" / "mcp-sign-ins.json"
            assert kept.stat().st_mode & 0o777 == 0o600

            # A token that is refused is renewed, and the call never knows.
            far.lasts_s = 3600
            assert (await call_tool(talk, upstream, "far__echo"))["text"] == "heard"
            renewed = far.renewed
            far.access.clear()
            assert (await call_tool(talk, upstream, "far__echo"))["text"] == "heard"
            assert (far.registered, far.renewed) == (1, renewed + 1)

            # Where nothing can be renewed, the chat asks, and waits.
            far.access.clear()
            far.refresh.clear()
            declined = await call_tool(talk, upstream, "far__echo", reply={"action": "decline"})
            assert declined["state"] == "error"
            assert "needs you to sign in" in declined["text"]
            assert needs_sign_in(await servers.get("far"))
            assert far.registered == 1, "what happens in the background registers nothing"

            reply = {"action": "accept", "content": None}
            again = await call_tool(talk, upstream, "far__echo", reply=reply, opens=visit)
            assert again["elicited"][0]["url"].startswith(f"{far.url}/authorize?")
            assert again["text"] == "heard"
            assert (await servers.get("far"))["state"] == "ready"


async def test_an_issuer_that_hangs_harms_its_own_servers_call_alone(
    upstream: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_ins = McpSignIns(Home(tmp_path))
    with anyio.fail_after(30):
        one, two = (
            sign_ins.renewing("https://one.example"),
            sign_ins.renewing("https://two.example"),
        )
        async with one, two:
            pass
    async with GuardedServer() as far:
        lay_servers(tmp_path / "home", far={"url": f"{far.url}/mcp"})
        async with talk_with(upstream, tmp_path) as (talk, servers):
            await servers.until("far", needs_sign_in)
            await visit((await servers.post("far", "/sign-in"))["url"])
            await servers.ready("far")
            far.access.clear()
            far.is_silent = True
            monkeypatch.setattr("recto.mcp.signing_in.oauth.RENEWAL", httpx2.Timeout(0.2))
            with anyio.fail_after(60):
                harmed = await call_tool(talk, upstream, "far__echo", reply={"action": "decline"})
            assert (harmed["state"], "sign in" in harmed["text"]) == ("error", True)
