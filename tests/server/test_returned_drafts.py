"""A draft published as a Word document over the API, and what comes back of it."""

import base64
import io
from pathlib import Path
from typing import Any

import docx
import httpx
import pytest

from tests.publishing.drafts import library_of
from tests.served import Served
from tests.server.test_files import project_address

pytestmark = pytest.mark.anyio

TEXT = (
    "---\ncsl: apa\n---\n\n# Surges\n\nThe tide is small [@work1]. The surge is large.\n\nAn end.\n"
)


def changed(file: Path) -> None:
    """Change the document as a co-author would, in place."""
    document = docx.Document(str(file))
    (first,) = [item for item in document.paragraphs if "surge is large" in item.text]
    run = next(item for item in first.runs if "large" in item.text)
    run.text = run.text.replace("large", "huge")
    (end,) = [item for item in document.paragraphs if item.text == "An end."]
    document.add_comment(end.runs[0], text="Say more.", author="Ines", initials="I")
    cited = next(item for item in first.runs if "1951" in item.text)
    cited.text = cited.text.replace("1951", "1999")
    document.core_properties.last_modified_by = "Ines"
    document.save(str(file))


async def ask(script: httpx.AsyncClient, **body: object) -> dict[str, Any]:
    answer = await script.post(f"{await project_address(script)}/returned-drafts", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_changes_of_a_published_document_come_back_as_edits_to_review_and_comments(
    recto: Served,
) -> None:
    (recto.folder / "references").mkdir(exist_ok=True)
    (recto.folder / "references" / "library.bib").write_text(library_of(2))
    draft, file = recto.folder / "surge.md", recto.folder / "surge.docx"
    draft.write_text(TEXT)
    async with recto.script() as script:
        root = await project_address(script)
        told = await script.post(f"{root}/publish", json={"path": "surge.md", "to": "docx"})
        assert "event: done" in told.text
        found = await script.get(f"{root}/returned-drafts", params={"path": "surge.docx"})
        assert found.json() == {"draft": "surge.md"}
        assert (await ask(script, path="surge.docx"))["changes"] == []

        changed(file)
        report = await ask(script, path="surge.docx")
        assert [(item["old"], item["new"]) for item in report["changes"]] == [("large", "huge")]
        assert [item["body"] for item in report["comments"]] == ["Ines: Say more."]
        assert [(item["old"], item["new"]) for item in report["leftOut"]] == [("1951", "1999")]
        assert draft.read_text() == TEXT  # asked alone, nothing is changed

        # The draft goes on meanwhile; the document itself may lie elsewhere.
        draft.write_text(TEXT.replace("small", "very small"))
        data = base64.b64encode(file.read_bytes()).decode()
        await ask(script, data=data, draft="surge.md", brings=True)
        expected = TEXT.replace("small", "very small").replace("large", "huge")
        assert draft.read_text() == expected
        (review,) = (await script.get(f"{root}/reviews")).json()["items"]
        assert (review["path"], review["hunkCount"]) == ("surge.md", 1)
        assert [edit["model"] for edit in review["edits"]] == ["Ines (Word)"]
        (thread,) = (await script.get(f"{root}/threads")).json()["items"]
        assert (thread["text"], thread["body"]) == ("An end.", "Ines: Say more.")

        again = await ask(script, path="surge.docx", brings=True)
        assert (again["changes"], again["alreadyThere"]) == ([], 1)
        assert len((await script.get(f"{root}/threads")).json()["items"]) == 1
        opened = await script.post(f"/api/v1/reviews/{review['id']}/reject")
        assert opened.status_code == 200
        assert draft.read_text() == TEXT.replace("small", "very small")

        # A draft of another folder that has the same name is another draft.
        other = recto.folder.parent / "other"
        other.mkdir()
        (other / "surge.md").write_text(TEXT)
        project = (await script.post("/api/v1/projects", json={"path": str(other)})).json()["id"]
        address = f"/api/v1/projects/{project}/returned-drafts"
        refused = await script.post(address, json={"data": data, "brings": True})
        assert (refused.status_code, (other / "surge.md").read_text()) == (422, TEXT)


async def test_a_document_of_nobody_and_a_copy_of_another_draft_are_told(recto: Served) -> None:
    made = docx.Document()
    made.add_paragraph("Nothing of ours.")
    out = io.BytesIO()
    made.save(out)
    data = base64.b64encode(out.getvalue()).decode()
    async with recto.script() as script:
        address = f"{await project_address(script)}/returned-drafts"
        answer = await script.post(address, json={"data": data, "brings": True})
        assert (answer.status_code, "not published from a draft" in answer.text) == (422, True)
        broken = await script.post(address, json={"data": base64.b64encode(b"x").decode()})
        assert broken.status_code == 422
        assert (await script.post(address, json={})).status_code == 422
