"""A Word document in a chat: attached as Markdown, edited, and the edit taken back."""

from pathlib import Path

import pytest

from tests.chats.undoing.work import actions, undo, work
from tests.fakes.providers import AnthropicServer, calls, says
from tests.talk import Talk
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


async def test_an_attached_document_is_sent_as_numbered_markdown(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    (tmp_path / "folder" / "a.docx").write_bytes(BEFORE)
    upstream.answer(says("Fine."))

    await talk.ask("Read it.", files=["a.docx"])

    assert "¶2 The quick fox jumps." in str([item.json for item in upstream.exchanges])
