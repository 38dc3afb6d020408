"""search_references: what the library has, by some words."""

from functools import partial
from typing import Annotated

import anyio.to_thread
from msgspec import Meta

from recto.tools.library.shown import line_of
from recto.tools.research import ResearchServices, describe_file
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said

MOST = 50


class SearchReferences(Arguments, frozen=True):
    """What to look for."""

    query: Annotated[str, Meta(description="Words that must all be found; empty lists everything.")]
    document: Annotated[
        str, Meta(description="A document whose own bibliography is searched, too.")
    ] = ""
    limit: Annotated[int, Meta(description="How many to show.", ge=1, le=MOST)] = 10


DECLARATION = Declaration(
    name="search_references",
    title="Search the library of references",
    description=(
        "Find references in the folder's own library (references/*.bib and CSL-JSON). Every word "
        "must be found in title, key, DOI, year, authors, tags, journal or abstract. Answers the "
        "keys to cite by. For works that are not in the library use search_papers."
    ),
    parameters=parameters_of(SearchReferences),
    group="references",
    changes=False,
    main="query",
    doing="Searching references",
    done="Searched references",
)


async def run(
    research: ResearchServices, asked: SearchReferences, context: ToolContext
) -> ToolOutcome:
    """Look for it."""
    library = await research.library(context, asked.document)
    found = await anyio.to_thread.run_sync(partial(library.search, asked.query, limit=asked.limit))
    if not found.total:
        where = ", ".join(map(describe_file, library.files)) or "there is no library yet"
        return said(f"No reference has all of these words ({where}).", fact="none")
    lines = [line_of(reference) for reference in found.references]
    if found.total > len(lines):
        lines.append(f"[{found.total - len(lines):,} more. Use more words.]")
    return said("\n".join(lines), fact=f"{len(found.references)} of {found.total:,}")


def tool(research: ResearchServices) -> Tool:
    """The tool, over these services."""
    return Tool(DECLARATION, partial(run, research), SearchReferences)
