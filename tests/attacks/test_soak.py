"""Random frames on the sockets and damaged files for the readers; `make soak` sends far more."""

import json
import os
import random
import struct
import subprocess
import sys

import pytest
from websockets.exceptions import ConnectionClosed

from recto.documents import Splice
from tests.served import Served
from tests.server.test_documents import page

FRAMES = int(os.environ.get("RECTO_FRAMES", "300"))
DAMAGED_FILES = int(os.environ.get("RECTO_DAMAGED_FILES", "100"))
BATCH = 500
# Five seconds a file would be too long for any: for a whole batch, on a slow machine, this is.
BATCH_S = 600


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


@pytest.mark.anyio
async def test_no_frame_ends_the_server_or_anothers_document(recto: Served) -> None:
    (recto.folder / "a.md").write_text("one\n", encoding="utf-8")
    (recto.folder / "b.md").write_text("two\n", encoding="utf-8")
    chance = random.Random(11)
    sent = 0
    async with page(recto) as other:
        await other.open(1, "b.md")
        while sent < FRAMES:
            async with page(recto) as attacker:
                try:
                    await attacker.open(1, "a.md")
                    for _ in range(BATCH):
                        await attacker.socket.send(frame(chance))
                        sent += 1
                except ConnectionClosed:
                    sent += 1
        await other.type(1, Splice(3, 3, " more"))
        await other.until_said(type="ack", channel=1, edits=1)


def test_no_damaged_file_holds_a_reader_up_or_takes_its_memory() -> None:
    for seed, begun in enumerate(range(0, DAMAGED_FILES, BATCH)):
        count = min(BATCH, DAMAGED_FILES - begun)
        command = [sys.executable, "-m", "tests.attacks.damaged_files", str(seed), str(count)]
        ended = subprocess.run(command, check=False, capture_output=True, timeout=BATCH_S)
        assert ended.returncode == 0, (seed, ended.stderr[-2000:])
