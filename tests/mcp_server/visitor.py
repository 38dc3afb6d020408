"""Another program that calls Recto's tools, at either revision of the protocol."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx

Json = dict[str, Any]
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ACCEPTED = "application/json, text/event-stream"
numbers = count(1)


@dataclass(slots=True)
class Visitor:
    """A program of some name."""

    client: httpx.AsyncClient
    name: str = "Zed"
    path: str = "/mcp"
    session: str | None = None
    """The session of an old client; a new one has none."""

    async def begin_session(self) -> None:
        """Shake hands as clients of the old revisions do."""
        params = {
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": self.name, "version": "1"},
        }
        body = {"jsonrpc": "2.0", "id": next(numbers), "method": "initialize", "params": params}
        answer = await self.client.post(self.path, json=body, headers={"accept": ACCEPTED})
        assert answer.json()["result"]["protocolVersion"] == LEGACY, answer.text
        self.session = answer.headers["mcp-session-id"]
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await self.post(told)).status_code == 202

    async def ask(self, method: str, **params: Any) -> Json:
        """The whole answer to a request."""
        meta: Json = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        sent = params if self.session else {**params, "_meta": meta}
        body = {"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": sent}
        return (await self.post(body)).json()

    async def post(self, body: Json) -> httpx.Response:
        """Send a message."""
        headers = {"accept": ACCEPTED}
        if self.session:
            headers |= {"mcp-session-id": self.session, "mcp-protocol-version": LEGACY}
        else:
            headers |= {"mcp-protocol-version": MODERN, "mcp-method": body["method"]}
            if "name" in body["params"]:
                headers["mcp-name"] = body["params"]["name"]
        return await self.client.post(self.path, json=body, headers=headers)

    async def call(self, tool: str, **arguments: Any) -> str:
        """What a tool answers, if it does not fail."""
        result = (await self.ask("tools/call", name=tool, arguments=arguments))["result"]
        assert not result.get("isError"), result
        return result["content"][0]["text"]

    async def fail(self, tool: str, **arguments: Any) -> str:
        """What a tool says that fails."""
        result = (await self.ask("tools/call", name=tool, arguments=arguments))["result"]
        assert result["isError"], result
        return result["content"][0]["text"]
