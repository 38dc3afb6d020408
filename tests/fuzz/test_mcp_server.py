"""Whatever comes to /mcp is answered in JSON, and is never the server's own error."""

import json
from typing import Any, cast

import httpx
import pytest
from anyio import from_thread, to_thread
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from tests.fuzz.place import Place
from tests.fuzz.test_every_route import FUZZ
from tests.mcp_server.visitor import ACCEPTED, LEGACY, MODERN

pytestmark = pytest.mark.anyio

TOOLS = ("read_file", "edit_file", "write_file", "search_content", "answer_thread", "what_changed")
WORDS = st.sampled_from(["path", "tides.md", "", "..", "thread", "\ud800", "\x00", "a" * 300])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(["tools/call", "tools/list", "initialize", "server/discover", "ping", ""])
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "\u202eZed\n" * 40, "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
EXAMPLES = 10


def body(data: DataObject) -> Any:
    """A message: of any shape, or nearly right."""
    if data.draw(st.integers(0, 4)) == 0:
        return data.draw(VALUES)
    names = ("path", "query", "old_string", "new_string", "content", "thread", "text", "hours")
    arguments = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=4) | VALUES)
    params = {"name": data.draw(st.sampled_from(TOOLS) | WORDS), "arguments": arguments}
    meta = data.draw(st.sampled_from([META, META, {}]) | VALUES)
    method = data.draw(METHODS)
    number = data.draw(st.integers(0, 9) | VALUES)
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params | {"_meta": meta}}


async def test_whatever_comes_is_answered_in_json(places: tuple[Place, ...]) -> None:
    place = places[0]

    @given(data=st.data())
    @FUZZ
    def fuzz(data: DataObject) -> None:
        for _ in range(EXAMPLES):
            sent = body(data)
            version = data.draw(st.sampled_from([MODERN, MODERN, LEGACY, "2020-01-01", None]))
            headers = {"accept": ACCEPTED, "content-type": "application/json"}
            headers |= {} if version is None else {"mcp-protocol-version": version}
            if isinstance(sent, dict) and version == MODERN:
                fields = cast("dict[str, Any]", sent)
                headers |= {"mcp-method": str(fields.get("method"))}
                name: str = fields["params"]["name"] if "params" in fields else ""
                headers |= {"mcp-name": name} if name.isascii() and name.isprintable() else {}
            answer = from_thread.run(post, place, json.dumps(sent).encode(), headers)
            assert answer.status_code < 500, (sent, answer.text)
            assert not answer.content or isinstance(answer.json(), dict), answer.text

    await to_thread.run_sync(fuzz)
    health = await place.clients[0].get("/api/v1/health")
    (mcp,) = [task for task in health.json()["tasks"] if task["name"] == "MCP endpoint"]
    assert mcp["failures"] == 0


async def post(place: Place, content: bytes, headers: dict[str, str]) -> httpx.Response:
    return await place.clients[0].post("/mcp", content=content, headers=headers)
