"""BibTeX is read without losing a byte, and an edit changes its entry alone."""

import random
from collections.abc import Callable

import pytest

from recto.references.bibtex.edits import add_entry, set_fields, set_key, set_type, span_of_removal
from recto.references.bibtex.source import BibEntry, BibSource, parse_bibtex
from recto.references.failures import ReferenceInvalid
from tests.examples import examples
from tests.growth import is_linear
from tests.references.bib_files import draw_file

FILE = """% Ours
@string{jgr = "J. Geophys. Res."}

@Article{munk1966,
  title   = {Tidal {S}pectroscopy},
  journal = jgr # " Oceans",
  year    = 1966
}

@book(pugh1987, title="Tides", year = "1987",)
Words between.
@misc{bare}
"""


def entry_of(source: BibSource, key: str) -> BibEntry:
    found = source.entry(key)
    assert found is not None
    return found


def without(entry: BibEntry) -> str:
    start, end = span_of_removal(entry)
    return entry.source.text[:start] + entry.source.text[end:]


def edited(key: str, **changes: str | None) -> str:
    return set_fields(entry_of(parse_bibtex(FILE), key), changes)


def test_values_join_their_parts_and_know_macros_and_months() -> None:
    source = parse_bibtex(FILE + "@misc{m, month = dec, note = {a} # jgr # 12}")
    assert entry_of(source, "munk1966").values() == {
        "title": "Tidal {S}pectroscopy",
        "journal": "J. Geophys. Res. Oceans",
        "year": "1966",
    }
    assert entry_of(source, "m").values() == {"month": "December", "note": "aJ. Geophys. Res.12"}
    assert [entry.type for entry in source.entries] == ["article", "book", "misc", "misc"]


def test_every_drawn_file_is_understood_and_an_edit_changes_its_entry_alone() -> None:
    for seed in range(examples(75)):
        drawn = draw_file(seed)
        source = parse_bibtex(drawn.text)
        found = tuple((entry.key, entry.values()) for entry in source.entries)
        assert found == drawn.entries, seed
        assert [entry.problem for entry in source.entries] == [""] * len(found), seed
        check_edit(source, random.Random(seed))


def check_edit(source: BibSource, chance: random.Random) -> None:
    """Change one entry at random and compare everything else."""
    at = chance.randrange(len(source.entries))
    entry = source.entries[at]
    names = [*entry.values(), "doi", "series"]
    changes = {name: chance.choice(["New {V}alue", "2024", None]) for name in names}
    changes = dict(chance.sample(list(changes.items()), chance.randrange(1, len(changes) + 1)))
    text = set_fields(entry, changes)
    assert text.startswith(source.text[: entry.start])
    assert text.endswith(source.text[entry.end :])
    again = parse_bibtex(text)
    wanted = {**entry.values(), **changes}
    assert again.entries[at].values() == {
        name: value for name, value in wanted.items() if value is not None
    }
    others = [item.text for item in source.entries if item is not entry]
    assert [item.text for item in again.entries if item is not again.entries[at]] == others
    assert [item[0] for item in again.blocks] == [item[0] for item in source.blocks]


def test_an_edit_is_written_as_the_entry_is() -> None:
    assert edited("munk1966", year="1967", doi="10.1/2", journal=None) == FILE.replace(
        '  journal = jgr # " Oceans",\n  year    = 1966\n',
        "  year    = 1967,\n  doi     = {10.1/2}\n",
    )
    assert edited("pugh1987", year="2004", note="n") == FILE.replace(
        'year = "1987",)', 'year = "2004", note={n},)'.replace("note=", "note = ")
    )
    assert edited("bare", title="Now with one") == FILE.replace(
        "@misc{bare}", "@misc{bare,\n  title = {Now with one}}"
    )


def test_keys_and_types_are_changed_in_place() -> None:
    entry = entry_of(parse_bibtex(FILE), "munk1966")
    assert set_key(entry, "munk1966a") == FILE.replace("{munk1966,", "{munk1966a,")
    assert set_type(entry, "techreport") == FILE.replace("@Article", "@techreport")


