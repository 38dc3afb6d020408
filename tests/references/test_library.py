"""Several files are one library: found, searched, watched, and changed in one place."""

import random
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recto.references import (
    Libraries,
    Library,
    LibraryReadOnly,
    ReferenceInvalid,
    ReferenceNotFound,
)
from recto.references.bibtex.edits import check_key
from recto.references.citation_keys import comparable, make_key
from recto.references.duplicates import KnownWorks, has_same_title, title_words
from recto.references.library import reference_of_item
from recto.references.names import PersonName
from recto.references.reference import Reference
from recto.workspace import Workspace
from tests.examples import examples

pytestmark = pytest.mark.anyio

OURS = r"""@string{jgr = "J. Geophys. Res."}
@book{pugh1987,
  author = {Pugh, David T.},
  title  = {Tides, Surges and Mean Sea-Level},
  year   = {1987},
}

@article{mueller2001,
  author = {M{\"u}ller, Anna and Smith, B.},
  title = {The {K2} constituent},
  journal = jgr, year = 2001, keywords = {tides; datum},
  doi = {10.1000/ABC}
}
"""
ZOTERO = """@article{haigh2016,
  title = {Spatial and temporal analysis of extreme sea level},
  author = {Haigh, I. D. and Wadey, M. P. and Wahl, T.},
  abstract = {Storm surges around the coastline},
  date = {2016-12-06},
  journaltitle = {Scientific Data},
}
"""
CSL = '[{"id": "王2019", "type": "book", "title": "潮汐", "author": [{"family": "王"}]}]'
NEW = {
    "type": "article-journal",
    "title": "Tidal spectroscopy & prediction",
    "author": [{"family": "Munk", "given": "W. H."}, {"family": "Cartwright", "given": "D. E."}],
    "issued": {"date-parts": [[1966, 5]]},
    "container-title": "Philosophical Transactions",
    "page": "533-581",
    "DOI": "10.1098/rsta.1966.0024",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    references = tmp_path / "references"
    references.mkdir()
    (references / "library.bib").write_text(OURS, encoding="utf-8")
    (references / "Zotero.bib").write_text(ZOTERO, encoding="utf-8")
    (references / "more.json").write_text(CSL, encoding="utf-8")
    return tmp_path


async def opened(folder: Path, document: str | None = None) -> Library:
    async with await Workspace.open(folder) as workspace:
        return await Libraries().open(workspace, document=document)


def keys(library: Library, query: str) -> list[str]:
    return [reference.key for reference in library.search(query, limit=10).references]


async def test_all_files_are_one_library_and_every_word_must_be_found(folder: Path) -> None:
    library = await opened(folder)
    assert [file.path for file in library.files] == [
        "references/library.bib",
        "references/more.json",
        "references/Zotero.bib",
    ]
    assert len(library) == 4
    assert keys(library, "tides pugh") == ["pugh1987"]
    assert keys(library, "MULLER 2001") == ["mueller2001"]
    assert keys(library, "10.1000/abc") == keys(library, "datum") == ["mueller2001"]
    assert keys(library, "storm haigh scientific 2016") == ["haigh2016"]
    assert keys(library, "潮汐") == keys(library, "王") == ["王2019"]
    assert keys(library, "tides nowhere") == []
    # A word in the title comes before one among the tags.
    assert keys(library, "tides") == ["pugh1987", "mueller2001"]
    assert library.search("", limit=2).total == 4


async def test_a_reference_says_what_its_entry_says(folder: Path) -> None:
    found = (await opened(folder)).get("mueller2001")
    assert (found.title, found.who, found.year, found.doi, found.container, found.tags) == (
        "The K2 constituent",
        "Müller and Smith",
        "2001",
        "10.1000/abc",
        "J. Geophys. Res.",
        ("tides", "datum"),
    )
    haigh = (await opened(folder)).get("haigh2016")
    assert (haigh.who, haigh.year, haigh.missing) == ("Haigh et al.", "2016", ())
    assert (await opened(folder)).get("pugh1987").missing == ("publisher",)
    with pytest.raises(ReferenceNotFound, match="Did you mean pugh1987"):
        (await opened(folder)).get("Pugh1987")


async def test_a_change_on_disk_is_there_at_the_next_look_and_only_that_file_is_read(
    folder: Path,
) -> None:
    async with await Workspace.open(folder) as workspace:
        libraries = Libraries()
        before = await libraries.open(workspace)
        assert await libraries.open(workspace) is before
        (folder / "references" / "new.bib").write_text("@misc{n1, title = {New}}", encoding="utf-8")
        (folder / "references" / "more.json").unlink()
        after = await libraries.open(workspace)
        assert {reference.key for reference in after.references()} == {
            "pugh1987", "mueller2001", "haigh2016", "n1",
        }  # fmt: skip
        assert after.files[0] is before.files[0]


async def test_a_document_counts_with_the_bibliography_it_names(folder: Path) -> None:
    (folder / "paper").mkdir()
    (folder / "paper" / "own.bib").write_text("@misc{own1, title={Own}}", encoding="utf-8")
    text = "---\ntitle: x\nbibliography: [own.bib, ../references/library.bib, /etc/x.bib]\n---\n"
    (folder / "paper" / "draft.md").write_text(text, encoding="utf-8")
    (folder / "bad.md").write_text("---\nbibliography: [\n---\n", encoding="utf-8")
    library = await opened(folder, "paper/draft.md")
    assert library.get("own1").title == "Own"
    assert [file.path for file in library.files].count("references/library.bib") == 1
    assert len(await opened(folder, "bad.md")) == len(await opened(folder, "not-there.md")) == 4


async def test_new_entries_go_to_our_own_file_and_zoteros_stay(folder: Path) -> None:
    library = await opened(folder)
    write = library.add(NEW)
    assert (write.path, write.key) == ("references/library.bib", "munk1966")
    assert write.data.decode() == OURS + (
        "\n@article{munk1966,\n"
        "  author  = {Munk, W. H. and Cartwright, D. E.},\n"
        "  title   = {Tidal spectroscopy \\& prediction},\n"
        "  journal = {Philosophical Transactions},\n"
        "  year    = {1966},\n"
        "  month   = {5},\n"
        "  pages   = {533--581},\n"
        "  doi     = {10.1098/rsta.1966.0024},\n"
        "}\n"
    )
    with pytest.raises(LibraryReadOnly, match="Change the entry there"):
        library.edit("haigh2016", {"title": "x"})
    with pytest.raises(LibraryReadOnly):
        library.remove("haigh2016")


async def test_a_folder_without_a_library_gets_one(tmp_path: Path) -> None:
    library = await opened(tmp_path)
    write = library.add(NEW)
    assert (write.path, write.expected_hash) == ("references/library.bib", None)
    with pytest.raises(ReferenceInvalid, match="title"):
        library.add({"type": "book"})


async def test_an_edit_touches_its_entry_in_whichever_file_it_is(folder: Path) -> None:
    library = await opened(folder)
    write = library.edit("pugh1987", {"publisher": "Wiley & Sons", "year": None}, new_key="pugh")
    assert write.data.decode() == OURS.replace("@book{pugh1987,", "@book{pugh,").replace(
        "  year   = {1987},", "  publisher = {Wiley \\& Sons},"
    )
    write = library.edit("王2019", {"year": "2019", "author": "王, 伟"}, kind="article")
    assert write.path == "references/more.json"
    assert write.data.decode() == CSL.replace('"book"', '"article-journal"').replace(
        '[{"family": "王"}]',
        '[{"family": "王", "given": "伟"}], "issued": {"date-parts": [[2019]]}',
    )
    with pytest.raises(ReferenceInvalid, match="Choose another key"):
        library.edit("pugh1987", {}, new_key="MUELLER2001")


async def test_an_entry_that_was_taken_out_is_put_back_byte_for_byte(folder: Path) -> None:
    for key in ("pugh1987", "mueller2001", "王2019"):
        write, removed = (await opened(folder)).remove(key)
        file = folder / write.path
        whole = file.read_bytes()
        file.write_bytes(write.data)
        library = await opened(folder)
        assert library.find(key) is None
        assert library.put_back(removed).data == whole
        # Somebody changed the file meanwhile: then it stands at the end, and nothing is lost.
        more = b"\n" if file.suffix == ".json" else b"\n@misc{later, title = {Later}}\n"
        file.write_bytes(write.data + more)
        late = (await opened(folder)).put_back(removed)
        file.write_bytes(late.data)
        again = await opened(folder)
        assert again.get(key).title
        assert late.data.startswith(write.data) or file.suffix == ".json"
        with pytest.raises(ReferenceInvalid, match=f"a reference {key} again"):
            again.put_back(removed)
        file.write_bytes(whole)
    _, removed = (await opened(folder)).remove("pugh1987")
    (folder / "references" / "library.bib").write_text("")
    library = await opened(folder)
    with pytest.raises(ReferenceInvalid, match="not the entry"):
        library.put_back(replace(removed, text="@string{x = {y}}"))


async def test_a_whole_key_is_found_before_keys_that_begin_with_it(folder: Path) -> None:
    more = "".join(f"@misc{{tides{n}, title = {{Tides {n}}}}}\n" for n in range(20))
    (folder / "references" / "library.bib").write_text(f"{more}@misc{{tides, title = {{Zed}}}}\n")
    assert keys(await opened(folder), "tides")[0] == "tides"


async def test_works_that_are_added_at_once_stand_as_if_one_by_one(folder: Path) -> None:
    (folder / "references" / "library.bib").unlink()
    (folder / "references" / "Zotero.bib").unlink()
    items = [{"type": "book", "title": title} for title in ("Ebb of the sea", "Flow of the sea")]
    write, told = (await opened(folder)).add_all(items)
    assert write is not None
    assert told.added == ("ebbnd", "flownd")
    for item in items:
        one = (await opened(folder)).add(item)
        (folder / "references" / "more.json").write_bytes(one.data)
    assert (folder / "references" / "more.json").read_bytes() == write.data


async def test_a_work_that_is_there_is_known_by_its_doi_or_its_title(folder: Path) -> None:
    library = await opened(folder)
    same_doi = library.duplicate_of(
        {"title": "Something else", "DOI": "https://doi.org/10.1000/abc"}
    )
    assert same_doi is not None
    assert same_doi.key == "mueller2001"
    alike = library.duplicate_of({"title": "TIDES, surges and mean sea level"})
    assert alike is not None
    assert alike.key == "pugh1987"
    assert library.duplicate_of(NEW) is None
    assert library.duplicate_of({"title": "Tides and Surges"}) is None


async def test_a_paper_takes_over_what_its_proceedings_say(folder: Path) -> None:
    (folder / "references" / "library.bib").write_text(
        "@inproceedings{a, author = {A, B}, title = {A paper}, crossref = {proc}}\n"
        "@proceedings{proc, title = {Tides 2020}, year = 2020, crossref = {a}}\n"
        "@inproceedings{alone, author = {A, B}, title = {Another}, crossref = {alone}}\n"
    )
    library = await opened(folder)
    paper = library.get("a")
    assert (paper.year, paper.container, paper.missing) == ("2020", "Tides 2020", ())
    assert "booktitle" not in paper.fields, "the entry itself says nothing of it"
    assert library.get("alone").missing == ("booktitle", "year")


async def test_titles_are_the_same_above_85_percent_and_not_at_it(folder: Path) -> None:
    words = [f"word{number}" for number in range(20)]
    entry = f"@misc{{known, title = {{{' '.join(words)}}}}}\n"
    (folder / "references" / "library.bib").write_text(entry)
    library = await opened(folder)
    at, above = " ".join(words[:17]), " ".join(words[:18])
    assert library.duplicate_of({"title": at}) is None, "17 of 20 words are just 0.85"
    same = library.duplicate_of({"title": above.upper()})
    assert same is not None
    assert same.key == "known"


def test_a_work_is_found_as_if_it_were_compared_with_each() -> None:
    chance = random.Random(3)
    words = ["sea", "tide", "level", "surge", "the", "of", "Brest", "hourly", "analysis"]

    def work(key: str) -> Reference:
        title = " ".join(chance.choices(words, k=chance.randrange(0, 9)))
        doi = f"10.1/{chance.randrange(40)}" if chance.random() < 0.2 else ""
        year = str(chance.randrange(2000, 2002))
        return reference_of_item({"id": key, "title": title, "DOI": doi, "issued": {"raw": year}})

    known = [work(str(number)) for number in range(150)]
    works = KnownWorks(known)
    for number in range(examples(300)):
        new = work(f"new{number}")
        expected = next((one for one in known if is_same(new, one)), None)
        assert works.find(new) is expected


def is_same(new: Reference, one: Reference) -> bool:
    if new.doi and new.doi == one.doi:
        return True
    return has_same_title(new, one, title_words(new.title), title_words(one.title))


async def test_duplicates_are_found_among_all(folder: Path) -> None:
    text = OURS + (
        "@misc{again, title={Tides, surges, and mean sea-level}}"
        "@misc{e1, title={Editorial}, author={A, B}, year=2001}"
        "@misc{e2, title={Editorial}, author={C, D}, year=2001}"
        "@misc{e3, title={Editorial}, author={C, E}, year=2001}"
        "@misc{other, title={x}, doi={10.1000/abc}}@misc{other, title={yet another thing}}"
    )
    (folder / "references" / "library.bib").write_text(text, encoding="utf-8")
    found = (await opened(folder)).duplicates()
    assert {(item.key, item.other) for item in found} == {
        ("other", "other"),
        ("pugh1987", "again"),
        ("e2", "e3"),
        ("mueller2001", "other"),
    }


async def test_what_can_not_be_read_is_named_and_not_written_over(folder: Path) -> None:
    (folder / "references" / "more.json").write_text("{not json", encoding="utf-8")
    (folder / "references" / "odd.bib").write_bytes(b"\x00\x01\x02")
    (folder / "references" / "library.bib").write_text(OURS + "@book{x, title={", encoding="utf-8")
    library = await opened(folder)
    problems = {file.path: file.problems for file in library.files if file.problems}
    assert set(problems) == {"references/more.json", "references/odd.bib", "references/library.bib"}
    assert problems["references/library.bib"] == ("line 14: its { is never closed",)
    assert {reference.key for reference in library.references()} == {
        "pugh1987", "mueller2001", "haigh2016",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("family", "key"),
    [
        ("Müller", "muller1999"),
        ("王", "王1999"),
        ("O'Brien", "obrien1999"),
        ("d'Alembert", "dalembert1999"),
        ("van der Waals", "vanderwaals1999"),
        ("Łukasiewicz", "lukasiewicz1999"),
        ("Straße", "strasse1999"),
        ("World Health Organization", "worldhealthorganization1999"),
        ("Достоевский", "достоевский1999"),
        ("", "tides1999"),
    ],
)
def test_keys_are_family_name_and_year_in_any_script(family: str, key: str) -> None:
    authors = [PersonName(family)] if family else []
    assert make_key(authors, "1999", "The Tides", set()) == key


def test_ten_thousand_names_have_keys_of_their_own_that_stay() -> None:
    chance = random.Random(5)
    ranges = [  # Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, kana, Han, Hangul, ASCII
        (0x41, 0x17F),
        (0x370, 0x3FF),
        (0x400, 0x4FF),
        (0x5D0, 0x5EA),
        (0x620, 0x64A),
        (0x900, 0x97F),
        (0x3040, 0x30FF),
        (0x4E00, 0x4FFF),
        (0xAC00, 0xACFF),
        (0x20, 0x7E),
    ]

    def name() -> str:
        low, high = chance.choice(ranges)
        return "".join(chr(chance.randrange(low, high)) for _ in range(chance.randrange(0, 7)))

    works: list[tuple[Any, str]] = [
        ([PersonName(name())], str(chance.randrange(2000, 2003)))
        for _ in range(10 * examples(1000))
    ]

    def all_keys() -> list[str]:
        taken: set[str] = set()
        made: list[str] = []
        for authors, year in works:
            key = make_key(authors, year, "", taken)
            check_key(key)
            assert unicodedata.is_normalized("NFC", key)
            made.append(key)
            taken.add(comparable(key))
        return made

    found = all_keys()
    assert len({comparable(key) for key in found}) == len(works)
    assert all_keys() == found
