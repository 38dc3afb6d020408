"""Lists that are pasted or chosen: whole works are read, all others are named by their lines."""

import pytest

from recto.references import LibraryUnreadable, read_list

pytestmark = pytest.mark.anyio
WHOLE = "@book{pugh1987, title = {Tides}, author = {Pugh, D.}, year = 1987}"


async def told(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """The keys and titles of what is read, and the lines and reasons of what is not."""
    items, broken = await read_list(text.encode(), "biblatex")
    return [f"{item['id']}: {item['title']}" for item in items], [
        (one.line, one.why) for one in broken
    ]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("@book{a, title = {Never closed, year = 2000}", "its { is never closed"),
        ('@book{a, title = "Never closed}', "the value of title has no end"),
        ("@book{a b, title = {Two words}}", "a comma is expected after its key"),
        ("@book{a, title {No sign}}", "a field such as title = {…} is expected"),
        (
            "@book{a, title = {Early}}, year = 2000}",
            "it ends before its last fields, by a } too many",
        ),
        ("@book{a, year = 2000}", "it has no title"),
        ("@string{a = }", "the value of a has no end"),
    ],
)
async def test_a_broken_entry_costs_no_other(entry: str, why: str) -> None:
    text = f"{WHOLE}\n\n{entry}\n@misc{{last, title = {{Surges}}}}\n"
    items, broken = await read_list(text.encode(), "biblatex")
    assert [item["id"] for item in items] == ["pugh1987", "last"]
    assert [(one.line, one.why, one.text) for one in broken] == [(3, why, entry)]


async def test_an_entry_that_never_closes_takes_no_other_along() -> None:
    # The } too many further down would close the first one.
    early = "@book{b, title = {Early}}, year = 1}"
    text = f"@book{{a, title = {{Open, year = 2000}}\n{WHOLE}\n{early}\n"
    read, broken = await told(text)
    assert read == ["pugh1987: Tides"]
    assert broken == [
        (1, "its { is never closed"),
        (3, "it ends before its last fields, by a } too many"),
    ]


async def test_what_pandoc_stumbles_over_is_found_among_many() -> None:
    many = [f"@misc{{k{number}, title = {{Tides {number}}}}}" for number in range(20)]
    many[13] = "@misc{k13, title = {Odd \\{ b} signs}}"
    read, broken = await told("\n".join(many))
    assert [one.partition(":")[0] for one in read] == [f"k{n}" for n in range(20) if n != 13]
    [(line, why)] = broken
    assert line == 14
    assert why.startswith("pandoc can’t read it (unexpected")


async def test_entries_are_read_however_they_are_written() -> None:
    text = """@string{jgr = "Geophysics"}
@article{a, title = {A title} author = "Pugh, D." # " and " # {Munk, W.}, journal = jgr,
  month = jan, year = 2000}
@article(a, title = {50% of {LaTeX} \\foo{ $ }})
@inbook{kid, crossref = {a}, title = {Kid}}
@odd-type{o, odd.name = {x}, title = {Odd}}
@comment{not, title = {this}}
"""
    items, broken = await read_list(text.encode(), "biblatex")
    assert broken == ()
    assert [item["id"] for item in items] == ["a", "a", "kid", "o"]
    assert items[0]["container-title"] == "Geophysics"
    assert items[0]["issued"] == {"date-parts": [[2000, 1]]}
    assert [person["family"] for person in items[0]["author"]] == ["Pugh", "Munk"]
    assert items[1]["title"].startswith("50% of LaTeX")
    assert items[2]["author"] == items[0]["author"]


async def test_an_entry_without_a_key_needs_none() -> None:
    text = "@book{, title = {Tides}}\n@book{title = {Surges}}\n@book(\n title = {Waves})\n"
    assert await told(text) == ([": Tides", ": Surges", ": Waves"], [])


async def test_a_text_without_entries_is_no_list() -> None:
    with pytest.raises(LibraryUnreadable, match="no entry"):
        await read_list(b"Words", "bibtex")
