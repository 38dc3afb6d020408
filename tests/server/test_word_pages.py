"""Word documents as pages over the API: read, edited, commented on, taken over."""

import io
from typing import Any

import docx
import httpx
import pytest

from recto.server.schemas.documents.word import WordPageView, WordSplice
from tests.served import Served
from tests.server.test_files import project_address
from tests.word.documents import (
    by_hand,
    by_python_docx,
    edited,
    lines_of,
    paragraph,
    parts_of,
    settled,
    view_of,
)

pytestmark = pytest.mark.anyio

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)
"""One red point."""


async def edit(script: httpx.AsyncClient, page: dict[str, Any], *edits: object, **more: object):
    address = f"{await project_address(script)}/word/edits"
    body = {"path": "a.docx", "hash": page["hash"], "tab": "one", "isTracked": True, "edits": edits}
    return await script.post(address, json={**body, **more})


async def read(script: httpx.AsyncClient, tab: str = "one", shown: str = "") -> dict[str, Any]:
    address = f"{await project_address(script)}/word"
    answer = await script.get(address, params={"path": "a.docx", "tab": tab, "shown": shown})
    assert answer.status_code == 200, answer.text
    # The answer is passed on as it was encoded: its description must hold all the same.
    WordPageView.model_validate_json(answer.content)
    return answer.json()


async def test_a_page_is_read_edited_commented_and_taken_over(recto: Served) -> None:
    file = recto.folder / "a.docx"
    file.write_bytes(by_python_docx())
    before = file.read_bytes()
    async with recto.script() as script:
        root = f"{await project_address(script)}/word"
        lock = recto.folder / "~$a.docx"
        lock.write_bytes(b"\x03Ada" + b"\0" * 158)
        assert (await read(script))["openedBy"] == "Word (Ada)"
        lock.unlink()
        page = await read(script)
        assert page["openedBy"] == ""
        assert file.read_bytes() == before
        third = page["blocks"][2]
        assert [piece["text"] for piece in third["pieces"]] == [
            "The quick ", "bold", " and more words, here.",
        ]  # fmt: skip
        new = {"do": "text", "paragraph": third["number"], "base": third["text"]}
        made = await edit(script, page, {**new, "text": "The slow bold and more words, here."})
        WordSplice.model_validate_json(made.content)
        after = made.json()
        assert (after["start"], after["end"], after["isWhole"]) == (2, 3, False)
        assert [piece["text"] for piece in after["blocks"][0]["pieces"][:4]] == [
            "The ", "quick", "slow", " ",
        ]  # fmt: skip
        assert [item["what"] for item in after["frame"]["changes"]] == ["replaced"]

        elsewhere = await edit(script, after, tab="two")
        assert elsewhere.json()["type"] == "urn:recto:problem:edited-elsewhere"
        assert (await read(script, "two"))["isElsewhere"]
        taken = await script.post(
            f"{root}/tab", json={"path": "a.docx", "tab": "two", "takes": True}
        )
        assert taken.status_code == 204
        assert (await edit(script, after, tab="two")).status_code == 200

        said = {
            "path": "a.docx",
            "paragraph": third["number"],
            "start": 0,
            "end": 3,
            "text": "Who?",
        }
        comment = (await script.post(f"{root}/comments", json=said)).json()["id"]
        answer = {"path": "a.docx", "comment": comment, "text": "I."}
        assert (await script.post(f"{root}/comments/answer", json=answer)).status_code == 200
        done = {"path": "a.docx", "comment": comment, "isResolved": True}
        assert (await script.post(f"{root}/comments/resolve", json=done)).status_code == 204
        threads = (await read(script))["frame"]["comments"]

    assert [
        (item["quoted"], item["isResolved"], [remark["text"] for remark in item["remarks"]])
        for item in threads
    ] == [("A commented sentence.", False, ["Please check"]), ("The", True, ["Who?", "I."])]
    assert "¶3 The slow bold and more words, here." in lines_of(file.read_bytes())
    was, now = parts_of(before), parts_of(file.read_bytes())
    assert {name for name in now if was.get(name) != now[name]} == {
        "[Content_Types].xml", "word/_rels/document.xml.rels", "word/document.xml",
        "word/comments.xml", "word/commentsExtended.xml",
    }  # fmt: skip
    back = settled(file.read_bytes(), accept=False, author=None)
    assert "¶3 The quick bold and more words, here." in lines_of(back)


async def test_whoever_shows_a_document_is_sent_what_is_other_and_no_more(recto: Served) -> None:
    file = recto.folder / "a.docx"
    first = by_hand("".join(paragraph(f"Paragraph {number}.") for number in range(500)))
    file.write_bytes(first)
    async with recto.script() as script:
        page = await read(script)
        same = await read(script, shown=page["hash"])
        lines = view_of(first).lines
        file.write_bytes(edited(first, 250, 250, f"{lines[250].text} By AI."))
        other = await read(script, shown=page["hash"])
        # Another tab was not told of it yet; one that shows what nobody knows is told all.
        late = await read(script, "two", shown=page["hash"])
        lost = await read(script, shown="of another time")

    assert (page["isWhole"], len(page["blocks"])) == (True, 500)
    assert (same["isWhole"], same["blocks"]) == (False, [])
    assert same["start"] == same["end"]
    assert (other["isWhole"], other["end"] - other["start"]) == (False, 1)
    assert [block["text"] for block in other["blocks"]] == [
        f"{page['blocks'][other['start']]['text']} By AI."
    ]
    assert late == other
    assert (lost["isWhole"], len(lost["blocks"])) == (True, 500)


async def test_words_typed_right_after_another_program_saved_are_the_persons_alone(
    recto: Served,
) -> None:
    file = recto.folder / "a.docx"
    file.write_bytes(by_hand(paragraph("One two.")))
    async with recto.script() as script:
        page = await read(script)
        file.write_bytes(by_hand(paragraph("One two three elsewhere.")))
        page = await read(script, shown=page["hash"])
        [block] = page["blocks"]
        typed = {"do": "text", "paragraph": block["number"], "base": block["text"]}
        text = "One two three elsewhere, by hand."
        assert (await edit(script, page, {**typed, "text": text})).status_code == 200
        statement = await script.get(
            f"{await project_address(script)}/authorship", params={"path": "a.docx"}
        )

    found = statement.json()
    assert [
        (found["authors"][span["author"]]["kind"], span["end"] - span["start"])
        for span in found["spans"]
    ] == [("before", 7), ("outside", 16), ("typed", 9), ("before", 2)]


async def test_a_document_becomes_markdown_with_its_pictures(recto: Served) -> None:
    made = docx.Document(io.BytesIO(by_python_docx()))
    made.add_picture(io.BytesIO(PICTURE), width=914400)
    out = io.BytesIO()
    made.save(out)
    (recto.folder / "the report.docx").write_bytes(out.getvalue())
    async with recto.script() as script:
        address = f"{await project_address(script)}/word/markdown"
        first = await script.post(address, json={"path": "the report.docx"})
        again = await script.post(address, json={"path": "the report.docx"})
        other = await script.post(address, json={"path": "the report.md"})
    assert [first.status_code, first.json()] == [201, {"path": "the report.md"}]
    assert again.json() == {"path": "the report-2.md"}
    assert other.status_code == 422
    text = (recto.folder / "the report.md").read_text()
    assert "# Method" in text
    assert "the%20report-pictures/image1.png" in text
    assert (recto.folder / "the report-pictures" / "image1.png").read_bytes() == PICTURE
