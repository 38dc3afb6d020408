"""The chats of projects over HTTP: begun, changed, moved, added to, put away."""

import pytest

from recto.server import build_api
from recto.server.description import describe_api
from recto.server.schemas.base import Schema
from recto.server.schemas.chats.chat_groups import (
    ChatGroupUpdate,
    GroupOrder,
    NewChatGroup,
    SyncedGroup,
)
from recto.server.schemas.chats.chats import ChatUpdate, NewChat, NewMessage, SyncedChat
from tests.fakes.providers import Fault, Gate, calls, says
from tests.server.shelf import NOBODY, Json, Shelf, ids, row
from tests.talk import MODEL, ended

pytestmark = pytest.mark.anyio


async def test_a_new_chat_is_whole_from_the_start(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat("Tides", model=MODEL)
    assert chat == {
        "id": chat["id"],
        "projectId": project.id,
        "title": "Tides",
        "model": MODEL,
        "groupId": None,
        "contextIds": [],
        "skillIds": [],
        "additionalFiles": [],
        "additionalPrompt": "",
        "isGlobal": False,
        "createdAt": chat["createdAt"],
        "lastActiveAt": chat["createdAt"],
        "version": 1,
        "isRunning": False,
    }
    assert await project.get(chat["id"]) == {**chat, "messages": []}
    assert await project.chats() == {chat["id"]: chat}


async def test_a_new_chat_is_found_by_its_title(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat("Spring tide")
    found = await project.ask("GET", "/chat-search", params={"query": "spring"})
    assert [hit["chatId"] for hit in found["items"]] == [chat["id"]]


async def test_a_chat_begins_with_what_its_folder_says_and_else_the_project(shelf: Shelf) -> None:
    project = await shelf.project()
    mine, usual, gone = [await project.context(name) for name in ("mine", "usual", "gone")]
    await project.ask("DELETE", f"/contexts/{gone}", status=204)
    now = await project.ask("GET", "")
    settings = {**now["settings"], "defaultContextIds": [usual, gone]}
    settings["defaultSkillIds"] = ["builtin.concise"]
    await project.ask("PUT", "", {"name": "p", "settings": settings}, version=now["version"])
    group = await project.group("Field work", defaultContextIds=[mine])

    loose = await project.chat()
    inside = await project.chat(groupId=group["id"])
    none = await project.chat(groupId=group["id"], contextIds=[], skillIds=[])

    assert [(item["contextIds"], item["skillIds"]) for item in (loose, inside, none)] == [
        ([usual], ["builtin.concise"]),
        ([mine], ["builtin.concise"]),
        ([], []),
    ]


async def test_a_chat_can_be_begun_with_an_id_once(shelf: Shelf) -> None:
    project, chat_id = await shelf.project(), ids.new()
    assert (await project.chat(id=chat_id))["id"] == chat_id
    again = await project.ask("POST", "/chats", {"id": chat_id}, status=409)
    await project.ask("DELETE", f"/chats/{chat_id}", status=204)
    after = await project.ask("POST", "/chats", {"id": chat_id}, status=409)
    assert again["remedy"] == after["remedy"] == "Choose another id, or leave it out."


async def test_a_change_names_the_version_that_was_seen(shelf: Shelf) -> None:
    project = await shelf.project()
    chat, context = await project.chat(), await project.context("Notes")
    path = f"/chats/{chat['id']}"
    wanted = {
        "title": "Neap tide",
        "model": MODEL,
        "groupId": (await project.group("Field work"))["id"],
        "contextIds": [context],
        "skillIds": ["builtin.concise", "folder.0a1b2c3d"],
        "additionalFiles": ["methods.md"],
        "additionalPrompt": "Metric units.",
        "isGlobal": True,
        "projectId": project.id,
    }
    await project.ask("PUT", path, wanted, status=428)
    changed = await project.ask("PUT", path, wanted, version=1)
    await project.ask("PUT", path, wanted, version=1, status=412)

    assert changed == {**chat, **wanted, "version": 2}
    answer = await shelf.client.get(f"/api/v1/projects/{project.id}{path}")
    assert (answer.headers["etag"], answer.json()) == ('"2"', {**changed, "messages": []})
    await project.change(changed, isGlobal=False)


async def test_a_new_title_reaches_those_who_watch_the_chat(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat("Tide")
    await project.change(chat, title="Ebb")
    event = await project.talk(chat["id"]).until(lambda event: event["kind"] == "chat")
    assert (event["title"], event["model"]) == ("Ebb", None)


async def test_a_pinned_context_that_was_deleted_does_not_stand_in_the_way(shelf: Shelf) -> None:
    project = await shelf.project()
    context = await project.context("Notes")
    chat = await project.chat(contextIds=[context])
    await project.ask("DELETE", f"/contexts/{context}", status=204)
    renamed = await project.change(chat, title="Ebb")
    assert (renamed["title"], renamed["contextIds"]) == ("Ebb", [context])


@pytest.mark.parametrize(
    "wrong",
    [
        {"groupId": NOBODY},
        {"contextIds": [NOBODY]},
        {"skillIds": [NOBODY]},
        {"skillIds": ["builtin.../../etc"]},
        {"title": "x" * 301},
        {"additionalPrompt": "a\0b"},
        {"additionalFiles": ["../secret"]},
        {"additionalFiles": ["/etc/passwd"]},
        {"title": 5},
        {"isGlobal": "perhaps"},
        {"color": "#ffffff"},
    ],
)
async def test_what_makes_no_sense_is_refused_with_words(shelf: Shelf, wrong: Json) -> None:
    project = await shelf.project()
    chat = await project.chat()
    problem = await project.change(chat, status=422, **wrong)
    assert problem["detail"]
    assert await project.get(chat["id"]) == {**chat, "messages": []}
    await project.ask("POST", "/chats", wrong, status=422)
    assert list(await project.chats()) == [chat["id"]]


async def test_a_chat_of_another_project_is_not_there(shelf: Shelf) -> None:
    here, there = await shelf.project(), await shelf.project()
    chat = await there.chat()
    path = f"/chats/{chat['id']}"
    await here.ask("GET", path, status=404)
    await here.change(chat, title="Mine", status=404)
    await here.ask("POST", f"{path}/messages", {"role": "user", "text": "Hi"}, status=404)
    await here.ask("DELETE", path, status=404)
    assert await here.chats() == {}
    assert await there.get(chat["id"]) == {**chat, "messages": []}


async def test_a_global_chat_is_in_every_project(shelf: Shelf) -> None:
    home, other = await shelf.project(), await shelf.project()
    chat = await home.chat("Everywhere", isGlobal=True)
    assert chat["id"] in await other.chats()
    renamed = await other.change(await other.get(chat["id"]), title="All over")
    assert (renamed["title"], renamed["projectId"]) == ("All over", home.id)
    only_home = await other.change(renamed, isGlobal=False)
    assert only_home["id"] not in await other.chats()
    await other.ask("GET", f"/chats/{chat['id']}", status=404)
    await home.ask("DELETE", f"/chats/{chat['id']}", status=204)


async def test_some_chats_can_be_asked_for_by_their_ids(shelf: Shelf) -> None:
    here, there = await shelf.project(), await shelf.project()
    one, two, gone = await here.chat(), await here.chat(), await here.chat()
    foreign = await there.chat()
    await here.ask("DELETE", f"/chats/{gone['id']}", status=204)
    wanted = [one["id"], two["id"], gone["id"], foreign["id"], NOBODY]
    found = await here.ask("GET", "/chats", params={"id": wanted})
    assert found["nextCursor"] is None
    assert {chat["id"]: chat for chat in found["items"]} == {one["id"]: one, two["id"]: two}
    await here.ask("GET", "/chats", params={"id": ["x"]}, status=422)


async def test_a_chat_moves_and_leaves_behind_what_belongs_to_the_project(shelf: Shelf) -> None:
    old, new = await shelf.project(), await shelf.project()
    group, context = await old.group("Old"), await old.context("Old")
    chat = await old.chat(groupId=group["id"], contextIds=[context], skillIds=["builtin.concise"])
    await old.change(chat, projectId=NOBODY, status=404)

    moved = await old.change(chat, projectId=new.id)

    assert moved == {
        **chat,
        "projectId": new.id,
        "groupId": None,
        "contextIds": [],
        "version": 2,
    }
    assert (await old.chats(), await new.chats()) == ({}, {chat["id"]: moved})
    await old.ask("GET", f"/chats/{chat['id']}", status=404)
    into = await new.group("New")
    back = await new.change(moved, projectId=old.id, groupId=into["id"], status=422)
    assert "folder" in back["detail"]


async def test_what_a_turn_did_is_undone_where_it_was_done(shelf: Shelf) -> None:
    old, new = await shelf.project(), await shelf.project()
    for project in (old, new):
        (project.folder / "a.md").write_text("before", encoding="utf-8")
    shelf.model.answer(calls("write_file", {"path": "a.md", "content": "after"}))
    shelf.model.answer(says("Done."))
    chat = await old.chat(model=MODEL)
    talk = old.talk(chat["id"])
    turn = await talk.say("Write it.")
    await talk.until(ended(turn))
    assert (old.folder / "a.md").read_text(encoding="utf-8") == "after"
    await old.change(await old.get(chat["id"]), projectId=new.id)

    undone = await shelf.client.post(f"/api/v1/turns/{turn}/undo", params={"dryRun": False})

    assert undone.status_code == 200, undone.text
    assert (old.folder / "a.md").read_text(encoding="utf-8") == "before"
    assert (new.folder / "a.md").read_text(encoding="utf-8") == "before"


async def test_a_chat_in_which_a_turn_runs_is_neither_moved_nor_added_to(shelf: Shelf) -> None:
    old, new = await shelf.project(), await shelf.project()
    gate = Gate()
    shelf.model.answer(says("High."), fault=Fault(hold_headers=True, gate=gate))
    chat = await old.chat(model=MODEL)
    talk = old.talk(chat["id"])
    turn = await talk.say("Tide?")
    await gate.arrived.wait()
    seen = await old.get(chat["id"])

    await old.change(seen, projectId=new.id, status=409)
    message = {"role": "user", "text": "Hi"}
    await old.ask("POST", f"/chats/{chat['id']}/messages", message, status=409)
    (synced,) = await old.sync(row(chat["id"], 9))
    renamed = await old.change(seen, title="Other")

    assert (synced["outcome"], synced["row"]["version"]) == ("refused", seen["version"])
    assert renamed["isRunning"]
    gate.open()
    await talk.until(ended(turn))


async def test_messages_are_added_without_asking_a_model(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat()
    path, before = f"/chats/{chat['id']}/messages", len(shelf.model.exchanges)
    asked = {"id": ids.new(), "role": "user", "text": "Tide?", "createdAt": 1000}
    answered = {"id": ids.new(), "role": "assistant", "text": "High.", "createdAt": 2000}
    for message in (asked, answered):
        assert await project.ask("POST", path, message, status=201) == message
    for message in (asked, answered):
        assert await project.ask("POST", path, message) == message
    await project.ask("POST", path, {**asked, "text": "Ebb?"}, status=409)
    new = await project.ask("POST", path, {"role": "user", "text": "Thanks"}, status=201)

    now = await project.get(chat["id"])
    assert now["messages"] == [asked, answered, new]
    assert now["lastActiveAt"] == max(chat["lastActiveAt"], new["createdAt"])
    assert len(shelf.model.exchanges) == before
    talk = project.talk(chat["id"])
    await talk.until(lambda event: event["kind"] == "entry" and event["entry"]["id"] == new["id"])
    entries = [event["entry"] for event in talk.heard if event["kind"] == "entry"]
    assert [entry["id"] for entry in entries] == [asked["id"], answered["id"], new["id"]]
    assert entries[0]["turnId"] == entries[1]["turnId"] != entries[2]["turnId"]
    found = await project.ask("GET", "/chat-search", params={"query": "thanks"})
    assert [hit["entryId"] for hit in found["items"]] == [new["id"]]


async def test_a_message_of_another_chat_is_not_taken(shelf: Shelf) -> None:
    project = await shelf.project()
    one, two = await project.chat(), await project.chat()
    message = {"id": ids.new(), "role": "user", "text": "Tide?"}
    await project.ask("POST", f"/chats/{one['id']}/messages", message, status=201)
    await project.ask("POST", f"/chats/{two['id']}/messages", message, status=409)
    assert (await project.get(two["id"]))["messages"] == []


async def test_a_turn_goes_on_from_what_was_added(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat(model=MODEL)
    path = f"/chats/{chat['id']}/messages"
    for role, text in (("user", "My name is Ada."), ("assistant", "Hello, Ada.")):
        await project.ask("POST", path, {"role": role, "text": text}, status=201)
    shelf.model.answer(says("Ada."))
    await project.talk(chat["id"]).ask("What is my name?")
    sent = str(shelf.model.last.json["messages"])
    assert "My name is Ada." in sent
    assert "Hello, Ada." in sent
    messages = (await project.get(chat["id"]))["messages"]
    assert [message["text"] for message in messages][1:] == [
        "Hello, Ada.",
        "What is my name?",
        "Ada.",
    ]


async def test_a_branch_lies_beside_its_chat(shelf: Shelf) -> None:
    project = await shelf.project()
    group = await project.group("Field work")
    chat = await project.chat(
        groupId=group["id"], skillIds=["builtin.concise"], additionalPrompt="Short."
    )
    said = {"role": "user", "text": "Tide?"}
    first = await project.ask("POST", f"/chats/{chat['id']}/messages", said, status=201)
    path = f"/api/v1/chats/{chat['id']}/entries/{first['id']}/branch"
    branch = (await shelf.client.post(path)).json()
    kept = ("groupId", "skillIds", "additionalPrompt", "isGlobal", "projectId", "model")
    assert {name: branch[name] for name in kept} == {name: chat[name] for name in kept}
    texts = [message["text"] for message in (await project.get(branch["id"]))["messages"]]
    assert texts == ["Tide?"]


async def test_a_deleted_chat_is_gone_for_good(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat("Ebb")
    path = f"/chats/{chat['id']}"
    await project.ask("DELETE", path, status=204)
    await project.ask("GET", path, status=404)
    await project.ask("DELETE", path, status=404)
    await project.change(chat, title="Flood", status=404)
    found = await project.ask("GET", "/chat-search", params={"query": "ebb"})
    assert (found["items"], await project.chats()) == ([], {})


async def test_the_conversation_of_a_thread_stays_with_its_passage(shelf: Shelf) -> None:
    project, other = await shelf.project(), await shelf.project()
    (project.folder / "a.md").write_text("The sea comes twice.", encoding="utf-8")
    shelf.model.answer(says("Yes."))
    passage = {"kind": "text", "path": "a.md", "start": 4, "end": 7}
    new = {"passage": passage, "text": "Why?", "model": MODEL}
    thread = await project.ask("POST", "/threads", new, status=201)
    chat = await project.get(thread["chatId"])
    group = await project.group("Field work")
    for wrong in ({"groupId": group["id"]}, {"isGlobal": True}):
        await project.change(chat, status=422, **wrong)
    talk = project.talk(chat["id"])
    await talk.until(lambda event: event["kind"] == "turn" and event["state"] == "finished")
    chat = await project.get(chat["id"])
    await project.change(chat, status=422, projectId=other.id)
    assert (await project.change(chat, model=None))["model"] is None
    (synced,) = await project.sync(row(chat["id"], 99))
    assert (synced["outcome"], synced["row"]) == ("refused", None)


async def test_the_old_addresses_are_gone(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat()
    for method in ("PUT", "DELETE"):
        answer = await shelf.client.request(method, f"/api/v1/chats/{chat['id']}", json={})
        assert answer.status_code == 405


def test_every_body_has_examples_that_fit_it() -> None:
    described = describe_api(build_api("0"))["components"]["schemas"]
    chats: list[type[Schema]] = [NewChat, ChatUpdate, NewMessage, SyncedChat]
    groups: list[type[Schema]] = [NewChatGroup, ChatGroupUpdate, GroupOrder, SyncedGroup]
    for body in (*chats, *groups):
        assert described[body.__name__]["examples"], body
        for example in described[body.__name__]["examples"]:
            body.model_validate(example)
