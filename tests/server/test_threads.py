"""Threads and comments over HTTP: one Recto, a file of its own for each test."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from recto.config import Home, Secret, save_keys
from recto.server import build_api
from recto.server.description import describe_api
from tests.fakes.providers import AnthropicServer, Fault, Gate, says
from tests.served import Served, point_anthropic_at, served
from tests.server.test_events import following
from tests.talk import MODEL, Talk, ended, open_talk

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
TEXT = "# Tide 😀\n\nThe sea comes twice.\nThe moon stays where it is.\n"
NOBODY = "0" * 26


@dataclass(frozen=True, slots=True)
class Place:
    """A Recto on a folder, and somebody who talks beside its files."""

    recto: Served
    model: AnthropicServer
    client: httpx.AsyncClient
    project_id: str

    @property
    def root(self) -> str:
        return f"/api/v1/projects/{self.project_id}/threads"

    def put(self, name: str, text: str = TEXT) -> None:
        (self.recto.folder / name).write_text(text, encoding="utf-8")

    async def ask(
        self,
        method: str,
        path: str = "",
        body: Json | None = None,
        *,
        status: int = 200,
        **more: Any,
    ) -> Any:
        answer = await self.client.request(method, self.root + path, json=body, **more)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def comment(self, name: str, words: str, body: str = "Sure?") -> Json:
        """A comment on words of a new file."""
        self.put(name)
        new = {"passage": passage(name, words), "body": body}
        return await self.ask("POST", body=new, status=201)

    async def begin(self, name: str, words: str, text: str) -> Json:
        """A thread on words of a new file, at the end of its first turn."""
        self.put(name)
        new = {"passage": passage(name, words), "text": text, "model": MODEL}
        thread = await self.ask("POST", body=new, status=201)
        await self.over(thread["chatId"])
        return await self.ask("GET", f"/{thread['id']}")

    async def over(self, chat_id: str) -> None:
        """Wait for the end of a turn of a chat."""
        talk = Talk(self.client, self.project_id, chat_id)
        event = await talk.until(lambda event: event["kind"] == "turn")
        await talk.until(ended(event["turnId"]))

    async def listed(self, name: str) -> list[Json]:
        return (await self.ask("GET", params={"path": name}))["items"]


def passage(name: str, words: str) -> Json:
    """Where words are in a text, as a page counts."""
    start = units(TEXT[: TEXT.index(words)])
    return {"kind": "text", "path": name, "start": start, "end": start + units(words)}


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Place]:
    folder = tmp_path_factory.mktemp("threads")
    async with AnthropicServer() as model:
        point_anthropic_at(folder / "home", model.url)
        save_keys(Home(folder / "home"), {"ANTHROPIC_API_KEY": Secret("test-key")})
        async with served(folder / "home", folder / "folder") as recto, recto.script() as client:
            project = (await client.get("/api/v1/projects/current")).json()
            yield Place(recto, model, client, project["id"])


async def test_a_comment_says_where_it_is_and_how_it_stands(place: Place) -> None:
    made = await place.comment("comment.md", "comes twice", "How often?")

    at, client = units(TEXT[: TEXT.index("comes")]), made["place"]["from"]["item"]["client"]
    assert made == {
        "id": made["id"],
        "projectId": place.project_id,
        "path": "comment.md",
        "text": "comes twice",
        "line": 3,
        "isDetached": False,
        "place": {
            "epoch": made["place"]["epoch"],
            "from": {"item": {"client": client, "clock": at}, "assoc": 0},
            "to": {"item": {"client": client, "clock": at + 10}, "assoc": -1},
        },
        "answer": None,
        "body": "How often?",
        "author": "person",
        "status": "idle",
        "chatId": None,
        "messages": 0,
        "sent": None,
        "reply": None,
        "hasAppliedEdit": False,
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
        "version": 1,
    }
    assert await place.listed("comment.md") == [made]
    assert await place.listed("other.md") == []
    everywhere = await place.ask("GET")
    assert made in everywhere["items"]
    assert everywhere["nextCursor"] is None
    answer = await place.client.get(f"{place.root}/{made['id']}")
    assert (answer.json(), answer.headers["etag"]) == (made, '"1"')


async def test_a_comment_is_changed_only_in_the_version_that_was_seen(place: Place) -> None:
    made = await place.comment("change.md", "comes twice")
    address, first = f"/{made['id']}", {"if-match": '"1"'}
    body = {"body": "Thrice?", "resolved": False}
    changed = await place.ask("PUT", address, body, headers=first)
    assert (changed["body"], changed["status"], changed["version"]) == ("Thrice?", "idle", 2)

    late = await place.ask("PUT", address, {"resolved": True}, headers=first, status=412)
    assert late["remedy"] == "Reload it and make the change again."
    unsaid = await place.ask("PUT", address, {"resolved": True}, status=428)
    assert unsaid["title"] == "A version is needed"
    await place.ask("PUT", address, {"resolved": True}, headers={"if-match": "2"}, status=422)
    answer = await place.client.put(
        place.root + address, json={"resolved": True}, headers={"if-match": '"2"'}
    )
    assert (answer.json()["status"], answer.json()["body"]) == ("resolved", "Thrice?")
    assert answer.headers["etag"] == '"3"'


async def test_a_deleted_thread_is_gone_with_its_conversation(place: Place) -> None:
    place.model.answer(says("It does."))
    made = await place.begin("delete.md", "comes twice", "Does it?")
    await place.ask("DELETE", f"/{made['id']}", status=204)

    assert await place.listed("delete.md") == []
    gone = await place.ask("GET", f"/{made['id']}", status=404)
    assert gone["title"] == "Not found"
    await place.ask("DELETE", f"/{made['id']}", status=404)
    chat = await place.client.get(f"/api/v1/chats/{made['chatId']}")
    assert chat.status_code == 404


async def test_a_thread_is_asked_answered_and_not_among_the_chats(place: Place) -> None:
    place.model.answer(says("It does."))
    made = await place.begin("ask.md", "comes twice", "Does it?")
    assert (made["status"], made["messages"], made["body"]) == ("idle", 2, "")

    place.model.answer(says("Always."))
    reply = {"text": "Always?", "model": MODEL}
    turn = await place.ask("POST", f"/{made['id']}/messages", reply, status=202)
    assert turn["chatId"] == made["chatId"]
    talk = Talk(place.client, place.project_id, turn["chatId"])
    await talk.until(ended(turn["turnId"]))
    assert (await place.ask("GET", f"/{made['id']}"))["messages"] == 4
    chats = await place.client.get(f"/api/v1/projects/{place.project_id}/chats")
    assert made["chatId"] not in [item["id"] for item in chats.json()["items"]]
    search = f"/api/v1/projects/{place.project_id}/chat-search"
    found = (await place.client.get(search, params={"query": "always"})).json()["items"]
    assert {(item["chatId"], item["isThread"]) for item in found} == {(made["chatId"], True)}


async def test_a_thread_streams_and_says_so_to_every_page(place: Place) -> None:
    gate = Gate()
    place.model.answer(says("It does."), fault=Fault(hold_headers=True, gate=gate))
    place.put("stream.md")
    with anyio.fail_after(60):
        async with following(place.client) as stream:
            new = {"passage": passage("stream.md", "comes"), "text": "Does it?", "model": MODEL}
            made = await place.ask("POST", body=new, status=201)
            assert made["status"] == "streaming"
            await gate.arrived.wait()
            gate.open()
            statuses = {made["status"]}
            while statuses != {"streaming", "idle"}:
                name, _, data = await stream.must_next()
                if name == "change" and (data["kind"], data["id"]) == ("thread", made["id"]):
                    statuses.add((await place.ask("GET", f"/{made['id']}"))["status"])


async def test_a_thread_whose_model_fails_says_so(place: Place) -> None:
    place.model.script(Fault(status=400, message="No."))
    made = await place.begin("fail.md", "comes twice", "Does it?")

    assert made["status"] == "error"


async def test_comments_are_sent_together_and_each_gets_its_answer(place: Place) -> None:
    first = await place.comment("send.md", "comes twice", "How often?")
    second = await place.comment("send.md", "The moon", "Which moon?")
    place.model.answer(says("### Comment 1\n\nTwice.\n\n### Comment 2\n\nOurs."))
    body = {"ids": [first["id"], second["id"]], "text": "Please.", "model": MODEL}
    turn = await place.ask("POST", "/send", body, status=202)
    await place.over(turn["chatId"])

    found = await place.listed("send.md")
    assert [item["reply"] for item in found] == ["Twice.", "Ours."]
    sent = {"chatId": turn["chatId"], "turnId": turn["turnId"]}
    assert [item["sent"] for item in found] == [sent, sent]


async def test_a_passage_of_an_answer_is_commented(place: Place) -> None:
    place.model.answer(says("The sea comes twice a day."))
    talk = await open_talk(place.client, place.project_id)
    *_, answer = await talk.ask("How often?")
    words = {"kind": "answer", "chatId": talk.chat_id, "entryId": answer["id"]}
    new = {"passage": {**words, "text": "twice a day", "occurrence": 0}, "body": "Everywhere?"}
    made = await place.ask("POST", body=new, status=201)

    assert made["answer"] == {
        "chatId": talk.chat_id,
        "entryId": answer["id"],
        "occurrence": 0,
    }
    assert (made["path"], made["place"], made["isDetached"]) == (None, None, False)
    new["passage"] = {**words, "entryId": NOBODY, "text": "twice", "occurrence": 0}
    await place.ask("POST", body=new, status=404)


async def test_an_empty_thread_waits_for_its_first_words(place: Place) -> None:
    place.put("empty.md")
    made = await place.ask("POST", body={"passage": passage("empty.md", "comes")}, status=201)

    assert (made["body"], made["chatId"], made["status"]) == ("", None, "idle")


async def test_a_file_that_another_program_moves_takes_its_threads_along(place: Place) -> None:
    made = await place.comment("here.md", "comes twice")
    await place.listed("here.md")
    with anyio.fail_after(60):
        async with following(place.client) as stream:
            folder = anyio.Path(place.recto.folder)
            await (folder / "here.md").rename(folder / "there.md")
            while True:
                name, _, data = await stream.must_next()
                if name == "change" and data["id"] == made["id"]:
                    break

    (moved,) = await place.listed("there.md")
    assert (moved["id"], moved["line"], moved["isDetached"]) == (made["id"], 3, False)
    assert await place.listed("here.md") == []


async def test_pages_hear_that_a_passage_was_deleted_on_disk_and_came_back(place: Place) -> None:
    made = await place.comment("gone.md", "The moon stays where it is.")
    with anyio.fail_after(60):
        async with following(place.client) as stream:
            for text, is_detached in ((TEXT[: TEXT.index("The moon")], True), (TEXT, False)):
                place.put("gone.md", text)
                while (await place.ask("GET", f"/{made['id']}"))["isDetached"] != is_detached:
                    await stream.must_next()
                (found,) = await place.listed("gone.md")
                assert (found["place"] is None, found["text"]) == (is_detached, made["text"])


async def test_a_passage_is_found_although_somebody_typed_before_it_meanwhile(place: Place) -> None:
    place.put("moved.md")
    late = passage("moved.md", "sea")
    late |= {"start": late["start"] - 1, "end": late["end"] - 1}
    made = await place.ask("POST", body={"passage": late | {"text": "sea"}}, status=201)

    assert made["text"] == "sea"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"passage": {"kind": "text", "path": "no.md", "start": 0, "end": 3}}, 404, "no.md"),
        ({"passage": {"kind": "text", "path": "../a", "start": 0, "end": 3}}, 422, ".."),
        ({"passage": {"kind": "text", "path": "bad.md", "start": 3, "end": 3}}, 422, "passage"),
        ({"passage": {"kind": "text", "path": "bad.md", "start": 0, "end": 9999}}, 422, "passage"),
        ({"passage": {"kind": "text", "path": "bad.md", "start": 8, "end": 12}}, 422, "passage"),
        ({"passage": {"kind": "text", "path": "bad.md", "start": -1, "end": 2}}, 422, "start"),
        ({"passage": {"kind": "text", "path": "a.png", "start": 0, "end": 1}}, 415, "a.png"),
        ({"passage": {"kind": "text", "path": "big.md", "start": 0, "end": 60_000}}, 413, "50,000"),
        ({"passage": passage("bad.md", "sea") | {"text": "lake"}}, 409, "changed"),
        ({"passage": passage("bad.md", "sea") | {"text": ""}}, 422, "text"),
        ({"passage": {"kind": "line", "path": "bad.md"}}, 422, "kind"),
        ({"body": "Nothing"}, 422, "passage"),
        ({"passage": passage("bad.md", "sea"), "body": "x", "text": "y"}, 422, "not both"),
        ({"passage": passage("bad.md", "sea"), "body": "\0"}, 422, "body"),
        ({"passage": passage("bad.md", "sea"), "text": ""}, 422, "text"),
    ],
)
async def test_what_can_not_be_a_thread_is_refused_with_words(
    place: Place, body: Json, status: int, words: str
) -> None:
    place.put("bad.md")
    place.put("big.md", "x" * 60_000)
    (place.recto.folder / "a.png").write_bytes(b"\x89PNG\0\0")
    problem = await place.ask("POST", body=body, status=status)

    assert words in problem["detail"]
    assert await place.listed("bad.md") == []


async def test_a_thread_belongs_to_its_project(place: Place, tmp_path: Path) -> None:
    made = await place.comment("own.md", "comes twice")
    new = await place.client.post("/api/v1/projects", json={"path": str(tmp_path)})
    elsewhere = f"/api/v1/projects/{new.json()['id']}/threads"
    address = f"{elsewhere}/{made['id']}"
    tries = [
        await place.client.get(address),
        await place.client.put(address, json={"resolved": True}, headers={"if-match": '"1"'}),
        await place.client.delete(address),
        await place.client.post(f"{address}/messages", json={"text": "Hello"}),
        await place.client.get(f"/api/v1/projects/{NOBODY}/threads"),
        await place.client.post(f"/api/v1/projects/{NOBODY}/threads/send", json={"ids": [NOBODY]}),
        await place.client.get(f"{place.root}/{NOBODY}"),
    ]

    assert [attempt.status_code for attempt in tries] == [404] * 7
    assert {attempt.headers["content-type"] for attempt in tries} == {"application/problem+json"}
    assert (await place.client.get(elsewhere)).json()["items"] == []
    assert (await place.listed("own.md"))[0]["version"] == 1


def test_the_description_shows_how_to_make_send_and_answer_threads() -> None:
    schemas = describe_api(build_api("1"))["components"]["schemas"]

    for name in ("NewThread", "ThreadUpdate", "ThreadMessage", "SendComments"):
        assert schemas[name]["examples"], name
    assert set(schemas["ThreadPlace"]["properties"]) == {"epoch", "from", "to"}
    assert json.dumps(schemas["NewThread"]).count('"discriminator"') == 1


async def test_the_first_message_of_a_thread_carries_what_any_other_does(place: Place) -> None:
    place.put("ports.md", "Brest, Cuxhaven.\n")
    place.put("first.md")
    along = {
        "files": ["ports.md"],
        "skillIds": ["builtin.concise"],
        "additionalPrompt": "Name the port.",
        "openTabs": ["first.md", "ports.md"],
        "activeTab": "first.md",
        "plan": True,
        "model": MODEL,
    }
    thread = await place.ask(
        "POST",
        body={"passage": passage("first.md", "twice"), "text": "Where?", **along},
        status=201,
    )
    await place.over(thread["chatId"])
    comment = await place.comment("second.md", "twice")
    turn = await place.ask(
        "POST", f"/{comment['id']}/messages", {"text": "Where?", **along}, status=202
    )
    await place.over(turn["chatId"])
    sent = await place.comment("third.md", "twice")
    batch = await place.ask(
        "POST", "/send", {"ids": [sent["id"]], "text": "Where?", **along}, status=202
    )
    await place.over(batch["chatId"])
    for chat_id in (thread["chatId"], turn["chatId"], batch["chatId"]):
        entries = (await place.client.get(f"/api/v1/chats/{chat_id}")).json()["entries"]
        user = next(entry for entry in entries if entry["kind"] == "user")
        attached = [(attachment["path"], attachment["origin"]) for attachment in user["attached"]]
        assert ("ports.md", "file") in attached
        assert ("Concise", "skill") in attached
        assert ("Additional prompt", "skill") in attached
        assert [skill["name"] for skill in user["skills"]] == ["Concise"]
    asked = [
        exchange.json for exchange in place.model.exchanges if "Where?" in json.dumps(exchange.json)
    ]
    requests = [json.dumps(item["messages"]) for item in asked if item.get("tools")]
    assert len(requests) == 3
    assert all("Active tab: " in request and "Brest, Cuxhaven." in request for request in requests)
    tools = [{tool["name"] for tool in item["tools"]} for item in asked if item.get("tools")]
    assert not any("write_file" in names for names in tools), "plan mode changes nothing"
