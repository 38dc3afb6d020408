"""Reviews of a text that people have open: what pages are told, and typing meanwhile."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from recto.documents import Splice
from tests.reviews.desk import Desk
from tests.server.test_documents import Page, page

pytestmark = pytest.mark.anyio

TEXT = "The tide comes in.\n\nThe moon is bright.\n"
PASTED, UNDONE = 4, 5


def review_of(one: Page) -> dict[str, Any]:
    """What a page knows of the review."""
    return [said for said in one.said if said["type"] == "review"][-1]


def words(one: Page) -> list[tuple[str, str]]:
    return [(hunk["old"], hunk["new"]) for hunk in review_of(one)["hunks"]]


@asynccontextmanager
async def shown(desk: Desk, name: str) -> AsyncGenerator[Page]:
    """A page that shows a file and has heard of its review."""
    async with page(desk.recto) as one:
        await one.open(1, name)
        await one.until_said(type="review")
        yield one


async def test_two_tabs_hear_of_an_edit_and_of_the_verdict(desk: Desk) -> None:
    desk.put("a.md", TEXT)
    async with shown(desk, "a.md") as one, shown(desk, "a.md") as other:
        assert review_of(one) == {"type": "review", "channel": 1, "review": None, "hunks": []}
        await desk.edit("a.md", "bright", "dim")
        for tab in (one, other):
            await tab.until(lambda tab=tab: words(tab) == [("bright", "dim")])
        (review,) = (await desk.reviews()).values()
        (hunk,) = review_of(one)["hunks"]
        assert review_of(other)["review"] == review["id"]
        assert hunk["by"] == [
            {
                "editId": review["edits"][0]["id"],
                "model": "Claude Sonnet 4.6",
                "at": review["edits"][0]["at"],
            }
        ]
        assert (hunk["from"]["assoc"], hunk["to"]["assoc"]) == (0, -1)

        await desk.decide("a.md", "reject", [hunk["id"]])
        for tab in (one, other):
            await tab.until(lambda tab=tab: words(tab) == [] and tab.texts[1].text == TEXT)
        assert review_of(one)["review"] is None


async def test_what_is_typed_while_a_hunk_waits_survives_its_rejection(desk: Desk) -> None:
    desk.put("a.md", TEXT)
    async with shown(desk, "a.md") as one:
        await desk.edit("a.md", "The moon is bright.", "The moon is dim and old.")
        await one.until(lambda: "dim and old" in one.texts[1].text)
        at = one.texts[1].text.index(" and old")
        await one.type(1, Splice(at, at, " (mine)"))
        await one.type(1, Splice(0, 0, "First. "))
        await one.until_said(type="ack", edits=2)

        left = await desk.decide("a.md", "reject")

        assert left == {"review": None}
        text = desk.read("a.md")
        assert "First. The tide comes in." in text
        assert "(mine)" in text
        assert "dim" not in text
        assert "bright" in text


async def test_an_undo_in_the_page_ends_the_review_and_the_list_hears_of_it(desk: Desk) -> None:
    desk.put("a.md", TEXT)
    await desk.edit("a.md", "bright", "dim")
    async with shown(desk, "a.md") as one:
        at = one.texts[1].text.index("dim")
        await one.send(1, UNDONE, one.texts[1].splice([Splice(at, at + 3, "bright")]))
        await one.until(lambda: words(one) == [])
        assert review_of(one)["review"] is None
    assert await desk.reviews() == {}
    assert await desk.statuses("a.md") == ["undone"]


async def test_typing_the_old_words_again_ends_the_review(desk: Desk) -> None:
    desk.put("a.md", TEXT)
    await desk.edit("a.md", "bright", "dim")
    async with shown(desk, "a.md") as one:
        at = one.texts[1].text.index("dim")
        await one.type(1, Splice(at, at + 3, "bright"))
        await one.until(lambda: words(one) == [])
        assert one.texts[1].text == TEXT
    assert await desk.reviews() == {}
    assert await desk.statuses("a.md") == ["undone"]


async def test_every_page_is_told_that_a_review_changed(desk: Desk) -> None:
    desk.put("a.md", TEXT)
    told: list[dict[str, Any]] = []
    ready, is_over = anyio.Event(), anyio.Event()

    async def listen() -> None:
        async with desk.talk.client.stream("GET", "/api/v1/events") as answer:
            async for line in answer.aiter_lines():
                ready.set()
                if line.startswith("data: ") and '"kind": "review"' in line:
                    told.append(json.loads(line.removeprefix("data: ")))
                    if told[-1]["action"] == "deleted":
                        is_over.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        with anyio.fail_after(60):
            await ready.wait()
        await desk.edit("a.md", "bright", "dim")
        (review,) = (await desk.reviews()).values()
        await desk.decide("a.md", "accept")
        with anyio.fail_after(60):
            await is_over.wait()
        assert {(item["id"], item["projectId"]) for item in told} == {
            (review["id"], desk.talk.project_id)
        }
        tasks.cancel_scope.cancel()


async def test_frames_tell_how_words_came_about(desk: Desk) -> None:
    desk.put("a.md", "before\n")
    async with shown(desk, "a.md") as one:
        text = one.texts[1]
        await one.send(1, PASTED, text.splice([Splice(7, 7, "pasted\n")]))
        await one.type(1, Splice(14, 14, "typed\n"))
        await one.send(1, UNDONE, text.splice([Splice(0, 1, "")]))
        await one.until_said(type="ack", edits=3)

        found = await desk.of_project("authorship", path="a.md")

    kinds = [found["authors"][span["author"]]["kind"] for span in found["spans"]]
    assert kinds == ["before", "pasted", "typed"]
    assert [(span["start"], span["end"]) for span in found["spans"]] == [(0, 6), (6, 13), (13, 19)]


async def test_nothing_is_rejected_while_two_versions_stand(desk: Desk) -> None:
    desk.put("a.md", TEXT)
    await desk.edit("a.md", "bright", "dim")
    async with shown(desk, "a.md") as one:
        await one.type(1, Splice(0, 3, "My"))
        desk.put("a.md", "Their" + TEXT[3:])
        await one.until(lambda: bool(one.said[-1].get("theirs")))

        problem = await desk.decide("a.md", "reject", status=409)

        assert problem["title"] == "Two versions stand"
        assert (await desk.reviews())["a.md"]["hunkCount"] > 0
