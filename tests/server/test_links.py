"""Links over the API: they follow what moves, are taken back with it, and tell who links where."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.documents import Splice
from tests.served import Served
from tests.server.test_documents import page
from tests.server.test_file_operations import post
from tests.server.test_files import project_address

pytestmark = pytest.mark.anyio


async def get(script: httpx.AsyncClient, what: str, **query: Any) -> Any:
    answer = await script.get(f"{await project_address(script)}/{what}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def texts_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*.md")
        if path.is_file()
    }


async def test_links_follow_a_renamed_note_as_the_preview_said_and_come_back_with_it(
    recto: Served,
) -> None:
    folder = recto.folder
    (folder / "notes").mkdir()
    (folder / "notes" / "tide.md").write_bytes(b"# Tide\n")
    (folder / "a.md").write_bytes(
        "\ufeffé [[tide|that]]\r\n`[[tide]]` [x](notes/tide.md)\r\n".encode()
    )
    (folder / "old.md").write_bytes("\xe9\xe9 [[tide]]\n".encode("latin-1"))
    (folder / "other.md").write_bytes(b"[[tides]] tide\n")
    before = texts_of(folder)
    async with recto.script() as script:
        plan = await get(script, "links/move", path="notes/tide.md", newPath="notes/ebb.md")
        assert texts_of(folder) == before
        moved = await post(
            script, "files/move", path="notes/tide.md", newPath="notes/ebb.md", links=True
        )
        links = moved.json()["links"]
        assert links == plan
        assert [text["path"] for text in links["texts"]] == ["a.md"]
        assert links["texts"][0]["links"] == [
            {"line": 1, "before": "tide", "after": "ebb"},
            {"line": 2, "before": "notes/tide.md", "after": "notes/ebb.md"},
        ]
        assert [left["path"] for left in links["leftAlone"]] == ["old.md"]
        after = texts_of(folder)
        assert after["a.md"] == (
            "\ufeffé [[ebb|that]]\r\n`[[tide]]` [x](notes/ebb.md)\r\n".encode()
        )
        assert {name: after[name] for name in ("old.md", "other.md")} == {
            name: before[name] for name in ("old.md", "other.md")
        }
        spellings = {
            text["path"]: {link["after"]: link["before"] for link in text["links"]}
            for text in links["texts"]
        }
        back = await post(
            script,
            "files/move",
            path="notes/ebb.md",
            newPath="notes/tide.md",
            links=True,
            spellings=spellings,
        )
        assert back.status_code == 200
    assert texts_of(folder) == before


async def test_an_open_text_gets_the_edit_and_keeps_what_is_typed(recto: Served) -> None:
    (recto.folder / "tide.md").write_text("# Tide\n")
    (recto.folder / "a.md").write_text("see [[tide]]\n")
    async with recto.script() as script, page(recto) as tab:
        await tab.open(1, "a.md")
        await tab.type(1, Splice(0, 0, "I "))
        await tab.until_said(type="ack", edits=1)
        await post(script, "files/move", path="tide.md", newPath="ebb.md", links=True)
        await tab.until(lambda: tab.texts[1].text == "I see [[ebb]]\n")
    assert (recto.folder / "a.md").read_text() == "I see [[ebb]]\n"


async def test_backlinks_links_to_nothing_and_tags(recto: Served) -> None:
    folder = recto.folder
    (folder / "tide.md").write_text("[[gone]] [x](none.md) [y](built.pdf) #sea\n")
    (folder / "built.pdf").write_bytes(b"%PDF-1.4")
    (folder / ".gitignore").write_text("*.pdf\n")
    (folder / "a.md").write_text("one\n\nsee [[tide]] and [it](tide.md#x)\n`[[tide]]`\n")
    (folder / "b.md").write_text("---\ntags: [sea]\n---\n[[Tides]] #sea/deep\n")
    async with recto.script() as script:
        links = await get(script, "links", path="tide.md")
        assert links == {
            "backlinks": [{"path": "a.md", "line": 3, "text": "see [[tide]] and [it](tide.md#x)"}],
            "unresolved": [
                {"name": "gone", "line": 1, "isNote": True},
                {"name": "none.md", "line": 1, "isNote": False},
            ],
            "tags": ["sea"],
            "truncated": False,
        }
        assert (await get(script, "tags"))["items"] == [
            {"tag": "sea", "count": 2},
            {"tag": "sea/deep", "count": 1},
        ]
        assert await get(script, "links/note", name="TIDE", origin="a.md") == {"path": "tide.md"}
        assert await get(script, "links/note", name="gone", origin="a.md") == {"path": None}
        # What has changed is read again.
        (folder / "a.md").write_text("nothing here\n")
        assert (await get(script, "links", path="tide.md"))["backlinks"] == []


async def test_notes_are_found_by_a_tag_and_those_below_it(recto: Served) -> None:
    (recto.folder / "a.md").write_text("one\n\nabout #Sea and #sea/deep\n")
    (recto.folder / "b.md").write_text("---\ntitle: B\ntags: [sea]\n---\n")
    (recto.folder / "c.md").write_text("#season\n")
    async with recto.script() as script:
        found = await get(script, "tags/notes", tag="sea")
        assert found == {
            "items": [
                {"path": "a.md", "line": 3, "text": "about #Sea and #sea/deep", "count": 2},
                {"path": "b.md", "line": 3, "text": "tags: [sea]", "count": 1},
            ],
            "truncated": False,
        }
        assert (await get(script, "tags/notes", tag="gone"))["items"] == []


async def test_links_in_a_notebooks_markdown_follow_and_the_rest_stays_byte_for_byte(
    recto: Served,
) -> None:
    notebook: dict[str, Any] = {
        "cells": [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["See [[tide]].\n"]},
            {
                "cell_type": "code",
                "execution_count": 1,
                "id": "b",
                "metadata": {},
                "outputs": [],
                "source": ["x = '[[tide]]'"],
            },
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    before = json.dumps(notebook, indent=1) + "\n"
    (recto.folder / "work.ipynb").write_text(before)
    (recto.folder / "tide.md").write_text("The tide.\n")
    async with recto.script() as script:
        links = (await get(script, "links", path="tide.md"))["backlinks"]
        assert [(link["path"], link["text"]) for link in links] == [("work.ipynb", "See [[tide]].")]
        move = {"path": "tide.md", "newPath": "ebb.md", "links": True}
        await post(script, "files/move", **move)
    after = (recto.folder / "work.ipynb").read_text()
    assert after == before.replace("See [[tide]]", "See [[ebb]]")
