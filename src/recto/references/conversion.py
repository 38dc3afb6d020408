"""CSL-JSON, in which services and pandoc tell of works, as BibTeX; and edits the other way."""

import re
from collections.abc import Mapping
from typing import Any

from recto.references.failures import ReferenceInvalid
from recto.references.latex import to_latex
from recto.references.names import read_names, written_names
from recto.references.reference import CSL_NAMES, CSL_TYPES, VERBATIM, csl_date, csl_people

ORDER = (
    "author", "editor", "translator", "title", "journal", "booktitle", "year", "month", "volume",
    "number", "pages", "edition", "series", "publisher", "school", "institution", "address", "doi",
    "url", "eprint", "eprinttype", "isbn", "issn", "pmid", "language", "keywords", "note",
    "abstract",
)  # fmt: skip
PLAIN = (
    "title", "volume", "issue", "page", "edition", "publisher", "publisher-place", "DOI", "URL",
    "ISBN", "ISSN", "PMID", "language", "keyword", "note", "abstract",
)  # fmt: skip
CSL_BY_BIBTEX = {
    **{name.lower(): name for name in PLAIN},
    **{bibtex: name for name, bibtex in CSL_NAMES.items()},
    "journaltitle": "container-title",
    "booktitle": "container-title",
    "school": "publisher",
    "institution": "publisher",
}
CSL_KINDS = {bibtex: kind for kind, bibtex in reversed(CSL_TYPES.items())}
PAGES = re.compile(r"(?<=\d)\s*[-–—]\s*(?=\d)")
MARKUP = re.compile(r"</?(?:i|b|sub|sup|em|strong|scp|p|jats:\w+|mml:\w+)\b[^>]*>")


def bibtex_of(item: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """An item of CSL-JSON as a type and fields of BibTeX."""
    kind = CSL_TYPES.get(str(item.get("type", "")), "misc")
    fields: dict[str, str] = {}
    for role in ("author", "editor", "translator"):
        people = csl_people(item, role)
        if people:
            fields[role] = to_latex_names(written_names(people))
    for name in PLAIN:
        value = item.get(name)
        if isinstance(value, str | int | float) and str(value).strip():
            fields[CSL_NAMES.get(name, name.lower())] = one_line(str(value))
    container = item.get("container-title")
    if isinstance(container, str) and container:
        is_part = kind in ("inproceedings", "incollection")
        fields["booktitle" if is_part else "journal"] = one_line(container)
    year = csl_date(item.get("issued"))
    if year:
        fields["year"] = year
    match item.get("issued"):
        case {"date-parts": [[_, int() as month, *_], *_]} if 1 <= month <= 12:
            fields["month"] = str(month)
        case _:
            pass
    if "pages" in fields:
        fields["pages"] = PAGES.sub("--", fields["pages"])
    if kind == "phdthesis" and "publisher" in fields:
        fields["school"] = fields.pop("publisher")
    if kind == "techreport" and "publisher" in fields:
        fields["institution"] = fields.pop("publisher")
    if isinstance(item.get("eprint"), str):
        fields |= {"eprint": item["eprint"], "eprinttype": str(item.get("eprinttype", "arxiv"))}
    written = {
        name: balanced(value if name in VERBATIM or name in PEOPLE else to_latex(value))
        for name, value in fields.items()
    }
    return kind, {name: written[name] for name in ORDER if name in written}


PEOPLE = ("author", "editor", "translator")


def to_latex_names(names: str) -> str:
    """Names, in which braces hold those of organisations together."""
    return re.sub(r"(?<!\\)[&%#_]", r"\\\g<0>", names)


def one_line(text: str) -> str:
    """A value without line ends and the markup that services put into titles."""
    return re.sub(r"\s+", " ", MARKUP.sub("", text)).strip()


def balanced(value: str) -> str:
    """A value that can stand in braces: without them where they don't match."""
    depth = 0
    for sign in value:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            break
    clean = value if depth == 0 else re.sub(r"[{}]", "", value)
    return clean.replace("\0", "")


def csl_changes(changes: Mapping[str, str | None], kind: str | None) -> dict[str, Any]:
    """Changes by BibTeX's names as members of an item. Raises ReferenceInvalid."""
    told: dict[str, Any] = {}
    for name, value in changes.items():
        small = name.lower()
        if small in PEOPLE:
            told[small] = (
                None
                if value is None
                else [
                    {
                        part: text
                        for part, text in (
                            ("family", person.family),
                            ("given", person.given),
                            ("non-dropping-particle", person.particle),
                            ("suffix", person.suffix),
                        )
                        if text
                    }
                    for person in read_names(value)
                ]
            )
        elif small in ("year", "date"):
            told["issued"] = None if value is None else {"date-parts": [date_parts(value)]}
        else:
            told[CSL_BY_BIBTEX.get(small, name)] = value
    if kind is not None:
        told["type"] = CSL_KINDS.get(kind.lower(), kind)
    return told


def date_parts(value: str) -> list[int]:
    """A date as CSL wants it. Raises ReferenceInvalid."""
    parts = value.strip().split("-")
    if not all(part.isdecimal() and len(part) <= 4 for part in parts) or len(parts) > 3:
        raise ReferenceInvalid(f"{value!r} is no date. Write 1987 or 1987-05-31.")
    return [int(part) for part in parts]
