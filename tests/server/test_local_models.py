import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from recto.access import load_file_list
from recto.config import Settings
from recto.config.settings import ModelSettings
from recto.llm.builtin.installed import installed_model
from tests.fakes.file_server import FileServer
from tests.served import Served, served
from tests.server.test_events import following

pytestmark = pytest.mark.anyio

MIB = 2**20


def weights() -> bytes:
    """A real model, so that what was fetched can be asked."""
    path = installed_model()
    assert path is not None
    return path.read_bytes()


@asynccontextmanager
async def recto_with_list(
    tmp_path: Path, server: FileServer, sha256: str = ""
) -> AsyncGenerator[tuple[Served, httpx.AsyncClient]]:
    """A Recto whose list has one model, which lies on a server of this machine."""
    row = {
        "id": "tiny",
        "name": "Tiny",
        "about": "For tests.",
        "bytes": len(server.data) or 1,
        "memoryBytes": 400_000_000,
        "licence": "Apache-2.0",
        "url": server.url,
        "sha256": sha256 or hashlib.sha256(server.data).hexdigest(),
    }
    (tmp_path / "list.json").write_text(json.dumps({"models": [row]}), encoding="utf-8")
    settings = Settings(models=ModelSettings(servers=[], file_list=str(tmp_path / "list.json")))
    async with (
        served(tmp_path / "home", tmp_path / "folder", settings) as recto,
        recto.script() as script,
    ):
        yield recto, script


async def only(script: httpx.AsyncClient) -> dict[str, Any]:
    (row,) = (await script.get("/api/v1/local-models")).json()["items"]
    return row


async def until_ended(script: httpx.AsyncClient) -> dict[str, Any]:
    """Start the fetch, and wait until the pages are told of its end."""
    async with following(script) as tab:
        await script.post("/api/v1/local-models/tiny/fetch")
        with anyio.fail_after(60):
            while True:
                told = (await tab.must_next())[2].get("kind") == "models"
                # what is told may be the end of a fetch that was stopped before this one
                if told and (row := await only(script))["state"] != "fetching":
                    return row


async def test_a_model_is_fetched_verified_and_answers(tmp_path: Path) -> None:
    async with (
        FileServer(weights()) as server,
        recto_with_list(tmp_path, server) as (recto, script),
    ):
        before = await only(script)
        ready = await until_ended(script)
        models = (await script.get("/api/v1/models")).json()
        question = {
            "model": "builtin/tiny",
            "max_tokens": 4,
            "messages": [{"role": "user", "content": "Say hello."}],
        }
        answer = await script.post("/api/ai/chat", json=question, timeout=60)
        place = recto.home.folder / "models" / "tiny.gguf"
        assert place.read_bytes() == server.data
        gone = await script.delete("/api/v1/local-models/tiny")
        after = await only(script)
    assert (before["state"], before["doneBytes"], before["licence"]) == ("absent", 0, "Apache-2.0")
    assert (ready["state"], ready["doneBytes"]) == ("ready", len(server.data))
    assert models["current"] == "builtin/tiny", "a better model answers before the built-in one"
    assert answer.json()["choices"][0]["message"]["content"]
    assert (gone.status_code, after["state"], place.exists()) == (204, "absent", False)


async def test_a_fetch_that_is_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    data = b"GGUF" + bytes(4 * MIB)
    async with (
        FileServer(data, holds_at=2 * MIB) as server,
        recto_with_list(tmp_path, server) as (_, script),
    ):
        await script.post("/api/v1/local-models/tiny/fetch")
        with anyio.fail_after(60):
            await server.held.wait()
            while (await only(script))["doneBytes"] < 2 * MIB:
                pass
        under_way = await only(script)
        await script.delete("/api/v1/local-models/tiny/fetch")
        stopped = await only(script)
        ready = await until_ended(script)
    assert (under_way["state"], stopped["state"], ready["state"]) == ("fetching", "paused", "ready")
    assert stopped["doneBytes"] == 2 * MIB
    assert server.asked == ["", f"bytes={2 * MIB}-"]


async def test_a_file_with_another_sha256_is_never_offered(tmp_path: Path) -> None:
    async with (
        FileServer(b"GGUF" + bytes(MIB)) as server,
        recto_with_list(tmp_path, server, sha256="0" * 64) as (recto, script),
    ):
        failed = await until_ended(script)
        models = (await script.get("/api/v1/models")).json()["items"]
        left = list((recto.home.folder / "models").iterdir())
    assert (failed["state"], "SHA-256" in failed["problem"]) == ("failed", True)
    assert "builtin/tiny" not in {model["id"] for model in models}
    assert left == []


async def test_any_gguf_is_used_by_its_path_and_stays_where_it_is(tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(weights())
    (tmp_path / "notes.txt").write_text("no model", encoding="utf-8")
    async with (
        FileServer(b"") as server,
        recto_with_list(tmp_path, server, "0" * 64) as (_, script),
    ):
        path = "/api/v1/local-models"
        wrong = [
            (await script.post(path, json={"path": item})).status_code
            for item in (str(tmp_path / "notes.txt"), "mine.gguf", str(tmp_path / "none.gguf"))
        ]
        added = await script.post(path, json={"path": str(mine)})
        current = (await script.get("/api/v1/models")).json()["current"]
        gone = await script.delete(f"{path}/mine")
        again = await script.delete(f"{path}/mine")
    assert wrong == [422, 422, 422]
    assert added.json() == {
        "id": "mine",
        "modelId": "builtin/mine",
        "name": "mine",
        "path": str(mine),
    }
    assert (current, gone.status_code, again.status_code) == ("builtin/mine", 204, 404)
    assert mine.exists()


def test_the_list_names_for_each_model_what_people_must_know() -> None:
    listed = load_file_list()
    assert [item for item in listed if not 0.4e9 <= item.bytes <= 4e9] == []
    assert all("/resolve/" in item.url and item.url.startswith("https://") for item in listed)
    assert len({item.sha256 for item in listed}) == len(listed)
    assert all(item.memory_bytes > item.bytes for item in listed)
