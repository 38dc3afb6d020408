import random
from dataclasses import replace

import pytest

from recto.storage import (
    ChangeRecord,
    ChatGroup,
    RecordExists,
    RecordNotFound,
    StaleVersion,
    Storage,
    WriteTransaction,
)
from tests.storage.conftest import StepClock, add_project

pytestmark = pytest.mark.anyio

GROUP = ChatGroup(
    "g1", "p1", None, "Drafts", "#10b981", 0, ("x1",), ("s1",), 1_000_000, 1_000_000, 1, None
)


async def add(
    storage: Storage,
    write: WriteTransaction,
    id: str,
    parent_id: str | None = None,
    project_id: str = "p1",
) -> ChatGroup:
    return await storage.groups.add(
        write,
        id=id,
        project_id=project_id,
        name="Drafts",
        color="#10b981",
        parent_id=parent_id,
        default_context_ids=["x1"],
        default_skill_ids=["s1"],
    )


async def begin(storage: Storage, *ids: str) -> None:
    """A project with these groups."""
    async with storage.write() as write:
        await add_project(storage, write)
        for item in ids:
            await add(storage, write, item)


async def change(storage: Storage, group_id: str, version: int, **values: str | None) -> ChatGroup:
    group = await storage.groups.get(group_id)
    given = {"name": group.name, "color": group.color, "parent_id": group.parent_id, **values}
    async with storage.write() as write:
        return await storage.groups.update(
            write,
            group_id,
            name=given["name"] or "",
            color=given["color"] or "",
            parent_id=given["parent_id"],
            default_context_ids=[],
            default_skill_ids=["s2", "builtin.concise"],
            expected_version=version,
        )


async def order(storage: Storage) -> list[str]:
    return [group.id for group in await storage.groups.list("p1")]


async def told(storage: Storage, after: int) -> list[tuple[str, str, str, int]]:
    changes = await storage.changes.after(after)
    return [(item.kind, item.resource_id, item.action, item.version) for item in changes]


async def test_groups_stand_in_the_order_they_were_made(storage: Storage) -> None:
    await begin(storage, "g1", "g9", "g2")
    async with storage.write() as write:
        await add_project(storage, write, "p2")
        await add(storage, write, "g3", project_id="p2")

    assert await storage.groups.get("g1") == GROUP
    assert await storage.groups.list("p1") == (
        GROUP,
        replace(GROUP, id="g9", position=1),
        replace(GROUP, id="g2", position=2),
    )
    assert (await storage.changes.after(1))[0] == ChangeRecord(
        2, 1_000_000, "chat_group", "g1", "p1", "created", 1
    )
    with pytest.raises(RecordNotFound, match="no chat group g7"):
        await storage.groups.get("g7")


async def test_a_group_needs_its_project_and_an_id_of_its_own(storage: Storage) -> None:
    with pytest.raises(RecordNotFound, match="no project p1"):
        async with storage.write() as write:
            await add(storage, write, "g1")
    await begin(storage, "g1")
    async with storage.write() as write:
        await storage.groups.tombstone(write, "g1")
    with pytest.raises(RecordExists, match="chat group g1"):
        async with storage.write() as write:
            await add(storage, write, "g1")


async def test_a_group_is_changed_by_whoever_saw_it_last(
    storage: Storage, clock: StepClock
) -> None:
    await begin(storage, "g1", "g2")
    clock.ms += 5
    changed = await change(storage, "g2", 1, name="Done", color="#ef4444", parent_id="g1")

    assert changed == ChatGroup(
        "g2",
        "p1",
        "g1",
        "Done",
        "#ef4444",
        1,
        (),
        ("s2", "builtin.concise"),
        1_000_000,
        1_000_005,
        2,
        None,
    )
    assert await storage.groups.get("g2") == changed
    with pytest.raises(StaleVersion, match="version 2, expected 1"):
        await change(storage, "g2", 1, name="Late")
    async with storage.write() as write:
        await storage.groups.tombstone(write, "g2")
    with pytest.raises(RecordNotFound):
        await change(storage, "g2", 3, name="Back")


async def test_the_named_groups_take_their_own_places_and_the_others_keep_theirs(
    storage: Storage,
) -> None:
    await begin(storage, "a", "b", "c", "d", "e")
    async with storage.write() as write:
        answer = await storage.groups.reorder(write, "p1", ["e", "a", "c"])

    assert await order(storage) == ["e", "b", "a", "d", "c"]
    assert answer == await storage.groups.list("p1")
    assert [group.version for group in answer] == [2, 1, 2, 1, 2]
    assert sorted(await told(storage, 6)) == [
        ("chat_group", item, "updated", 2) for item in ("a", "c", "e")
    ]