def test_an_entry_is_added_at_the_end_and_taken_away_with_its_line() -> None:
    source = parse_bibtex(FILE)
    added = add_entry(source, "book", "kantha2000", {"title": "Numerical", "year": "2000"})
    assert added == FILE + ("\n@book{kantha2000,\n  title = {Numerical},\n  year  = {2000},\n}\n")
    assert without(entry_of(parse_bibtex(added), "kantha2000")) == FILE + "\n"
    gone = without(entry_of(source, "munk1966"))
    assert gone == FILE.partition("@Article")[0] + FILE.partition("}\n\n@book")[2].join(
        ["@book", ""]
    )
    assert add_entry(parse_bibtex(""), "misc", "a", {"title": "T"}) == (
        "@misc{a,\n  title = {T},\n}\n"
    )
    lines = FILE.replace("\n", "\r\n")
    assert "\n" not in add_entry(parse_bibtex(lines), "misc", "a", {"title": "T"}).replace(
        "\r\n", ""
    )


@pytest.mark.parametrize("value", ["a } b", "{", "}{", "a {b}}", "zero \0"])
def test_a_value_that_would_break_the_file_is_refused(value: str) -> None:
    with pytest.raises(ReferenceInvalid):
        edited("munk1966", title=value)


@pytest.mark.parametrize("key", ["", "a b", "a,b", "a{b", "a}", 'a"b', "a\\b", "a#b", "x" * 300])
def test_a_key_that_can_not_be_cited_is_refused(key: str) -> None:
    with pytest.raises(ReferenceInvalid):
        set_key(entry_of(parse_bibtex(FILE), "bare"), key)


def test_what_is_broken_is_named_and_what_follows_is_read() -> None:
    text = (
        "@article{a, title = {never ends\n@book{b, title = {B}}\n@misc{ title = {no key}}\n"
        "@misc{c, title {no sign}}\n@misc{d}"
    )
    source = parse_bibtex(text)
    assert [(entry.key, entry.values()) for entry in source.entries] == [
        ("b", {"title": "B"}),
        ("c", {}),
        ("d", {}),
    ]
    assert [text[item.start : item.end] for item in source.broken] == [
        "@article{a, title = {never ends\n",
        "@misc{ title = {no key}}",
    ]
    broken = entry_of(source, "c")
    with pytest.raises(ReferenceInvalid, match="a field such as"):
        set_fields(broken, {"title": "x"})


HOSTILE: dict[str, Callable[[int], str]] = {
    "never closed": lambda size: "@a{k, x={\n" * size,
    "never closed in one line": lambda size: "@a{k, x={ " * size,
    "nested": lambda size: "@a{k,x={\n" * size + "}}" * size,
    "no fields": lambda size: "@a{=}" * size,
    "round": lambda size: '@a(k, x="\n' * size,
    "round without an end": lambda size: "@a(k, x=1,\n" * size,
    "signs": lambda size: "@" * size + "@ " * size,
    "brackets": lambda size: "{" * size + "}" * size + "}{" * size,
    "joined": lambda size: "@a{k, x=" + "a # " * size,
    "comments": lambda size: "@a{k, " + "% x\n" * size + "@b{",
    "quotes": lambda size: '@a{k, x="' + "{}" * size + '\n@a{k, x="' + "{}" * size,
    "commented out": lambda size: "% @a{b, c={d}} " * size,
    "white space": lambda size: "@" + " " * size + "@a" + "\n" * size + "@a{" + " " * size,
    "values": lambda size: "@a{k," + "x={y}," * size + "}",
}


@pytest.mark.parametrize("form", HOSTILE)
def test_reading_takes_time_in_proportion_to_the_text(form: str) -> None:
    def read(size: int) -> None:
        for entry in parse_bibtex(HOSTILE[form](size)).entries:
            entry.values()

    assert is_linear(read, 1500)


def test_no_text_is_refused() -> None:
    chance = random.Random(7)
    signs = '@{}(),="#%\\ \n\r\tabjan1é王'
    for _ in range(examples(1000)):
        text = "".join(chance.choices(signs, k=chance.randrange(60)))
        source = parse_bibtex(text)
        ends = [0, *(place for block in source.blocks for place in block[1:])]
        assert ends == sorted(ends)
        for entry in source.entries:
            entry.values()
            if not entry.problem:
                changed = set_fields(entry, {"title": "T"})
                assert parse_bibtex(changed).text.startswith(text[: entry.start])
