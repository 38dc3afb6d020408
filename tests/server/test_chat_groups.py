"""The folders of chats over HTTP: made, nested, ordered, synced, removed."""

from itertools import permutations
from typing import Any

import anyio
import pytest

from recto.server import build_api
from recto.server.description import describe_api
from tests.server.shelf import NOBODY, Json, Kept, Shelf, group_row, ids, outcomes
from tests.storage.conftest import run_sql

pytestmark = pytest.mark.anyio


def names(groups: list[Json]) -> list[str]:
    return [group["name"] for group in groups]


def tree(groups: list[Json]) -> dict[str, str | None]:
    """Which folder lies in which, by their names."""
    known = {group["id"]: group["name"] for group in groups}
    return {group["name"]: group["parentId"] and known[group["parentId"]] for group in groups}


async def nested(project: Kept, *made: str) -> list[Json]:
    """Folders, each in the one before it."""
    found: list[Json] = []
    for name in made:
        parent = found[-1]["id"] if found else None
        found.append(await project.group(name, parentId=parent))
    return found


async def test_a_new_folder_comes_last_and_has_the_colour_of_its_name(shelf: Shelf) -> None:
    project = await shelf.project()
    first = await project.group("Tides")
    second = await project.group(" Gauges ", color="#123456", parentId=first["id"])
    assert first == {
        "id": first["id"],
        "projectId": project.id,
        "name": "Tides",
        "color": "#ef4444",
        "parentId": None,
        "position": 0,
        "defaultContextIds": [],
        "defaultSkillIds": [],
        "createdAt": first["createdAt"],
        "version": 1,
    }
    assert (second["name"], second["color"], second["position"]) == ("Gauges", "#123456", 1)
    assert await project.ask("GET", "/chat-groups") == {
        "items": [first, second],
        "nextCursor": None,
    }


async def test_a_folder_is_changed_in_the_version_that_was_seen(shelf: Shelf) -> None:
    project = await shelf.project()
    group, other = await project.group("Tides"), await project.group("Gauges")
    path = f"/chat-groups/{group['id']}"
    wanted = {
        "name": "Ebb",
        "color": "#000000",
        "parentId": other["id"],
        "defaultContextIds": [ids.new()],
        "defaultSkillIds": ["builtin.concise"],
    }
    await project.ask("PUT", path, wanted, status=428)
    changed = await project.ask("PUT", path, wanted, version=1)
    await project.ask("PUT", path, wanted, version=1, status=412)
    assert changed == {**group, **wanted, "version": 2}
    assert await project.groups() == [changed, other]


async def test_a_folder_of_another_project_is_not_there(shelf: Shelf) -> None:
    here, there = await shelf.project(), await shelf.project()
    foreign = await there.group("Theirs")
    await here.regroup(foreign, name="Mine", status=404)
    await here.ask("DELETE", f"/chat-groups/{foreign['id']}", status=404)
    wrong = {"name": "Inside", "parentId": foreign["id"]}
    await here.ask("POST", "/chat-groups", wrong, status=422)
    await here.ask("PUT", "/chat-groups/reorder", {"ids": [foreign["id"]]}, status=409)
    await here.ask("POST", "/chats", {"groupId": foreign["id"]}, status=422)
    assert await there.groups() == [foreign]
    nowhere = Kept(shelf.client, NOBODY, here.folder)
    await nowhere.ask("GET", "/chat-groups", status=404)
    await nowhere.ask("POST", "/chat-groups", {"name": "x"}, status=404)
    await nowhere.ask("PUT", "/chat-groups/reorder", {"ids": []}, status=404)
    await nowhere.ask("POST", "/chat-groups/bulk-sync", {"groups": []}, status=404)


async def test_no_folder_lies_in_itself_or_deeper_than_six(shelf: Shelf) -> None:
    project = await shelf.project()
    deep = await nested(project, "1", "2", "3", "4", "5", "6")
    too_deep = {"name": "7", "parentId": deep[-1]["id"]}
    assert "6 deep" in (await project.ask("POST", "/chat-groups", too_deep, status=422))["detail"]
    for parent in deep:
        problem = await project.regroup(deep[0], parentId=parent["id"], status=422)
        assert "in itself" in problem["detail"]
    over = await project.group("0")
    problem = await project.regroup(deep[0], parentId=over["id"], status=422)
    assert "6 deep" in problem["detail"]
    assert await project.groups() == [*deep, over]


