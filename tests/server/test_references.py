"""The library of references over HTTP: listed, looked up, edited, imported."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.config import ResearchSettings, Settings
from tests.fakes.papers import pdf_that_says
from tests.fakes.record_services import DOI, RecordWorld, record_services
from tests.served import served

pytestmark = pytest.mark.anyio
LIBRARY = """% Ours
@book{pugh1987,
  author = {Pugh, David T.},
  title  = {Tides, Surges and Mean Sea-Level},
  year   = {1987},
}

@article{a:b/c, author = {M{\\"u}ller, A.}, title = {Datum}, year = 2001, journal = {JGR}}
"""
DRAFT = "By @pugh, [@pugh1987, p. 3; @pugh] and `@pugh`; not pugh@example.org.\n"
RIS = """TY  - JOUR
AU  - Foreman, M. G. G.
TI  - Manual for tidal heights analysis and prediction
JO  - Pacific Marine Science Report
PY  - 1977
ER  -

TY  - BOOK
AU  - Pugh, David T.
TI  - Tides, surges and mean sea-level
PY  - 1987
ER  -
"""
ENDNOTE = """<?xml version="1.0" encoding="UTF-8"?><xml><records><record>
<ref-type name="Journal Article">17</ref-type><contributors><authors><author>Idier, D.</author>
</authors></contributors><titles><title>Tide-surge interaction in the English Channel</title>
<secondary-title>NHESS</secondary-title></titles><dates><year>2012</year></dates>
</record></records></xml>"""


@dataclass(frozen=True, slots=True)
class Desk:
    """A Recto on a folder with a library, and services that know of works."""

    client: httpx.AsyncClient
    world: RecordWorld
    file: Path
    address: str

    async def get(self, path: str = "", **query: Any) -> dict[str, Any]:
        answer = await self.client.get(f"{self.address}{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def keys(self, **query: Any) -> list[str]:
        return [item["key"] for item in (await self.get(**query))["items"]]

    async def bring(self, form: str, text: str) -> dict[str, Any]:
        body = {"format": form, "text": text}
        answer = await self.client.post(f"{self.address}/import", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
async def running(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[tuple[Path, httpx.AsyncClient, RecordWorld, str]]:
    root = tmp_path_factory.mktemp("references")
    (root / "folder" / "references").mkdir(parents=True)
    (root / "folder" / "draft.md").write_text(DRAFT)
    async with record_services() as world:
        names = [name for name in ResearchSettings.model_fields if name.endswith("_url")]
        settings = Settings(research=ResearchSettings(**dict.fromkeys(names, world.url)))
        async with (
            served(root / "home", root / "folder", settings) as recto,
            recto.script() as client,
        ):
            project = (await client.get("/api/v1/projects/current")).json()
            address = f"/api/v1/projects/{project['id']}/references"
            yield root / "folder", client, world, address


@pytest.fixture
def desk(running: tuple[Path, httpx.AsyncClient, RecordWorld, str]) -> Desk:
    folder, client, world, address = running
    file = folder / "references" / "library.bib"
    file.unlink(missing_ok=True)
    file.write_text(LIBRARY, encoding="utf-8")
    return Desk(client, world, file, address)


async def test_the_list_is_searched_sorted_filtered_and_comes_in_pages(desk: Desk) -> None:
    page = await desk.get(sort="year", limit=1)
    assert (page["total"], page["nextCursor"]) == (2, "1")
    row = page["items"][0]
    assert (row["key"], row["who"], row["missing"], row["path"]) == (
        "pugh1987",
        "Pugh",
        ["publisher"],
        "references/library.bib",
    )
    assert [item["path"] for item in page["files"]] == ["references/library.bib"]
    assert page["files"][0]["modifiedAt"] > 0
    assert await desk.keys(sort="year", cursor="1") == ["a:b/c"]
    assert await desk.keys(sort="author") == ["a:b/c", "pugh1987"]
    assert await desk.keys(sort="title", descending=True) == ["pugh1987", "a:b/c"]
    assert await desk.keys(query="muller 2001") == ["a:b/c"]
    assert await desk.keys(type="book") == await desk.keys(incomplete=True) == ["pugh1987"]


async def test_one_entry_is_read_edited_and_deleted_and_the_rest_stays(desk: Desk) -> None:
    one = await desk.get("/entry", key="a:b/c")
    assert (one["title"], one["fields"]["author"]) == ("Datum", "Müller, A.")
    assert one["source"].startswith("@article{a:b/c,")
    address = f"{desk.address}/entry"
    body = {"fields": {"publisher": "Wiley", "year": None}, "newKey": "pugh"}
    changed = await desk.client.patch(address, params={"key": "pugh1987"}, json=body)
    assert (changed.status_code, changed.json()["key"]) == (200, "pugh")
    assert desk.file.read_text(encoding="utf-8") == LIBRARY.replace("pugh1987", "pugh").replace(
        "  year   = {1987},", "  publisher = {Wiley},"
    )
    whole = desk.file.read_bytes()
    gone = await desk.client.delete(address, params={"key": "pugh"})
    assert gone.status_code == 200
    restored = await desk.client.post(f"{address}/restore", json=gone.json())
    assert (restored.status_code, desk.file.read_bytes() == whole) == (204, True)
    twice = await desk.client.post(f"{address}/restore", json=gone.json())
    assert (twice.status_code, "again" in twice.json()["detail"]) == (422, True)
    await desk.client.delete(address, params={"key": "pugh"})
    text = desk.file.read_text(encoding="utf-8")
    assert text == "% Ours\n" + LIBRARY.partition("}\n\n")[2].join(["\n", ""])
    missing = await desk.client.get(address, params={"key": "pugh"})
    assert missing.status_code == 404
    bad = {"fields": {"title": "a } b"}}
    refused = await desk.client.patch(address, params={"key": "a:b/c"}, json=bad)
    assert refused.status_code == 422
    assert "without its other half" in refused.json()["detail"]
    nothing = await desk.client.patch(address, params={"key": "a:b/c"}, json={})
    assert nothing.status_code == 422


async def test_a_work_is_looked_up_and_the_switch_stops_that(desk: Desk) -> None:
    added = await desk.client.post(desk.address, json={"text": DOI})
    told = {"key": "munk1966", "isNew": True, "source": "CrossRef", "isRecord": True}
    assert (added.status_code, added.json()) == (201, told)
    assert "@article{munk1966," in desk.file.read_text(encoding="utf-8")
    again = await desk.client.post(desk.address, json={"text": DOI})
    assert again.json() == {**told, "isNew": False, "source": "library"}
    unknown = await desk.client.post(desk.address, json={"text": "10.1000/nothing"})
    assert unknown.status_code == 422
    assert "CrossRef has no 10.1000/nothing" in unknown.json()["detail"]
    desk.world.asked.clear()
    switch = "/api/v1/tools/reaches-out"
    off = await desk.client.put(switch, json={"allowed": False})
    assert (off.status_code, off.json()["reachesOut"]) == (200, False)
    try:
        refused = await desk.client.post(desk.address, json={"text": "10.5281/zenodo.1"})
        assert (refused.status_code, desk.world.asked) == (409, [])
        # What the library has needs nobody to be asked.
        known = await desk.client.post(desk.address, json={"text": f"https://doi.org/{DOI}"})
        assert (known.status_code, known.json()["key"], desk.world.asked) == (201, "munk1966", [])
    finally:
        on = await desk.client.put(switch, json={"allowed": True})
    assert on.json()["reachesOut"] is True


async def test_lists_of_other_programs_are_imported_once(desk: Desk) -> None:
    assert await desk.bring("ris", RIS) == {
        "added": ["foreman1977"],
        "known": ["pugh1987"],
        "untitled": 0,
        "broken": [],
    }
    assert (await desk.bring("endnotexml", ENDNOTE))["added"] == ["idier2012"]
    items = '[{"id": "x", "type": "book", "title": "Tidal levels", "author": [{"family": "王"}]}]'
    assert (await desk.bring("csljson", items))["added"] == ["王nd"]
    assert (await desk.bring("csljson", items))["known"] == ["王nd"]
    # BibTeX keeps its keys, by which texts cite; one that is taken gets another.
    bibtex = "@book{Old:Key, title = {Old tides of Brest}, author = {Old, A.}, year = 1900}"
    assert (await desk.bring("bibtex", bibtex))["added"] == ["Old:Key"]
    biblatex = (
        "@online{pugh1987, title = {New tides of Brest}, author = {New, A.}, date = {2020-01}}"
    )
    assert (await desk.bring("biblatex", biblatex))["added"] == ["new2020"]
    text = desk.file.read_text(encoding="utf-8")
    assert text.startswith(LIBRARY)
    assert set(await desk.keys()) == {
        "pugh1987", "a:b/c", "foreman1977", "idier2012", "王nd", "Old:Key", "new2020",
    }  # fmt: skip
    broken = await desk.client.post(
        f"{desk.address}/import", json={"format": "csljson", "text": "{"}
    )
    assert broken.status_code == 422


async def test_whole_entries_of_a_broken_list_are_imported_and_the_others_named(desk: Desk) -> None:
    pasted = (
        "@book{whole, title = {High tides}, author = {Whole, A.}, year = 1901}\n"
        "@book{open, title = {Low tides, year = 1902}\n"
        "@book{, title = {Spring tides}, author = {Keyless, B.}, year = 1903}\n"
        "@book{title = {Neap tides}, author = {Keyless, B.}, year = 1904}\n"
    )
    told = await desk.bring("biblatex", pasted)
    assert told["added"] == ["whole", "keyless1903", "keyless1904"]
    assert told["broken"] == [
        {"line": 2, "why": "its { is never closed", "text": pasted.split("\n")[1]}
    ]
    assert desk.file.read_text(encoding="utf-8").startswith(LIBRARY)


async def test_duplicates_are_listed(desk: Desk) -> None:
    more = "@misc{again, title = {Tides, surges, and mean sea level}}"
    desk.file.write_text(LIBRARY + more, encoding="utf-8")
    assert (await desk.get("/duplicates"))["items"] == [
        {"key": "pugh1987", "other": "again", "why": "their titles are nearly the same"}
    ]


async def test_two_entries_become_one_and_the_documents_follow(desk: Desk) -> None:
    desk.file.write_text(
        f"{LIBRARY}@book{{pugh, title={{Tides, surges and mean sea level}}, isbn={{0 471}}}}\n"
    )
    draft = desk.file.parents[1] / "draft.md"
    row = next(item for item in (await desk.get())["items"] if item["key"] == "pugh")
    assert (row["citations"], row["pdf"]) == (2, None)
    merged = await desk.client.post(
        f"{desk.address}/merge", json={"key": "pugh1987", "other": "pugh"}
    )
    assert merged.status_code == 204, merged.text
    one = await desk.get("/entry", key="pugh1987")
    assert one["fields"]["isbn"] == "0 471"
    assert draft.read_text() == (
        "By @pugh1987, [@pugh1987, p. 3; @pugh1987] and `@pugh`; not pugh@example.org.\n"
    )
    assert [place["line"] for place in one["cited"]] == [1, 1, 1]
    report = await desk.get("/report", document="draft.md")
    assert [(item["key"], item["isKnown"]) for item in report["citations"]] == [
        ("pugh1987", True)
    ] * 3
    assert (report["unused"], report["claims"]) == (["a:b/c"], [])
    same = await desk.client.post(f"{desk.address}/merge", json={"key": "a:b/c", "other": "a:b/c"})
    assert same.status_code == 422


async def test_a_pdf_is_kept_with_the_work_whose_doi_it_names(desk: Desk) -> None:
    pdf = pdf_that_says(f"Tidal spectroscopy. https://doi.org/{DOI}")
    added = await desk.client.post(f"{desk.address}/pdf", content=pdf)
    assert (added.status_code, added.json()["key"]) == (201, "munk1966")
    kept = desk.file.parent / "munk1966.pdf"
    assert kept.read_bytes() == pdf
    assert (await desk.get("/entry", key="munk1966"))["pdf"] == "references/munk1966.pdf"
    again = await desk.client.post(f"{desk.address}/pdf", content=pdf)
    assert (again.status_code, "has a PDF already" in again.json()["detail"]) == (422, True)
    nameless = await desk.client.post(f"{desk.address}/pdf", content=pdf_that_says("Nothing."))
    assert (nameless.status_code, "names no DOI" in nameless.json()["detail"]) == (422, True)
    other = await desk.client.post(f"{desk.address}/pdf", content=b"no PDF")
    assert other.status_code == 422
    kept.unlink()


@pytest.mark.parametrize(
    "metadata",
    [
        f"<prism:doi>{DOI}</prism:doi>",
        f"<dc:identifier>doi:{DOI}</dc:identifier>",
        f"/Subject (Phil. Trans. A, 259. doi: {DOI})",
        f"/doi({DOI})",
    ],
)
async def test_a_pdf_says_its_doi_in_its_metadata_before_the_works_that_it_cites(
    desk: Desk, metadata: str
) -> None:
    cites = pdf_that_says("It cites https://doi.org/10.5281/zenodo.1 first.")
    added = await desk.client.post(f"{desk.address}/pdf", content=cites + f"\n%{metadata}".encode())
    assert added.json()["key"] == "munk1966", added.text
    (desk.file.parent / "munk1966.pdf").unlink()


async def test_an_entry_is_compared_with_the_services_records(desk: Desk) -> None:
    desk.file.write_text(
        "@article{munk, author={Munk, W.}, title={Tidal spectroscopy and prediction}, year=1976}\n"
    )
    answer = await desk.client.post(f"{desk.address}/entry/verify", params={"key": "munk"})
    told = answer.json()
    assert (told["verdict"], told["faults"]) == ("mismatch", ["The year is 1966."])
    assert (told["source"], told["isRetracted"], told["publishedDoi"]) == ("CrossRef", False, "")
    assert told["corrections"] == {
        "title": "Tidal spectroscopy and prediction",
        "author": "W. H. Munk and D. E. Cartwright",
        "year": "1966",
        "doi": DOI,
    }


async def test_citations_show_as_they_print_and_a_document_is_published(desk: Desk) -> None:
    folder = desk.file.parents[1]
    (folder / "paper.md").write_text("# Paper\n\nAs [@pugh1987, p. 3] says.\n")
    project = desk.address.removesuffix("/references")
    body = {
        "path": "paper.md",
        "head": "---\ncsl: apa\n---\n",
        "citations": ["[@pugh1987, p. 3]", "@gone", "# @pugh1987"],
    }
    shown = (await desk.client.post(f"{project}/citations", json=body)).json()
    texts = ["".join(run["text"] for run in runs) for runs in shown["citations"]]
    assert texts[0] == "(Pugh, 1987, p. 3)"
    assert (shown["unknown"], len(shown["bibliography"])) == (["gone"], 1)
    wrong = {**body, "head": "---\ncsl: nonsense\n---\n"}
    assert (await desk.client.post(f"{project}/citations", json=wrong)).status_code == 422
    order = {"path": "paper.md", "to": "html", "style": "apa"}
    made = (await desk.client.post(f"{project}/publish", json=order)).text
    assert made.count("event: stage") == 2
    assert "event: done" in made
    assert "(Pugh, 1987, p. 3)" in " ".join((folder / "paper.html").read_text().split())
    there = (await desk.client.post(f"{project}/publish", json=order)).text
    assert '"isInTheWay":true' in there
    again = (await desk.client.post(f"{project}/publish", json={**order, "replace": True})).text
    assert "event: done" in again
    (folder / "paper.html").unlink()
    (folder / "paper.md").unlink()


async def test_the_report_names_what_was_marked_and_looks_quotations_up(desk: Desk) -> None:
    folder = desk.file.parent.parent
    text = "Ärger 😀: “Words of a paper” [@pugh1987] and “quite other words there” [@pugh1987].\n"
    (folder / "quoting.md").write_text(text)
    report = await desk.get("/report", document="quoting.md")
    uncited = report["unused"]
    assert "pugh1987" not in uncited
    (folder / "listing.md").write_text(f"---\nnocite: '@{uncited[0]}'\n---\n\n{text}")
    listing = await desk.get("/report", document="listing.md")
    assert listing["unused"] == uncited[1:], "what a front matter lists is printed"
    (folder / "listing.md").unlink()
    assert [(item["verdict"], item["why"]) for item in report["quotations"]] == [
        ("no-text", "It has no PDF in the folder.")
    ] * 2
    pdf = pdf_that_says("These are words of a paper, of course.")
    params = {"key": "pugh1987"}
    added = await desk.client.post(f"{desk.address}/pdf", params=params, content=pdf)
    assert added.status_code == 201, added.text
    try:
        body = {"document": "quoting.md", "text": text}
        answer = await desk.client.post(f"{desk.address}/quotations", json=body)
        items = answer.json()["items"]
        assert [(item["verdict"], item["page"]) for item in items] == [
            ("verified", 1),
            ("not-found", None),
        ]
        utf16 = text.encode("utf-16-le")
        shown = utf16[2 * items[0]["start"] : 2 * items[0]["end"]].decode("utf-16-le")
        assert shown == "“Words of a paper”"
    finally:
        (desk.file.parent / "pugh1987.pdf").unlink()


async def test_a_retraction_and_a_published_preprint_are_told_and_taken(desk: Desk) -> None:
    desk.file.write_text(
        "@misc{kervella2023, author = {Kervella, A.}, title = {Clock errors in paper records},\n"
        "  doi = {10.5555/preprint}, year = 2023, eprint = {1}}\n"
        "@article{bad2001, author = {Bad, B.}, title = {A result that was none}, year = 2001,\n"
        "  doi = {10.5555/bad}}\n"
    )
    made: dict[str, Any] = {"type": "journal-article", "issued": {"date-parts": [[2023]]}}
    preprint: dict[str, Any] = {
        **made,
        "type": "posted-content",
        "subtype": "preprint",
        "DOI": "10.5555/preprint",
        "title": ["Clock errors in paper records"],
        "author": [{"family": "Kervella"}],
        "relation": {"is-preprint-of": [{"id-type": "doi", "id": "10.5555/paper"}]},
    }
    paper: dict[str, Any] = {
        **preprint,
        "DOI": "10.5555/paper",
        "type": "journal-article",
        "container-title": ["Ocean Science"],
        "issued": {"date-parts": [[2024]]},
        "relation": {},
    }
    retracted: dict[str, Any] = {
        **made,
        "DOI": "10.5555/bad",
        "title": ["A result that was none"],
        "author": [{"family": "Bad"}],
        "issued": {"date-parts": [[2001]]},
        "updated-by": [{"type": "retraction", "DOI": "10.5555/notice"}],
    }
    desk.world.works_by_doi = {work["DOI"]: work for work in (preprint, paper, retracted)}
    try:
        for key in ("kervella2023", "bad2001"):
            answer = await desk.client.post(f"{desk.address}/entry/verify", params={"key": key})
            assert answer.json()["verdict"] == "verified", answer.text
        rows = {row["key"]: row for row in (await desk.get())["items"]}
        assert rows["bad2001"]["isRetracted"]
        assert rows["kervella2023"]["publishedYear"] == "2024"
        taken = await desk.client.post(
            f"{desk.address}/entry/published", params={"key": "kervella2023"}
        )
        told = taken.json()
        assert (told["type"], told["doi"], told["year"], told["container"]) == (
            "article",
            "10.5555/paper",
            "2024",
            "Ocean Science",
        )
        assert (told["publishedDoi"], "eprint" in told["fields"]) == ("", False)
        nowhere = await desk.client.post(
            f"{desk.address}/entry/published", params={"key": "bad2001"}
        )
        assert nowhere.status_code == 422
    finally:
        desk.world.works_by_doi = {}


async def test_papers_are_found_for_citing_and_their_failure_is_told(desk: Desk) -> None:
    found = await desk.get("/papers", query="attention")
    assert [(one["doi"] != "", one["title"] != "") for one in found["items"]] == [(True, True)]
    desk.world.failing |= {"openalex": 503, "crossref": 503}
    try:
        none = await desk.get("/papers", query="attention")
    finally:
        desk.world.failing.clear()
    assert none["items"] == []
    assert "OpenAlex failed with status 503" in none["notes"][0]


async def test_zotero_is_read_where_it_runs(desk: Desk) -> None:
    desk.world.zotero_items = [
        {"id": f"z{number}", "type": "book", "title": f"Volume {number} of tide{number}"}
        for number in range(120)
    ]
    # Notes and loose files have keys as well: whole pages may hold no work.
    desk.world.zotero_items[3:3] = [None] * 1200
    told = (await desk.client.post(f"{desk.address}/import/zotero")).json()
    assert (len(told["added"]), told["known"]) == (120, [])
    again = (await desk.client.post(f"{desk.address}/import/zotero")).json()
    assert (again["added"], len(again["known"])) == ([], 120)
    desk.world.failing["zotero"] = 403
    try:
        refused = await desk.client.post(f"{desk.address}/import/zotero")
    finally:
        desk.world.failing.clear()
    assert "Allow it in Zotero's settings" in refused.json()["detail"]
