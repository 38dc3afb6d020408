"""Cite or mark: what an AI cites is verified before it is written, or a mark takes its place."""

import ast
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from recto.clock import SystemClock
from recto.documents import Documents
from recto.projects import FileOperations, Publications
from recto.publishing import PublishOptions, SentDrafts, Stage
from recto.references import Libraries, entries_in
from recto.research import SearchConnection
from recto.reviews import CitationChecks, Reviews
from recto.tools import Effect, FileState
from recto.workspace import Workspace, content_hash
from tests.documents.folder import document
from tests.fakes.record_services import DOI, RecordWorld, record_services
from tests.reviews.bench import Bench, bench_at
from tests.tools.research import services_at

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[2]
LIBRARY = """@book{pugh1987, author = {Pugh, David}, title = {Tides, Surges and Mean Sea-Level},
  year = 1987}
"""
REAL = """@article{munk1966, author = {Munk, Walter}, title = {Tidal spectroscopy and prediction},
  year = 1966}
"""
ALTERED = """@article{munk1999, author = {Munk, W.}, title = {Tidal spectroscopy and prediction},
  year = 1999}
"""
INVENTED = """@article{nobody2031, author = {Nobody, N.}, title = {A survey of neural oceans},
  year = 2031}
"""


@asynccontextmanager
async def desk(
    path: Path, *, asks: bool = True, reaches_out: bool = True
) -> AsyncGenerator[tuple[Bench, RecordWorld]]:
    """A bench with a library of one entry, and services of record."""
    connection = SearchConnection(refused_key="…")
    async with record_services() as world:
        try:
            research = services_at(world.url, connection)
            async with bench_at(
                path, asks=asks, research=research, reaches_out=reaches_out
            ) as bench:
                (bench.home.path / "references").mkdir()
                bench.home.put("references/library.bib", LIBRARY)
                yield bench, world
        finally:
            await connection.close()


async def write(bench: Bench, path: str, text: str) -> str:
    """A tool of an AI writes a file; what its model is told."""
    call, files = await bench.begin()
    state = await bench.home.workspace.state(path)
    known = None if state is None else content_hash(state.data)
    await files.write(path, text.encode(), expected_hash=known)
    await call.finish()
    return "\n".join(call.remarks)


def checks_of(bench: Bench) -> CitationChecks:
    assert bench.edits.citations is not None
    return bench.edits.citations


def reviews_of(bench: Bench) -> Reviews:
    return Reviews(bench.edits, bench.take_back)


async def text_of(bench: Bench, path: str) -> str:
    return (await bench.home.workspace.read_text(path)).text


async def test_a_key_that_nobody_has_is_marked_and_its_neighbours_stay(tmp_path: Path) -> None:
    async with desk(tmp_path) as (bench, world):
        bench.home.put("a.md", "By hand [@nowhere].\n")
        told = await write(
            bench,
            "a.md",
            "By hand [@nowhere].\n\nSo [@pugh1987, p. 3; see @smith2020].\n\n"
            "@smith2021 [p. 9] agrees, and [-@smith2022]. `@code` @fig:one stays.\n",
        )
        text = await text_of(bench, "a.md")
        assert text == (
            "By hand [@nowhere].\n\nSo [@pugh1987, p. 3] [citation?].\n\n"
            "[citation?] agrees, and [citation?]. `@code` @fig:one stays.\n"
        )
        assert "[citation?] stands in place of @smith2020: It is not in the library." in told
        assert "add_reference" in told
        named = await checks_of(bench).marked("p1", "a.md", text)
        assert [(mark.cited, mark.line, mark.verdict, mark.by) for mark in named] == [
            ("@smith2020", 3, "not-found", "One"),
            ("@smith2021", 5, "not-found", "One"),
            ("@smith2022", 5, "not-found", "One"),
        ]
        assert world.asked == []  # what is in no library needs no look-up


