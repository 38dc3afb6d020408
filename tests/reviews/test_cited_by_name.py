"""References by author and year, right, altered, invented, and prose that looks like them."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recto.references import entries_in
from tests.research.test_verification import figures
from tests.reviews.test_citations import desk, text_of, write

pytestmark = pytest.mark.anyio
REAL = 500
ALTERED = 300
INVENTED = 200
BEGINNINGS = (
    "Bra", "Kel", "Mor", "Sø", "Ñu", "Mü", "Ha", "Ivá", "Ta", "Rou", "Dum", "Fö",
    "van der Hoe", "d'Ar", "O'Ke", "Le Ga", "de la To", "Mc", "Al-Ha", "Szy",
)  # fmt: skip
MIDDLES = ("", "ra", "li", "no", "de", "sta", "ku", "ze")
ENDINGS = ("mann", "ski", "sen", "rez", "nova", "ton", "ley", "rot", "dam", "kawa", "lla", "gu")
FAMILIES = tuple(f"{one}{two}{three}" for one in BEGINNINGS for two in MIDDLES for three in ENDINGS)
FORMS = (
    "The level rose ({first} & {second}, {year}).",
    "The level rose ({first} et al., {year}), and fell.",
    "The level rose ({first}, {year}).",
    "It rose (see {first}, {year}, p. 12).",
    "{first} and {second} ({year}) show that it rose.",
    "As {first} et al. ({year}, p. 3) say, it rose.",
    "However {first} et al. {year} doubt it.",
    "It rose [{first} et al., {year}].",
)
PROSE = (
    "The gauge at Brest is old. It rose most there (Brest, 2014).",
    "The record begins late (spring 2020) and ends early (May, 2021).",
    "The step is small (Figure 3, 2014) and smaller (Table 2, 2003).",
    "It was told to all (Ocean Sciences Meeting, 2014).",
    "The storm Xynthia (2010) was the worst, then Katrina (2005).",
    "Between March and April (2020) nobody read the gauge.",
    "World War II (1939-1945) left a gap.",
    "Apollo 11 (1969) carried none.",
    "It was agreed on in Paris (2015) by the United Nations (UN, 2015).",
    "We used Python (version 3.11, 2022) and Windows 11 (2021).",
    "The drift is 3 mm a year (1993 to 2010), or 4 (1993–2021).",
    "The datum was moved in 1966, as its owner said (in 1967).",
    "The Beatles sang of it (1965); Rossi and Bianchi 2020 is a film.",
    "The law (Clean Water Act, 1972) came first (Congress, 1970).",
    "Congress knew. The law (Congress, 1970) came first.",
    "A plan (version B, 2019) was made (draft, 2018).",
    "The cruise (RV Meteor, 2012) found it at 12 stations (Station 7, 2012).",
    "The tide (M2, 2.05 m) is large (see below, 2014).",
    "Of all prizes (Nobel Prize, 2017) it has none.",
    "The island (Java, Indonesia, 2004) was struck.",
)


@dataclass(frozen=True, slots=True)
class Named:
    """A work as a text names it."""

    first: str
    second: str
    year: str
    title: str = ""


def works(count: int, chance: random.Random) -> list[Named]:
    """Works, each of a first author of its own; some without a year."""
    names = chance.sample(FAMILIES, count)
    return [
        Named(
            name,
            chance.choice(FAMILIES),
            "n.d." if at % 10 == 0 else str(chance.randint(1950, 2024)),
            f"Levels of {name.lower()} and what they tell of gauge {at}",
        )
        for at, name in enumerate(names)
    ]


def entry(work: Named, at: int) -> str:
    """Its entry in the library; a third of them name editors alone."""
    role = "editor" if at % 3 == 0 else "author"
    year = "" if work.year == "n.d." else f", year = {work.year}"
    people = f"{work.first}, A. and {work.second}, B."
    return f"@book{{w{at}, {role} = {{{people}}}, title = {{{work.title}}}{year}}}\n"


def in_list(work: Named, at: int) -> str:
    """Its line in the list of references of a text, in one of three ways."""
    first, second, year, title = work.first, work.second, work.year, work.title
    return (
        f"- {first}, A., & {second}, B. ({year}). {title}. *Journal of Seas*, 12(3).",
        f"- A. {first} and B. {second}, “{title}”, J. Seas, {year}.",
        f"- {first} A, {second} B. {title}. J Seas. {year};12(3).",
    )[at % 3]


def right(work: Named, chance: random.Random) -> Named:
    """As people write it: with other apostrophes, with or without umlauts."""
    first = chance.choice(
        (work.first, work.first.replace("'", "’"), work.first.replace("ü", "ue").replace("ø", "o"))
    )
    letter = chance.choice(("", "", "a")) if work.year != "n.d." else ""
    return replace(work, first=first, year=work.year + letter)


def altered(work: Named, free: Sequence[str], chance: random.Random) -> Named:
    """With the first author or the year of no work."""
    if chance.random() < 0.5 or work.year == "n.d.":
        return replace(work, first=chance.choice(free))
    return replace(work, year=str(int(work.year) + chance.choice((-9, -4, 3, 7))))


def said(work: Named, at: int) -> str:
    """A paragraph that names a work."""
    return FORMS[at % len(FORMS)].format(first=work.first, second=work.second, year=work.year)


async def test_1000_references_by_author_and_year(tmp_path: Path) -> None:
    chance = random.Random(21)
    known = works(REAL + ALTERED, chance)
    free = sorted(set(FAMILIES) - {work.first for work in known})
    cases = [
        *((False, right(work, chance)) for work in known[:REAL]),
        *((True, altered(work, free, chance)) for work in known[REAL:]),
        *(
            (True, Named(chance.choice(free), chance.choice(free), str(1950 + at % 70)))
            for at in range(INVENTED)
        ),
    ]
    # Half of the works are in the library, half in the list of references that the person wrote.
    library = "".join(entry(work, at) for at, work in enumerate(known) if at % 2)
    listed = "\n".join(in_list(work, at) for at, work in enumerate(known) if at % 2 == 0)
    found: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    async with desk(tmp_path) as (bench, _):
        bench.home.put("references/library.bib", library)
        assert len(entries_in("library.bib", library.encode())) == len(known) // 2
        ending = f"\n\n## References\n\n{listed}\n"
        bench.home.put("a.md", ending)
        paragraphs = [said(work, at) for at, (_, work) in enumerate(cases)]
        await write(bench, "a.md", "\n\n".join(paragraphs) + ending)
        kept = (await text_of(bench, "a.md")).split("\n\n## References")[0].split("\n\n")
        for (is_wrong, _), before, after in zip(cases, paragraphs, kept, strict=True):
            is_marked = before != after
            if is_marked != is_wrong:
                wrong.append(before)
            found["wrong" if is_wrong else "verified", "marked" if is_marked else "verified"] += 1
    correlation, false_alarms = figures(found)
    assert correlation >= 0.80, wrong
    assert false_alarms <= 0.10, wrong


async def test_prose_that_looks_like_references_is_left_alone(tmp_path: Path) -> None:
    async with desk(tmp_path) as (bench, _):
        wrong: list[str] = []
        for number, passage in enumerate(PROSE):
            await write(bench, f"{number}.md", f"{passage}\n")
            if await text_of(bench, f"{number}.md") != f"{passage}\n":
                wrong.append(passage)
    assert len(wrong) <= len(PROSE) // 10, wrong


async def test_a_work_that_the_text_lists_may_be_named_by_author_and_year(tmp_path: Path) -> None:
    async with desk(tmp_path) as (bench, _):
        text = (
            "So (Munk & Cartwright, 1966), and so Munk et al. (1966); not (Munk et al., 1999),"
            " nor (Nobody et al., 2020).\n\n## References\n\n"
            "- Munk, W., & Cartwright, D. (1966). Tidal spectroscopy and prediction."
            " https://doi.org/10.1098/rsta.1966.0024\n"
            "- Nobody, N. (2020). A survey of neural oceans. https://doi.org/10.5555/none\n"
        )
        await write(bench, "a.md", text)
        # An entry that could not be verified stands for nothing.
        assert await text_of(bench, "a.md") == (
            "So (Munk & Cartwright, 1966), and so Munk et al. (1966); not [citation?],"
            " nor [citation?].\n\n## References\n\n"
            "- Munk, W., & Cartwright, D. (1966). Tidal spectroscopy and prediction."
            " https://doi.org/10.1098/rsta.1966.0024\n"
            "- [citation?]\n"
        )
