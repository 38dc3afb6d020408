"""A reference as people, tools and pages see it, whichever file it comes from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from recto.references.bibtex.source import BibEntry
from recto.references.csl_json import CslEntry
from recto.references.latex import fold, to_unicode, verbatim
from recto.references.names import PersonName, read_names

VERBATIM = frozenset({"doi", "url", "file", "eprint", "isbn", "issn", "pmid", "urldate", "date"})
CONTAINERS = ("journaltitle", "journal", "booktitle", "series", "publisher", "school")
SEARCHED = (
    "title", "subtitle", "shorttitle", "author", "editor", "year", "date", "doi", "keywords",
    "keyword", "journal", "journaltitle", "booktitle", "abstract",
)  # fmt: skip
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
DOI = re.compile(r"10\.\d{4,9}/\S+")
DOI_PREFIX = re.compile(r"^\s*(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
TAG_ENDS = re.compile(r"[,;]")
WANTED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "article": (("author", "editor"), ("title",), ("journal", "journaltitle"), ("year", "date")),
    "book": (("author", "editor"), ("title",), ("publisher",), ("year", "date")),
    "inproceedings": (("author",), ("title",), ("booktitle",), ("year", "date")),
    "incollection": (("author",), ("title",), ("booktitle",), ("year", "date")),
}
LEAST: tuple[tuple[str, ...], ...] = (("title",),)
"""What an entry of any other type needs."""
CSL_NAMES = {
    "container-title": "journal",
    "DOI": "doi",
    "URL": "url",
    "ISBN": "isbn",
    "ISSN": "issn",
    "page": "pages",
    "issue": "number",
    "keyword": "keywords",
    "publisher-place": "address",
    "container-title-short": "shortjournal",
}
CSL_TYPES = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "paper-conference": "inproceedings",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "webpage": "online",
    "dataset": "dataset",
    "software": "software",
    "book": "book",
    "article": "misc",
}
"""CSL's types, and those of BibTeX."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One work of the library."""

    key: str
    type: str
    """As BibTeX calls it: "article", "book", "inproceedings"."""
    title: str
    authors: tuple[PersonName, ...]
    """Its editors when it has no authors."""
    year: str
    doi: str
    container: str
    """The journal, the book or the publisher."""
    url: str
    abstract: str
    tags: tuple[str, ...]
    fields: Mapping[str, str]
    """Everything it says, by BibTeX's names, as people read it."""
    missing: tuple[str, ...] = ()
    """What its type usually has and it does not."""

    @property
    def who(self) -> str:
        """Its authors as a list shows them: "Munk and Cartwright", "Haigh et al."."""
        names = [name.whole_family for name in self.authors]
        if len(names) > 2:
            return f"{names[0]} et al."
        return " and ".join(names)


def plain_doi(text: str) -> str:
    """The DOI in what somebody gives as one, in small letters; empty: there is none."""
    found = DOI.fullmatch(DOI_PREFIX.sub("", text).strip())
    return "" if found is None else found[0].lower()


def reference_of(entry: BibEntry | CslEntry) -> Reference:
    """An entry as a reference."""
    if isinstance(entry, BibEntry):
        raw = entry.values()
        fields = {
            name: verbatim(value) if name in VERBATIM else to_unicode(value)
            for name, value in raw.items()
        }
        people = read_names(raw.get("author", "")) or read_names(raw.get("editor", ""))
        return build(entry.key, entry.type, people, fields)
    fields = csl_fields(entry.item)
    people = csl_people(entry.item, "author") or csl_people(entry.item, "editor")
    kind = str(entry.item.get("type", ""))
    return build(entry.key, CSL_TYPES.get(kind, "misc"), people, fields)


def build(
    key: str, kind: str, people: tuple[PersonName, ...], fields: Mapping[str, str]
) -> Reference:
    """A reference from fields by BibTeX's names."""
    year = YEAR.search(fields.get("year") or fields.get("date", ""))
    tags = TAG_ENDS.split(fields.get("keywords", ""))
    return Reference(
        key=key,
        type=kind,
        title=fields.get("title", ""),
        authors=people,
        year="" if year is None else year[0],
        doi=plain_doi(fields.get("doi", "")),
        container=next((fields[name] for name in CONTAINERS if fields.get(name)), ""),
        url=fields.get("url", ""),
        abstract=fields.get("abstract", ""),
        tags=tuple(tag.strip() for tag in tags if tag.strip()),
        fields=fields,
        missing=tuple(
            names[0]
            for names in WANTED.get(kind, LEAST)
            if not any(fields.get(name) for name in names)
        ),
    )


def with_parent(reference: Reference, parent: Reference) -> Reference:
    """A chapter or a paper with what it takes over from the book that its `crossref` names."""
    inherited = {**parent.fields, "booktitle": parent.title}
    return replace(
        reference,
        year=reference.year or parent.year,
        container=reference.container or parent.title,
        missing=tuple(name for name in reference.missing if not inherited.get(name)),
    )


def csl_fields(item: Mapping[str, Any]) -> dict[str, str]:
    """An item of CSL-JSON by BibTeX's names."""
    fields: dict[str, str] = {}
    for name, value in item.items():
        if name in ("id", "type"):
            continue
        if name in ("author", "editor", "translator"):
            fields[name] = " and ".join(map(str, csl_people(item, name)))
        elif name == "issued":
            fields["year"] = csl_date(value)
        elif isinstance(value, str | int | float):
            fields[CSL_NAMES.get(name, name.lower())] = str(value)
    return {name: value for name, value in fields.items() if value}


def csl_people(item: Mapping[str, Any], role: str) -> tuple[PersonName, ...]:
    """The people of an item in some role."""
    rows = item.get(role)
    people: list[PersonName] = []
    for row in cast("list[object]", rows) if isinstance(rows, list) else []:
        if not isinstance(row, dict):
            continue
        told = cast("dict[str, Any]", row)
        family = str(told.get("family") or told.get("literal") or "")
        if family:
            particle = str(told.get("non-dropping-particle") or told.get("dropping-particle") or "")
            people.append(
                PersonName(
                    family, str(told.get("given") or ""), particle, str(told.get("suffix") or "")
                )
            )
    return tuple(people)


def csl_date(value: object) -> str:
    """A date of CSL: its parts, or as it was written."""
    if not isinstance(value, dict):
        return ""
    told = cast("dict[str, Any]", value)
    match told.get("date-parts"):
        case [[int() | str() as year, *_], *_]:
            return str(year)
        case _:
            return str(told.get("raw") or told.get("literal") or "")


def search_text(entry: BibEntry | CslEntry) -> str:
    """What a search looks through, with case and accents overlooked."""
    if isinstance(entry, BibEntry):
        values = entry.values()
        told = [fold(to_unicode(values[name])) for name in SEARCHED if name in values]
        return "\n".join([fold(entry.key), *told])
    fields = csl_fields(entry.item)
    return fold("\n".join([entry.key, *(fields[name] for name in SEARCHED if name in fields)]))