async def test_no_invented_reference_survives_accept_all(tmp_path: Path) -> None:
    async with desk(tmp_path) as (bench, _):
        told = await write(bench, "references/library.bib", LIBRARY + REAL + ALTERED + INVENTED)
        assert "@nobody2031 is not verified. No service has a record of it." in told
        assert "@munk1999 is not verified. The year is 1966." in told
        assert "munk1966" not in told
        draft = (
            "Tides are old [@munk1966; @pugh1987]. Oceans think [@nobody2031].\n\n"
            "A new page. Nobody doubts it [@made2020].\n\nSpectra are known [@munk1999].\n"
        )
        await write(bench, "draft.md", draft)
        marked = (
            "Tides are old [@munk1966; @pugh1987]. Oceans think [citation?].\n\n"
            "A new page. Nobody doubts it [citation?].\n\nSpectra are known [citation?].\n"
        )
        assert await text_of(bench, "draft.md") == marked

        left = await reviews_of(bench).decide_all("p1", "accept")

        assert [(review.path, review.problem is not None) for review in left] == [
            ("references/library.bib", True),
            ("draft.md", True),
        ]
        async with document(bench.home, "draft.md") as live:
            # What was accepted is all but the sentences with a mark; each can be judged by itself.
            assert live.reviewed_text() == (
                "Tides are old [@munk1966; @pugh1987]. \n\nA new page. \n\n\n"
            )
        async with document(bench.home, "references/library.bib") as live:
            kept = live.reviewed_text()
            found = entries_in("library.bib", kept.encode())
            assert [entry.key for entry in found] == ["pugh1987", "munk1966"]
        named = await checks_of(bench).marked("p1", "draft.md", marked)
        assert [(mark.cited, mark.verdict, mark.line) for mark in named] == [
            ("@nobody2031", "not-found", 1),
            ("@made2020", "not-found", 3),
            ("@munk1999", "mismatch", 5),
        ]
        # A work that is real is never called invented: what is meant is offered.
        assert named[2].record is not None
        assert named[2].record["DOI"] == DOI

        opened = await reviews_of(bench).get(
            next(item.id for item in left if item.path == "draft.md")
        )
        assert len(opened.hunks) == 3
        await reviews_of(bench).decide(opened.review.id, "accept", [opened.hunks[0].id])
        await reviews_of(bench).decide(opened.review.id, "reject", [opened.hunks[1].id])
        async with document(bench.home, "draft.md") as live:
            assert "Oceans think [citation?]" in live.reviewed_text()
            assert "Nobody doubts" not in live.text


async def test_references_in_words_are_checked_as_well(tmp_path: Path) -> None:
    async with desk(tmp_path) as (bench, world):
        world.items = []
        bench.home.put("a.md", "By hand (Smith et al., 1999).\n")
        await write(
            bench,
            "a.md",
            "By hand (Smith et al., 1999).\n\nTold (Nobody et al., 2020) and"
            " (see Pugh et al., 1987; Nobody and Other, 2021),"
            " so (Invented, 2014), at Brest (Brest, 2014),"
            f" by [Munk, 1966](https://doi.org/{DOI}) and"
            " [Smith, 2020](https://doi.org/10.5555/none).\n\n## References\n\n"
            f"1. Munk, W. (1966). Tidal spectroscopy and prediction. https://doi.org/{DOI}\n"
            f"2. Nobody, N. (2020). A survey of neural oceans. https://doi.org/{DOI}\n",
        )
        assert await text_of(bench, "a.md") == (
            "By hand (Smith et al., 1999).\n\nTold [citation?] and (see Pugh et al., 1987;"
            " [citation?]),"
            f" so [citation?], at Brest (Brest, 2014), by [Munk, 1966](https://doi.org/{DOI}) and"
            " [citation?].\n\n## References\n\n"
            f"1. Munk, W. (1966). Tidal spectroscopy and prediction. https://doi.org/{DOI}\n"
            "2. [citation?]\n"
        )
        named = await checks_of(bench).marked("p1", "a.md", await text_of(bench, "a.md"))
        assert [mark.verdict for mark in named] == [
            "not-found",
            "not-found",
            "not-found",
            "not-found",
            "mismatch",
        ]
        assert named[4].cited.startswith("Nobody, N. (2020).")


async def test_numbers_of_pubmed_and_addresses_of_publishers_are_looked_up(tmp_path: Path) -> None:
    async with desk(tmp_path) as (bench, world):
        world.items = []
        royal = f"https://royalsocietypublishing.org/doi/{DOI}"
        right = (
            f"So [Munk, 1966]({royal}).\n\nLevels: PMID: 27922630.\n\n"
            "Haigh (2016), https://pubmed.ncbi.nlm.nih.gov/27922630/.\n"
        )
        wrong = (
            f"\nSo [Nobody, 2020]({royal}).\n\nLevels: PMID: 99.\n\n"
            "“A survey of neural oceans”, PMID 27922630.\n\nSee"
            " https://www.nature.com/articles/s41586-020-2012-7.\n\nNobody et al. 2020 say.\n"
        )
        await write(bench, "a.md", right + wrong)
        assert await text_of(bench, "a.md") == (
            f"{right}\nSo [citation?].\n\nLevels: [citation?].\n\n"
            "“A survey of neural oceans”, [citation?].\n\nSee [citation?].\n\n[citation?] say.\n"
        )


