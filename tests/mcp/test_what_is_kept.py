"""What is known of a server before it answers: what discovery told, and its picture."""

import json
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream
from mcp_types import Icon

from recto.mcp.icons import icon_of
from tests.fakes.providers import AnthropicServer
from tests.mcp.conftest import lay_servers, program, talk_with

pytestmark = pytest.mark.anyio
CARRIED = "data:image/png;base64,iVBORw0KGgo="


async def test_what_discovery_told_is_kept_over_a_restart(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    lay_servers(tmp_path / "home", one=program(modern=True, file=str(notes)))
    for _ in range(2):
        async with talk_with(upstream, tmp_path) as (_, servers):
            found = await servers.ready("one")
            assert (found["revision"], len(found["tools"])) == ("2026-07-28", 1)
            # Off and on again: what is under way by itself is over then.
            await servers.put("one", "", {"isOn": False})
            await servers.put("one", "", {"isOn": True})
            await servers.ready("one")
    starts = notes.read_text("utf-8").split("started ")[1:]
    assert [start.splitlines()[1] for start in starts] == [
        "asked what it can do",
        "listed its tools",
        "listed its tools",
        "listed its tools",
    ]


async def test_a_server_that_is_not_what_it_was_is_asked_anew(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    notes, home = tmp_path / "notes", tmp_path / "home"
    turned = tmp_path / "old"
    lay_servers(home, one=program(modern=True, file=str(notes), old_if=str(turned)))
    async with talk_with(upstream, tmp_path) as (_, servers):
        await servers.ready("one")
        turned.touch()
        await servers.put("one", "", {"isOn": False})
        await servers.put("one", "", {"isOn": True})
        old = await servers.until("one", lambda one: one["revision"] == "2025-11-25")
        assert old["state"] == "ready"


async def test_a_server_that_says_something_else_at_each_start_runs(
    upstream: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.mcp.server.FIRST_PAUSE_S", 0.01)
    notes = tmp_path / "notes"
    lay_servers(tmp_path / "home", one=program(modern=True, restless=True, file=str(notes)))
    async with talk_with(upstream, tmp_path) as (_, servers):
        await servers.ready("one")
        await servers.put("one", "", {"isOn": False})
        await servers.put("one", "", {"isOn": True})
        await servers.until(
            "one",
            lambda one: one["state"] == "ready" and notes.read_text("utf-8").count("started") == 3,
        )
        starts = notes.read_text("utf-8").split("started ")[1:]
        # What was kept did not hold, so it is asked first, not taken at its last word again.
        assert [start.splitlines()[1] for start in starts] == [
            "asked what it can do",
            "listed its tools",
            "asked what it can do",
        ]


@pytest.mark.parametrize("modern", [False, True])
async def test_a_server_is_told_of_questions_tasks_and_apps_and_of_nothing_given_up(
    upstream: AnthropicServer, tmp_path: Path, modern: bool
) -> None:
    able = tmp_path / "able"
    lay_servers(tmp_path / "home", one=program(modern=modern, able=str(able)))
    async with talk_with(upstream, tmp_path) as (_, servers):
        await servers.ready("one")
        told = json.loads(able.read_text("utf-8").splitlines()[-1])
        # No roots, no sampling.
        assert told.keys() - {"extensions"} == {"elicitation"}
        assert set(told["elicitation"]) == {"form", "url"}
        if modern:
            names = {"io.modelcontextprotocol/tasks", "io.modelcontextprotocol/ui"}
            assert told["extensions"].keys() == names


async def test_a_servers_picture_is_its_own(upstream: AnthropicServer, tmp_path: Path) -> None:
    icons = [{"src": "https://elsewhere.example/icon.png"}, {"src": CARRIED}]
    lay_servers(tmp_path / "home", one=program(icons=icons))
    async with talk_with(upstream, tmp_path) as (_, servers):
        found = await servers.until("one", lambda one: one["icon"] != "")
        assert found["icon"] == CARRIED


async def test_a_picture_is_read_from_the_servers_own_host_alone() -> None:
    asked: list[bytes] = []

    async def answer(stream: SocketStream) -> None:
        async with stream:
            asked.append(await stream.receive())
            body = b"\x89PNG\r\n\x1a\n" if b"/icon.png" in asked[-1] else b"<html>"
            head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
            await stream.send(head.encode() + body)

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as group,
    ):
        group.start_soon(listener.serve, answer)
        own = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
        found = await icon_of([Icon(src=f"{own}/icon.png")], f"{own}/mcp")
        assert found == "data:image/png;base64,iVBORw0KGgo="
        assert b"authorization" not in asked[0].lower()
        for src in (f"{own}/page", "javascript:alert(1)", "data:text/html;base64,aGk="):
            assert await icon_of([Icon(src=src)], f"{own}/mcp") == ""
        count = len(asked)
        assert await icon_of([Icon(src=f"{own}/icon.png")], "http://127.0.0.2/mcp") == ""
        assert await icon_of([Icon(src=f"{own}/icon.png")], None) == ""
        assert len(asked) == count
        group.cancel_scope.cancel()