async def test_what_lay_in_a_deleted_folder_is_kept(shelf: Shelf) -> None:
    project = await shelf.project()
    _, middle, _ = await nested(project, "outer", "middle", "inner")
    chat = await project.chat(groupId=middle["id"])
    path = f"/chat-groups/{middle['id']}"
    await project.ask("DELETE", path, status=204)
    await project.ask("DELETE", path, status=404)
    await project.regroup(middle, name="Back", status=404)

    assert tree(await project.groups()) == {"outer": None, "inner": "outer"}
    ungrouped = await project.get(chat["id"])
    assert (ungrouped["groupId"], ungrouped["version"]) == (None, 2)
    again = await project.ask("POST", "/chat-groups", {"id": middle["id"], "name": "x"}, status=409)
    assert again["remedy"]


async def test_T20_reorder_and_bulk_sync_are_no_ids(shelf: Shelf) -> None:
    project = await shelf.project()
    one, two = await project.group("one"), await project.group("two")
    answer = await project.ask("PUT", "/chat-groups/reorder", {"ids": [two["id"], one["id"]]})
    assert names(answer["items"]) == names(await project.groups()) == ["two", "one"]
    assert await project.sync_groups() == []
    assert await project.sync() == []
    paths = list(describe_api(build_api("0"))["paths"])
    for fixed in (
        "chat-groups/reorder",
        "chat-groups/bulk-sync",
        "chats/bulk-sync",
        "chats/import",
    ):
        where = next(at for at, path in enumerate(paths) if path.endswith(fixed))
        folder = paths[where].rpartition("/")[0]
        with_id = next(at for at, path in enumerate(paths) if path.startswith(folder + "/{"))
        assert where < with_id, fixed


async def test_T21_folders_that_an_order_does_not_name_keep_their_places(shelf: Shelf) -> None:
    project = await shelf.project()
    made = {name: (await project.group(name))["id"] for name in "abcde"}

    async def reorder(wanted: str, status: int = 200) -> None:
        body = {"ids": [made[name] for name in wanted]}
        await project.ask("PUT", "/chat-groups/reorder", body, status=status)

    await reorder("db")
    assert names(await project.groups()) == list("adcbe")
    await reorder("")
    await reorder("e")
    assert names(await project.groups()) == list("adcbe")
    await reorder("ea")
    assert names(await project.groups()) == list("edcba")
    before = await project.groups()
    await reorder("aa", status=422)
    made["x"] = NOBODY
    await reorder("cxd", status=409)
    await project.ask("DELETE", f"/chat-groups/{made['b']}", status=204)
    await reorder("bc", status=409)
    assert await project.groups() == [item for item in before if item["name"] != "b"]


async def test_T22_writers_at_once_lose_no_folder(shelf: Shelf) -> None:
    project = await shelf.project()
    kept = [await project.group(f"kept {number}") for number in range(5)]

    async def write(number: int) -> None:
        made = await project.group(f"new {number}")
        await project.ask("PUT", "/chat-groups/reorder", {"ids": [made["id"], kept[0]["id"]]})
        await project.sync_groups(group_row(made["id"], 9, name=f"synced {number}"))

    async with anyio.create_task_group() as writers:
        for number in range(10):
            writers.start_soon(write, number)

    expected = {f"kept {number}" for number in range(5)}
    assert set(names(await project.groups())) == expected | {f"synced {n}" for n in range(10)}
    positions = [group["position"] for group in await project.groups()]
    assert len(set(positions)) == len(positions)


async def test_T22_folders_that_can_not_be_read_are_not_written_over(shelf: Shelf) -> None:
    project = await shelf.project()
    kept = await project.group("kept")
    address = str(shelf.recto.home.database_file)
    damage = "UPDATE chat_groups SET default_skill_ids = '{}' WHERE id = '" + kept["id"] + "'"
    await run_sql(address, damage.format('["'))

    asked: list[tuple[str, str, Json | None]] = [
        ("GET", "/chat-groups", None),
        ("POST", "/chat-groups", {"name": "new"}),
        ("POST", "/chat-groups/bulk-sync", {"groups": [group_row(ids.new())]}),
        ("PUT", "/chat-groups/reorder", {"ids": []}),
    ]
    for method, path, body in asked:
        problem = await project.ask(method, path, body, status=500)
        assert problem["title"]

    await run_sql(
        address, f"UPDATE chat_groups SET default_skill_ids = '[]' WHERE id = '{kept['id']}'"
    )
    assert await project.groups() == [kept]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"name": "x" * 201},
        {"name": "a\0b"},
        {"name": "a\nb"},
        {"name": "x", "color": "red"},
        {"name": "x", "parentId": "x"},
        {"name": "x", "parentId": NOBODY},
        {"name": "x", "defaultSkillIds": ["../x"]},
        {"name": "x", "position": 1},
        {},
    ],
)
async def test_a_folder_that_makes_no_sense_is_refused_with_words(
    shelf: Shelf, wrong: dict[str, Any]
) -> None:
    project = await shelf.project()
    problem = await project.ask("POST", "/chat-groups", wrong, status=422)
    assert problem["detail"]
    assert await project.groups() == []


