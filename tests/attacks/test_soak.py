"""Random frames on the sockets and damaged files for the readers; `make soak` sends far more."""

import json
import os
import random
import struct
import subprocess
import sys

import anyio
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from recto.documents import Splice
from tests.attacks.damaged_files import MAX_BYTES, most_memory, notebook
from tests.served import TOKEN, Served
from tests.server.test_documents import page

FRAMES = int(os.environ.get("RECTO_FRAMES", "300"))
DAMAGED_FILES = int(os.environ.get("RECTO_DAMAGED_FILES", "50"))
BATCH = 500
# Five seconds a file would be too long for any: for a whole batch, on a slow machine, this is.
BATCH_S = 600
# Nobody else waits longer than this for a frame; a busy machine gets its time besides.
ANSWER_S = 5 + 25


def frame(chance: random.Random) -> str | bytes:
    """Something that a page would hardly send."""
    match chance.randrange(5):
        case 0:
            return chance.randbytes(chance.randrange(200))
        case 1:
            kind, channel = chance.randrange(6), chance.choice((0, 1, 2, 2**32 - 1))
            return struct.pack(">IB", channel, kind) + chance.randbytes(chance.randrange(300))
        case 2:
            kind = chance.choice(("open", "close", "ping", "x", None, 5))
            path = chance.choice(("a.md", "../x", "", "a\0b", ".git/config", 7))
            return json.dumps({"type": kind, "channel": chance.randrange(-2, 4), "path": path})
        case 3:
            return "[" * chance.randrange(1, 2000)
        case _:
            return chance.choice(("", "{}", "null", "{", '"\\ud800"', "\u202e" * 9, "1e999"))


async def sockets_of(recto: Served) -> list[str]:
    """The addresses of all of the server's sockets."""
    async with recto.script() as script:
        project = (await script.get("/api/v1/projects/current")).json()["id"]
        made = await script.post(f"/api/v1/projects/{project}/chats", json={"title": "Tides"})
    return [
        f"/api/v1/projects/{project}/documents/sync",
        f"/api/v1/projects/{project}/notebooks/feed?path=n.ipynb",
        f"/api/v1/chats/{made.json()['id']}/events",
        "/api/v1/events",
    ]


@pytest.mark.anyio
async def test_no_frame_ends_the_server_or_anothers_document(recto: Served) -> None:
    (recto.folder / "a.md").write_text("one\n", encoding="utf-8")
    (recto.folder / "b.md").write_text("two\n", encoding="utf-8")
    (recto.folder / "n.ipynb").write_bytes(notebook())
    chance = random.Random(11)
    addresses = [recto.url.replace("http", "ws") + place for place in await sockets_of(recto)]
    headers = {"authorization": f"Bearer {TOKEN}"}
    before, sent = most_memory(), 0
    async with page(recto) as other:
        await other.open(1, "b.md")
        while sent < FRAMES:
            async with connect(chance.choice(addresses), additional_headers=headers) as attacker:
                try:
                    await attacker.send(json.dumps({"type": "open", "channel": 1, "path": "a.md"}))
                    for _ in range(BATCH):
                        await attacker.send(frame(chance))
                        sent += 1
                except ConnectionClosed:
                    sent += 1
            await other.type(1, Splice(0, 0, "x"))
            with anyio.fail_after(ANSWER_S):
                await other.until_said(type="ack", channel=1)
            other.said.clear()
    assert most_memory() - before < MAX_BYTES


def test_no_damaged_file_holds_a_reader_up_or_takes_its_memory() -> None:
    for seed, begun in enumerate(range(0, DAMAGED_FILES, BATCH)):
        count = min(BATCH, DAMAGED_FILES - begun)
        command = [sys.executable, "-m", "tests.attacks.damaged_files", str(seed), str(count)]
        ended = subprocess.run(command, check=False, capture_output=True, timeout=BATCH_S)
        assert ended.returncode == 0, (seed, ended.stderr[-2000:])
