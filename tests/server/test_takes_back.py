"""The API takes back what it gives: GET then PUT, rows as listed, ids and nulls of clients."""

import uuid

import pytest

from recto.server import build_api, describe_api
from tests.server.shelf import Json, Kept, Shelf, ids
from tests.talk import MODEL

pytestmark = pytest.mark.anyio

NOT_KEPT_BY_ID = {"/api/v1/preferences", "/api/v1/budget"}
COVERED = {
    "/api/v1/projects/{project_id}",
    "/api/v1/projects/{project_id}/contexts/{context_id}",
    "/api/v1/projects/{project_id}/chats/{chat_id}",
    "/api/v1/projects/{project_id}/chats/{chat_id}/tools",
    "/api/v1/projects/{project_id}/skills/{skill_id}",
    "/api/v1/projects/{project_id}/threads/{thread_id}",
    *NOT_KEPT_BY_ID,
}
ANSWERS = {"/api/v1/projects/{project_id}/instructions"}
"""What is put there is the answer to a question about one of what is read, not a resource."""
ELSEWHERE = {"/api/v1/projects/{project_id}/mcp/{server_id}"}
"""Tried where there are servers: tests/mcp/test_over_http.py."""


def test_every_resource_that_can_be_read_and_put_is_tried_here() -> None:
    paths = describe_api(build_api("0"))["paths"]
    both = {path for path, ways in paths.items() if "get" in ways and "put" in ways}
    assert both == COVERED | ANSWERS | ELSEWHERE


async def put_back(shelf: Shelf, path: str) -> tuple[Json, Json]:
    """What is read, put back as it is, and read again."""
    first = await shelf.client.get(path)
    assert first.status_code == 200, first.text
    tag = first.headers.get("etag", f'"{first.json().get("version", 0)}"')
    put = await shelf.client.put(path, json=first.json(), headers={"if-match": tag})
    assert put.status_code == 200, put.text
    return first.json(), (await shelf.client.get(path)).json()


async def test_what_was_read_is_put_back_and_nothing_changes(shelf: Shelf) -> None:
    project = await shelf.project()
    (project.folder / "a.md").write_text("Tides.\n", encoding="utf-8")
    context = await project.ask("POST", "/contexts", {"name": "A", "files": ["a.md"]}, status=201)
    chat = await project.chat(model=MODEL, contextIds=[context["id"]], additionalFiles=["a.md"])
    skill_body = {"name": "S", "prompt": "Be brief.", "files": ["a.md"], "tools": ["edit_file"]}
    skill = await project.ask("POST", "/skills", skill_body, status=201)
    passage = {"kind": "text", "path": "a.md", "start": 0, "end": 5, "text": "Tides"}
    remark = {"passage": passage, "body": "Which?"}
    thread = await project.ask("POST", "/threads", remark, status=201)
    inside = f"/api/v1/projects/{project.id}"
    for path in (
        inside,
        f"{inside}/contexts/{context['id']}",
        f"{inside}/chats/{chat['id']}",
        f"{inside}/chats/{chat['id']}/tools",
        f"{inside}/skills/{skill['id']}",
        f"{inside}/threads/{thread['id']}",
        *sorted(NOT_KEPT_BY_ID),
    ):
        before, after = await put_back(shelf, path)
        for volatile in ("tokenCountUpdatedAt",):
            before.pop(volatile, None)
            after.pop(volatile, None)
        assert after == before, path


async def test_listed_folders_and_tools_are_put_back_as_they_are(shelf: Shelf) -> None:
    project = await shelf.project()
    await project.group("Field work")
    (group,) = await project.groups()
    path = f"/chat-groups/{group['id']}"
    assert await project.ask("PUT", path, group, version=group["version"]) == group
    tools = (await shelf.client.get("/api/v1/tools")).json()["items"]
    answer = await shelf.client.put(f"/api/v1/tools/{tools[0]['name']}", json=tools[0])
    assert answer.status_code == 200, answer.text