async def test_names_of_people_and_bare_numbers_of_real_works_are_left_alone(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as (bench, _):
        (bench.home.path / "references" / "library.bib").unlink()
        text = (
            f"Thanks to @ann and @types/node. Data: https://doi.org/{DOI}.\n\n"
            f"[![DOI](badge.svg)](https://doi.org/{DOI})\n\nSo [@made2020]; see "
            f"“A survey of neural oceans” (https://doi.org/{DOI}).\n"
        )
        await write(bench, "README.md", text)
        marked = text.replace("[@made2020]", "[citation?]")
        at = marked.rindex(f"https://doi.org/{DOI}")
        assert await text_of(bench, "README.md") == marked[:at] + "[citation?]).\n"


async def test_without_an_answer_nothing_is_verified(tmp_path: Path) -> None:
    async with desk(tmp_path, asks=False) as (bench, world):
        world.failing["crossref"] = 503
        await write(bench, "references/new.bib", REAL)
        told = await write(bench, "a.md", "So [@munk1966].\n")
        assert "CrossRef failed with status 503" in told
        assert await text_of(bench, "a.md") == "So [citation?].\n"
        # Once it answers, the same citation holds.
        world.failing.clear()
        await write(bench, "a.md", "So it is [@munk1966].\n")
        assert await text_of(bench, "a.md") == "So it is [@munk1966].\n"


async def test_the_switch_is_off_and_a_command_can_t_smuggle_a_citation_in(tmp_path: Path) -> None:
    async with desk(tmp_path, reaches_out=False) as (bench, world):
        call, files = await bench.begin()
        new = FileState("file", b"Smuggled [@made2020].\n")
        assert await files.apply((Effect("b.md", None, new),)) == ()
        # One that wrote the file itself: it is there already when it is noted.
        bench.home.put("c.md", "Smuggled [@made2021].\n")
        state = await bench.home.workspace.state("c.md")
        assert await files.apply((Effect("c.md", None, state),)) == ()
        await call.finish()
        assert await text_of(bench, "b.md") == "Smuggled [citation?].\n"
        assert await text_of(bench, "c.md") == "Smuggled [citation?].\n"
        await write(bench, "references/new.bib", REAL)
        assert "turned off" in await write(bench, "d.md", "So [@munk1966].\n")
        assert world.asked == []


async def test_what_waits_for_review_is_published_only_if_it_is_wanted(tmp_path: Path) -> None:
    async with desk(tmp_path) as (bench, _):
        bench.home.put("a.md", "Old words.\n")
        await write(bench, "a.md", "Old words. New words.\n")

        async def workspace(_: str) -> Workspace:
            return bench.home.workspace

        async def documents(_: str) -> Documents:
            return bench.home.documents

        # Nothing lies where the result shall lie, so nothing has to be deleted.
        files = cast("FileOperations", None)
        publications = Publications(
            Libraries(), workspace, documents, files, SystemClock(), SentDrafts(tmp_path / "sent")
        )
        html = PublishOptions("html")
        for takes_edits, how in ((False, "left out"), (True, "taken in")):
            output = f"{how}.html"
            steps = publications.publish(
                "p1", "a.md", html, output, replace=False, takes_edits=takes_edits
            )
            told = [step async for step in steps]
            assert told[0] == Stage(f"1 edit to review is {how}", None, is_warning=True)
            assert ("New words" in await text_of(bench, output)) == takes_edits


def test_whoever_writes_for_an_ai_has_its_texts_checked() -> None:
    """Turns, applied proposals of threads and transforms, programs and authors outside, undo."""
    found: list[tuple[str, bool]] = []
    for path in (ROOT / "src" / "recto").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "RecordedFiles":
                found.append((path.name, any(word.arg == "texts" for word in node.keywords)))
    assert sorted(found) == [
        ("applied_edits.py", True),
        ("bringing_back.py", True),
        ("calls.py", True),
        ("tool_runner.py", True),
        ("undo.py", True),
    ]
