"""SIGKILL while somebody types and saves: nothing acknowledged is lost, and no file is torn."""

import json
import os
import random
import re
import sys
from pathlib import Path

import anyio
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

KILLS = int(os.environ.get("RECTO_TYPING_KILLS", "15"))
START = "The first line.\nDie zweite Größe 😀.\n" * 200
WORD = re.compile(r"\[\d+\.\d+\]")


async def test_nothing_acknowledged_is_lost_and_no_file_is_torn(tmp_path: Path) -> None:
    chance = random.Random(3)
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    file = folder / "a.md"
    file.write_text(START, encoding="utf-8")
    known: list[str] = []
    for life in range(KILLS):
        found, acknowledged = await one_life(home, folder, life, chance.randrange(1, 60))
        assert [word for word in known if word not in found] == []
        assert WORD.sub("", found) == START
        assert WORD.sub("", file.read_text(encoding="utf-8")) == START
        known += acknowledged
    found, _ = await one_life(home, folder, KILLS, 0)
    assert [word for word in known if word not in found] == []
    assert len(known) > KILLS


async def one_life(home: Path, folder: Path, life: int, words: int) -> tuple[str, list[str]]:
    """Start a typist and kill it after some words; what it found, and what was acknowledged."""
    command = [sys.executable, "-m", "tests.documents.typist", str(home), str(folder), str(life)]
    async with await anyio.open_process(command, stderr=None) as process:
        assert process.stdout is not None
        lines = BufferedByteReceiveStream(process.stdout)
        heard: list[str] = []
        with anyio.fail_after(30):
            while len(heard) <= words:
                heard.append(json.loads(await lines.receive_until(b"\n", 1_000_000)))
        process.kill()
        await process.wait()
    return heard[0], heard[1:]
