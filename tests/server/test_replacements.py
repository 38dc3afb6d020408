"""Replacing in all files: exact bytes, what was looked at and nothing else, and all of it back."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.projects import replacements
from tests.served import Served
from tests.server.test_files import project_address

pytestmark = pytest.mark.anyio


async def look(script: httpx.AsyncClient, address: str, **asked: Any) -> dict[str, Any]:
    answer = await script.post(f"{address}/replacements/look", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def replace(
    script: httpx.AsyncClient, address: str, left_out: tuple[int, ...] = (), **asked: Any
) -> dict[str, Any]:
    found = await look(script, address, **asked)
    body = {**asked, "look": found["id"], "leftOut": left_out}
    answer = await script.post(f"{address}/replacements", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


async def test_hits_are_replaced_but_for_those_left_out_and_all_come_back(recto: Served) -> None:
    before = {
        "a.md": "The Tide, the tide\r\nand ébb\r\n\tTIDE".encode(),
        "b.md": b"\xef\xbb\xbfriptide tide\n",
        "c.bin": b"tide\0",
        ".env": b"TIDE=1\n",
        ".gitignore": b"skipped.md\n",
        "skipped.md": b"tide\n",
    }
    for name, data in before.items():
        (recto.folder / name).write_bytes(data)
    own = recto.folder / ".recto" / "tides.py"
    own.parent.mkdir()
    own.write_bytes(b"tide\n")
    asked: dict[str, Any] = {"query": "tide", "replacement": "été $1", "wholeWord": True}
    async with recto.script() as script:
        address = await project_address(script)
        # What is kept from the AI, as .env, what git ignores and what is Recto's is not touched.
        found = await look(script, address, **asked)
        lines = [(line["path"], line["line"], len(line["hits"])) for line in found["items"]]
        assert lines == [("a.md", 1, 2), ("a.md", 3, 1), ("b.md", 1, 1)]
        done = await replace(script, address, (1,), **asked)
        assert (done["files"], done["hits"], done["left"]) == (2, 3, [])
        assert contents(recto.folder) == before | {
            "a.md": "The été $1, the tide\r\nand ébb\r\n\tété $1".encode(),
            "b.md": b"\xef\xbb\xbfriptide " + "été $1\n".encode(),
        }
        undo = f"{address}/replacements/{done['id']}/undo"
        mark, text = before["b.md"][:3], (recto.folder / "b.md").read_bytes()[3:]
        (recto.folder / "b.md").write_bytes(mark + b"new line\n" + text)
        back = (await script.post(undo)).json()
        assert (back["files"], back["left"]) == (2, [])
        after = before | {"b.md": mark + b"new line\n" + before["b.md"][3:]}
        assert contents(recto.folder) == after


async def test_groups_of_an_expression_and_the_ends_of_lines(recto: Served) -> None:
    (recto.folder / "a.md").write_bytes(b"one-two\r\nthree-four\r\n\r\n")
    async with recto.script() as script:
        address = await project_address(script)
        asked: dict[str, Any] = {
            "query": r"^(\w+)-(\w+)$",
            "replacement": "$2 ${1}s",
            "regex": True,
        }
        await replace(script, address, **asked)
        assert (recto.folder / "a.md").read_bytes() == b"two ones\r\nfour threes\r\n\r\n"
        refused = await script.post(
            f"{address}/replacements/look",
            json={"query": "(", "replacement": "", "regex": True},
        )
        assert refused.status_code == 422


async def test_an_expression_that_makes_others_slow_takes_no_time(recto: Served) -> None:
    (recto.folder / "a.md").write_text("a" * 50_000 + "\n")
    async with recto.script() as script:
        address = await project_address(script)
        found = await look(script, address, query="(a+)+$b", replacement="", regex=True)
        assert (found["hits"], found["tooMuch"]) == (0, False)


async def test_what_has_changed_since_it_was_looked_at_is_not_replaced(recto: Served) -> None:
    (recto.folder / "a.md").write_text("tide\n")
    async with recto.script() as script:
        address = await project_address(script)
        asked: dict[str, Any] = {"query": "tide", "replacement": "ebb"}
        found = await look(script, address, **asked)
        (recto.folder / "a.md").write_text("tide\ntide\n")
        answer = await script.post(f"{address}/replacements", json={**asked, "look": found["id"]})
        assert (answer.status_code, answer.json()["title"]) == (409, "Look again")
        assert (recto.folder / "a.md").read_text() == "tide\ntide\n"


async def test_lines_that_somebody_changed_since_are_left_as_they_are(recto: Served) -> None:
    for name in ("a.md", "b.md"):
        (recto.folder / name).write_text("tide\n")
    async with recto.script() as script:
        address = await project_address(script)
        done = await replace(script, address, query="tide", replacement="ebb")
        (recto.folder / "a.md").write_text("ebb and flow\n")
        back = (await script.post(f"{address}/replacements/{done['id']}/undo")).json()
        assert [item["path"] for item in back["left"]] == ["a.md"]
        assert (recto.folder / "a.md").read_text() == "ebb and flow\n"
        assert (recto.folder / "b.md").read_text() == "tide\n"
        unknown = await script.post(f"{address}/replacements/{'0' * 64}/undo")
        assert unknown.status_code == 404


async def test_more_text_than_can_be_kept_to_be_taken_back_is_too_much(
    recto: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacements, "MOST_TEXT", 1000)
    for name in ("a.md", "b.md"):
        (recto.folder / name).write_text("tide\n" * 150)
    asked = {"query": "tide", "replacement": "ebb"}
    async with recto.script() as script:
        address = await project_address(script)
        found = await look(script, address, **asked)
        assert found["tooMuch"]
        body = {**asked, "look": found["id"], "leftOut": ()}
        answer = await script.post(f"{address}/replacements", json=body)
        assert (answer.status_code, "Narrow the search" in answer.text) == (409, True)
    assert (recto.folder / "a.md").read_text() == "tide\n" * 150
