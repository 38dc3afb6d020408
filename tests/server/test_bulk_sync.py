"""Chats and folders of clients that were away: whatever they send, and in whatever order."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.shelf import NOBODY, Json, Kept, Shelf, group_row, ids, outcomes, row, said

pytestmark = pytest.mark.anyio

any_order = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


async def test_a_chat_that_the_server_does_not_know_is_taken_whole(shelf: Shelf) -> None:
    project = await shelf.project()
    group, chat_id = await project.group("Field work"), ids.new()
    messages = [said("Tide?"), said("High.", "assistant")]
    sent = {
        "id": chat_id,
        "title": "Tides",
        "groupId": group["id"],
        "contextIds": [ids.new()],
        "skillIds": ["builtin.concise"],
        "additionalFiles": ["a.md"],
        "additionalPrompt": "Short.",
        "isGlobal": False,
        "createdAt": 500,
        "lastActiveAt": 1000,
        "_version": 7,
        "messages": messages,
    }
    (result,) = await project.sync(sent)

    whole = await project.get(chat_id)
    expected = {name: value for name, value in sent.items() if name != "_version"}
    assert whole == {
        **expected,
        "projectId": project.id,
        "model": None,
        "version": 7,
        "isRunning": False,
    }
    del whole["messages"]
    assert result == {"id": chat_id, "outcome": "taken", "reason": None, "row": whole}
    found = await project.ask("GET", "/chat-search", params={"query": "tide"})
    assert {hit["entryId"] for hit in found["items"]} == {None, messages[0]["id"]}


@pytest.mark.parametrize(
    ("version", "at", "outcome", "stored"),
    [
        (6, 1000, "taken", 6),
        (6, 1, "taken", 6),
        (5, 1001, "taken", 5),
        (5, 1000, "kept", 5),
        (5, 999, "kept", 5),
        (4, 9999, "kept", 5),
        (None, 1001, "taken", 6),
        (None, 1000, "kept", 5),
    ],
)
async def test_the_higher_version_wins_then_the_later_activity(
    shelf: Shelf, version: int | None, at: int, outcome: str, stored: int
) -> None:
    project, chat_id = await shelf.project(), ids.new()
    await project.sync(row(chat_id, 5, 1000, title="Before"))
    (result,) = await project.sync(row(chat_id, version, at, title="After"))
    title = "After" if outcome == "taken" else "Before"
    assert result["outcome"] == outcome
    assert (result["row"]["title"], result["row"]["version"]) == (title, stored)
    again = await project.sync(row(chat_id, version, at, title="After"))
    assert outcomes(again) == ["kept"]
    assert again[0]["row"] == result["row"]


async def test_a_deleted_chat_is_not_brought_back(shelf: Shelf) -> None:
    project = await shelf.project()
    chat = await project.chat()
    await project.ask("DELETE", f"/chats/{chat['id']}", status=204)
    (result,) = await project.sync(row(chat["id"], 999, 9_999_999_999_999))
    assert result == {
        "id": chat["id"],
        "outcome": "refused",
        "reason": "This chat was deleted.",
        "row": None,
    }
    assert await project.chats() == {}


async def test_a_chat_of_another_project_is_not_taken_unless_it_is_global(shelf: Shelf) -> None:
    home, other = await shelf.project(), await shelf.project()
    chat = await home.chat("Mine")
    (result,) = await other.sync(row(chat["id"], 9, title="Yours"))
    assert (result["outcome"], result["row"]) == ("refused", None)
    assert (await home.get(chat["id"]))["title"] == "Mine"
    await home.change(chat, isGlobal=True)
    (result,) = await other.sync(row(chat["id"], 9, title="Ours"))
    assert (result["outcome"], result["row"]["projectId"]) == ("taken", home.id)
    assert await other.chats() == {}


async def test_histories_grow_and_never_shrink(shelf: Shelf) -> None:
    project, chat_id = await shelf.project(), ids.new()
    one, two, three = said("One"), said("Two", "assistant"), said("Three")
    await project.sync(row(chat_id, 1, messages=[one, two]))
    stored = await project.get(chat_id)

    for wrong in (
        [],
        [one],
        [two, one],
        [one, {**two, "text": "Other words"}],
        [one, {**two, "role": "user"}],
        [one, said("Two", "assistant"), three],
    ):
        (result,) = await project.sync(row(chat_id, 9, title="Shorter", messages=wrong))
        assert (result["outcome"], result["row"]["title"]) == ("refused", "A row"), wrong
        assert result["reason"].startswith("Its messages do not begin")
    assert await project.get(chat_id) == stored

    (longer,) = await project.sync(row(chat_id, 2, messages=[one, two, three]))
    assert longer["outcome"] == "taken"
    (title,) = await project.sync(row(chat_id, 3, title="Only the title"))
    assert title["outcome"] == "taken"
    whole = await project.get(chat_id)
    assert (whole["title"], whole["messages"]) == ("Only the title", [one, two, three])


async def test_a_message_that_another_chat_has_is_refused_with_its_row(shelf: Shelf) -> None:
    project, (one, two) = await shelf.project(), (ids.new(), ids.new())
    message = said("Mine")
    await project.sync(row(one, 1, messages=[message]))
    (result,) = await project.sync(row(two, 1, messages=[said("First"), message]))
    assert (result["outcome"], result["row"]) == ("refused", None)
    assert list(await project.chats()) == [one]


async def test_a_chat_in_a_deleted_folder_lies_in_none_and_in_an_unknown_one_waits(
    shelf: Shelf,
) -> None:
    project, other = await shelf.project(), await shelf.project()
    gone, foreign = await project.group("Gone"), await other.group("Theirs")
    await project.ask("DELETE", f"/chat-groups/{gone['id']}", status=204)
    late, lost, strange = ids.new(), ids.new(), ids.new()
    rows = (
        row(late, 5, groupId=gone["id"]),
        row(lost, 5, groupId=NOBODY),
        row(strange, 5, groupId=foreign["id"]),
    )
    results = await project.sync(*rows)
    assert outcomes(results) == ["taken", "refused", "refused"]
    assert results[0]["row"]["groupId"] is None
    assert "folders first" in results[1]["reason"]
    assert outcomes(await project.sync(*rows)) == ["kept", "refused", "refused"]


async def test_a_file_outside_the_folder_is_not_pinned(shelf: Shelf) -> None:
    project, chat_id = await shelf.project(), ids.new()
    rows = [row(chat_id, 1, additionalFiles=[path]) for path in ("../secret", "/etc", "not/yet.md")]
    outside, absolute, fine = [(await project.sync(item))[0] for item in rows]
    assert [item["outcome"] for item in (outside, absolute, fine)] == [
        "refused",
        "refused",
        "taken",
    ]
    assert ".." in outside["reason"]


async def test_the_same_row_from_many_clients_at_once_is_taken_once(shelf: Shelf) -> None:
    project, chat_id = await shelf.project(), ids.new()
    sent = row(chat_id, 3, messages=[said("One"), said("Two", "assistant")])
    found: list[str] = []

    async def send() -> None:
        found.extend(outcomes(await project.sync(sent)))

    async with anyio.create_task_group() as clients:
        for _ in range(8):
            clients.start_soon(send)
    assert sorted(found) == ["kept"] * 7 + ["taken"]
    assert (await project.get(chat_id))["messages"] == sent["messages"]


async def test_what_names_something_twice_is_not_understood(shelf: Shelf) -> None:
    project, chat_id = await shelf.project(), ids.new()
    message = said("Twice")
    wrong: list[tuple[Any, str]] = [
        (row(chat_id, 1, messages=[message, message]), "is taken by another message"),
        (row(chat_id, 0), "_version must be at least 1"),
        (row(chat_id, 1 << 60), "_version must be at most"),
        (row(chat_id, 1, at=-1), "lastActiveAt must be at least 0"),
        (row(chat_id, messages=[said("", "assistant")]), "an answer needs words"),
        (row(chat_id, color="red"), "color is not known here"),
        ({"id": chat_id}, "createdAt is missing"),
        ({"id": "no id", "createdAt": 0, "lastActiveAt": 0}, "id does not have the right form"),
        (None, "The row must be an object"),
    ]
    for chat, reason in wrong:
        (result,) = await project.sync(chat)
        assert (result["outcome"], result["row"]) == ("refused", None)
        assert reason in result["reason"]
    for twice in (
        (await project.sync(row(chat_id, 1), row(chat_id, 2))),
        (await project.sync_groups(group_row(chat_id), group_row(chat_id))),
    ):
        assert [item["outcome"] for item in twice] == ["refused", "refused"]
        assert "named twice" in twice[0]["reason"]
    await project.ask("POST", "/chats/bulk-sync", {"chats": None}, status=422)
    nowhere = Kept(shelf.client, NOBODY, project.folder)
    await nowhere.ask("POST", "/chats/bulk-sync", {"chats": []}, status=404)
    assert await project.chats() == {}


@dataclass(frozen=True, slots=True)
class Version:
    """A chat as it was at some time."""

    number: int
    at: int
    title: str
    count: int
    """How many messages it had."""


def life_of(found: list[Version]) -> list[Version]:
    """The same, with histories that grow with the version, in the order they were drawn."""
    numbers, counts = sorted(v.number for v in found), sorted(v.count for v in found)
    count_of = dict(zip(numbers, counts, strict=True))
    return [replace(version, count=count_of[version.number]) for version in found]


titles = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
lives = st.lists(
    st.builds(Version, st.integers(1, 50), st.integers(0, 5000), titles, st.integers(0, 3)),
    min_size=1,
    max_size=4,
    unique_by=lambda version: version.number,
).map(life_of)


@any_order
@given(drawn=st.lists(lives, min_size=1, max_size=4), seed=st.integers(0, 1 << 32))
async def test_any_order_of_rows_ends_in_the_newest_of_each(
    shelf: Shelf, drawn: list[list[Version]], seed: int
) -> None:
    project = await shelf.project()
    sent: list[Json] = []
    expected: dict[str, Json] = {}
    for life in drawn:
        chat_id = ids.new()
        history = [said(str(number), ("user", "assistant")[number % 2]) for number in range(3)]
        rows = [
            row(chat_id, item.number, item.at, title=item.title, messages=history[: item.count])
            for item in life
        ]
        expected[chat_id] = max(rows, key=lambda one: one["_version"])
        sent += rows
    Random(seed).shuffle(sent)

    for item in sent:
        assert outcomes(await project.sync(item)) in (["taken"], ["kept"])

    stored = {chat_id: await project.get(chat_id) for chat_id in expected}
    assert {chat_id: shape(chat, chat["version"]) for chat_id, chat in stored.items()} == {
        chat_id: shape(chat, chat["_version"]) for chat_id, chat in expected.items()
    }
    assert outcomes(await project.sync(*expected.values())) == ["kept"] * len(expected)
    assert {chat_id: await project.get(chat_id) for chat_id in expected} == stored


def shape(chat: Json, version: int) -> Json:
    """What the order of rows must not change."""
    return {"version": version} | {
        name: chat[name] for name in ("title", "lastActiveAt", "createdAt", "messages")
    }


@dataclass(frozen=True, slots=True)
class Hostile:
    """A row that may make no sense."""

    version: int | None
    at: int
    title: str
    folder: int
    messages: list[int] | None


hostile = st.builds(
    Hostile,
    st.none() | st.integers(1, 9),
    st.integers(0, 9_999_999_999_999),
    st.sampled_from(["x", "y"]),
    st.integers(0, 3),
    st.none() | st.lists(st.integers(0, 2), unique=True),
)


@any_order
@given(calls=st.lists(st.lists(hostile, min_size=5, max_size=5), min_size=1, max_size=2))
async def test_whatever_is_sent_the_same_call_twice_changes_nothing(
    shelf: Shelf, calls: list[list[Hostile]]
) -> None:
    """Any versions, any histories, ids of others and of the dead, folders that are not there."""
    project, other = await shelf.project(), await shelf.project()
    here, there = await project.group("Here"), await other.group("There")
    folders = [None, here["id"], there["id"], NOBODY]
    gone, theirs = await project.chat(), await other.chat()
    await project.ask("DELETE", f"/chats/{gone['id']}", status=204)
    chats = [gone["id"], theirs["id"], *(ids.new() for _ in range(3))]
    words = {chat: [said(text) for text in "abc"] for chat in chats}

    async def state() -> dict[str, Json]:
        found = {chat: await project.get(chat) for chat in await project.chats()}
        return found | {theirs["id"]: await other.get(theirs["id"])}

    for call in calls:
        rows = [
            row(
                chat,
                item.version,
                item.at,
                title=item.title,
                groupId=folders[item.folder],
                messages=item.messages and [words[chat][at] for at in item.messages],
            )
            for chat, item in zip(chats, call, strict=True)
        ]
        before = await state()
        first = await project.sync(*rows)
        after = await state()
        again = await project.sync(*rows)

        assert await state() == after
        assert "taken" not in outcomes(again)
        assert outcomes(first)[:2] == ["refused", "refused"]
        assert after[theirs["id"]] == before[theirs["id"]]
        for chat, was in before.items():
            assert after[chat]["messages"][: len(was["messages"])] == was["messages"]


parents = st.lists(st.none() | st.integers(0, 8), min_size=8, max_size=8)


@any_order
@given(first=parents, then=parents, order=st.permutations(range(8)))
async def test_any_order_of_folders_ends_in_the_same_tree(
    shelf: Shelf, first: list[int | None], then: list[int | None], order: list[int]
) -> None:
    as_drawn = await tree_after(await shelf.project(), first, then, range(8))
    assert await tree_after(await shelf.project(), first, then, order) == as_drawn


async def tree_after(
    project: Kept, first: list[int | None], then: list[int | None], order: Iterable[int]
) -> list[tuple[str, int | None, int]]:
    """The tree after folders were synced twice, their rows in an order."""
    made = [ids.new() for _ in range(9)]  # the last one is nobody's
    turn = list(order)

    def rows(wanted: list[int | None], version: int) -> list[Json]:
        lies_in = [None if parent is None else made[parent] for parent in wanted]
        return [
            group_row(made[at], version, name=f"{at}", position=at, parentId=lies_in[at])
            for at in turn
        ]

    await project.sync_groups(*rows(first, 1))
    results = await project.sync_groups(*rows(then, 2))
    stored = await project.groups()
    again = await project.sync_groups(*rows(then, 2))
    assert await project.groups() == stored
    refused = [result["id"] for result in results if result["outcome"] == "refused"]
    assert [item["id"] for item in again if item["outcome"] == "refused"] == refused
    places = {group["id"]: group["parentId"] for group in stored}
    assert all(depth(places, place) <= 6 for place in places)
    return [
        (item["name"], item["parentId"] and made.index(item["parentId"]), item["version"])
        for item in stored
    ]


def depth(places: dict[str, str | None], group_id: str) -> int:
    """How deep a folder lies; fails where it lies in itself or in none that is there."""
    parent, count = places[group_id], 1
    while parent is not None:
        parent, count = places[parent], count + 1
        assert count <= len(places)
    return count
