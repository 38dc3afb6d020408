"""Comments read, added, answered and resolved, as Word and python-docx know them."""

import io

import docx
import pytest

from recto.word import NumberedTexts, PassageMissing
from recto.word.operations import CommentOn, ResolveComment, comment, settle_comment
from tests.word.documents import DATE, RECTO, by_hand, by_python_docx, lines_of, paragraph, parts_of

NONE = NumberedTexts()
ONE = NumberedTexts((1,), ("Some words here.",), 2)
ON = '    [comment 0 by Cleo on "A commented sentence."] Please check'


def test_a_comment_is_answered_and_resolved_in_the_parts_that_comments_need() -> None:
    data = by_python_docx()
    assert ON in lines_of(data)

    answered = comment(CommentOn("Done,\nsee above.", RECTO, DATE, NONE, answers="0"), [data])
    resolved = settle_comment(ResolveComment("1", done=True, known=NONE), [answered.data]).data

    assert answered.name == "1"
    lines = lines_of(resolved)
    at = lines.index(ON.replace('."]', '.", resolved]'))
    assert lines[at + 1] == f"    [answer 1 by {RECTO}] Done, see above."
    old, new = parts_of(data), parts_of(resolved)
    assert {name for name in new if old.get(name) != new[name]} == {
        "[Content_Types].xml",
        "word/_rels/document.xml.rels",
        "word/comments.xml",
        "word/commentsExtended.xml",
        "word/document.xml",
    }
    reread = docx.Document(io.BytesIO(resolved))
    assert [(item.author, item.text) for item in reread.comments] == [
        ("Cleo", "Please check"),
        (RECTO, "Done,\nsee above."),
    ]
    opened = settle_comment(ResolveComment("0", done=False, known=NONE), [resolved]).data
    assert ON in lines_of(opened)


def test_a_comment_is_put_on_words_of_a_document_that_had_none() -> None:
    data = by_hand(paragraph("Some words here."))

    made = comment(CommentOn("Which?", RECTO, DATE, ONE, 1, "words"), [data])

    assert lines_of(made.data) == [
        "¶1 Some words here.",
        f'    [comment 0 by {RECTO} on "words"] Which?',
    ]
    assert [item.text for item in docx.Document(io.BytesIO(made.data)).comments] == ["Which?"]
    with pytest.raises(PassageMissing, match="not just once"):
        comment(CommentOn("x", RECTO, DATE, ONE, 1, "e"), [data])
    with pytest.raises(PassageMissing, match="There is no comment 7"):
        comment(CommentOn("x", RECTO, DATE, NONE, answers="7"), [made.data])
