"""What a model can do with the library: search, read, add, cite and edit."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from recto.research import SearchConnection
from recto.tools import Effect
from tests.fakes.record_services import DOI, RecordWorld, record_services
from tests.tools.bench import Bench
from tests.tools.research import nowhere, services_at, unsure

pytestmark = pytest.mark.anyio
LIBRARY = """@book{pugh1987,
  author = {Pugh, David T.},
  title  = {Tides, Surges and Mean Sea-Level},
  year   = {1987},
}
"""
DRAFT = "# Tides\n\nThe Rayleigh criterion holds. It was known before [@old].\n"
MUNK = """
@article{munk1966,
  author    = {Munk, W. H. and Cartwright, D. E.},
"""


@asynccontextmanager
async def online(bench: Bench, **more: Any) -> AsyncGenerator[RecordWorld]:
    """The bench with services that answer."""
    connection = SearchConnection(refused_key="does not accept your key")
    async with record_services() as world:
        bench.research = services_at(world.url, connection, **more)
        try:
            yield world
        finally:
            await connection.close()


@pytest.fixture
def shelf(bench: Bench) -> Bench:
    bench.research = nowhere()
    bench.write("references/library.bib", LIBRARY)
    bench.write("draft.md", DRAFT)
    return bench


async def test_the_library_is_searched_and_read(shelf: Bench) -> None:
    shelf.write("references/zotero.bib", "@misc{z, title = {Tides of Brest}}")
    assert await shelf.say("search_references", query="tides PUGH") == (
        "@pugh1987: Pugh, 1987. Tides, Surges and Mean Sea-Level."
    )
    one = await shelf.say("search_references", query="tides", limit=1)
    assert one.endswith("[1 more. Use more words.]")
    nothing = await shelf.say("search_references", query="nowhere")
    assert nothing == (
        "No reference has all of these words"
        " (references/library.bib, references/zotero.bib (read-only))."
    )
    whole = await shelf.say("get_reference", key="@pugh1987")
    assert whole.splitlines() == [
        "@pugh1987 (book), in references/library.bib",
        "author: Pugh, David T.",
        "title: Tides, Surges and Mean Sea-Level",
        "year: 1987",
        "missing: publisher",
    ]
    assert "Did you mean pugh1987" in await shelf.fail("get_reference", key="pugh198")


async def test_what_is_kept_from_the_ai_is_in_no_library(shelf: Bench) -> None:
    shelf.write(".rectoignore", "references/secret.bib\n")
    shelf.write("references/secret.bib", "@misc{s1, title = {Hidden tides}}")
    assert "s1" not in await shelf.say("search_references", query="tides")
    await shelf.fail("get_reference", key="s1")


async def test_a_doi_becomes_an_entry_that_can_be_undone(shelf: Bench) -> None:
    async with online(shelf) as world:
        said = await shelf.say("add_reference", reference=f"https://doi.org/{DOI}")
        assert said.startswith("Added to references/library.bib. Cite it as [@munk1966].")
        assert said.endswith("(record of CrossRef)")
        text = shelf.read("references/library.bib").decode()
        assert text.startswith(LIBRARY + MUNK)
        [(effect,)] = shelf.notes
        assert isinstance(effect, Effect)
        assert effect.path == "references/library.bib"
        again = await shelf.say("add_reference", reference="Tidal spectroscopy and prediction")
        assert again.startswith("It is in the library already. Cite it as [@munk1966].")
        world.asked.clear()
        assert (await shelf.say("add_reference", reference=DOI)).startswith("It is in the library")
        assert world.asked == []
        assert shelf.read("references/library.bib").decode() == text


async def test_a_folder_without_a_library_gets_one(bench: Bench) -> None:
    async with online(bench):
        await bench.say("add_reference", reference=DOI, key="tides66")
        assert bench.files()["references/library.bib"].startswith("@article{tides66,")
        assert len(bench.notes) == 2, "the folder and the file"


async def test_what_a_model_read_is_said_to_be_unverified(shelf: Bench) -> None:
    async def parse(text: str) -> dict[str, Any] | str:
        return {"type": "book", "title": "An old book", "author": [{"family": "Old"}]}

    async with online(shelf, parse=parse) as world:
        world.items.clear()
        said = await shelf.say("add_reference", reference="Old: An old book, Leipzig")
        assert "[@oldnd]" in said
        assert "not verified" in said


async def test_what_nobody_knows_is_not_added(shelf: Bench) -> None:
    async with online(shelf, parse=unsure) as world:
        world.items.clear()
        told = await shelf.fail("add_reference", reference="Nobody: Never written, 1999")
        assert told == (
            "Nothing was added. CrossRef has nothing that is surely the same work;"
            " a model is not sure what the text says."
        )
        assert shelf.notes == []
    connection = SearchConnection(refused_key="…")
    shelf.research = services_at("http://127.0.0.1:9", connection)
    assert "CrossRef can't be reached" in await shelf.fail("add_reference", reference=DOI)
    await connection.close()


async def test_a_citation_stands_before_the_full_stop_and_joins_its_neighbour(
    shelf: Bench,
) -> None:
    await shelf.say(
        "cite_reference",
        path="draft.md",
        after="The Rayleigh criterion holds.",
        key="pugh1987",
        locator="p. 117",
    )
    await shelf.say(
        "cite_reference", path="draft.md", after="known before", key="surges", without_author=True
    )
    assert shelf.read("draft.md").decode() == (
        "# Tides\n\nThe Rayleigh criterion holds [@pugh1987, p. 117]."
        " It was known before [@old; -@pugh1987].\n"
    )
    unknown = await shelf.fail("cite_reference", path="draft.md", after="Tides", key="nobody2000")
    assert "add_reference adds one" in unknown
    twice = await shelf.fail("cite_reference", path="draft.md", after="a", key="pugh1987")
    assert "such passages" in twice
    odd = await shelf.fail(
        "cite_reference", path="draft.md", after="Tides", key="pugh1987", locator="1] @x"
    )
    assert "without brackets" in odd


async def test_an_edit_changes_its_entry_alone(shelf: Bench) -> None:
    said = await shelf.say(
        "edit_reference",
        key="pugh1987",
        changes=[{"name": "publisher", "value": "Wiley & Sons"}, {"name": "year"}],
    )
    assert said == "Changed publisher, year of @pugh1987 in references/library.bib."
    assert shelf.read("references/library.bib").decode() == LIBRARY.replace(
        "  year   = {1987},\n", "  publisher = {Wiley \\& Sons},\n"
    )
    broken = await shelf.fail(
        "edit_reference", key="pugh1987", changes=[{"name": "title", "value": "a } b"}]
    )
    assert "without its other half" in broken
    assert "nothing to change" in await shelf.fail("edit_reference", key="pugh1987")
    shelf.write("references/zotero.bib", "@misc{z, title = {Tides of Brest}}")
    zotero = await shelf.fail("edit_reference", key="z", changes=[{"name": "year", "value": "1"}])
    assert "Change the entry there" in zotero