async def test_a_field_that_nobody_knows_is_refused_by_its_name(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat()
    path = f"/chats/{chat['id']}"
    said = await project.ask("PUT", path, {**chat, "colour": "x"}, version=1, status=422)
    assert said["detail"] == "colour is not known here."


async def test_rows_as_listed_are_taken_by_bulk_sync(shelf: Shelf) -> None:
    project = await shelf.project()
    await project.chat("Tides", model=MODEL)
    await project.group("Field work")
    (chat,), (group,) = (await project.chats()).values(), await project.groups()
    (kept,) = await project.sync(chat)
    assert (kept["outcome"], kept["row"]) == ("kept", chat)
    newer = {**chat, "title": "Ebb", "version": chat["version"] + 1}
    (taken,) = await project.sync(newer)
    assert (taken["outcome"], taken["row"]) == ("taken", newer)
    (kept_group,) = await project.sync_groups(group)
    assert (kept_group["outcome"], kept_group["row"]) == ("kept", group)
    (taken_group,) = await project.sync_groups({**group, "name": "Sea", "version": 2})
    assert (taken_group["outcome"], taken_group["row"]["name"]) == ("taken", "Sea")


async def test_one_bad_row_does_not_refuse_the_others(shelf: Shelf) -> None:
    project = await shelf.project()
    good = {"id": ids.new(), "title": "Good", "createdAt": 1, "lastActiveAt": 1}
    results = await project.sync({**good, "id": "?"}, good, {**good, "id": ids.new(), "title": 5})
    assert [result["outcome"] for result in results] == ["refused", "taken", "refused"]
    assert results[2]["reason"] == "title must be text."
    assert list(await project.chats()) == [good["id"]]
    folders = await project.sync_groups(
        {"id": ids.new(), "createdAt": 1}, {"id": ids.new(), "name": "Sea", "createdAt": 1}
    )
    assert [folder["outcome"] for folder in folders] == ["refused", "taken"]


async def test_ids_of_clients_may_be_uuids_in_any_case(shelf: Shelf) -> None:
    project = await shelf.project()
    chat_id, group_id, message_id = str(uuid.uuid4()).upper(), str(uuid.uuid4()), str(uuid.uuid4())
    group = await project.group("Field work", id=group_id)
    chat = await project.chat(id=chat_id, groupId=group["id"])
    assert (chat["id"], chat["groupId"]) == (chat_id.lower(), group_id)
    said = {"id": message_id, "role": "user", "text": "High water was at 06:14."}
    path = f"/chats/{chat_id}/messages"
    assert (await project.ask("POST", path, said, status=201))["id"] == message_id
    assert (await project.ask("POST", path, said, status=200))["id"] == message_id
    assert (await project.get(chat_id))["messages"][0]["id"] == message_id
    (kept,) = await project.sync({**chat, "id": chat_id})
    assert kept["outcome"] == "kept"


async def test_what_may_be_left_out_may_be_null(shelf: Shelf) -> None:
    project = await shelf.project()
    nothing: Json = {"title": None, "additionalFiles": None, "isGlobal": None, "id": None}
    chat = await project.ask("POST", "/chats", nothing, status=201)
    assert (chat["title"], chat["additionalFiles"], chat["isGlobal"]) == ("", [], False)
    skill = {"name": "S", "prompt": "P", "description": None, "files": None, "tools": None}
    made = await project.ask("POST", "/skills", skill, status=201)
    assert (made["description"], made["files"], made["tools"]) == ("", [], [])


async def test_no_change_of_a_built_in_skill_is_more_than_forbidden(shelf: Shelf) -> None:
    project = await shelf.project()
    path = "/skills/builtin.concise"
    skill = await project.ask("GET", path)
    for body in (skill, {}, {"name": 5}):
        await project.ask("PUT", path, body, status=403)
        await project.ask("PUT", path, body, version=0, status=403)
    await project.ask("DELETE", path, status=403)
    await project.ask("PUT", f"{path}/trust", {"hash": "0" * 64, "trusted": True}, status=403)


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/skills", {"files": ["../secret"]}, "is not an accepted path"),
        ("/skills", {"files": ["inside"]}, "is not an ordinary file"),
        ("/skills", {"tools": ["no_such_tool"]}, "There is no tool no_such_tool."),
        ("/contexts", {"files": ["../secret"]}, "is not an accepted path"),
        ("/contexts", {"files": ["inside"]}, "is not an ordinary file"),
    ],
)
async def test_contexts_and_skills_are_checked_when_they_are_saved(
    shelf: Shelf, path: str, body: Json, words: str
) -> None:
    project = await shelf.project()
    (project.folder / "inside").mkdir()
    whole = {"name": "N", "prompt": "P", **body} if path == "/skills" else {"name": "N", **body}
    said = await project.ask("POST", path, whole, status=422)
    assert words in said["detail"]


async def test_the_contexts_of_a_turn_send_their_files(shelf: Shelf) -> None:
    project: Kept = await shelf.project()
    for name in ("a.md", "b.md", "c.md"):
        (project.folder / name).write_text(f"This is {name}.\n", encoding="utf-8")
    body = {"name": "All", "files": ["a.md", "b.md", "gone.md"]}
    context = await project.ask("POST", "/contexts", body, status=201)
    talk = project.talk((await project.chat(model=MODEL))["id"])
    await talk.ask("What is here?", contextIds=[context["id"]], files=["c.md"])
    (entry,) = await talk.entries("user")
    sent = {attachment["path"]: attachment["cut"] for attachment in entry["attached"]}
    assert {path: cut for path, cut in sent.items() if cut is None} == {
        "a.md": None,
        "b.md": None,
        "c.md": None,
    }
    assert "not sent" in sent["gone.md"]
    await talk.ask("And now?", contextIds=[context["id"]], exceptFiles=["b.md", "gone.md"])
    entry = (await talk.entries("user"))[-1]
    assert [attachment["path"] for attachment in entry["attached"]] == ["a.md"]