@pytest.mark.parametrize("seed", range(5))
async def test_any_reordering_loses_nobody(storage: Storage, seed: int) -> None:
    chance = random.Random(seed)
    names = list("abcdefgh")
    await begin(storage, *names)
    for _ in range(10):
        named = chance.sample(names, chance.randint(0, len(names)))
        wanted = iter(named)
        names = [next(wanted) if name in named else name for name in names]
        async with storage.write() as write:
            await storage.groups.reorder(write, "p1", named)
        assert await order(storage) == names


async def test_groups_that_share_a_place_get_places_of_their_own(storage: Storage) -> None:
    await begin(storage)
    async with storage.write() as write:
        for item in ("a", "b", "c"):
            await storage.groups.put(write, replace(GROUP, id=item, position=4))
        await storage.groups.reorder(write, "p1", ["c", "a"])

    assert await order(storage) == ["c", "b", "a"]
    assert [group.position for group in await storage.groups.list("p1")] == [0, 1, 2]


@pytest.mark.parametrize("stranger", ["nobody", "deleted", "elsewhere"])
async def test_reordering_with_a_group_that_is_not_there_changes_nothing(
    storage: Storage, stranger: str
) -> None:
    await begin(storage, "a", "b", "deleted")
    async with storage.write() as write:
        await add_project(storage, write, "p2")
        await add(storage, write, "elsewhere", project_id="p2")
        await storage.groups.tombstone(write, "deleted")
    with pytest.raises(RecordNotFound, match=stranger):
        async with storage.write() as write:
            await storage.groups.reorder(write, "p1", ["b", stranger, "a"])
    with pytest.raises(ValueError, match="one place"):
        async with storage.write() as write:
            await storage.groups.reorder(write, "p1", ["b", "a", "b"])

    assert await order(storage) == ["a", "b"]


async def test_a_deleted_group_leaves_its_chats_and_subgroups(
    storage: Storage, clock: StepClock
) -> None:
    await begin(storage, "top")
    async with storage.write() as write:
        await add(storage, write, "middle", "top")
        await add(storage, write, "low", "middle")
        await add(storage, write, "gone", "middle")
        await storage.groups.tombstone(write, "gone")
        for item in ("inside", "dead", "beside"):
            group_id = "top" if item == "beside" else "middle"
            await storage.chats.add(
                write, id=item, project_id="p1", title="", meta={}, group_id=group_id
            )
        await storage.chats.tombstone(write, "dead")
    latest = await storage.changes.latest()
    clock.ms += 3
    async with storage.write() as write:
        stone = await storage.groups.tombstone(write, "middle")
        assert await storage.groups.tombstone(write, "middle") == stone

    assert (stone.deleted_ms, stone.version) == (1_000_003, 2)
    assert await storage.groups.get("middle") == stone
    assert {one.id: one.parent_id for one in await storage.groups.list("p1")} == {
        "top": None,
        "low": "top",
    }
    assert (await storage.chats.get("inside")).group_id is None
    assert (await storage.chats.get("beside")).group_id == "top"
    assert await told(storage, latest) == [
        ("chat_group", "low", "updated", 2),
        ("chat", "inside", "updated", 2),
        ("chat_group", "middle", "deleted", 2),
    ]


async def test_a_row_of_a_client_stands_with_the_version_it_brings(storage: Storage) -> None:
    await begin(storage, "g1")
    new = replace(GROUP, id="g2", version=7, position=3, created_ms=5, updated_ms=6)
    newer = replace(GROUP, name="Newer", version=9)
    async with storage.write() as write:
        assert await storage.groups.put(write, new) == new
        assert await storage.groups.put(write, newer) == newer
        await storage.groups.put(write, replace(new, version=8, deleted_ms=9))

    assert await storage.groups.list("p1") == (newer,)
    assert await told(storage, 2) == [
        ("chat_group", "g2", "created", 7),
        ("chat_group", "g1", "updated", 9),
        ("chat_group", "g2", "deleted", 8),
    ]
    with pytest.raises(RecordNotFound, match="no project p9"):
        async with storage.write() as write:
            await storage.groups.put(write, replace(GROUP, id="g3", project_id="p9"))


async def test_groups_go_with_their_project(storage: Storage) -> None:
    await begin(storage, "g1")
    async with storage.write() as write:
        await storage.projects.remove(write, "p1")

    assert await storage.groups.list("p1") == ()
