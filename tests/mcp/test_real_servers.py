"""Servers that people use, as they are published: each of their tools is called once, in a chat."""

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from scripts.page import node_files
from tests.fakes.providers import AnthropicServer, calls, says
from tests.mcp.conftest import lay_servers, talk_with
from tests.talk import Json, Talk, ended

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
PUBLISHED = Path(__file__).parent.parent / "npm/node_modules/@modelcontextprotocol"
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
    "awAAAABJRU5ErkJggg=="
)
FAILING = {("everything", "simulate-research-query")}
"""It works only as a task of the revision before, which the protocol has given up."""
Calls = list[tuple[str, Json, str]]
"""A tool, its arguments, and words of its answer."""


def from_npm(name: str, *arguments: str, **env: str) -> Json:
    program = str(PUBLISHED / name / "dist/index.js")
    return {"command": str(node_files()[0]), "args": [program, *arguments], "env": env}


def from_pypi(module: str, *arguments: str) -> Json:
    return {"command": sys.executable, "args": ["-m", module, *arguments]}


def everything() -> Calls:
    return [
        ("echo", {"message": "Hello."}, "Hello."),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}, "Error"),
        ("get-env", {}, "PATH"),
        ("get-resource-links", {"count": 2}, "demo://resource"),
        ("get-resource-reference", {"resourceType": "Blob", "resourceId": 1}, "demo://resource"),
        ("get-structured-content", {"location": "Chicago"}, "temperature"),
        ("get-sum", {"a": 2, "b": 3}, "5"),
        ("get-tiny-image", {}, "image"),
        (
            "gzip-file-as-resource",
            {"name": "a.gz", "data": "data:text/plain,a", "outputType": "resourceLink"},
            "a.gz",
        ),
        ("simulate-research-query", {"topic": "tides"}, "task"),
        ("toggle-simulated-logging", {}, "logging"),
        ("toggle-subscriber-updates", {}, "updates"),
        ("trigger-elicitation-request", {}, "declined"),
        ("trigger-long-running-operation", {"duration": 0.1, "steps": 1}, "completed"),
        ("trigger-url-elicitation", {"url": "https://sign.example/now"}, "decline"),
    ]


def filesystem(folder: Path) -> Calls:
    def at(name: str) -> str:
        return str(folder / name)

    edits = [{"oldText": "Ebb", "newText": "Flood"}]
    return [
        ("write_file", {"path": at("a.md"), "content": "Ebb and flow.\n"}, "wrote"),
        ("edit_file", {"path": at("a.md"), "edits": edits}, "+Flood and flow."),
        ("read_file", {"path": at("a.md")}, "Flood and flow."),
        ("read_text_file", {"path": at("a.md"), "head": 1}, "Flood and flow."),
        ("read_multiple_files", {"paths": [at("a.md")]}, "Flood and flow."),
        ("read_media_file", {"path": at("dot.png")}, "image"),
        ("create_directory", {"path": at("deep")}, "deep"),
        ("move_file", {"source": at("a.md"), "destination": at("deep/b.md")}, "moved"),
        ("list_directory", {"path": at("deep")}, "b.md"),
        ("list_directory_with_sizes", {"path": at("deep")}, "b.md"),
        ("directory_tree", {"path": str(folder)}, "deep"),
        ("search_files", {"path": str(folder), "pattern": "**/*.md"}, "b.md"),
        ("get_file_info", {"path": at("deep/b.md")}, "size"),
        ("list_allowed_directories", {}, str(folder)),
    ]


def memory() -> Calls:
    tide: Json = {"name": "tide", "entityType": "idea", "observations": ["rises"]}
    moon: Json = {"name": "moon", "entityType": "thing", "observations": []}
    pulls = {"from": "moon", "to": "tide", "relationType": "pulls"}
    more = {"entityName": "tide", "contents": ["falls"]}
    less = {"entityName": "tide", "observations": ["falls"]}
    return [
        ("create_entities", {"entities": [tide, moon]}, "tide"),
        ("create_relations", {"relations": [pulls]}, "pulls"),
        ("add_observations", {"observations": [more]}, "falls"),
        ("search_nodes", {"query": "rises"}, "tide"),
        ("open_nodes", {"names": ["moon"]}, "thing"),
        ("delete_observations", {"deletions": [less]}, "deleted"),
        ("delete_relations", {"relations": [pulls]}, "deleted"),
        ("delete_entities", {"entityNames": ["moon"]}, "deleted"),
        ("read_graph", {}, "rises"),
    ]


