"""A run edits files, and a person says yes or no: by hunk, by file, by run, to all."""

from pathlib import Path

import pytest

from recto.config import ChatSettings, Settings
from tests.fakes.providers import AnthropicServer, Fault, Gate, calls, says
from tests.reviews.desk import Desk, at_desk, create, edit
from tests.talk import ended

pytestmark = pytest.mark.anyio

ESSAY = "The tide comes in.\n\nThe tide goes out.\n\nThe moon is bright.\n"
EDITED = "The flood comes in.\n\nThe tide goes out.\n\nThe moon is dim.\n"


async def edited_essay(desk: Desk) -> str:
    desk.put("essay.md", ESSAY)
    return await desk.work(
        (edit("essay.md", "The tide comes", "The flood comes"),),
        (edit("essay.md", "bright", "dim"),),
    )


async def test_edits_of_a_run_are_written_at_once_and_wait_as_one_review(desk: Desk) -> None:
    turn = await edited_essay(desk)

    assert desk.read("essay.md") == EDITED
    (review,) = (await desk.reviews()).values()
    edits = review.pop("edits")
    assert review == {
        "id": edits[0]["id"],
        "path": "essay.md",
        "kind": "edited",
        "fromPath": None,
        "unit": "word",
        "added": 2,
        "removed": 2,
        "hunkCount": 2,
        "problem": None,
    }
    shown = [
        (item["turnId"], item["tool"], item["model"], bool(item["promptHash"])) for item in edits
    ]
    assert shown == [(turn, "edit_file", "Claude Sonnet 4.6", True)] * 2
    hunks = await desk.hunks("essay.md")
    assert [(hunk["line"], hunk["old"], hunk["new"]) for hunk in hunks] == [
        (1, "tide", "flood"),
        (5, "bright", "dim"),
    ]
    assert [hunk["edits"] for hunk in hunks] == [[edits[0]["id"]], [edits[1]["id"]]]


