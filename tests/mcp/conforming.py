"""Our client, driven through one scenario of the conformance suite."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx

from recto.app import open_mcp
from recto.config import Home
from recto.mcp import McpServer
from recto.mcp.calls import PendingCall
from recto.mcp.definitions import ToolDefinition
from recto.tools import Elicitation, ElicitationAnswer

CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"
MOST_SIGN_INS = 2
"""How often our person tries; one server wants it twice, having moved to another issuer."""
SAMPLES: dict[str, Any] = {
    "string": "x",
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": [],
    "object": {},
}


async def drive(folder: Path, wanted: Mapping[str, Any]) -> None:
    """Connect, sign in where that is wanted, and call every tool once."""
    async with connected(folder, wanted) as server:
        state = await server.settled()
        for _ in range(MOST_SIGN_INS):
            if state.kind == "needs_sign_in":
                await sign_in(server)
                state = await server.settled()
        if state.kind != "ready":
            raise AssertionError(f"{state.kind}: {state.words}")
        planned: list[Any] = wanted["context"].get("toolCalls")
        calls = (
            [(item["name"], item.get("arguments", {})) for item in planned]
            if planned
            else [(tool.name, arguments_for(tool, server)) for tool in server.definitions]
        )
        for name, arguments in calls:
            await server.call(name, arguments, PendingCall(server.name, tell, accept))


@asynccontextmanager
async def connected(folder: Path, wanted: Mapping[str, Any]) -> AsyncGenerator[McpServer]:
    home = Home(folder / "home")
    for place in (home.folder, folder / "work"):
        await anyio.Path(place).mkdir(parents=True)
    async with open_mcp(home, folder / "work") as (servers, workspace):
        tested = {"url": wanted["url"], "clientMetadataUrl": CLIENT_DOCUMENT}
        if "client_secret" in wanted["context"]:
            client, secret = wanted["context"]["client_id"], wanted["context"]["client_secret"]
            tested["oauth"] = {"clientId": client, "clientSecret": secret}
        await servers.add("tested", tested)
        (server,) = (await servers.look("", workspace)).servers
        yield server


async def sign_in(server: McpServer) -> None:
    """What a person does on the settings page."""
    await visit(await server.sign_in())
    assert await server.signed_in(), server.log.lines


async def visit(address: str) -> None:
    """What a browser does: it opens the address and follows the way back."""
    # Only loopback is visited; and the machine may be slow.
    async with httpx.AsyncClient(verify=False, timeout=None, trust_env=False) as browser:
        answer = await browser.get(address)
        await browser.get(answer.headers["location"])


def arguments_for(tool: ToolDefinition, server: McpServer) -> dict[str, Any]:
    """Arguments that fit, as a model could write them."""
    if tool.name == "json_schema_echo":
        return {"schema": server.definitions[0].parameters}
    if tool.name == "add_numbers":
        return {"a": 5, "b": 3}
    fields: Mapping[str, Any] = tool.parameters.get("properties", {})
    return {
        name: field.get("default", SAMPLES.get(field.get("type"), "x"))
        for name, field in fields.items()
        if name in tool.parameters.get("required", ())
    }


async def tell(_: str) -> None:
    pass


async def accept(question: Elicitation) -> ElicitationAnswer:
    """What a person does who leaves a form as it was laid before them."""
    if question.url is not None:
        await visit(question.url)
    fields: Mapping[str, Any] = (question.schema or {}).get("properties", {})
    filled_in = {name: field["default"] for name, field in fields.items() if "default" in field}
    return ElicitationAnswer("accept", filled_in)