async def test_syncing_takes_the_higher_version_and_keeps_the_other(shelf: Shelf) -> None:
    project = await shelf.project()
    group = await project.group("Tides")
    new = ids.new()
    results = await project.sync_groups(
        group_row(new, 7, name="New", position=3), group_row(group["id"], 1, name="Same")
    )
    assert outcomes(results) == ["taken", "kept"]
    assert (results[0]["row"]["version"], results[0]["row"]["position"]) == (7, 3)
    assert results[1]["row"] == group

    again = await project.sync_groups(group_row(new, 7, name="New", position=3))
    assert outcomes(again) == ["kept"]
    newer, blind = await project.sync_groups(
        group_row(group["id"], 2, name="Ebb"), group_row(new, None, name="Blind")
    )
    assert (newer["outcome"], newer["row"]["name"], newer["row"]["position"]) == ("taken", "Ebb", 0)
    assert (blind["outcome"], blind["row"]["name"]) == ("kept", "New")


async def test_syncing_brings_back_nothing_and_takes_nothing_from_others(shelf: Shelf) -> None:
    project, other = await shelf.project(), await shelf.project()
    gone, foreign = await project.group("Gone"), await other.group("Theirs")
    inside = ids.new()
    await project.ask("DELETE", f"/chat-groups/{gone['id']}", status=204)

    results = await project.sync_groups(
        group_row(gone["id"], 99),
        group_row(foreign["id"], 99, name="Mine"),
        group_row(inside, 1, name="Inside", parentId=gone["id"]),
    )

    assert outcomes(results) == ["refused", "refused", "taken"]
    assert [result["row"] for result in results[:2]] == [None, None]
    assert all(result["reason"] for result in results[:2])
    assert tree(await project.groups()) == {"Inside": None}
    assert await other.groups() == [foreign]


async def test_a_client_can_turn_a_tree_upside_down(shelf: Shelf) -> None:
    """In any order of the rows: each alone, one after the other, would lie in itself."""
    for order in permutations(range(3)):
        project = await shelf.project()
        a, b, c = await nested(project, "a", "b", "c")
        rows = [
            group_row(c["id"], 5, name="c"),
            group_row(b["id"], 5, name="b", parentId=c["id"]),
            group_row(a["id"], 5, name="a", parentId=b["id"]),
        ]
        assert outcomes(await project.sync_groups(*[rows[at] for at in order])) == ["taken"] * 3
        assert tree(await project.groups()) == {"a": "b", "b": "c", "c": None}


async def test_rows_that_put_folders_in_a_circle_are_refused_and_the_others_taken(
    shelf: Shelf,
) -> None:
    for turn in (1, -1):
        project = await shelf.project()
        a, b, c = [await project.group(name) for name in "abc"]
        rows = [
            group_row(a["id"], 5, name="a", parentId=b["id"]),
            group_row(b["id"], 5, name="b", parentId=a["id"]),
            group_row(c["id"], 5, name="renamed"),
            group_row(ids.new(), 1, name="lost", parentId=NOBODY),
        ][::turn]
        results = (await project.sync_groups(*rows))[::turn]
        assert outcomes(results) == ["refused", "refused", "taken", "refused"]
        assert results[0]["row"] == a
        assert tree(await project.groups()) == {"a": None, "b": None, "renamed": None}


async def test_a_row_that_would_push_others_too_deep_is_refused(shelf: Shelf) -> None:
    project = await shelf.project()
    deep = await nested(project, "1", "2", "3", "4", "5", "6")
    top = ids.new()
    results = await project.sync_groups(
        group_row(top, 1, name="top"),
        group_row(deep[0]["id"], 5, name="1", parentId=top),
        group_row(deep[5]["id"], 5, name="six", parentId=deep[4]["id"]),
    )
    assert outcomes(results) == ["taken", "refused", "taken"]
    assert results[1]["row"] == deep[0]
