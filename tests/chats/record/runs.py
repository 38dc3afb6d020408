"""Runs to replay: a Recto with four providers, and ways to tamper with its records."""

import hashlib
import json
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio.to_thread

from recto.app import ReplayResult, replay_run
from recto.config import Home, Secret, Settings, save_keys
from recto.storage import PackedBytes
from recto.storage.packing import unpack
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    ResponsesServer,
)
from tests.fakes.providers.serving import HttpServer
from tests.served import served
from tests.talk import Talk, talking

MODELS = {
    "anthropic": "anthropic/claude-sonnet-5-5",
    "openai": "openai/gpt-6.1-terra",
    "google": "google/gemini-3.8-flash",
    "ollama": "ollama/qwen3:8b",
}
PATHS = {"anthropic": "", "openai": "/v1", "google": "/v1beta", "ollama": "/v1"}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
KEY = "test-key"

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class World:
    """A person, the providers they talk to, and where everything lies."""

    talk: Talk
    servers: dict[str, HttpServer]
    home: Home
    folder: Path

    async def replay(self, run_id: str) -> ReplayResult:
        """Run a turn again from its record."""
        return await replay_run(self.home, Settings(), run_id)

    def events(self, run_id: str, kind: str) -> list[Body]:
        """What the record of a run says in its events of a kind."""
        with closing(sqlite3.connect(self.home.database_file)) as records:
            rows = records.execute(
                "SELECT body FROM chat_events WHERE run_id = ? AND kind = ? ORDER BY seq",
                (run_id, kind),
            ).fetchall()
        return [json.loads(body) for (body,) in rows]

    async def change_events(self, run_id: str, kind: str, change: Callable[[Body], Body]) -> None:
        """Change what the record of a run says, behind Recto's back."""
        # In a thread: Recto may be in the middle of a write, which needs this loop for its end.
        await anyio.to_thread.run_sync(self._change_events, run_id, kind, change)

    def _change_events(self, run_id: str, kind: str, change: Callable[[Body], Body]) -> None:
        with closing(sqlite3.connect(self.home.database_file)) as records:
            rows = records.execute(
                "SELECT seq, body FROM chat_events WHERE run_id = ? AND kind = ?", (run_id, kind)
            ).fetchall()
        changed = [(json.dumps(change(json.loads(body))), run_id, seq) for seq, body in rows]
        assert changed
        with closing(sqlite3.connect(self.home.database_file)) as records, records:
            records.executemany(
                "UPDATE chat_events SET body = ? WHERE run_id = ? AND seq = ?", changed
            )

    def kinds(self, run_id: str) -> list[str]:
        """The kinds of a run's events, in order."""
        with closing(sqlite3.connect(self.home.database_file)) as records:
            query = "SELECT kind FROM chat_events WHERE run_id = ? ORDER BY seq"
            return [kind for (kind,) in records.execute(query, (run_id,))]

    def blob(self, digest: str) -> bytes:
        """The bytes of a hash."""
        chain: list[PackedBytes] = []
        name: str | None = digest
        with closing(sqlite3.connect(self.home.database_file)) as records:
            while name is not None:
                query = "SELECT size, data, is_deflated, base, prefix, suffix FROM blobs WHERE"
                row = records.execute(f"{query} hash = ?", (name,)).fetchone()
                chain.insert(0, PackedBytes(name, *row))
                name = row[3]
        return unpack(chain)

    def keep(self, data: bytes) -> str:
        """Put bytes beside the others, with the hash they have."""
        digest = hashlib.sha256(data).hexdigest()
        with closing(sqlite3.connect(self.home.database_file)) as records, records:
            records.execute(
                "INSERT OR IGNORE INTO blobs (hash, size, data, created_ms) VALUES (?, ?, ?, 0)",
                (digest, len(data), data),
            )
        return digest

    async def cut_off(self, run_id: str, *, after_kind: str, state: str = "interrupted") -> None:
        """Have a run look as if the program had died after its first event of a kind."""
        await anyio.to_thread.run_sync(self._cut_off, run_id, after_kind, state)

    def _cut_off(self, run_id: str, after_kind: str, state: str) -> None:
        with closing(sqlite3.connect(self.home.database_file)) as records, records:
            records.execute(
                "DELETE FROM chat_events WHERE run_id = ?1 AND seq > "
                "(SELECT min(seq) FROM chat_events WHERE run_id = ?1 AND kind = ?2)",
                (run_id, after_kind),
            )
            records.execute("UPDATE runs SET state = ? WHERE id = ?", (state, run_id))


@asynccontextmanager
async def open_world(tmp_path: Path, *models: Body) -> AsyncGenerator[World]:
    """Everything, for the length of the block; with models of the user's own."""
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir(exist_ok=True)
    folder.mkdir()
    (folder / "a.md").write_text("Ebb and flow.\n", encoding="utf-8")
    async with AsyncExitStack() as stack:
        servers: dict[str, HttpServer] = {
            "anthropic": await stack.enter_async_context(AnthropicServer()),
            "openai": await stack.enter_async_context(ResponsesServer()),
            "google": await stack.enter_async_context(GeminiServer()),
            "ollama": await stack.enter_async_context(ChatServer(flavour="ollama")),
        }
        urls = {name: {"url": server.url + PATHS[name]} for name, server in servers.items()}
        chosen = {"providers": urls, "models": list(models)}
        (home / "models.json").write_text(json.dumps(chosen), encoding="utf-8")
        save_keys(Home(home), {name: Secret(KEY) for name in KEYS})
        recto = await stack.enter_async_context(served(home, folder))
        talk = await stack.enter_async_context(talking(recto))
        yield World(talk, servers, Home(home), folder)
