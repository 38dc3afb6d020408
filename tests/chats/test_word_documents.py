"""A Word document in a chat: attached as Markdown, edited, taken back; and its own agent."""

from pathlib import Path
from typing import Any

import pytest

from tests.chats.undoing.work import actions, undo, work
from tests.fakes.providers import AnthropicServer, calls, says
from tests.talk import Talk, ended, texts
from tests.word.documents import by_hand, lines_of, paragraph, parts_of

pytestmark = pytest.mark.anyio

BEFORE = by_hand(paragraph("Title") + paragraph("The quick fox jumps.") + paragraph("end"))


EDIT = {"path": "a.docx", "old_string": "quick fox", "new_string": "slow fox"}


async def test_an_edit_is_taken_back_exactly_and_out_of_what_word_saved_since(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    file = tmp_path / "folder" / "a.docx"
    file.write_bytes(BEFORE)

    turn = await work(talk, upstream, (calls("edit_file", EDIT),))
    assert lines_of(file.read_bytes())[2] == "¶2 The slow fox jumps."
    assert 'w:author="Recto (' in parts_of(file.read_bytes())["word/document.xml"].decode()
    assert actions(await undo(talk, turn)) == {"a.docx": "restore"}
    assert file.read_bytes() == BEFORE

    again = await work(talk, upstream, (calls("edit_file", EDIT),))
    body = parts_of(file.read_bytes())["word/document.xml"].decode()
    inner = body[body.index("<w:body>") + 8 : body.index("<w:sectPr/></w:body>")]
    file.write_bytes(by_hand(inner.replace("jumps.", "jumps high!").replace("Title", "A title")))

    assert actions(await undo(talk, again)) == {"a.docx": "merge"}
    assert lines_of(file.read_bytes()) == ["¶1 A title", "¶2 The quick fox jumps high!", "¶3 end"]


async def test_its_statement_says_what_the_ai_wrote_and_what_became_of_it(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    file = tmp_path / "folder" / "a.docx"
    file.write_bytes(BEFORE)
    root = f"/api/v1/projects/{talk.project_id}"

    async def shares() -> dict[str, int]:
        found = (await talk.client.get(f"{root}/authorship", params={"path": "a.docx"})).json()
        made = dict.fromkeys((item["kind"] for item in found["authors"]), 0)
        for span in found["spans"]:
            made[found["authors"][span["author"]]["kind"]] += span["end"] - span["start"]
        assert sum(made.values()) == found["characters"]
        return {kind: size for kind, size in made.items() if size} | {
            "since": found["aiEditedSince"]
        }

    turn = await work(talk, upstream, (calls("edit_file", EDIT),))
    assert await shares() == {"before": 26, "ai": 4, "since": 0}  # of "slow", for "quick"

    page = (await talk.client.get(f"{root}/word", params={"path": "a.docx", "tab": "one"})).json()
    second = page["blocks"][1]
    edit = {"do": "text", "paragraph": second["number"], "base": second["text"]}
    body = {
        "path": "a.docx",
        "hash": page["hash"],
        "tab": "one",
        "isTracked": False,
        "edits": [{**edit, "text": "The sleepy fox jumps. It was pasted here."}],
        "taken": [{"text": " It was pasted here."}],
    }
    await talk.post(f"{root}/word/edits", body, status=200)
    assert await shares() == {"before": 26, "ai": 2, "typed": 4, "pasted": 20, "since": 2}

    statement = await talk.client.get(f"{root}/authorship/statement", params={"path": "a.docx"})
    assert "- Written by AI: 4 % (2 of 52 characters)." in statement.text
    assert "- Edited since, of what AI wrote here: 50 % (2 of 4 characters)." in statement.text
    assert "- Pasted by a person: 38 % (20 of 52 characters)." in statement.text
    assert "claude" in statement.text.casefold()

    # Undo puts nothing of the AI's on either side, whatever stands there by now.
    again = await work(talk, upstream, (calls("edit_file", {**EDIT, "old_string": "fox"}),))
    assert turn != again
    assert actions(await undo(talk, again)) == {"a.docx": "restore"}
    assert (await shares())["since"] == 2


async def test_an_attached_document_is_sent_as_numbered_markdown(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    (tmp_path / "folder" / "a.docx").write_bytes(BEFORE)
    upstream.answer(says("Fine."))

    await talk.ask("Read it.", files=["a.docx"])

    assert "¶2 The quick fox jumps." in str([item.json for item in upstream.exchanges])


PAGE = by_hand(
    paragraph("Tides 😀", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
    + paragraph("Teh sea comes.")
    + paragraph("Teh sea goes.")
    + f"<w:tbl><w:tr><w:tc>{paragraph('Teh cell')}</w:tc></w:tr></w:tbl>"
)


def about(paragraph: int = 0, start: int = 0, end: int = 0) -> dict[str, Any]:
    """The part of a request that is about the page, with letters of a paragraph selected."""
    passage = {"paragraph": paragraph, "start": start, "last": paragraph, "end": end}
    document = {"path": "a.docx", "passage": passage if paragraph else None}
    return {"profile": "document", "document": document}


async def test_the_document_agent_reads_searches_and_tracks_its_edits(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    file = tmp_path / "folder" / "a.docx"
    file.write_bytes(PAGE)
    upstream.answer(
        calls("read_document", {}),
        calls("search_document", {"query": "teh cell"}),
        calls("edit_document", {"find": "Teh sea comes.\n¶3 Teh sea goes.", "replace": "Gone."}),
        calls("edit_document", {"find": "Teh", "replace": "The"}),
        calls("get_document_info", {}),
    )
    upstream.answer(calls("edit_document", {"find": "no such words", "replace": "x"}))
    upstream.answer(says("Done."))

    entries = await talk.ask("Fix the typos.", **about(4, 0, 3))

    results = [item for entry in await talk.entries("tool_results") for item in entry["results"]]
    assert [item["state"] for item in results] == ["done"] * 5 + ["error"]
    read, found, joined, cell, info, missing = (item["text"] for item in results)
    assert "2\t¶2 Teh sea comes." in read
    assert "¶4 Teh cell" in found
    assert "tracked changes" in joined
    assert lines_of(file.read_bytes())[2:] == ["¶2 Gone.", "| ¶3 The cell |", "| --- |"]
    assert "It reads now:" in cell
    assert "Selection: none" in info
    assert "no such passage" in missing
    assert 'w:author="Recto (' in parts_of(file.read_bytes())["word/document.xml"].decode()
    asked = upstream.exchanges[0].json
    (declared,) = [tool for tool in asked["tools"] if tool["name"] == "edit_document"]
    assert "tracked change" in declared["description"]
    assert "The selected passage is in line 4." in str(asked["messages"])
    assert texts(entries)[-1] == "Done."


async def test_a_transform_changes_the_selected_words_of_one_paragraph(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    file = tmp_path / "folder" / "a.docx"
    file.write_bytes(PAGE)
    upstream.answer(calls("edit_document", {"find": "Teh", "replace": "The"}))
    upstream.answer(says("Corrected."))
    body = {"transform": {"id": "fix"}, **about(3, 0, 7)}
    turn = (await talk.post(talk.path("turns"), body))["turnId"]
    await talk.until(ended(turn))

    assert lines_of(file.read_bytes())[2:4] == ["¶2 Teh sea comes.", "¶3 The sea goes."]
    assert actions(await undo(talk, turn)) == {"a.docx": "restore"}


async def test_a_selection_that_is_not_in_the_document_is_refused(
    talk: Talk, tmp_path: Path
) -> None:
    (tmp_path / "folder" / "a.docx").write_bytes(PAGE)
    (tmp_path / "folder" / "b.docx").write_bytes(b"no package")
    for passage in (about(9, 0, 1), about(2, 0, 500), about(1, 0, 7)):
        answer = await talk.client.post(talk.path("turns"), json={"text": "x", **passage})
        assert answer.status_code == 409, answer.text
    body = {"text": "x", "profile": "document", "document": {"path": "b.docx"}}
    answer = await talk.client.post(talk.path("turns"), json=body)
    assert answer.status_code in (409, 415, 422), answer.text
    assert await talk.entries() == []
