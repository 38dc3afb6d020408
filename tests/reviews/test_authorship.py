"""Who wrote what: spans, numbers, and the statement to hand in."""

import json
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.documents import Splice
from recto.reviews import AuthoredPassage, Authorship, PassageWriter, statement
from recto.reviews.statement import code, percent
from recto.server.document_frames import FrameKind
from recto.storage import Suggestion
from tests.fakes.providers import AnthropicServer, calls
from tests.reviews.desk import Desk, at_desk, create
from tests.server.test_documents import page
from tests.storage.test_edits import EDIT

pytestmark = pytest.mark.anyio

TEXT = "Größe 😀 here.\n"


async def test_spans_count_as_a_page_does_and_name_the_edit(desk: Desk) -> None:
    desk.put("a.md", TEXT)
    turn = await desk.edit("a.md", "here", "there")

    found = await desk.of_project("authorship", path="a.md")

    kinds = [found["authors"][span["author"]]["kind"] for span in found["spans"]]
    assert kinds in (["before", "ai", "before"], ["before", "ai"])
    assert found["spans"][1]["start"] in (9, 10)
    assert found["spans"][-1]["end"] == len(TEXT.encode("utf-16-le")) // 2 + 1
    ai = next(author for author in found["authors"] if author["kind"] == "ai")
    assert (ai["turnId"], ai["model"]) == (turn, "Claude Sonnet 4.6")
    assert found["characters"] == len(TEXT) + 1


async def test_what_people_change_of_ais_words_counts_as_edited_since(desk: Desk) -> None:
    await desk.work((create("a.md", "0123456789"),))
    found = await desk.of_project("authorship", path="a.md")
    assert (found["byAi"], found["aiEditedSince"]) == (10, 0)

    desk.put("a.md", "0123456mine")
    found = await desk.of_project("authorship", path="a.md")
    assert (found["characters"], found["byAi"], found["aiEditedSince"]) == (11, 7, 3)


async def test_what_ai_replaces_itself_and_what_is_rejected_counts_on_neither_side(
    desk: Desk,
) -> None:
    await desk.work((create("a.md", "one two three\n"),))
    await desk.decide("a.md", "accept")
    await desk.edit("a.md", "two", "2")
    found = await desk.of_project("authorship", path="a.md")
    assert (found["byAi"], found["aiEditedSince"]) == (12, 0)

    await desk.decide("a.md", "reject")
    found = await desk.of_project("authorship", path="a.md")
    assert (found["byAi"], found["aiEditedSince"]) == (14, 0)


async def test_authorship_survives_a_restart(upstream: AnthropicServer, tmp_path: Path) -> None:
    async with at_desk(upstream, tmp_path) as desk:
        desk.put("a.md", TEXT)
        await desk.edit("a.md", "here", "there")
        before = await desk.of_project("authorship", path="a.md")
    async with at_desk(upstream, tmp_path) as desk:
        assert await desk.of_project("authorship", path="a.md") == before


async def test_the_statement_is_plain_markdown(desk: Desk) -> None:
    desk.put("a.md", "x" * 90)
    await desk.edit("a.md", "x" * 90, "x" * 90 + "y" * 10)
    path = f"/api/v1/projects/{desk.talk.project_id}/authorship/statement"

    answer = await desk.talk.client.get(path, params={"path": "a.md"})

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    lines = answer.text.splitlines()
    assert lines[0] == "# How AI was used in `a.md`"
    assert "- Written by AI: 10 % (10 of 100 characters)." in lines
    assert "- Edited since, of what AI wrote here: 0 % (0 of 10 characters)." in lines
    assert "- Not yet reviewed: 100 % (10 of 10 characters) by AI." in lines
    assert any(line.startswith("| Claude Sonnet 4.6 (`anthropic/") for line in lines)


