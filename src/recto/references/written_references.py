"""References that are written out in a text: "(Munk et al., 1966)", a DOI, a list at the end.

They are no citations that pandoc knows, and yet they name a work.
"""

import re
from dataclasses import dataclass
from typing import Literal

from recto.references.citations import without_code

HEADING = re.compile(
    r"^#{1,6}[ \t]+(?:\d+[.\d]*[ \t]+)?(?:list of )?"
    r"(?:references|bibliography|literature|works cited|sources|further reading)"
    r"(?: cited)?[ \t]*[:.]?[ \t]*#*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
NEXT_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)]|\[\d+\][:.]?)?[ \t]*(?P<words>\S[^\n]*)", re.MULTILINE)
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d{2}(?!\d)")
DOI_LINK = re.compile(
    r"\[(?P<label>[^\][\n]*)\]\(\s*<?(?:https?://(?:dx\.)?doi\.org/)(?P<linked>10\.\d{4,9}/[^\s()>]+"
    r"(?:\([^\s()]*\)[^\s()>]*)*)>?\s*\)"
    r"|<?(?:https?://(?:dx\.)?doi\.org/|\bdoi:\s*)(?P<bare>10\.\d{4,9}/[^\s\"<>\]()]+"
    r"(?:\([^\s()]*\)[^\s\"<>\]()]*)*)>?",
    re.IGNORECASE,
)
NAME = r"[^\W\d_](?:[\w'’.-]|\s(?=[^\W\d_a-z]))*"
AUTHOR_YEAR = re.compile(
    rf"\((?:(?:see|cf\.|e\.g\.,?)\s+)?(?P<first>{NAME})(?:\s+et\s+al\.?|\s*(?:&|and)\s*{NAME}),?\s+"
    r"(?P<year>(?:1[5-9]|20)\d{2})[a-z]?\)"
    rf"|(?P<narrative>[^\W\d_a-z][\w'’-]*)\s+et\s+al\.?,?\s+\((?P<in_year>(?:1[5-9]|20)\d{{2}})[a-z]?\)"
)
SENTENCE_ENDS = ".,;:'’”\"]}>*_"


@dataclass(frozen=True, slots=True)
class WrittenReference:
    """A work that a text names in words."""

    kind: Literal["listed", "doi", "author-year"]
    start: int
    end: int
    text: str
    """What names it; of a DOI the paragraph around it."""
    doi: str = ""
    family: str = ""
    year: str = ""


def brought_references(before: str, after: str) -> tuple[WrittenReference, ...]:
    """Those of a text that another did not have."""
    return tuple(
        found
        for found in find_written_references(after)
        if (found.doi or after[found.start : found.end]) not in before
    )


def find_written_references(text: str) -> tuple[WrittenReference, ...]:
    """Every reference that is written out; none lies within another."""
    prose = without_code(text)
    found = [*listed_references(prose)]
    for one in (*doi_references(prose), *named_references(prose)):
        if not any(other.start < one.end and one.start < other.end for other in found):
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.start))


def listed_references(prose: str) -> list[WrittenReference]:
    """The items of lists of references; those that cite by a key are no such items."""
    found: list[WrittenReference] = []
    for heading in HEADING.finditer(prose):
        following = NEXT_HEADING.search(prose, heading.end())
        end = len(prose) if following is None else following.start()
        for item in ITEM.finditer(prose, heading.end(), end):
            words = item["words"].rstrip()
            if YEAR.search(words) is None or "@" in words:
                continue
            link = DOI_LINK.search(words)
            doi = "" if link is None else doi_of(link)
            start = item.start("words")
            found.append(WrittenReference("listed", start, start + len(words), words, doi))
    return found


def doi_references(prose: str) -> list[WrittenReference]:
    """DOIs, with the paragraph that each stands in."""
    found: list[WrittenReference] = []
    for link in DOI_LINK.finditer(prose):
        doi = doi_of(link)
        end = link.end()
        if link["bare"] and not link[0].endswith(">"):
            end -= len(link["bare"]) - len(doi)
        first = prose.rfind("\n\n", 0, link.start()) + 1
        last = prose.find("\n\n", end)
        around = prose[first : len(prose) if last < 0 else last]
        found.append(WrittenReference("doi", link.start(), end, around, doi))
    return found


def named_references(prose: str) -> list[WrittenReference]:
    """Names with a year. One name alone may be anything: "(Brest, 2014)"."""
    return [
        WrittenReference(
            "author-year",
            named.start(),
            named.end(),
            named[0],
            family=named["first"] or named["narrative"],
            year=named["year"] or named["in_year"],
        )
        for named in AUTHOR_YEAR.finditer(prose)
    ]


def doi_of(link: re.Match[str]) -> str:
    """The DOI of a link, without what ends the sentence around it."""
    return (link["linked"] or link["bare"]).rstrip(SENTENCE_ENDS)