async def test_one_hunk_is_accepted_and_one_rejected_with_a_restart_in_between(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    # I12: the verdicts are there after the restart.
    async with at_desk(upstream, tmp_path) as desk:
        await edited_essay(desk)
        first, _ = await desk.hunks("essay.md")
        left = await desk.decide("essay.md", "accept", [first["id"]])
        assert (left["review"]["hunkCount"], left["review"]["added"]) == (1, 1)
        before = await desk.reviews()
    async with at_desk(upstream, tmp_path) as desk:
        assert await desk.reviews() == before
        assert await desk.statuses("essay.md") == ["pending", "accepted"]
        (second,) = await desk.hunks("essay.md")
        assert await desk.decide("essay.md", "reject", [second["id"]]) == {"review": None}

        assert desk.read("essay.md") == ESSAY.replace("The tide comes", "The flood comes")
        assert await desk.statuses("essay.md") == ["rejected", "accepted"]
        assert await desk.reviews() == {}


async def test_a_reject_takes_exactly_the_edit_and_leaves_what_was_written_since(
    desk: Desk,
) -> None:
    await edited_essay(desk)
    desk.put("essay.md", "Mine first.\n\n" + EDITED.replace("dim.", "dim, and old."))

    await desk.decide("essay.md", "reject")

    assert desk.read("essay.md") == "Mine first.\n\n" + ESSAY.replace("bright.", "bright, and old.")
    assert await desk.statuses("essay.md") == ["rejected", "rejected"]


async def test_a_file_that_another_program_put_back_has_nothing_to_review(desk: Desk) -> None:
    desk.put("essay.md", ESSAY.replace("\n", "\r\n"))
    await desk.edit("essay.md", "bright", "dim")
    await desk.edit("essay.md", "dim", "gone")
    desk.put("essay.md", ESSAY.replace("\n", "\r\n"))
    review = (await desk.reviews())["essay.md"]

    await desk.get(f"reviews/{review['id']}", 404)

    assert desk.read("essay.md") == ESSAY.replace("\n", "\r\n")
    assert (await desk.reviews(), await desk.statuses("essay.md")) == ({}, ["undone", "undone"])


async def test_a_later_run_stacks_on_the_review_and_each_run_can_be_decided_alone(
    desk: Desk,
) -> None:
    one = await edited_essay(desk)
    two = await desk.edit("essay.md", "goes out", "ebbs")
    assert (await desk.reviews())["essay.md"]["hunkCount"] == 3

    (left,) = (await desk.post(f"turns/{one}/reject"))["items"]
    assert (left["hunkCount"], [edit["turnId"] for edit in left["edits"]]) == (1, [two])
    assert desk.read("essay.md") == ESSAY.replace("goes out", "ebbs")

    assert (await desk.post(f"turns/{two}/accept"))["items"] == []
    assert desk.read("essay.md") == ESSAY.replace("goes out", "ebbs")
    assert await desk.statuses("essay.md") == ["accepted", "rejected", "rejected"]


async def test_code_is_counted_in_lines(desk: Desk) -> None:
    desk.put("a.py", "x = 1\ny = 2\nz = 3\n")
    await desk.edit("a.py", "y = 2\n", "y = 3\nw = 4\n")

    review = (await desk.reviews())["a.py"]
    assert (review["unit"], review["added"], review["removed"]) == ("line", 2, 1)


async def test_a_created_file_that_is_rejected_is_gone_and_the_reject_can_be_undone(
    desk: Desk,
) -> None:
    await desk.work((create("new/b.md", "All of it.\n"),))
    review = (await desk.reviews())["new/b.md"]
    assert (review["kind"], review["added"], review["removed"]) == ("created", 3, 0)

    assert await desk.decide("new/b.md", "reject") == {"review": None}

    assert not (desk.folder / "new/b.md").exists()
    assert await desk.statuses("new/b.md") == ["rejected"]
    notice = (await desk.talk.entries("notice"))[-1]
    assert notice["words"] == "Edits were rejected: new/b.md."
    await desk.post(f"turns/{notice['turnId']}/undo")
    assert desk.read("new/b.md") == "All of it.\n"
    assert (await desk.reviews())["new/b.md"]["kind"] == "created"


async def test_a_created_file_in_which_a_person_wrote_keeps_their_words(desk: Desk) -> None:
    await desk.work((create("b.md", "The AI's words.\n"),))
    desk.put("b.md", "The AI's words.\nMy own.\n")

    await desk.decide("b.md", "reject")

    assert desk.read("b.md") == "My own.\n"


async def test_an_empty_file_is_reviewed_as_a_whole(desk: Desk) -> None:
    await desk.work((create("empty.md", ""),))
    review = (await desk.reviews())["empty.md"]
    assert (review["kind"], review["hunkCount"]) == ("created", 0)

    await desk.decide("empty.md", "reject")
    assert not (desk.folder / "empty.md").exists()


async def test_a_deleted_folder_comes_back_exactly_when_that_is_rejected(desk: Desk) -> None:
    desk.put("old/deep/a.md", "one\n")
    desk.put("old/b.bin", b"\0\1")
    (desk.folder / "old/b.bin").chmod(0o755)
    (desk.folder / "old/link").symlink_to("b.bin")
    await desk.work((calls("delete_file", {"path": "old"}),))
    kinds = {path: review["kind"] for path, review in (await desk.reviews()).items()}
    assert kinds == dict.fromkeys(["old/deep/a.md", "old/b.bin", "old/link"], "deleted")

    await desk.decide("old/deep/a.md", "reject")
    assert desk.read("old/deep/a.md") == "one\n"
    assert await desk.decide_all("reject") == []

    assert (desk.folder / "old/b.bin").read_bytes() == b"\0\1"
    assert (desk.folder / "old/b.bin").stat().st_mode & 0o777 == 0o755
    assert (desk.folder / "old/link").readlink() == Path("b.bin")


async def test_a_moved_file_takes_its_review_along_and_goes_back(desk: Desk) -> None:
    desk.put("a.md", ESSAY)
    await desk.edit("a.md", "bright", "dim")
    await desk.work((calls("move_file", {"path": "a.md", "new_path": "b/c.md"}),))
    review = (await desk.reviews())["b/c.md"]
    assert (review["kind"], review["fromPath"], review["hunkCount"]) == ("moved", "a.md", 1)
    assert [hunk["new"] for hunk in await desk.hunks("b/c.md")] == ["dim"]

    await desk.decide("b/c.md", "reject")

    assert desk.read("a.md") == ESSAY
    assert await desk.reviews() == {}
    assert await desk.statuses("a.md") == ["rejected", "rejected"]


async def test_what_is_no_text_is_kept_or_put_back_as_a_whole(desk: Desk) -> None:
    desk.put("a.bin", b"\0old")
    command = {"command": "printf '\\0new' > a.bin"}
    await desk.work((calls("run_command", command),))
    review = (await desk.reviews())["a.bin"]
    assert (review["kind"], review["hunkCount"]) == ("replaced", 0)

    await desk.decide("a.bin", "reject")
    assert (desk.folder / "a.bin").read_bytes() == b"\0old"

    await desk.work((calls("run_command", command),))
    await desk.decide("a.bin", "accept")
    assert (desk.folder / "a.bin").read_bytes() == b"\0new"
    assert await desk.reviews() == {}


async def test_a_binary_that_was_changed_since_is_left_and_says_why(desk: Desk) -> None:
    desk.put("a.bin", b"\0old")
    await desk.work((calls("run_command", {"command": "printf '\\0new' > a.bin"}),))
    desk.put("a.bin", b"\0mine")

    problem = await desk.decide("a.bin", "reject", status=409)
    assert problem["detail"].startswith("a.bin can't be put back. Was changed since")
    (left,) = await desk.decide_all("reject")
    assert left["problem"].startswith("Was changed since")
    assert (desk.folder / "a.bin").read_bytes() == b"\0mine"


async def test_whole_files_are_not_put_back_while_a_turn_runs_in_their_chat(desk: Desk) -> None:
    desk.put("a.bin", b"\0old")
    desk.put("essay.md", ESSAY)
    await desk.work(
        (calls("run_command", {"command": "printf '\\0new' > a.bin"}),),
        (edit("essay.md", "bright", "dim"),),
    )
    gate = Gate()
    desk.upstream.answer(says("Slowly."), fault=Fault(hold_headers=True, gate=gate))
    running = await desk.talk.say("And now?")
    await gate.arrived.wait()

    problem = await desk.decide("a.bin", "reject", status=409)
    assert (problem["detail"], problem["remedy"]) == (
        "a.bin can't be put back. A turn is running in this chat.",
        "Wait for its end, or stop it first.",
    )
    (left,) = await desk.decide_all("reject")
    assert (left["path"], left["problem"]) == ("a.bin", "A turn is running in this chat.")
    assert desk.read("essay.md") == ESSAY

    gate.open()
    await desk.talk.until(ended(running))


async def test_what_a_command_did_to_texts_is_reviewed_piece_by_piece(desk: Desk) -> None:
    desk.put("essay.md", ESSAY)
    command = "sed -i 's/tide/flood/; s/bright/dim/' essay.md && echo new > made.md"
    await desk.work((calls("run_command", {"command": command}),))

    assert [hunk["new"] for hunk in await desk.hunks("essay.md")] == ["flood", "flood", "dim"]
    assert (await desk.reviews())["made.md"]["kind"] == "created"
    await desk.decide("essay.md", "reject", [(await desk.hunks("essay.md"))[1]["id"]])
    assert desk.read("essay.md") == ESSAY.replace("tide comes", "flood comes").replace(
        "bright", "dim"
    )


async def test_all_is_accepted_or_rejected_at_once(desk: Desk) -> None:
    await edited_essay(desk)
    await desk.work((create("b.md", "New.\n"),))

    assert await desk.decide_all("accept") == []
    assert (desk.read("essay.md"), desk.read("b.md")) == (EDITED, "New.\n")
    await desk.edit("b.md", "New", "Old")
    await desk.edit("essay.md", "dim", "bright")
    assert await desk.decide_all("reject") == []
    assert (desk.read("essay.md"), desk.read("b.md")) == (EDITED, "New.\n")


async def test_in_direct_mode_nothing_waits(upstream: AnthropicServer, tmp_path: Path) -> None:
    settings = Settings(chats=ChatSettings(review="direct"))
    async with at_desk(upstream, tmp_path, settings) as desk:
        await edited_essay(desk)
        await desk.work((calls("delete_file", {"path": "essay.md"}), create("b.md", "x\n")))

        assert await desk.reviews() == {}
        assert await desk.statuses("essay.md") == ["accepted"] * 3
        assert await desk.statuses("b.md") == ["accepted"]


async def test_a_project_may_say_otherwise(desk: Desk) -> None:
    path = f"/api/v1/projects/{desk.talk.project_id}"
    project = (await desk.talk.client.get(path)).json()
    body = {"name": project["name"], "settings": {"writePolicy": "direct"}}
    answer = await desk.talk.client.put(
        path, json=body, headers={"if-match": f'"{project["version"]}"'}
    )
    assert answer.status_code == 200, answer.text

    await edited_essay(desk)
    assert await desk.reviews() == {}


async def test_an_edit_that_changes_nothing_waits_for_nobody(desk: Desk) -> None:
    desk.put("a.md", "same\n")
    await desk.work((calls("write_file", {"path": "a.md", "content": "same\n"}),))

    assert await desk.reviews() == {}
    assert await desk.statuses("a.md") == ["accepted"]


async def test_an_undone_run_waits_for_nothing_and_an_undone_undo_waits_again(desk: Desk) -> None:
    turn = await edited_essay(desk)

    done = await desk.post(f"turns/{turn}/undo")
    assert desk.read("essay.md") == ESSAY
    assert (await desk.reviews(), await desk.statuses("essay.md")) == ({}, ["undone", "undone"])

    await desk.post(f"calls/{turn}/{done['undoCallId']}/undo")
    assert desk.read("essay.md") == EDITED
    assert await desk.statuses("essay.md") == ["pending", "pending"]


async def test_undoing_one_call_leaves_the_other_waiting(desk: Desk) -> None:
    desk.put("essay.md", ESSAY)
    arguments = {"path": "essay.md", "old_string": "bright", "new_string": "dim"}
    turn = await desk.work(
        (calls("edit_file", arguments, id="toolu_one"),), (edit("essay.md", "goes out", "ebbs"),)
    )

    await desk.post(f"calls/{turn}/toolu_one/undo")

    assert desk.read("essay.md") == ESSAY.replace("goes out", "ebbs")
    assert await desk.statuses("essay.md") == ["pending", "undone"]
