"""Undo through the API: turns and calls of every tool that changes files."""

from pathlib import Path

import pytest

from recto.tools import SandboxLevel, find_sandbox
from tests.chats.record.runs import MODELS, open_world
from tests.chats.undoing.work import actions, approving, files_in, put, undo, work
from tests.fakes.providers import AnthropicServer, Fault, Gate, Step, calls, says
from tests.talk import Talk, ended, talk_to

pytestmark = pytest.mark.anyio

UNCOVERED = "Ignored files and .git are not covered: what a command does there can't be undone."
NO_RUN = "There is no run 00000000000000000000000000."
LINES = "".join(f"line {number}\n" for number in range(1, 9))


@pytest.fixture
def folder(tmp_path: Path, talk: Talk) -> Path:
    put(tmp_path / "folder", {"a.md": LINES, "old/deep/b.md": "two\n", "old/c.md": "three\n"})
    return tmp_path / "folder"


def edit(old: str, new: str, *, id: str | None = None) -> Step:
    arguments = {"path": "a.md", "old_string": old, "new_string": new}
    return calls("edit_file", arguments, id=id)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (edit("line 3", "LINE 3"), {"a.md": "restore"}),
        (calls("write_file", {"path": "a.md", "content": "all new"}), {"a.md": "restore"}),
        (
            calls("create_file", {"path": "new/d.md", "content": "x\n"}),
            {"new/d.md": "remove", "new": "remove"},
        ),
        (
            calls("delete_file", {"path": "old"}),
            {
                "old": "recreate",
                "old/c.md": "recreate",
                "old/deep": "recreate",
                "old/deep/b.md": "recreate",
            },
        ),
        (calls("rename_file", {"path": "old", "new_name": "kept"}), {"kept": "move"}),
        (calls("move_file", {"path": "a.md", "new_path": "old/a.md"}), {"old/a.md": "move"}),
        (calls("duplicate_file", {"path": "a.md"}), {"a (copy).md": "remove"}),
    ],
    ids=["edit", "write", "create", "delete", "rename", "move", "duplicate"],
)
async def test_what_a_tool_did_is_taken_back_and_the_undo_too(
    talk: Talk, upstream: AnthropicServer, folder: Path, step: Step, expected: dict[str, str]
) -> None:
    before = files_in(folder)
    turn = await work(talk, upstream, (step,))
    after = files_in(folder)
    assert after != before

    preview = await undo(talk, turn, dry_run=True)
    assert (actions(preview), preview["applied"], files_in(folder)) == (expected, False, after)

    done = await undo(talk, turn)
    assert (actions(done), done["applied"], files_in(folder)) == (expected, True, before)

    await undo(talk, turn, done["undoCallId"])
    assert files_in(folder) == after


