"""Contexts, skills and counted texts: what people keep at hand, on both engines."""

from dataclasses import replace

import pytest

from recto.storage import (
    ChangeRecord,
    Context,
    NotStorable,
    RecordExists,
    RecordNotFound,
    SkillRecord,
    StaleVersion,
    Storage,
    WriteTransaction,
)
from recto.storage.schema import bring_up_to_date
from tests.storage.conftest import StepClock, add_project, run_sql
from tests.storage.test_schema import engine_at

pytestmark = pytest.mark.anyio

FILES = ["src/b.py", "a.md", "src/b.py", "ü/\N{CANOE}.txt"]
CONTEXT = Context("x1", "p1", "Tides", tuple(FILES), "#3b82f6", 1_000_000, None, 1)
SKILL = SkillRecord(
    "s1",
    "p1",
    "Terse",
    "Few words",
    "Be brief.\n",
    "#ef4444",
    ("style.md",),
    ("read_file", "edit_file"),
    "anthropic/one",
    1_000_000,
    None,
    1,
)


async def add_context(
    storage: Storage,
    write: WriteTransaction,
    *,
    id: str = "x1",
    project_id: str = "p1",
    name: str = "Tides",
) -> Context:
    return await storage.contexts.add(
        write, id=id, project_id=project_id, name=name, files=FILES, color="#3b82f6"
    )


async def add_skill(storage: Storage, write: WriteTransaction, id: str = "s1") -> SkillRecord:
    return await storage.skills.add(
        write,
        id=id,
        project_id="p1",
        name="Terse",
        description="Few words",
        prompt="Be brief.\n",
        color="#ef4444",
        files=["style.md"],
        tools=["read_file", "edit_file"],
        model="anthropic/one",
    )


async def told(storage: Storage, after: int) -> list[tuple[str, str, str, int]]:
    changes = await storage.changes.after(after)
    return [(change.kind, change.resource_id, change.action, change.version) for change in changes]


