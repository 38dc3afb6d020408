"""References that are written out in a text: "(Munk et al., 1966)", a DOI, a list at the end.

They are no citations that pandoc knows, and yet they name a work.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from recto.references.citations import without_code
from recto.references.names import spellings

TITLES = (
    r"references(?: and notes)?|bibliography|literature|works cited|sources|further reading"
    r"|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|références|bibliographie|referencias"
    r"|bibliografía|bibliografia|riferimenti|referências|literatuur|litteratur|литература|参考文献"
)
"""What lists of references are called."""
HEADING = re.compile(
    rf"^(?:#{{1,6}}[ \t]+(?:\d+[.\d]*[ \t]+)?|\*\*)(?:list of )?(?:{TITLES})"
    r"(?: cited)?[ \t]*[:.]?(?:\*\*)?[ \t]*[:.]?[ \t]*#*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
NEXT_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)]|\[\d+\][:.]?)?[ \t]*(?P<words>\S[^\n]*)", re.MULTILINE)
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d{2}(?!\d)")
UNDATED = r"n\.\s?d\."
UNDATED_YEAR = re.compile(rf"(?<!\w){UNDATED}", re.IGNORECASE)
DOI_LINK = re.compile(
    r"\[(?P<label>[^\][\n]*)\]\(\s*<?(?:https?://(?:dx\.)?doi\.org/)(?P<linked>10\.\d{4,9}/[^\s()>]+"
    r"(?:\([^\s()]*\)[^\s()>]*)*)>?\s*\)"
    r"|<?(?:https?://(?:dx\.)?doi\.org/|\bdoi:\s*|(?<![\w./@-])(?=10\.))(?P<bare>10\.\d{4,9}/[^\s\"<>\]()]+"
    r"(?:\([^\s()]*\)[^\s\"<>\]()]*)*)>?",
    re.IGNORECASE,
)
PARTICLE = (
    r"(?:van|von|vom|zu|de|del|della|der|den|des|di|da|do|dos|du|la|le|lo|ten|ter|el|al|bin|ibn)\s"
)
NAME = rf"(?:{PARTICLE}){{0,3}}(?:[dl]['’])?[^\W\d_a-z][\w'’.-]*(?:\s[^\W\d_a-z][\w'’.-]*){{0,4}}"
ONE_NAME = rf"(?:{PARTICLE}){{0,3}}(?:[dl]['’])?[^\W\d_a-z][\w'’.-]*"
MONTH = (
    r"(?!(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Spring|Summer|Autumn|Winter)\b)"
)
ET_AL = r"[*_]{0,2}et\s+al\.?[*_]{0,2}"
OTHERS = rf"(?:,?\s+{ET_AL}|(?:,\s*{NAME}){{0,20}},?\s*(?:&|\band\b)\s*{NAME})"
# In a sentence one name with a year may be a place, a ship, a storm.
PEOPLE = rf"{MONTH}(?P<first>{NAME}){OTHERS}"
# In a sentence the word before a name may be capital, too: "However Munk".
FIRST = (
    rf"(?<!\w)(?P<first>(?:{PARTICLE}|(?:De|Du|El|La|Le|Van|Von)\s){{0,3}}{MONTH}"
    r"(?:[dl]['’])?[^\W\d_a-z][\w'’.-]*)"
)
DATED = rf"(?:(?P<year>(?:1[5-9]|20)\d{{2}})(?!\d)[a-z]?|(?P<undated>{UNDATED}))"
PAGE = r"(?:,\s*(?:pp?\.|ch\.|chap|sec|fig|table|eq)[^();\n]*)"
BRACKETS = re.compile(r"\((?P<items>[^()]{4,600})\)")
LEAD = r"\s*(?P<lead>(?:(?:see|also|cf\.|e\.g\.,?)\s+)*)"
BY_SEVERAL = re.compile(rf"{LEAD}{PEOPLE},?\s*{DATED}(?:,[^;]*)?\s*")
BY_ONE = re.compile(rf"{LEAD}{MONTH}(?P<first>{NAME}),?\s+{DATED}(?P<page>{PAGE}?)(?:,[^;]*)?\s*")
# "(Brest, 2014)" is a place and a year where the text speaks of Brest.
ALONE = re.compile(rf"\s*{MONTH}(?P<first>{ONE_NAME}),\s+{DATED}\s*")
IN_SENTENCE = re.compile(rf"{FIRST}{OTHERS},?\s+\({DATED}(?:[,;:][^()\n]*)?\)")
ONE_IN_SENTENCE = re.compile(rf"{FIRST}\s+\((?:{DATED}{PAGE}|{UNDATED})\)")
# With "and" in place of "et al." these may be people of any kind: "Rossi and Bianchi 2020".
ET_AL_IN_SENTENCE = re.compile(rf"{FIRST},?\s+{ET_AL},?\s+{DATED}(?!\w)")
ENTRY = re.compile(
    rf"^[ \t]*(?:[-*+]|\d+[.)]|\[\d+\][:.]?|\[\^[^\]\n]+\]:)?[ \t]*"
    rf"(?P<words>{NAME},\s+[^\W\d_a-z]\.[^\n]*?\((?:(?:1[5-9]|20)\d{{2}}[a-z]?|{UNDATED})\)[.,:][^\n]*)",
    re.MULTILINE,
)
"""A line that is a reference, such as "Munk, W. (1966). Tidal spectroscopy", wherever it stands."""
ARXIV = re.compile(
    r"<?(?:\barxiv:\s*|https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)"
    r"(?P<number>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?>?",
    re.IGNORECASE,
)
ARXIV_DOI = "10.48550/arXiv."
LINK = r"(?P<link>\[[^\][\n]*\]\(\s*)?<?"
LINK_END = r">?(?(link)\s*\))"
PMID = re.compile(
    rf"{LINK}(?:\bPMID:?\s*|https?://(?:pubmed\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov"
    rf"/pubmed)/)(?P<number>\d{{1,8}})(?![\d.]*\d)/?{LINK_END}",
    re.IGNORECASE,
)
PUBLISHERS = (
    r"link\.springer\.com|nature\.com|dl\.acm\.org|(?:\w+\.)?onlinelibrary\.wiley\.com|tandfonline\.com"
    r"|(?:journals\.)?sagepub\.com|pubs\.acs\.org|pubs\.aip\.org|science\.org|pnas\.org"
    r"|royalsocietypublishing\.org|iopscience\.iop\.org|journals\.aps\.org|frontiersin\.org"
    r"|(?:biorxiv|medrxiv)\.org|ascelibrary\.org|annualreviews\.org|journals\.ametsoc\.org"
    r"|journals\.plos\.org|pubs\.rsc\.org|emerald\.com"
)
"""Those whose addresses carry DOIs."""
PUBLISHER_LINK = re.compile(
    rf"{LINK}https?://(?:www\.)?(?:{PUBLISHERS})/(?:"
    r"(?:[\w./%-]*/|[\w./-]*\?id=)(?P<doi>10\.\d{4,9}/[^\s\"<>\[\]()?#]+(?:\([^\s()]*\)[^\s\"<>\[\]()?#]*)*)"
    r"|articles/(?P<nature>[a-z]\d{5}-\d{3}-\d{4,5}-\w|[a-z]+\d[\w.]*)(?![\w-]))"
    rf"(?:[?#][^\s()<>\"]*)?{LINK_END}",
    re.IGNORECASE,
)
NATURE_DOI = "10.1038/"
PAGE_OF_WORK = re.compile(
    r"(?:/(?:full|abstract|abs|summary|pdf|epdf|epub|html?|meta|figures|references|fulltext|tables)(?:/html)?"
    r"|v\d+(?:\.(?:full|abstract|full-text))?(?:\.pdf)?|\.pdf|/)$",
    re.IGNORECASE,
)
"""What addresses have behind the DOI."""
FIRST_AUTHOR = re.compile(r"(?:(?!and\b|et\b)[\w'’.-]+ ?){1,5}")
WORD = re.compile(r"[^\W_]+")
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
    pmid: str = ""
    family: str = ""
    year: str = ""


def brought_references(before: str, after: str) -> tuple[WrittenReference, ...]:
    """Those of a text that another did not have."""
    return tuple(
        found for found in find_written_references(after) if named_by(found, after) not in before
    )


def named_by(one: WrittenReference, text: str) -> str:
    """The letters by which a text names a work: those of its number, however it is linked."""
    words = text[one.start : one.end]
    numbers = (one.doi, one.doi.removeprefix(ARXIV_DOI), one.doi.removeprefix(NATURE_DOI))
    return next((number for number in numbers if number and number in words), words)


def find_written_references(text: str) -> tuple[WrittenReference, ...]:
    """Every reference that is written out; none lies within another."""
    prose = without_code(text)
    found: list[WrittenReference] = []
    for find in (
        listed_references,
        publisher_references,
        doi_references,
        preprint_references,
        pubmed_references,
        named_references,
    ):
        for one in find(prose):
            if not any(other.start < one.end and one.start < other.end for other in found):
                found.append(one)
    return tuple(sorted(found, key=lambda one: one.start))


def listed_references(prose: str) -> Iterator[WrittenReference]:
    """The items of lists of references; those that cite by a key are no such items."""
    for heading in HEADING.finditer(prose):
        following = NEXT_HEADING.search(prose, heading.end())
        end = len(prose) if following is None else following.start()
        for item in ITEM.finditer(prose, heading.end(), end):
            if is_dated(item["words"]) and "@" not in item["words"]:
                yield listed(item)
    for entry in ENTRY.finditer(prose):
        if "@" not in entry["words"]:
            yield listed(entry)


def lists_author(entry: WrittenReference, one: WrittenReference) -> bool:
    """Whether an entry of a list is of the first author and the year of another reference."""
    if one.kind != "author-year" or entry.kind != "listed":
        return False
    years = YEAR.findall(entry.text)
    is_year = one.year in years if one.year else UNDATED_YEAR.search(entry.text) is not None
    first = FIRST_AUTHOR.match(entry.text)
    if first is None or not is_year:
        return False
    named = {word for spelt in spellings(first[0]) for word in WORD.findall(spelt)}
    return any(WORD.findall(name)[-1] in named for name in spellings(one.family))


def is_dated(words: str) -> bool:
    """Whether words have a year, or say that there is none."""
    return YEAR.search(words) is not None or UNDATED_YEAR.search(words) is not None


def listed(item: re.Match[str]) -> WrittenReference:
    """One reference of a list."""
    start, words = item.start("words"), item["words"].rstrip()
    link = DOI_LINK.search(words)
    doi = "" if link is None else doi_of(link)
    return WrittenReference("listed", start, start + len(words), words, doi)


def doi_references(prose: str) -> Iterator[WrittenReference]:
    """DOIs, with the paragraph that each stands in."""
    for link in DOI_LINK.finditer(prose):
        doi = doi_of(link)
        end = link.end()
        if link["bare"] and not link[0].endswith(">"):
            end -= len(link["bare"]) - len(doi)
        yield WrittenReference("doi", link.start(), end, around(prose, link.start(), end), doi)


def preprint_references(prose: str) -> Iterator[WrittenReference]:
    """Numbers of arXiv, whose works have DOIs, too."""
    for named in ARXIV.finditer(prose):
        words = around(prose, *named.span())
        yield WrittenReference("doi", *named.span(), words, ARXIV_DOI + named["number"])


def publisher_references(prose: str) -> Iterator[WrittenReference]:
    """Addresses of publishers, which have the DOI of their work in them."""
    for link in PUBLISHER_LINK.finditer(prose):
        bare, end = (link["doi"] or link["nature"]).rstrip(SENTENCE_ENDS), link.end()
        if not link["link"] and not link[0].endswith(">"):
            end -= len(link[0]) - len(link[0].rstrip(SENTENCE_ENDS))
        doi = PAGE_OF_WORK.sub("", bare) if link["doi"] else NATURE_DOI + bare
        yield WrittenReference("doi", link.start(), end, around(prose, link.start(), end), doi)


def pubmed_references(prose: str) -> Iterator[WrittenReference]:
    """Numbers of PubMed."""
    for named in PMID.finditer(prose):
        start, end = with_brackets(prose, *named.span())
        words = around(prose, start, end)
        yield WrittenReference("doi", start, end, words, pmid=named["number"])


def around(prose: str, start: int, end: int) -> str:
    """The paragraph of a place."""
    first = prose.rfind("\n\n", 0, start) + 1
    last = prose.find("\n\n", end)
    return prose[first : len(prose) if last < 0 else last]


def named_references(prose: str) -> Iterator[WrittenReference]:
    """Names with a year."""
    for brackets in BRACKETS.finditer(prose):
        yield from bracketed_references(brackets, prose)
    for pattern in (IN_SENTENCE, ONE_IN_SENTENCE, ET_AL_IN_SENTENCE):
        for named in pattern.finditer(prose):
            yield author_year(named, *with_brackets(prose, *named.span()))


def with_brackets(prose: str, start: int, end: int) -> tuple[int, int]:
    """A place with its square brackets: a mark has its own, and two pairs would link to a note."""
    is_link = prose[end + 1 : end + 2] == "("
    is_bracketed = start > 0 and prose[start - 1] == "[" and prose[end : end + 1] == "]"
    return (start - 1, end + 1) if is_bracketed and not is_link else (start, end)


def bracketed_references(brackets: re.Match[str], prose: str) -> Iterator[WrittenReference]:
    """The references in one pair of brackets: "(see Munk et al., 1966; Pugh, 1987, p. 3)"."""
    items = brackets["items"].split(";")
    several = [BY_SEVERAL.fullmatch(item) for item in items]
    alone = [BY_ONE.fullmatch(item) for item in items]
    is_list = len(items) > 1 and all(a or b for a, b in zip(several, alone, strict=True))
    at = brackets.start("items")
    for item, many, one in zip(items, several, alone, strict=True):
        named = many or (one if one and (is_list or is_author(one, prose)) else None)
        if named is not None and len(items) == 1:
            yield author_year(named, *brackets.span())
        elif named is not None:
            start = at + len(item) - len(item.lstrip())
            yield author_year(named, start, at + len(item.rstrip()))
        at += len(item) + 1


def is_author(one: re.Match[str], prose: str) -> bool:
    """Whether one name in brackets is an author's: nothing that the text speaks of besides."""
    if one["page"] or one["lead"] or one["undated"]:
        return True
    if ALONE.fullmatch(one[0]) is None:
        return False
    name = re.escape(one["first"])
    return re.search(rf"(?<!\w){name}(?!\w)(?!,?\s+(?:\(?\d|et\s|and\s|&))", prose) is None


def author_year(named: re.Match[str], start: int, end: int) -> WrittenReference:
    """A reference by its first author and year."""
    words = named[0].strip()
    return WrittenReference(
        "author-year", start, end, words, family=named["first"], year=named["year"] or ""
    )


def doi_of(link: re.Match[str]) -> str:
    """The DOI of a link, without what ends the sentence around it."""
    return (link["linked"] or link["bare"]).rstrip(SENTENCE_ENDS)
