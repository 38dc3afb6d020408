"""Whether a reference in words means a work, and what it says otherwise than its record."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from recto.research.verification import (
    ALIKE,
    RELATED,
    first_family,
    is_same_year,
    words_of,
    year_of,
)

DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
ARXIV = re.compile(
    r"(?:arxiv(?:\.org/(?:abs|pdf|html)/|:)\s*|^\s*)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(v\d+)?",
    re.IGNORECASE,
)
PMID = re.compile(
    r"(?:pmid:?\s*|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)(\d{1,9})",
    re.IGNORECASE,
)
ISBN = re.compile(r"(?<![\d-])(?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx](?![\d-])")
ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d{2}(?!\d)")
TITLED = re.compile(r"[“\"*_«][^\s“”\"*_«»](?:[^“”\"*_«»\n]*\s){2,}[^“”\"*_«»\n]*[”\"*_»]")
"""Words that are given as a title: in quotation marks, or emphasised."""
LINKED = re.compile(r"\[[^\][\n]+\](?=\()")
MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
DATED_NAME = re.compile(
    rf"(?<!\w)(?!{MONTH})(?P<name>[^\W\d_a-z][\w'’-]+)"
    r"(?:,?\s+[*_]?et\s+al\.?[*_]?,?\s*|['’]s\s+(?=\()|,\s*|\s+(?=\())[(\[]?"
    r"(?P<year>(?:1[5-9]|20)\d{2})(?!\d)"
)
"""An author with a year: "Munk (1966)", "Munk, 1966". Of "In 1966" and "Brest 1966" it is none."""
NEARLY_ALL = 0.9
LEAST_WORDS = 3
MOST_OTHER_WORDS = 6
"""Beside authors and numbers: the journal's name, short forms. More are another title."""
Item = Mapping[str, Any]


def is_meant(record: Item, text: str) -> bool:
    """Whether a record is surely what a title or a citation means."""
    title, given = words_in(title_of(record)), words_in(text)
    if not title or not given:
        return False
    if len(title & given) / len(title | given) > ALIKE:
        return True
    # A citation has more than the title: all of it, the first author, and no other year.
    return (
        len(title) >= LEAST_WORDS
        and share(title, given) >= NEARLY_ALL
        and names_author(record, given)
        and is_dated_right(record, text)
    )


def is_near(record: Item, text: str) -> bool:
    """Whether a record is surely the work that a citation means, though something is wrong."""
    title, given = words_in(title_of(record)), words_in(text)
    alike = share(title, given)
    is_author = names_author(record, given)
    is_year = is_dated_right(record, text)
    if len(title) >= LEAST_WORDS and alike >= ALIKE:
        return is_author or is_year
    return is_author and is_year and alike >= RELATED


def faults_in_entry(record: Item, text: str) -> tuple[str, ...]:
    """What an entry of a list, which is about one work, says otherwise than a record."""
    said = without_numbers(text)
    title, given = words_in(title_of(record)), words_in(said)
    alike = share(title, given)
    others = {word for word in given - known_words(record) if len(word) > 2 and word.isalpha()}
    # Some lists leave titles out.
    is_other_title = alike < NEARLY_ALL and (alike >= RELATED or len(others) > MOST_OTHER_WORDS)
    return faults_of(
        record,
        title=bool(title) and is_other_title,
        author=not names_author(record, given),
        year=not is_dated_right(record, said),
    )


def faults_around(record: Item, text: str) -> tuple[str, ...]:
    """What the paragraph around a number says otherwise than the number's record.

    Only what names a work counts: a title, an author with a year. A year may be of anything.
    """
    said = without_numbers(text)
    title, given = words_in(title_of(record)), words_in(said)
    titled = [words_in(found[0]) for found in TITLED.finditer(said)]
    linked = [words_in(found[0]) for found in LINKED.finditer(said)]
    dated = list(DATED_NAME.finditer(said))
    has_title = bool(title) and share(title, given) >= NEARLY_ALL
    has_author = any(last_name(name) <= given for name in families(record) if name)
    is_unnamed = bool(dated or titled) and not has_title and not has_author
    is_changed = any(share(title, passage) >= RELATED for passage in (*titled, *linked))
    known = known_words(record)
    is_others = not has_author and any(not words_in(one["name"]) <= known for one in dated)
    years = YEAR.findall(said) if has_title else [one["year"] for one in dated]
    return faults_of(
        record,
        title=is_unnamed or (is_changed and not has_title),
        author=has_title and is_others,
        year=not is_of_years(record, years),
    )


def faults_of(record: Item, *, title: bool, author: bool, year: bool) -> tuple[str, ...]:
    """What is wrong, in words."""
    faults = {
        f"The title is “{title_of(record)}”.": title,
        f"The first author is {first_family(record) or 'not known'}.": author,
        f"The year is {year_of(record)}.": year,
    }
    return tuple(words for words, is_wrong in faults.items() if is_wrong)


def is_other_work(record: Item, text: str) -> bool:
    """Whether a text that says more than a number is about another work than the number's."""
    said = without_numbers(text)
    if not YEAR.search(said) and TITLED.search(said) is None:
        return False
    given, title = words_in(said), words_in(title_of(record))
    has_title = bool(title) and share(title, given) >= NEARLY_ALL
    return (
        bool(last_name(first_family(record))) and not has_title and not names_author(record, given)
    )


def is_dated_right(record: Item, said: str) -> bool:
    """Whether words give no year, or the record's, or that before or after it."""
    return is_of_years(record, YEAR.findall(without_numbers(said)))


def is_of_years(record: Item, years: Sequence[str]) -> bool:
    """Whether a record is of one of some years, as far as there are any."""
    year = year_of(record)
    return not years or not year or any(is_same_year(one, year) for one in years)


def names_author(record: Item, given: frozenset[str]) -> bool:
    """Whether the first author is among words."""
    family = last_name(first_family(record))
    return bool(family) and family <= given


def known_words(record: Item) -> frozenset[str]:
    """The words of all that a reference may say of a work beside its title."""
    places = (record.get("container-title"), record.get("publisher"), *families(record))
    return words_in(" ".join(str(place) for place in (title_of(record), *places) if place))


def families(record: Item) -> list[str]:
    """The family names of all authors."""
    people: list[Mapping[str, Any]] = record.get("author") or record.get("editor") or []
    return [str(person.get("family") or person.get("literal") or "") for person in people]


def last_name(family: str) -> frozenset[str]:
    """The words of a family name without its particles: "van" is in many names."""
    return words_in(" ".join(family.split()[-1:]))


def share(title: frozenset[str], given: frozenset[str]) -> float:
    """How much of a title is among words."""
    return len(title & given) / len(title) if title else 0.0


def title_of(record: Item) -> str:
    """The title of a record."""
    return str(record.get("title") or "")


def without_numbers(text: str) -> str:
    """A text without the numbers and addresses of works, which have years and names in them."""
    for number in (ADDRESS, DOI, ARXIV, PMID, ISBN):
        text = number.sub(" ", text)
    return text


def words_in(text: str) -> frozenset[str]:
    """The words of a text, case and accents overlooked."""
    return frozenset(words_of(text))


def described(record: Item) -> str:
    """A work in a few words."""
    who = ", ".join(part for part in (first_family(record), year_of(record)) if part)
    return f"“{title_of(record) or 'a work without a title'}”{f' ({who})' if who else ''}"