def git(folder: Path) -> Calls:
    repo = {"repo_path": str(folder)}
    return [
        ("git_status", repo, "b.md"),
        ("git_diff_unstaged", repo, "+More."),
        ("git_reset", repo, "reset"),
        ("git_add", {**repo, "files": ["a.md", "b.md"]}, "staged"),
        ("git_diff_staged", repo, "+More."),
        ("git_commit", {**repo, "message": "Second"}, "committed"),
        ("git_log", {**repo, "max_count": 2}, "First"),
        ("git_create_branch", {**repo, "branch_name": "side"}, "side"),
        ("git_checkout", {**repo, "branch_name": "side"}, "side"),
        ("git_diff", {**repo, "target": "HEAD~1"}, "+More."),
        ("git_show", {**repo, "revision": "HEAD~1"}, "First"),
        ("git_branch", {**repo, "branch_type": "local"}, "side"),
    ]


def lay_repository(folder: Path) -> None:
    def run(*arguments: str) -> None:
        names = ["-c", "user.name=A", "-c", "user.email=a@b.example"]
        subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)

    folder.mkdir()
    run("init", "-b", "main")
    run("config", "user.name", "A")
    run("config", "user.email", "a@b.example")
    (folder / "a.md").write_text("Words.\n", encoding="utf-8")
    run("add", "a.md")
    run("commit", "-m", "First")
    (folder / "a.md").write_text("Words.\nMore.\n", encoding="utf-8")
    (folder / "b.md").write_text("New.\n", encoding="utf-8")


@asynccontextmanager
async def page_of_words() -> AsyncGenerator[str]:
    """A page of the web, on loopback."""

    async def show(_: web.Request) -> web.Response:
        return web.Response(text="<h1>Tides</h1><p>High water.</p>", content_type="text/html")

    app = web.Application()
    app.router.add_get("/{any:.*}", show)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/tides"
    finally:
        await runner.cleanup()


async def call_each(
    talk: Talk, upstream: AnthropicServer, server: str, wanted: Calls
) -> dict[str, Json]:
    """One turn in which the model calls one tool after the other; what each answered."""
    begun = (await talk.view())["lastEvent"]
    for name, arguments, _ in wanted:
        upstream.answer(calls(f"{server}__{name}", arguments))
    upstream.answer(says("Done."))
    turn = await talk.say("Try them all.")
    names, results = dict[str, str](), dict[str, Json]()
    async for event in talk.follow(begun):
        match event["kind"]:
            case "approval":
                names[event["callId"]] = event["name"].removeprefix(f"{server}__")
                await talk.answer(event, "once")
            case "elicitation":
                address = f"/api/v1/elicitations/{event['elicitationId']}"
                await talk.post(address, {"action": "decline"}, status=204)
            case "call_ended":
                results[names[event["result"]["callId"]]] = event["result"]
            case _:
                pass
        if ended(turn)(event):
            assert event["state"] == "finished", event
            break
    return results


def told(result: dict[str, Any]) -> str:
    """Everything a result says, in lower case."""
    return json.dumps(result, ensure_ascii=False).lower()


async def test_each_tool_of_servers_that_people_use_works_in_a_chat(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    files, repository = tmp_path / "files", tmp_path / "repository"
    files.mkdir()
    (files / "dot.png").write_bytes(b64decode(PICTURE))
    lay_repository(repository)
    kept = str(tmp_path / "memory.jsonl")
    lay_servers(
        tmp_path / "home",
        everything=from_npm("server-everything"),
        filesystem=from_npm("server-filesystem", str(files)),
        memory=from_npm("server-memory", MEMORY_FILE_PATH=kept),
        git=from_pypi("mcp_server_git"),
        # Where it finds a Node, it has npm fetch packages before it reads its first page.
        fetch={
            **from_pypi("mcp_server_fetch", "--ignore-robots-txt", "--allow-private-ips"),
            "env": {"PATH": str(tmp_path)},
        },
    )
    async with page_of_words() as page, talk_with(upstream, tmp_path) as (talk, servers):
        plans = {
            "everything": everything(),
            "filesystem": filesystem(files),
            "memory": memory(),
            "git": git(repository),
            "fetch": [("fetch", {"url": page}, "High water.")],
        }
        for server, plan in plans.items():
            ready = await servers.ready(server)
            assert {tool["ownName"] for tool in ready["tools"]} == {name for name, *_ in plan}
            results = await call_each(talk, upstream, server, plan)
            for name, _, words in plan:
                assert words.lower() in told(results[name]), (server, name, results[name])
                failed = results[name]["state"] == "error"
                assert failed == ((server, name) in FAILING), (server, name, results[name])