async def test_a_context_is_read_as_it_was_added(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        added = await add_context(storage, write)

    assert added == CONTEXT
    assert await storage.contexts.get("x1") == CONTEXT
    assert await storage.changes.after(1) == (
        ChangeRecord(2, 1_000_000, "context", "x1", "p1", "created", 1),
    )
    with pytest.raises(RecordNotFound, match="no context x9"):
        await storage.contexts.get("x9")


async def test_a_skill_is_read_as_it_was_added(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        added = await add_skill(storage, write)
        bare = await storage.skills.add(
            write, id="s2", project_id="p1", name="", description="", prompt="", color=""
        )

    assert added == SKILL
    assert await storage.skills.get("s1") == SKILL
    assert await storage.skills.get("s2") == bare
    assert (bare.files, bare.tools, bare.model) == ((), (), None)
    assert await told(storage, 1) == [("skill", "s1", "created", 1), ("skill", "s2", "created", 1)]


async def test_both_need_their_project_and_ids_of_their_own(storage: Storage) -> None:
    for add in (add_context, add_skill):
        with pytest.raises(RecordNotFound, match="no project p1"):
            async with storage.write() as write:
                await add(storage, write)
    async with storage.write() as write:
        await add_project(storage, write)
        await add_context(storage, write)
        await add_skill(storage, write)
    with pytest.raises(RecordExists, match="context x1"):
        async with storage.write() as write:
            await add_context(storage, write)
    with pytest.raises(RecordExists, match="skill s1"):
        async with storage.write() as write:
            await add_skill(storage, write)


async def test_a_context_is_changed_by_whoever_saw_it_last(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await add_context(storage, write)
        changed = await storage.contexts.update(
            write, "x1", name="Ebb", files=["c.md"], color="#8b5cf6", expected_version=1
        )

    assert changed == replace(CONTEXT, name="Ebb", files=("c.md",), color="#8b5cf6", version=2)
    assert await storage.contexts.get("x1") == changed
    with pytest.raises(StaleVersion, match="version 2, expected 1"):
        async with storage.write() as write:
            await storage.contexts.update(
                write, "x1", name="Late", files=[], color="", expected_version=1
            )
    with pytest.raises(RecordNotFound):
        async with storage.write() as write:
            await storage.contexts.update(
                write, "x9", name="None", files=[], color="", expected_version=1
            )
    assert await told(storage, 2) == [("context", "x1", "updated", 2)]


async def test_a_skill_is_changed_by_whoever_saw_it_last(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await add_skill(storage, write)

    async def rename(name: str) -> SkillRecord:
        async with storage.write() as write:
            return await storage.skills.update(
                write,
                "s1",
                name=name,
                description="",
                prompt="Shorter.",
                color="#06b6d4",
                files=[],
                tools=["search_content"],
                model=None,
                expected_version=1,
            )

    changed = await rename("Terser")
    assert changed == SkillRecord(
        "s1",
        "p1",
        "Terser",
        "",
        "Shorter.",
        "#06b6d4",
        (),
        ("search_content",),
        None,
        1_000_000,
        None,
        2,
    )
    assert await storage.skills.get("s1") == changed
    with pytest.raises(StaleVersion):
        await rename("Late")


async def test_the_newest_stand_first_page_by_page(storage: Storage, clock: StepClock) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await add_project(storage, write, "p2")
        await add_context(storage, write, id="x0", project_id="p2")
    for number in (1, 3, 2):
        async with storage.write() as write:
            await add_context(storage, write, id=f"x{number}", name="Same")
        clock.ms += number == 3

    first = await storage.contexts.page("p1", limit=2)
    rest = await storage.contexts.page("p1", first.next_cursor, limit=2)
    assert [item.id for item in first.items] == ["x2", "x3"]
    assert [item.id for item in rest.items] == ["x1"]
    assert rest.next_cursor is None
    assert (await storage.skills.page("p1")).items == ()


async def test_what_was_used_says_when_and_keeps_its_version(
    storage: Storage, clock: StepClock
) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await add_context(storage, write)
        await add_skill(storage, write)
        await add_skill(storage, write, "s2")
    clock.ms += 7
    async with storage.write() as write:
        await storage.contexts.used(write, ["x1"])
        await storage.skills.used(write, ["s1", "builtin.concise", "s1"])
        await storage.skills.used(write, [])

    assert await storage.contexts.get("x1") == replace(CONTEXT, last_used_ms=1_000_007)
    assert await storage.skills.get("s1") == replace(SKILL, last_used_ms=1_000_007)
    assert await storage.skills.get("s2") == replace(SKILL, id="s2")
    assert await told(storage, 4) == [
        ("context", "x1", "updated", 1),
        ("skill", "s1", "updated", 1),
    ]


async def test_what_is_removed_is_gone_and_told(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await add_context(storage, write)
        await add_skill(storage, write)
        await storage.contexts.remove(write, "x1")
        await storage.skills.remove(write, "s1")

    assert await told(storage, 3) == [
        ("context", "x1", "deleted", 1),
        ("skill", "s1", "deleted", 1),
    ]
    for remove in (storage.contexts.remove, storage.skills.remove):
        with pytest.raises(RecordNotFound):
            async with storage.write() as write:
                await remove(write, "x1")


async def test_both_go_with_their_project(storage: Storage) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await add_context(storage, write)
        await add_skill(storage, write)
        await storage.projects.remove(write, "p1")

    for get in (storage.contexts.get, storage.skills.get):
        with pytest.raises(RecordNotFound):
            await get("x1")


@pytest.mark.parametrize("name", ["\0", "a\ud800b"])
async def test_names_that_no_database_keeps_are_refused(storage: Storage, name: str) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
    with pytest.raises(NotStorable):
        async with storage.write() as write:
            await add_context(storage, write, name=name)


async def test_any_path_comes_back_as_it_was(storage: Storage) -> None:
    """Folders hold names that are no Unicode; both engines keep them inside lists."""
    files = ["nul\0", "lone\udc80", "quote\"'", "back\\slash", "new\nline", ""]
    async with storage.write() as write:
        await add_project(storage, write)
        await storage.contexts.add(
            write, id="x1", project_id="p1", name="Odd", files=files, color=""
        )

    assert (await storage.contexts.get("x1")).files == tuple(files)


async def test_thousands_of_counts_are_kept_at_once(storage: Storage) -> None:
    counts = {f"{number:064x}": (number, number % 7) for number in range(10_000)}
    async with storage.write() as write:
        await storage.token_counts.put_many(write, counts)
        await storage.token_counts.put_many(write, {})

    assert await storage.token_counts.get_many(counts) == counts
    assert await storage.token_counts.get_many(["no such", f"{5:064x}", f"{5:064x}"]) == {
        f"{5:064x}": (5, 5)
    }
    assert await storage.token_counts.get_many([]) == {}


async def test_a_count_that_is_known_stays(storage: Storage) -> None:
    async with storage.write() as write:
        await storage.token_counts.put_many(write, {"a": (1, 0)})
    async with storage.write() as write:
        await storage.token_counts.put_many(write, {"a": (9, 9), "b": (1 << 40, 3)})
        assert await storage.token_counts.get_many(["b"], within=write) == {"b": (1 << 40, 3)}

    assert await storage.token_counts.get_many(["a", "b"]) == {"a": (1, 0), "b": (1 << 40, 3)}
    assert await storage.changes.latest() == 0


async def test_an_older_store_gets_the_tables_and_keeps_its_chats(
    address: str, clock: StepClock
) -> None:
    engine = await engine_at(address)
    await bring_up_to_date(engine, head="m0007")
    await engine.close()
    await run_sql(
        address,
        "INSERT INTO projects VALUES ('p1', 'p1', '/p1', 1, 1, '{}', 1)",
        "INSERT INTO chats (id, project_id, title, meta, is_global, created_ms, last_active_ms,"
        " version) VALUES ('c1', 'p1', 'Old', '{}', false, 1, 1, 1)",
    )
    storage = await Storage.open(address, clock=clock)
    async with storage.write() as write:
        await add_context(storage, write)
        await add_skill(storage, write)
        group = await storage.groups.add(write, id="g1", project_id="p1", name="G", color="")
        chat = await storage.chats.update(write, "c1", title="Old", meta={}, group_id=group.id)
    await storage.close()

    assert (chat.title, chat.group_id, chat.version) == ("Old", "g1", 2)
