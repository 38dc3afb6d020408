"""Tracked changes of Word documents over the API, and how an undo meets what Word saved since."""

import httpx
import pytest

from tests.served import Served
from tests.server.test_files import project_address
from tests.word.documents import RECTO, by_hand, edited, lines_of, paragraph, parts_of

pytestmark = pytest.mark.anyio

BEFORE = by_hand(paragraph("one two three") + paragraph("end"))
AFTER = edited(edited(BEFORE, 0, 0, "¶1 one 2 three"), 2, 2, "¶2 the end")


async def settle(script: httpx.AsyncClient, hash: str, **body: object) -> httpx.Response:
    address = f"{await project_address(script)}/tracked-changes/settle"
    return await script.post(address, json={"path": "a.docx", "hash": hash, **body})


async def test_changes_are_listed_settled_one_by_one_and_all(recto: Served) -> None:
    file = recto.folder / "a.docx"
    file.write_bytes(AFTER)
    async with recto.script() as script:
        address = f"{await project_address(script)}/tracked-changes"
        found = (await script.get(address, params={"path": "a.docx"})).json()
        assert [(item["what"], item["text"], item["author"]) for item in found["changes"]] == [
            ("replaced", "two → 2", RECTO),
            ("inserted", "the ", RECTO),
        ]

        left = await settle(script, found["hash"], accept=True, chosen=[0])
        stale = await settle(script, found["hash"], accept=True)
        none = await settle(script, left.json()["hash"], accept=False)

    assert [item["text"] for item in left.json()["changes"]] == ["the "]
    assert stale.status_code == 412
    assert none.json()["changes"] == []
    assert [line.partition(" ")[2] for line in lines_of(file.read_bytes())] == [
        "one 2 three", "end",
    ]  # fmt: skip
    assert parts_of(file.read_bytes()).keys() == parts_of(BEFORE).keys()


async def test_what_is_no_document_is_a_clear_problem(recto: Served) -> None:
    (recto.folder / "a.docx").write_bytes(b"nothing")
    async with recto.script() as script:
        address = f"{await project_address(script)}/tracked-changes"
        found = await script.get(address, params={"path": "a.docx"})
    assert found.status_code == 422
    assert "is not a Word document that can be read" in found.json()["detail"]
