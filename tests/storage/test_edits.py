from dataclasses import replace

import pytest

from recto.storage import Edit, RecordNotFound, Storage
from tests.storage.conftest import add_project

pytestmark = pytest.mark.anyio

EDIT = Edit(
    id="e1",
    project_id="p1",
    path="a.md",
    from_path=None,
    kind="edited",
    status="writing",
    before={"kind": "file", "mode": 0o644, "blob": "b1"},
    after={},
    chat_id="c1",
    run_id="r1",
    call_id="t1",
    tool="edit_file",
    model="m/1",
    model_name="One",
    prompt_hash="h",
    at_ms=5,
    characters=0,
    added=0,
    removed=0,
    hunks=0,
)


async def add(storage: Storage, *edits: Edit) -> None:
    async with storage.write() as write:
        await add_project(storage, write)
        await storage.edits.add(write, edits)


async def test_edits_are_found_by_id_path_run_and_status(storage: Storage) -> None:
    other = replace(EDIT, id="e2", path="b.md", run_id="r2", status="pending")
    await add(storage, other, EDIT)
    edits = storage.edits

    assert await edits.get("e1") == EDIT
    assert await edits.some(["e2", "e1", "none"]) == (EDIT, other)
    assert await edits.some([]) == ()
    assert await edits.of_path("p1", "b.md") == (other,)
    assert await edits.of_path("p2", "b.md") == ()
    assert await edits.of_run("r1") == (EDIT,)
    assert await edits.with_status("pending") == (other,)
    assert await edits.with_status("pending", "p2") == ()
    with pytest.raises(RecordNotFound, match="no edit e9"):
        await edits.get("e9")


async def test_runs_are_known_by_edits_that_wait_or_were_accepted(storage: Storage) -> None:
    statuses = ("pending", "accepted", "rejected", "undone", "writing")
    await add(
        storage,
        *(
            replace(EDIT, id=f"e{number}", run_id=f"r-{status}", status=status)
            for number, status in enumerate(statuses)
        ),
    )
    runs = [f"r-{status}" for status in statuses]

    assert await storage.edits.runs_with_standing(runs) == {"r-pending", "r-accepted"}
    assert await storage.edits.runs_with_standing(["r-rejected"]) == frozenset()
    assert await storage.edits.runs_with_standing([]) == frozenset()


async def test_edits_are_changed_together(storage: Storage) -> None:
    await add(storage, EDIT, replace(EDIT, id="e2"), replace(EDIT, id="e3"))
    async with storage.write() as write:
        await storage.edits.change(write, ["e1", "e3"], status="accepted", added=3)
        await storage.edits.change(write, [], status="rejected")

    found = await storage.edits.of_run("r1")
    assert [(item.id, item.status, item.added) for item in found] == [
        ("e1", "accepted", 3),
        ("e2", "writing", 0),
        ("e3", "accepted", 3),
    ]


async def test_a_folder_that_moves_takes_its_edits_along_and_nobody_elses(
    storage: Storage,
) -> None:
    paths = ["a", "a/x.md", "a/deep/y.md", "ab/x.md", "A/x.md", "b_/x.md", "b%/x.md"]
    await add(storage, *(replace(EDIT, id=f"e{n}", path=path) for n, path in enumerate(paths)))
    async with storage.write() as write:
        await storage.edits.move(write, "p1", "a", "new/a")
        await storage.edits.move(write, "p1", "b_", "c")
        await storage.edits.move(write, "p2", "ab", "d")

    assert [item.path for item in await storage.edits.of_run("r1")] == [
        "new/a",
        "new/a/x.md",
        "new/a/deep/y.md",
        "ab/x.md",
        "A/x.md",
        "c/x.md",
        "b%/x.md",
    ]


async def test_a_review_that_changed_is_told_with_the_transaction(storage: Storage) -> None:
    await add(storage, EDIT)
    async with storage.write() as write:
        await storage.edits.tell(write, "p1", "e1", "updated")

    last = (await storage.changes.after(0))[-1]
    assert (last.kind, last.resource_id, last.project_id, last.action) == (
        "review",
        "e1",
        "p1",
        "updated",
    )


async def test_edits_go_with_their_project(storage: Storage) -> None:
    await add(storage, EDIT)
    async with storage.write() as write:
        await storage.projects.remove(write, "p1")

    assert await storage.edits.of_run("r1") == ()


async def test_a_documents_journal_moves_and_what_was_there_is_forgotten(
    storage: Storage,
) -> None:
    async with storage.write() as write:
        for document in ("p/a", "p/a/x", "p/b", "p/ab"):
            await storage.documents.append(write, document, 1, [(document.encode(), {})])
    async with storage.write() as write:
        await storage.documents.move(write, "p/a", "p/b")

    found = {name: await storage.documents.read(name) for name in ("p/b", "p/b/x", "p/ab")}
    assert {name: [row.data for row in rows] for name, rows in found.items()} == {
        "p/b": [b"p/a"],
        "p/b/x": [b"p/a/x"],
        "p/ab": [b"p/ab"],
    }