async def test_a_preview_shows_the_change_as_a_diff(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    turn = await work(talk, upstream, (edit("line 3", "LINE 3"),))

    (file,) = (await undo(talk, turn, dry_run=True))["files"]

    assert file == {
        "path": "a.md",
        "action": "restore",
        "words": "Becomes what it was before.",
        "diff": "--- a/a.md\n+++ b/a.md\n@@ -1,6 +1,6 @@\n line 1\n line 2\n"
        "-LINE 3\n+line 3\n line 4\n line 5\n line 6",
    }


async def test_a_persons_later_edits_stay(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    turn = await work(talk, upstream, (edit("line 3", "LINE 3"),))
    text = (folder / "a.md").read_text(encoding="utf-8").replace("line 7", "line seven")
    put(folder, {"a.md": text})

    done = await undo(talk, turn)

    assert actions(done) == {"a.md": "merge"}
    assert files_in(folder)["a.md"] == LINES.replace("line 7", "line seven")


@pytest.mark.parametrize("later", [LINES, LINES.replace("line 7", "line seven")])
async def test_a_mode_that_a_person_gave_later_stays(
    talk: Talk, upstream: AnthropicServer, folder: Path, later: str
) -> None:
    turn = await work(talk, upstream, (edit("line 3", "LINE 3"),))
    put(folder, {"a.md": later.replace("line 3", "LINE 3")})
    (folder / "a.md").chmod(0o750)

    await undo(talk, turn)

    assert files_in(folder)["a.md"] == later
    assert (folder / "a.md").stat().st_mode & 0o7777 == 0o750


async def test_a_file_that_was_changed_in_the_same_place_is_left_alone(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    made = calls("create_file", {"path": "new.md", "content": "x\n"})
    turn = await work(talk, upstream, (edit("line 3", "LINE 3"), made))
    put(folder, {"a.md": LINES.replace("line 3", "my own line")})
    now = files_in(folder)

    done = await undo(talk, turn)

    assert actions(done) == {"new.md": "remove", "a.md": "conflict"}
    del now["new.md"]
    assert files_in(folder) == now
    notice = (await talk.entries("notice"))[-1]
    assert (notice["reason"], notice["words"]) == (
        "undone",
        "The changes of a turn were undone: new.md. Left as they are: a.md.",
    )


async def test_a_file_made_by_a_tool_and_changed_since_stays(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    turn = await work(talk, upstream, (calls("create_file", {"path": "n/d.md", "content": "x\n"}),))
    put(folder, {"n/d.md": "x\nmine\n"})
    now = files_in(folder)

    done = await undo(talk, turn)

    assert actions(done) == {"n/d.md": "conflict", "n": "conflict"}
    assert (done["undoCallId"], files_in(folder)) == (None, now)


async def test_only_the_effect_of_the_one_call_goes(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    first, second = edit("line 2", "LINE 2", id="toolu_first"), edit("line 7", "LINE 7")
    turn = await work(talk, upstream, (first,), (second,))

    done = await undo(talk, turn, "toolu_first")

    assert actions(done) == {"a.md": "merge"}
    assert files_in(folder)["a.md"] == LINES.replace("line 7", "LINE 7")


async def test_a_turn_of_many_calls_is_taken_back_whole(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    before = files_in(folder)
    turn = await work(
        talk,
        upstream,
        (edit("line 2", "LINE 2"), edit("line 3", "LINE 3")),
        (calls("move_file", {"path": "a.md", "new_path": "old/deep/a.md"}),),
        (calls("rename_file", {"path": "old/deep", "new_name": "deeper"}),),
        (calls("write_file", {"path": "old/deeper/a.md", "content": "all new\n"}),),
        (calls("delete_file", {"path": "old/c.md"}),),
        (calls("create_file", {"path": "old/c.md", "content": "another\n"}),),
    )
    after = files_in(folder)

    done = await undo(talk, turn)
    assert files_in(folder) == before

    await undo(talk, turn, done["undoCallId"])
    assert files_in(folder) == after


@pytest.mark.parametrize("is_sandboxed", [True, False], ids=["sandboxed", "unsandboxed"])
async def test_what_a_command_did_is_taken_back(
    upstream: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_sandboxed: bool
) -> None:
    folder = tmp_path / "folder"
    put(folder, {"a.md": LINES, "run.sh": "echo\n", "gone.md": "x\n"})
    (folder / "link").symlink_to("a.md")
    if not is_sandboxed:

        async def nowhere(_: str | None) -> SandboxLevel:
            return SandboxLevel("unsandboxed", "It is left out here.", "None.")

        monkeypatch.setattr("recto.tools.toolboxes.find_sandbox", nowhere)
    elif (level := await find_sandbox(str(folder))).kind == "unsandboxed":
        pytest.skip(f"no sandbox here: {level.why}")
    before = files_in(folder)
    command = (
        "sed -i s/line/LINE/ a.md && chmod +x run.sh && rm gone.md link && ln -s run.sh link"
        " && mkdir made && echo new > made/new.md"
    )
    async with talk_to(upstream, tmp_path) as talk:
        turn = await work(talk, upstream, (calls("run_command", {"command": command}),))
        after = files_in(folder)
        assert after["made/new.md"] == "new\n"

        done = await undo(talk, turn)

        assert files_in(folder) == before
        assert not (folder / "run.sh").stat().st_mode & 0o100
        assert done["notCovered"] == ("" if is_sandboxed else UNCOVERED)
        await undo(talk, turn, done["undoCallId"])
        assert files_in(folder) == after
        assert (folder / "run.sh").stat().st_mode & 0o100


async def test_a_path_that_is_hidden_by_now_is_refused(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    turn = await work(talk, upstream, (edit("line 3", "LINE 3"),))
    put(folder, {".rectoignore": "a.md\n"})
    now = files_in(folder)

    done = await undo(talk, turn)

    assert actions(done) == {"a.md": "conflict"}
    assert "kept from the AI" in done["files"][0]["words"]
    assert files_in(folder) == now


async def test_a_turn_that_runs_is_not_undone(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    turn = await work(talk, upstream, (edit("line 3", "LINE 3"),))
    gate = Gate()
    upstream.answer(says("Slowly."), fault=Fault(hold_headers=True, gate=gate))
    running = await talk.say("And now?")
    await gate.arrived.wait()

    answer = await talk.client.post(f"/api/v1/turns/{turn}/undo")
    assert (answer.status_code, answer.json()["detail"]) == (409, "A turn is running in this chat.")

    gate.open()
    await talk.until(ended(running))


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        ("turns/{turn}/undo", 409, "No file was changed by this."),
        ("calls/{turn}/nobody/undo", 409, "This turn has no such call."),
        ("turns/00000000000000000000000000/undo", 404, NO_RUN),
    ],
)
async def test_where_there_is_nothing_to_undo_it_says_so(
    talk: Talk, upstream: AnthropicServer, path: str, status: int, detail: str
) -> None:
    upstream.answer(says("Hello."))
    turn = await talk.say("Hello?")
    await talk.until(ended(turn))

    answer = await talk.client.post("/api/v1/" + path.format(turn=turn))

    assert (answer.status_code, answer.json()["detail"]) == (status, detail)


async def test_an_undo_is_not_continued(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    turn = await work(talk, upstream, (edit("line 3", "LINE 3"),))
    done = await undo(talk, turn)

    answer = await talk.client.post(f"/api/v1/turns/{done['undoCallId']}/continue")

    assert (answer.status_code, answer.json()["detail"]) == (409, "An undo is not continued.")


async def test_a_call_that_was_refused_has_nothing_to_undo(
    talk: Talk, upstream: AnthropicServer, folder: Path
) -> None:
    upstream.answer(calls("read_file", {"path": "a.md"}, id="toolu_read"))
    upstream.answer(says("Done."))
    turn = await talk.say("Read.")
    async with approving(talk):
        await talk.until(ended(turn))

    answer = await talk.client.post(f"/api/v1/calls/{turn}/toolu_read/undo")

    assert (answer.status_code, answer.json()["detail"]) == (409, "No file was changed by this.")


async def test_an_edit_that_was_noted_when_recto_died_is_undone_if_it_was_made(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:
        server, file = world.servers["anthropic"], world.folder / "a.md"
        server.answer(
            calls("edit_file", {"path": "a.md", "old_string": "Ebb", "new_string": "Flood"})
        )
        server.answer(says("Done."))
        turn = await world.talk.say("Edit.", model=MODELS["anthropic"])
        await world.talk.until(ended(turn))
        await world.cut_off(turn, after_kind="change")

        assert actions(await undo(world.talk, turn)) == {"a.md": "restore"}
        assert file.read_text(encoding="utf-8") == "Ebb and flow.\n"

        again = await undo(world.talk, turn)
        assert (actions(again), again["undoCallId"]) == ({"a.md": "nothing"}, None)


async def test_a_command_that_ran_when_recto_died_says_what_may_be_missing(
    tmp_path: Path,
) -> None:
    async with open_world(tmp_path) as world:
        server = world.servers["anthropic"]
        server.answer(calls("run_command", {"command": "echo new > b.md"}))
        server.answer(says("Done."))
        turn = await world.talk.say("Run.", model=MODELS["anthropic"])
        async with approving(world.talk):
            await world.talk.until(ended(turn))
        await world.cut_off(turn, after_kind="change")

        preview = await undo(world.talk, turn, dry_run=True)

        assert actions(preview) == {"b.md": "remove"}
        assert preview["notCovered"].startswith("Recto ended while a command ran.")
