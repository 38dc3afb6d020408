"""What waits in a file, and what is said beside it, stays with it when a person moves it."""

import pytest

from tests.fakes.providers import calls
from tests.reviews.desk import Desk, create

pytestmark = pytest.mark.anyio


async def comment(desk: Desk, path: str, words: str, text: str) -> str:
    start = text.index(words)
    passage = {"kind": "text", "path": path, "start": start, "end": start + len(words)}
    made = await desk.post(
        f"projects/{desk.talk.project_id}/threads", {"passage": passage, "body": "Sure?"}, 201
    )
    return made["id"]


async def operate(desk: Desk, what: str, status: int = 200, **body: str) -> dict[str, str]:
    return await desk.post(f"projects/{desk.talk.project_id}/{what}", body, status)


async def test_edits_and_threads_go_along_with_a_folder(desk: Desk) -> None:
    desk.put("sub/a.md", "The sea comes twice.\n")
    await desk.edit("sub/a.md", "twice", "often")
    note = await comment(desk, "sub/a.md", "The sea", desk.read("sub/a.md"))

    await operate(desk, "files/move", path="sub", newPath="new")

    assert list(await desk.reviews()) == ["new/a.md"]
    assert (await desk.of_project(f"threads/{note}"))["path"] == "new/a.md"
    await desk.decide("new/a.md", "reject")
    assert desk.read("new/a.md") == "The sea comes twice.\n"


async def test_what_waits_in_a_deleted_file_waits_no_more_and_does_when_it_is_back(
    desk: Desk,
) -> None:
    desk.put("a.md", "The sea comes twice.\n")
    await desk.edit("a.md", "twice", "often")

    item = await operate(desk, "trash", 201, path="a.md")
    assert await desk.reviews() == {}

    await operate(desk, f"trash/{item['id']}/restore")
    assert list(await desk.reviews()) == ["a.md"]
    await desk.decide("a.md", "reject")
    assert desk.read("a.md") == "The sea comes twice.\n"


async def test_a_copy_that_stays_does_not_take_the_threads_of_what_is_deleted(desk: Desk) -> None:
    desk.put("a.md", "The sea comes twice.\n")
    note = await comment(desk, "a.md", "The sea", desk.read("a.md"))

    await operate(desk, "files/duplicate", 201, path="a.md")
    item = await operate(desk, "trash", 201, path="a.md")
    assert (await desk.of_project("threads"))["items"][0]["path"] == "a.md"
    await operate(desk, f"trash/{item['id']}/restore")

    found = await desk.of_project(f"threads/{note}")
    assert (found["path"], found["isDetached"]) == ("a.md", False)


async def test_a_file_that_a_turn_made_and_deleted_does_not_wait(desk: Desk) -> None:
    desk.put("kept.md", "kept\n")
    await desk.work(
        (create("draft.md", "Words.\n"), create("empty.md", "")),
        (
            calls("delete_file", {"path": "draft.md"}),
            calls("delete_file", {"path": "empty.md"}),
        ),
    )

    assert await desk.reviews() == {}
    assert not (desk.folder / "draft.md").exists()
