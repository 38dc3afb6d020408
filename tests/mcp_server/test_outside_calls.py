"""What other programs do through /mcp: read, search, edit under review, talk in the margin."""

import base64
import subprocess
from pathlib import Path

import anyio
import pytest

from tests.fakes.providers import Fault, Gate, says
from tests.mcp_server.visitor import Visitor
from tests.server.conftest import shelf
from tests.server.shelf import Kept, Shelf
from tests.talk import MODEL, Talk, ended

pytestmark = pytest.mark.anyio
__all__ = ["shelf"]

TEXT = "# Tides\n\nThe sea comes twice.\nThe moon stays where it is.\n"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
NAMES = [
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "search_content",
    "search_references",
    "get_reference",
    "add_reference",
    "cite_reference",
    "edit_reference",
    "read_notebook",
    "edit_cell",
    "add_cell",
    "delete_cell",
    "read_threads",
    "add_thread",
    "answer_thread",
    "what_changed",
]


@pytest.fixture
async def kept(shelf: Shelf) -> Kept:
    found = await shelf.project()
    (found.folder / "tides.md").write_text(TEXT, encoding="utf-8")
    return found


def visitor(kept: Kept, name: str = "Zed") -> Visitor:
    return Visitor(kept.client, name, f"/mcp/{kept.id}")


@pytest.mark.parametrize("is_old", [False, True], ids=["2026-07-28", "2025-11-25"])
async def test_an_edit_from_outside_waits_for_review_under_the_clients_name(
    kept: Kept, is_old: bool
) -> None:
    zed = visitor(kept)
    if is_old:
        await zed.begin_session()
    tools = (await zed.ask("tools/list"))["result"]["tools"]
    assert [tool["name"] for tool in tools] == NAMES
    told = await zed.call(
        "edit_file", path="tides.md", old_string="twice", new_string="twice a day"
    )
    assert told == "Replaced the passage at line 3 in tides.md."
    (review,) = (await kept.ask("GET", "/reviews"))["items"]
    assert [(edit["model"], edit["tool"]) for edit in review["edits"]] == [("Zed", "edit_file")]
    assert "tides.md: edited by Zed 0 min ago, waits for review" in await zed.call("what_changed")

    rejected = await kept.client.post(f"/api/v1/reviews/{review['id']}/reject", json={})
    assert rejected.status_code == 200, rejected.text
    assert (kept.folder / "tides.md").read_text(encoding="utf-8") == TEXT
    assert "tides.md: edited by Zed 0 min ago, rejected" in await zed.call("what_changed")


async def test_what_a_client_did_stands_in_a_chat_of_its_own_and_is_undone_there(
    shelf: Shelf, kept: Kept
) -> None:
    zed, other = visitor(kept), visitor(kept, "Other\nEditor")
    await zed.call("write_file", path="new/ebb.md", content="Ebb.\n")
    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(call_edit, zed, f"{number}.md")
        tasks.start_soon(call_edit, other, "other.md")
    chats = {chat["title"]: chat for chat in (await kept.ask("GET", "/chats"))["items"]}
    assert set(chats) == {"Zed (MCP)", "Other Editor (MCP)"}
    talk = Talk(kept.client, kept.id, chats["Zed (MCP)"]["id"])
    entries = await talk.entries()
    assert [entry["kind"] for entry in entries] == ["assistant", "tool_results"] * 5
    assert {entry["modelName"] for entry in entries if entry["kind"] == "assistant"} == {"Zed"}
    assert entries[1]["results"][0]["changed"] == ["new", "new/ebb.md"]

    undone = await kept.client.post(f"/api/v1/turns/{entries[0]['turnId']}/undo")
    assert undone.status_code == 200, undone.text
    assert not (kept.folder / "new").exists()
    continued = await kept.client.post(f"/api/v1/turns/{entries[0]['turnId']}/continue", json={})
    assert (continued.status_code, continued.json()["detail"]) == (409, "Another program did this.")
    # A person goes on in that chat: its history is one that the strict provider takes.
    shelf.model.answer(says("It wrote five files."))
    turn = await talk.say("What did it do?", model=MODEL)
    assert (await talk.until(ended(turn)))["state"] == "finished"
    await call_edit(zed, "afterwards.md")


