"""Two browsers reorder folders and rename chats at random: the same end in both, nothing lost."""

import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import anyio
import httpx
import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.chats_page import outline, show_chats, tree
from tests.journeys.conftest import OpenTab
from tests.served import Served, served

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

ACTIONS = int(os.environ.get("RECTO_REORDERS", "10"))
"""So many of each person."""
FOLDERS = ("Methods", "Results", "Field work", "Drafts", "Reading")
Rows = list[dict[str, Any]]
CHATS = ("Tides", "Storms", "Surges", "Gauges", "Harmonics")


@dataclass
class Person:
    """Somebody at a browser of their own, who never waits for the other."""

    name: str
    page: Page
    random: Random
    folders: dict[str, str]
    chats: dict[str, str]
    typed: dict[str, str] = field(default_factory=dict[str, str])
    """The last title that was saved of each chat, by its id."""
    saved: int = 0
    overtaken: int = 0

    async def act(self) -> None:
        for _ in range(ACTIONS):
            await self.random.choice((self.reorder, self.rename))()

    async def reorder(self) -> None:
        folder = self.row("group", self.random.choice(list(self.folders)))
        await folder.press(self.random.choice(("Alt+ArrowUp", "Alt+ArrowDown")))

    async def rename(self) -> None:
        chat_id = self.random.choice(list(self.chats))
        title = f"{self.chats[chat_id]}, {self.name} {self.random.randrange(10_000)}"
        await self.row("chat", chat_id).press("F2")
        await self.page.keyboard.type(title)
        await self.page.keyboard.press("Enter")
        field = self.page.get_by_role("textbox", name="Title of the chat")
        told = tree(self.page).get_by_role("alert")
        # Either the field closes, for the title is saved; or it stays, and says what happened.
        await expect(told.or_(self.row("chat", chat_id))).to_be_visible()
        if await told.is_visible():
            await expect(told).to_contain_text("it was renamed elsewhere meanwhile")
            await expect(field).to_have_value(title)
            await self.page.keyboard.press("Escape")
            self.overtaken += 1
        else:
            self.typed[chat_id] = title
            self.saved += 1
        await expect(field).to_have_count(0)

    def row(self, kind: str, id: str) -> Locator:
        return tree(self.page).locator(f'[data-key="{kind}:{id}"]')


@pytest.fixture
async def recto(tmp_path: Path) -> AsyncGenerator[Served]:
    async with served(tmp_path / "home", tmp_path / "tide-gauges") as running:
        yield running


async def test_two_browsers_at_random_end_alike_and_lose_nothing(
    open_tab: OpenTab, recto: Served
) -> None:
    async with recto.script() as script:
        project: str = (await script.get("/api/v1/projects/current")).json()["id"]
        root = f"/api/v1/projects/{project}"
        folders = {
            await made(script, f"{root}/chat-groups", {"name": folder}): folder
            for folder in FOLDERS
        }
        chats = {await made(script, f"{root}/chats", {"title": chat}): chat for chat in CHATS}
        people = [
            Person(name, await open_tab(), Random(seed), folders, chats)
            for seed, name in enumerate(("Ada", "Ben"))
        ]
        for person in people:
            await show_chats(person.page)
        async with anyio.create_task_group() as tasks:
            for person in people:
                tasks.start_soon(person.act)

        await check_end(script, root, people)


async def check_end(script: httpx.AsyncClient, root: str, people: list[Person]) -> None:
    """Both browsers show what the server has, and the server has everything."""
    groups, chats = await settled(script, root, people)
    assert sorted(group["name"] for group in groups) == sorted(FOLDERS)
    assert len({group["position"] for group in groups}) == len(FOLDERS)
    assert sorted(item["id"] for item in chats) == sorted(people[0].chats)
    for chat in chats:
        last = [item.typed[chat["id"]] for item in people if chat["id"] in item.typed]
        assert chat["title"] in (last or [people[0].chats[chat["id"]]])
    assert all(person.saved > 0 for person in people)


async def settled(script: httpx.AsyncClient, root: str, people: list[Person]) -> list[Rows]:
    """What the server has once both show it: the last keys may still be on their way."""
    with anyio.fail_after(60):
        while True:
            rows = [await read(script, f"{root}/{kind}") for kind in ("chat-groups", "chats")]
            names = [item.get("name") or item["title"] for kind in rows for item in kind]
            if all([await outline(person.page) == names for person in people]):
                return rows


async def read(script: httpx.AsyncClient, url: str) -> Rows:
    return (await script.get(url)).json()["items"]


async def made(script: httpx.AsyncClient, url: str, body: dict[str, str]) -> str:
    answer = await script.post(url, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]
