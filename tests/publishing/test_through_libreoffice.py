"""LibreOffice as a co-author's program: what it saves comes back as what was changed there."""

import random
import re
from pathlib import Path

import pytest

from tests.publishing.office import EDITS, OfficeStep, in_office, needs_office, read_in_office
from tests.publishing.returned import CoAuthor, bring, brought, draft_of, prepare, send
from tests.word.documents import by_python_docx, edited, line_at

pytestmark = [pytest.mark.anyio, needs_office]


async def test_a_draft_that_only_went_through_it_brings_back_nothing(tmp_path: Path) -> None:
    prepare(tmp_path, draft_of(40))
    data, sent = await send(tmp_path)

    returned = await bring(tmp_path, sent, in_office(tmp_path, data, []))

    assert (returned.plan.changes, returned.comments) == ((), ())
    assert returned.contents.origin == sent.id


async def test_edits_and_comments_made_there_come_back_as_exactly_these(tmp_path: Path) -> None:
    text = draft_of(EDITS // 2 + 10)
    prepare(tmp_path, text)
    data, sent = await send(tmp_path)
    words = CoAuthor(data, text, random.Random(7)).words
    random.Random(7).shuffle(words)
    steps: list[OfficeStep] = []
    said: list[tuple[str, str]] = []
    for at, word in enumerate(words[:EDITS]):
        match at % 5:
            case 0:
                step = OfficeStep("replace", word, f"n{at}")
            case 1:
                step = OfficeStep("track", word, f"n{at}")
            case 2:
                step = OfficeStep("follow", word, f" beside n{at} there")
            case 3:
                step = OfficeStep("comment", word, f"What is {at}?")
                said.append((word, f"Ines: What is {at}?"))
            case _:
                step = OfficeStep("replace", word, f"n{at} of n{at}")
        steps.append(step)
    assert len(steps) == EDITS
    wanted = text
    for step in steps:
        if step.kind == "follow":
            # What is written at the end of a link stands behind it there.
            end = re.search(rf"{step.word}(\]\([^)]*\))?", wanted)
            assert end is not None
            wanted = wanted[: end.end()] + step.text + wanted[end.end() :]
        elif step.kind != "comment":
            wanted = wanted.replace(step.word, step.text)

    returned = await bring(tmp_path, sent, in_office(tmp_path, data, steps))

    assert [change for change in returned.plan.changes if change.why] == []
    assert brought(sent, returned) == wanted
    found = [(text[item.start : item.end], item.body) for item in returned.comments]
    assert sorted(found) == sorted(said)


async def test_it_reads_the_words_changes_and_comments_that_recto_wrote(tmp_path: Path) -> None:
    data = by_python_docx()
    at = line_at(data, "teh document")
    changed = edited(data, at, at, "The end of the document.")

    told = read_in_office(tmp_path, changed)

    assert "text A report on tea" in told
    assert [line for line in told if line.startswith("change ")] == [
        "change Delete|Recto (Test)",
        "change Insert|Recto (Test)",
    ]
    assert "comment Cleo|Please check|False" in told