async def call_edit(visitor: Visitor, name: str) -> None:
    await visitor.call("write_file", path=name, content="Ebb.\n")


async def test_a_call_beside_a_turn_of_the_same_chat_gets_a_chat_of_its_own(
    shelf: Shelf, kept: Kept
) -> None:
    zed, gate = visitor(kept), Gate()
    await call_edit(zed, "first.md")
    (chat,) = (await kept.ask("GET", "/chats"))["items"]
    talk = Talk(kept.client, kept.id, chat["id"])
    shelf.model.answer(says("Wait."), fault=Fault(hold_headers=True, gate=gate))
    turn = await talk.say("Go on.", model=MODEL)
    await gate.arrived.wait()
    await call_edit(zed, "second.md")
    gate.open()
    assert (await talk.until(ended(turn)))["state"] == "finished"
    assert len((await kept.ask("GET", "/chats"))["items"]) == 2


async def test_rules_of_the_folder_and_of_secrets_hold_outside_too(kept: Kept) -> None:
    zed = visitor(kept)
    (kept.folder / ".env").write_text("KEY=abc", encoding="utf-8")
    (kept.folder / "outside").symlink_to("/etc")
    (kept.folder / ".gitignore").write_text("ignored.md\n", encoding="utf-8")
    (kept.folder / "ignored.md").write_text("The sea is ignored.\n", encoding="utf-8")
    assert "kept from the AI" in await zed.fail("read_file", path=".env")
    assert "kept from the AI" in await zed.fail("write_file", path=".env", content="KEY=1")
    for path in ("/etc/passwd", "../elsewhere", "outside/passwd"):
        assert "abc" not in await zed.fail("read_file", path=path)
        await zed.fail("write_file", path=path, content="x")
    refused = await zed.fail("write_file", path="AGENTS.md", content="Obey.")
    assert refused.endswith("Nobody can be asked about a call from outside.")
    assert not (kept.folder / "AGENTS.md").exists()
    found = await zed.call("search_content", query="sea")
    assert found == "tides.md\n3\tThe sea comes twice."
    assert ".env" not in await zed.call("list_files")
    stale = await zed.fail("edit_file", path="tides.md", old_string="thrice", new_string="twice")
    assert stale.startswith('"tides.md" has no such passage.')
    wrong = await zed.fail("edit_file", path="tides.md", new_string="twice")
    assert wrong.startswith("The arguments of edit_file don't fit")
    missing = await zed.ask("tools/call", name="run_command", arguments={"command": "id"})
    assert missing["error"] == {"code": -32602, "message": "There is no tool 'run_command'."}
    for path in ("/mcp/" + "0" * 26, "/mcp/x"):
        answer = await Visitor(kept.client, path=path).ask("tools/list")
        assert answer["status"] in (404, 422), answer
    assert (await kept.client.get("/mcp")).status_code == 405


async def test_a_rule_of_the_folder_turns_a_tool_off(kept: Kept) -> None:
    (kept.folder / ".recto").mkdir()
    rules = kept.folder / ".recto" / "tools.json"
    rules.write_text('{"version": 1, "disabled": ["write_file"], "ask": ["edit_file"]}')
    zed = visitor(kept)
    names = [tool["name"] for tool in (await zed.ask("tools/list"))["result"]["tools"]]
    assert "write_file" not in names
    asked = await zed.fail("edit_file", path="tides.md", old_string="twice", new_string="once")
    assert "This folder's rules ask: edit_file." in asked
    rules.write_text("{")
    broken = await zed.ask("tools/list")
    assert broken["error"]["message"].endswith("Correct the file.")


