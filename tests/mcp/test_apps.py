"""Apps of servers: their frame's policy, and that they call their own server's tools alone."""

from pathlib import Path

import anyio
import pytest

from recto.mcp.apps import AppPage, app_of, frame_policy, page_of
from tests.fakes.providers import AnthropicServer
from tests.mcp.conftest import Servers, lay_servers, program, talk_with
from tests.mcp.talking import call_tool
from tests.mcp.test_chats import offered
from tests.talk import Json, Talk

pytestmark = pytest.mark.anyio
API, CDN = "https://api.example.org", "https://*.cdn.example.org"


def test_an_apps_frame_reaches_only_what_was_named_and_agreed_to() -> None:
    named = {"connectDomains": [API, "https://x.org; script-src *", "http://127.0.0.1"]}
    meta = {"ui": {"csp": {**named, "resourceDomains": [CDN, "*", "https://*", 3]}}}
    app = page_of("ui://a", "output:1", meta)
    assert app.origins == [API, CDN]
    shut = frame_policy(app, ())
    assert "connect-src 'none'" in shut
    assert "https" not in shut
    assert "sandbox allow-scripts" in shut
    assert "allow-same-origin" not in shut
    opened = frame_policy(app, (API, CDN, "https://never-named.org"))
    assert f"connect-src {API};" in opened
    assert f"script-src 'unsafe-inline' {CDN};" in opened
    assert "never-named" not in opened


def test_what_a_tool_says_of_apps_is_read_with_care() -> None:
    assert app_of(None) == ("", True, True)
    assert app_of({"ui": "nonsense"}) == ("", True, True)
    assert app_of({"ui": {"resourceUri": "https://evil.org"}}) == ("", True, True)
    assert app_of({"ui": {"resourceUri": "ui://a", "visibility": ["app"]}}) == (
        "ui://a",
        False,
        True,
    )
    assert app_of({"ui/resourceUri": "ui://old"}) == ("ui://old", True, True)
    assert page_of("ui://a", "output:1", {"ui": {"csp": 7}}) == AppPage("ui://a", "output:1")


class ShownApp:
    """A tool's answer as the page asks for it."""

    def __init__(self, talk: Talk, result: Json) -> None:
        self.talk = talk
        handle = result["artifact"]["handle"]
        self.address = f"/api/v1/projects/{talk.project_id}/tool-answers/{handle}"

    async def get(self) -> Json:
        answer = await self.talk.client.get(self.address)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def call(self, name: str, arguments: Json, *, approved: bool = False) -> Json:
        body = {"name": name, "arguments": arguments, "approved": approved}
        answer = await self.talk.client.post(f"{self.address}/calls", json=body)
        return answer.json() if answer.status_code == 200 else {"state": answer.status_code}


async def test_an_app_is_kept_with_its_answer_and_calls_under_our_permissions(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    tools = ["panel", "refresh", "echo"]
    csp = {"connectDomains": [API]}
    one = program(tools=tools, file=str(notes), app="<h1>Levels</h1>", csp=csp)
    lay_servers(tmp_path / "home", one=one, two=program(tools=["echo"]))
    async with talk_with(upstream, tmp_path) as (talk, servers):
        found = await call_tool(talk, upstream, "one__panel", {"text": "Brest"})
        assert "one__panel" in offered(upstream)
        assert "one__refresh" not in offered(upstream), "only apps see it"
        assert found["artifact"]["hasApp"]
        app = ShownApp(talk, found)
        answer = await app.get()
        assert (answer["tool"], answer["arguments"]) == ("panel", {"text": "Brest"})
        assert answer["result"]["structuredContent"] == {"of": {"text": "Brest"}}
        assert answer["app"] == {"hasBorder": True, "agreed": [], "wanted": [API]}

        page = await talk.client.get(f"{app.address}/app")
        assert page.text == "<h1>Levels</h1>"
        policy = page.headers["content-security-policy"]
        assert "connect-src 'none'" in policy
        assert policy.endswith("sandbox allow-scripts")
        await servers.put("one", "", {"appOrigins": [f"{API}; script-src *"]}, status=422)
        await servers.put("one", "", {"appOrigins": [API]})
        again = await talk.client.get(f"{app.address}/app")
        assert f"connect-src {API};" in again.headers["content-security-policy"]

        await calls_are_judged(app, servers, notes)
        read = await talk.client.post(f"{app.address}/resources", json={"uri": "memo://one"})
        assert read.json()["result"]["contents"][0]["text"] == "The words of memo://one."

        # An app whose server is off is still shown, and calls nothing.
        await servers.put("one", "", {"isOn": False})
        assert (await talk.client.get(f"{app.address}/app")).text == "<h1>Levels</h1>"
        assert (await app.call("echo", {}, approved=True))["state"] == 422
        missing = app.address.replace(found["artifact"]["handle"], "output:0000000000000000")
        assert (await talk.client.get(missing)).status_code == 404


async def calls_are_judged(app: ShownApp, servers: Servers, notes: Path) -> None:
    """It asks; then it is called once. What is not for apps, or another server's, is not there."""
    asked = await app.call("refresh", {"text": "now"})
    assert (asked["state"], asked["name"]) == ("asks", "one__refresh")
    noted = await anyio.Path(notes).read_text("utf-8")
    assert "called refresh" not in noted
    done = await app.call("refresh", {"text": "now"}, approved=True)
    assert done["result"]["content"] == [{"type": "text", "text": "now"}]
    assert (await app.call("panel", {}, approved=True))["state"] == 404
    assert (await app.call("two__echo", {}, approved=True))["state"] == 404
    wrong = await app.call("refresh", {"text": 3}, approved=True)
    assert (wrong["state"], "is not of type" in wrong["why"]) == ("failed", True)
    await servers.put("one", "/tools/one__refresh", {"permission": "allow"})
    assert (await app.call("refresh", {}))["state"] == "answered"
    await servers.put("one", "/tools/one__refresh", {"permission": "deny"})
    assert (await app.call("refresh", {}, approved=True))["state"] == "denied"
