"""search_papers: works by some words, from OpenAlex, Exa or CrossRef."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from recto.research import PapersUnavailable
from recto.tools.research import ResearchServices
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, failed, said

SHOWN = {
    "year": "year",
    "journal": "journal",
    "volume": "volume",
    "issue": "issue",
    "pages": "pages",
    "type": "type",
    "doi": "doi",
    "citations": "citations",
    "openAccess": "open access",
    "openAccessUrl": "open access at",
    "id": "id",
    "abstract": "abstract",
}
REMEDY = (
    "Try again in a minute, or with fewer words. If it fails again, tell the user that papers can't"
    " be searched now; don't name papers from memory as if they had been found."
)


class SearchPapers(Arguments, frozen=True):
    """What to look for."""

    query: Annotated[str, Meta(description="Words of the title or the subject.", min_length=1)]
    count: Annotated[int, Meta(description="How many.", ge=1, le=10)] = 5


DECLARATION = Declaration(
    name="search_papers",
    title="Search for papers",
    description=(
        "Find scholarly works by their subject or title: OpenAlex, else Exa, else CrossRef. "
        "Answers title, authors, year, DOI, citations, journal, open access and the beginning of "
        "the abstract. Add one to the library with add_reference and its DOI."
    ),
    parameters=parameters_of(SearchPapers),
    group="web",
    changes=False,
    reaches_out=True,
    main="query",
    doing="Searching papers",
    done="Searched papers",
)


async def run(research: ResearchServices, asked: SearchPapers, context: ToolContext) -> ToolOutcome:
    """Look for them."""
    try:
        found = await research.papers.search(asked.query.strip()[:1000], asked.count)
    except PapersUnavailable as unavailable:
        told = {
            "error": "no service that finds papers answered",
            "failures": [
                {"service": failure.service, "why": failure.why} for failure in unavailable.failures
            ],
            "remedy": REMEDY,
        }
        return failed(json.dumps(told, ensure_ascii=False, indent=2))
    note = [" ".join(found.notes)] if found.notes else []
    if not found.papers:
        return said("\n\n".join([*note, f"{found.service} found no such paper."]), fact="none")
    rows = [paper(number, row) for number, row in enumerate(found.papers, 1)]
    return said("\n\n".join([*note, *rows]), fact=f"{len(rows)} found")


def paper(number: int, row: Mapping[str, Any]) -> str:
    """One work, a few lines."""
    authors = ", ".join(str(name) for name in row.get("authors") or ())
    # In one line each: the page reads them back, to offer each for the library.
    title = " ".join(str(row.get("title") or "").split())
    lines = [f"{number}. {title or 'Without a title'}"]
    lines += [f"   authors: {authors}"] if authors else []
    lines += [
        f"   {words}: {row[name]}" for name, words in SHOWN.items() if row.get(name) is not None
    ]
    if row.get("isRetracted"):
        lines.append("   RETRACTED: don't cite it as a source.")
    return "\n".join(lines)


def tool(research: ResearchServices) -> Tool:
    """The tool, over these services."""
    return Tool(DECLARATION, partial(run, research), SearchPapers)
