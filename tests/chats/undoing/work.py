"""A turn in which the model works on files, and what is in the folder."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from tests.fakes.providers import AnthropicServer, Step, says
from tests.talk import Talk, ended

Files = dict[str, str]


async def work(talk: Talk, upstream: AnthropicServer, *steps: tuple[Step, ...]) -> str:
    """Have the model make calls, step by step, and say yes to all of them; the turn's id."""
    for step in steps:
        upstream.answer(*step)
    upstream.answer(says("Done."))
    turn = await talk.say("Go on.")
    async with approving(talk):
        await talk.until(ended(turn))
    failed = [
        result
        for entry in await talk.entries("tool_results")
        if entry["turnId"] == turn
        for result in entry["results"]
        if result["state"] != "done"
    ]
    assert failed == []
    return turn


@asynccontextmanager
async def approving(talk: Talk) -> AsyncGenerator[None]:
    """A person who says yes to everything meanwhile."""

    async def agree() -> None:
        async for event in talk.follow(talk.heard[-1]["seq"] if talk.heard else 0):
            if event["kind"] == "approval":
                await talk.answer(event, "once")

    async with anyio.create_task_group() as group:
        group.start_soon(agree)
        yield
        group.cancel_scope.cancel()


async def undo(talk: Talk, turn: str, call: str | None = None, *, dry_run: bool = False) -> Any:
    """Undo a turn, or a call of it."""
    path = f"/api/v1/turns/{turn}/undo" if call is None else f"/api/v1/calls/{turn}/{call}/undo"
    return await talk.post(f"{path}?dryRun={str(dry_run).lower()}", status=200)


def actions(result: Any) -> dict[str, str]:
    """What an undo does to each path."""
    return {file["path"]: file["action"] for file in result["files"]}


def files_in(folder: Path) -> Files:
    """Every file with its text; a folder ends in a slash, a link in its target."""
    found: Files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            found[f"{name}/"] = ""
        else:
            found[name] = path.read_text(encoding="utf-8")
    return found


def put(folder: Path, files: Files) -> None:
    """Put files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
