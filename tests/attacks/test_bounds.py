"""No file and no crowd takes more than its share."""

import asyncio
import io
import json
import os
import zipfile
from pathlib import Path

import anyio
import pytest

from recto.chats.transfer.imports.confined import READ, read_export_apart
from recto.processes import TooMuchToRead, read_apart
from recto.server.listen import MAX_UNKNOWN
from tests.chats.foreign import CLAUDE, packed
from tests.served import Served
from tests.tools.bench import bench_in
from tests.tools.shell.place import survivors

pytestmark = pytest.mark.anyio
# A reader that holds still for as long as it may: os.system takes the bytes for a command.
HANGS = "os:system"


def zipped(text: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", text)
    return made.getvalue()


async def test_a_reader_is_ended_by_stop_and_by_its_time(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    with anyio.fail_after(90):
        with pytest.raises(TooMuchToRead):
            await read_apart(HANGS, b"sleep 3123", deadline_s=2)
        async with anyio.create_task_group() as group:
            group.start_soon(read_apart, HANGS, f"echo >{begun}; sleep 3124".encode())
            await anyio.to_thread.run_sync(begun.read_bytes)
            group.cancel_scope.cancel()
        # What was killed is gone when the system has got to it.
        while survivors("3123") or survivors("3124"):
            await anyio.lowlevel.checkpoint()


async def test_a_small_file_can_not_take_the_machines_memory() -> None:
    bomb = zipped(b"[" + b"[]," * 4_000_000 + b"[]]")
    assert len(bomb) < 32_000
    with pytest.raises(TooMuchToRead):
        await read_apart(READ, bomb, max_memory=250_000_000)
    with pytest.raises(TooMuchToRead):
        await read_apart("builtins:bytes", b"x" * 2_000, max_answer=1_000)


async def test_what_is_read_apart_is_what_was_read() -> None:
    (chat,) = (await read_export_apart(packed(CLAUDE))).chats
    assert chat.source == "Claude"
    assert [entry.seq for entry in chat.entries] == list(range(1, len(chat.entries) + 1))


@pytest.mark.parametrize(
    "cells",
    [
        "x",
        [1, None],
        [{"cell_type": "code", "source": 5, "outputs": [3]}],
        [{"cell_type": "code", "source": "a\ud800", "outputs": [{"data": {"text/plain": [1]}}]}],
    ],
)
async def test_an_odd_notebook_fails_no_turn(tmp_path: Path, cells: object) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    book: dict[str, object] = {"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    (root / "a.ipynb").write_text(json.dumps(book), encoding="utf-8")
    (root / "deep.ipynb").write_text("[" * 200_000, encoding="utf-8")
    async with bench_in(root) as bench:
        for name in ("a.ipynb", "deep.ipynb"):
            assert (await bench.call("read_file", path=name)).content


async def test_idle_strangers_keep_nobody_out(
    recto: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By their number alone: their time would end them, too, only later.
    monkeypatch.setattr("recto.server.listen.HEADER_DEADLINE_S", 3600)
    host, port = recto.url.rpartition("//")[2].split(":")
    crowd = [await asyncio.open_connection(host, int(port)) for _ in range(MAX_UNKNOWN + 20)]
    try:
        with anyio.fail_after(60):
            async with recto.script() as script:
                assert (await script.get("/api/v1/health")).status_code == 200
            assert await crowd[0][0].read(1) == b"", "the one that waited longest has gone"
    finally:
        for _, writer in crowd:
            writer.close()
        for _, writer in crowd:
            try:
                await writer.wait_closed()
            except ConnectionError:
                continue
