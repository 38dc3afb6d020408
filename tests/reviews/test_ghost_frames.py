"""Accepted suggestions on the documents' socket: whose words they are, and what is no frame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.documents import EditOrigin, Splice
from recto.server.document_frames import ORIGINS, FrameKind, edit_in
from tests.reviews.desk import Desk
from tests.server.test_documents import page

pytestmark = pytest.mark.anyio

GHOST = 6
ID = "01jzsegst00000000000000000"


def test_a_frame_names_the_suggestion_before_the_edit() -> None:
    found = edit_in(GHOST, ID.encode() + b"\x01\x02")
    assert found == (EditOrigin("person", name=ID, way="ghost"), b"\x01\x02")


@given(st.integers(0, 255), st.binary(max_size=60))
def test_any_other_frame_is_as_it_was_or_none(kind: int, body: bytes) -> None:
    found = edit_in(kind, body)
    if kind == FrameKind.EDIT_GHOST:
        assert found is None or (found[0].name.encode() + found[1] == body)
    else:
        expected = ORIGINS.get(kind)
        assert found == (None if expected is None else (expected, body))


@pytest.mark.parametrize(
    "name", ["", "short", "01JZGHOST0000000000000000A", "../../../../../../../../../"]
)
def test_a_name_that_is_no_id_is_no_edit(name: str) -> None:
    assert edit_in(GHOST, name.encode()) is None


async def test_accepted_words_are_known_as_such_and_come_back_as_such(desk: Desk) -> None:
    desk.put("a.md", "The tide\n")
    async with page(desk.recto) as one:
        await one.open(1, "a.md")
        text = one.texts[1]
        await one.send(1, GHOST, ID.encode() + text.splice([Splice(8, 8, " rises")]))
        await one.type(1, Splice(14, 14, " fast"))
        await one.until_said(type="ack", edits=2)

        found = await desk.of_project("authorship", path="a.md")

    kinds = [found["authors"][span["author"]]["kind"] for span in found["spans"]]
    assert kinds == ["before", "ghost", "typed", "before"]
    assert [(span["start"], span["end"]) for span in found["spans"]][1:3] == [(8, 14), (14, 19)]