def test_a_statement_names_each_model_once_with_its_days() -> None:
    day = 24 * 3600 * 1000
    first = replace(EDIT, at_ms=day)
    later = replace(EDIT, id="e2", at_ms=3 * day)
    found = Authorship(
        path="a|b`c.md",
        text="abcdef",
        passages=(AuthoredPassage(0, 2, 0), AuthoredPassage(2, 3, 1), AuthoredPassage(3, 6, 2)),
        writers=(PassageWriter("ai", first), PassageWriter("ai", later), PassageWriter("typed")),
        by_ai=3,
        ai_edited_since=1,
        not_reviewed=0,
    )

    made = statement(found, now_ms=9 * day, zone=UTC).splitlines()

    assert made[:9] == [
        "# How AI was used in `` a\\|b`c.md ``",
        "",
        "As of 1970-01-10.",
        "",
        "- Written by AI: 50 % (3 of 6 characters).",
        "- Edited since, of what AI wrote here: 25 % (1 of 4 characters).",
        "- Typed by a person: 50 % (3 of 6 characters).",
        "",
        "| model | edits | characters | first | last |",
    ]
    assert made[10] == "| One (`m/1`) | 2 | 3 | 1970-01-02 | 1970-01-04 |"


SHOWN = Suggestion(
    id="s1",
    project_id="",
    path="a.md",
    at_ms=7,
    model="m/1",
    model_name="One",
    request_id="r",
    prompt_hash="h",
    template="ghost/1",
    temperature=None,
    items=[{"confidence": 0.9, "source": "logprobs"}],
    outcome="accepted",
    chosen=0,
    characters=6,
    decided_ms=8,
)


def test_a_statement_names_the_models_whose_suggestions_were_taken() -> None:
    other = replace(SHOWN, model="m/2", model_name="m/2")
    found = Authorship(
        path="a.md",
        text="abcdef",
        passages=tuple(AuthoredPassage(at, at + 1, at) for at in range(4)),
        writers=(
            PassageWriter("ghost", suggestion=SHOWN),
            PassageWriter("ghost", suggestion=other),
            PassageWriter("ghost", suggestion=SHOWN),
            PassageWriter("ghost"),
        ),
        by_ai=0,
        ai_edited_since=0,
        not_reviewed=0,
    )

    made = statement(found, now_ms=9, zone=UTC)

    assert (
        "- Suggested while typing, and taken over by a person: 67 % (4 of 6 characters), "
        "suggested by One (`m/1`), `m/2`.\n"
    ) in made


async def test_a_suggestion_that_was_taken_is_told_with_its_model(desk: Desk) -> None:
    desk.put("a.md", "The tide\n")
    desk.upstream.answer(calls("suggest_completions", {"suggestions": [" rises"]}))
    place = {"projectId": desk.talk.project_id, "path": "a.md", "prefix": "The tide", "suffix": ""}
    answer = await desk.talk.client.post("/api/v1/suggest", json=place)
    told = json.loads(answer.text.partition("data: ")[2].partition("\n")[0])
    async with page(desk.recto) as one:
        await one.open(1, "a.md")
        edit = one.texts[1].splice([Splice(8, 8, told["text"])])
        await one.send(1, FrameKind.EDIT_GHOST, told["id"].encode() + edit)
        await one.until_said(type="ack", edits=1)
        found = await desk.of_project("authorship", path="a.md")

    authors = [found["authors"][span["author"]] for span in found["spans"]]
    assert [(author["kind"], author["model"]) for author in authors] == [
        ("before", None),
        ("ghost", "Claude Haiku 5.5"),
        ("before", None),
    ]


@pytest.mark.parametrize(
    ("count", "whole", "words"),
    [
        (0, 0, "0 %"),
        (0, 5, "0 %"),
        (1, 1000, "under 1 %"),
        (999, 1000, "over 99 %"),
        (1, 3, "33 %"),
        (5, 5, "100 %"),
    ],
)
def test_a_share_is_never_said_to_be_nothing_or_all(count: int, whole: int, words: str) -> None:
    assert percent(count, whole) == words


@given(st.text(max_size=40))
def test_any_name_stays_one_line_of_code(name: str) -> None:
    shown = code(name)
    assert "\n" not in shown
    assert shown.startswith("`")
    assert shown.endswith("`")