async def test_threads_are_read_begun_and_answered_from_outside(shelf: Shelf, kept: Kept) -> None:
    zed = visitor(kept)
    (kept.folder / ".env").write_text("KEY=abc", encoding="utf-8")
    assert await zed.call("read_threads") == "There are no threads here."
    passage = {"kind": "text", "path": "tides.md", "start": 9, "end": 16}
    made = await kept.ask("POST", "/threads", {"passage": passage, "body": "Sure?"}, status=201)
    secret = {"kind": "text", "path": ".env", "start": 0, "end": 3}
    hidden = await kept.ask("POST", "/threads", {"passage": secret, "body": "Key?"}, status=201)
    await zed.call("add_thread", path="tides.md", passage="The moon", task="Which one?")
    listed = await zed.call("read_threads", path="tides.md")
    assert f"Thread {made['id']}: tides.md, line 3, by the user, not answered yet" in listed
    assert "Which one?" in listed
    assert "Key?" not in await zed.call("read_threads")
    await zed.fail("read_threads", thread=hidden["id"])
    await zed.fail("answer_thread", thread=hidden["id"], text="It is abc.")

    await zed.call("answer_thread", thread=made["id"], text="Quite sure.")
    whole = await zed.call("read_threads", thread=made["id"])
    assert whole.endswith("Zed said:\nQuite sure.")
    thread = await kept.ask("GET", f"/threads/{made['id']}")
    assert (thread["status"], thread["messages"]) == ("idle", 1)
    # The user answers back: a conversation that begins with an answer is one that can be sent.
    talk = Talk(kept.client, kept.id, thread["chatId"])
    shelf.model.answer(says("By the tables."))
    said = await kept.ask(
        "POST", f"/threads/{made['id']}/messages", {"text": "How?", "model": MODEL}, status=202
    )
    assert (await talk.until(ended(said["turnId"])))["state"] == "finished"
    whole = await zed.call("read_threads", thread=made["id"])
    assert "The user said:\nHow?" in whole
    assert whole.endswith("said:\nBy the tables.")


async def test_references_and_notebooks_are_used_from_outside_under_review(kept: Kept) -> None:
    zed = visitor(kept)
    library = kept.folder / "references" / "library.bib"
    library.parent.mkdir()
    entry = (
        "@book{pugh1987,\n  title = {Tides, Surges},\n  author = {Pugh, David},\n  year = 1987\n}\n"
    )
    library.write_text(entry, encoding="utf-8")
    assert "pugh1987" in await zed.call("search_references", query="surges")
    assert "Pugh" in await zed.call("get_reference", key="pugh1987")
    await zed.call("cite_reference", path="tides.md", after="comes twice", key="surges")
    assert "comes twice [@pugh1987]." in (kept.folder / "tides.md").read_text(encoding="utf-8")
    # What is not in the library is marked, whoever cites it.
    await zed.call("edit_file", path="tides.md", old_string="it is.", new_string="it is [@moon].")
    assert "[citation?]" in (kept.folder / "tides.md").read_text(encoding="utf-8")
    changes = [{"name": "publisher", "value": "Wiley"}]
    await zed.call("edit_reference", key="pugh1987", changes=changes)
    assert "publisher = {Wiley}" in library.read_text(encoding="utf-8")

    await zed.call("add_cell", path="fit.ipynb", kind="code", source="print(1)")
    shown = await zed.call("read_notebook", path="fit.ipynb")
    assert "print(1)" in shown
    refused = await zed.ask("tools/call", name="run_cell", arguments={"path": "fit.ipynb"})
    assert refused["error"]["message"] == "There is no tool 'run_cell'."
    edits = [
        edit for item in (await kept.ask("GET", "/reviews"))["items"] for edit in item["edits"]
    ]
    changed = {edit["tool"] for edit in edits}
    assert changed >= {"cite_reference", "edit_file", "edit_reference"}
    assert {edit["model"] for edit in edits} == {"Zed"}


async def test_pictures_come_as_pictures_and_git_tells_what_differs(kept: Kept) -> None:
    zed = visitor(kept)
    (kept.folder / "dot.png").write_bytes(PIXEL)
    answer = await zed.ask("tools/call", name="read_file", arguments={"path": "dot.png"})
    _, picture = answer["result"]["content"]
    assert (picture["type"], picture["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(picture["data"]) == PIXEL
    await anyio.to_thread.run_sync(begin_repository, kept.folder)
    (kept.folder / "tides.md").write_text(f"{TEXT}Ebb.\n", encoding="utf-8")
    (kept.folder / ".env").write_text("KEY=abc", encoding="utf-8")
    changed = await zed.call("what_changed")
    assert "- tides.md: modified" in changed
    assert "+Ebb." in changed
    assert ".env" not in changed


def begin_repository(folder: Path) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@localhost")
    for arguments in (("init", "-q"), ("add", "tides.md"), ("commit", "-qm", "first")):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
