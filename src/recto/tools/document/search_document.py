"""search_document: the lines of the open document that have a text or fit an expression."""

from functools import partial
from typing import Annotated

from msgspec import Meta

from recto.tools.builtin.search_content import SearchContent, search_text, show
from recto.tools.document.target import DocumentTarget, counted, look
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said

MOST = 20
AROUND = 1
"""How many lines are shown on each side of a match."""
NOTHING = (
    "Nothing was found. Case does not count. Try fewer or other words, or look with read_document."
)


class SearchDocument(Arguments, frozen=True):
    """What to look for."""

    query: Annotated[str, Meta(description="The text to look for, within one line.")]
    is_regex: Annotated[
        bool, Meta(description="Whether query is a regular expression, without look-around.")
    ] = False


async def run(aim: DocumentTarget, asked: SearchDocument, context: ToolContext) -> ToolOutcome:
    """Look for it."""
    seen = await look(aim, context)
    # Plain or not, case never counts; and either way the time is linear in the text.
    query = SearchContent(query=asked.query, regex=asked.is_regex, case_sensitive=False)
    found = await search_text(seen.text, query)
    if not found.matches:
        return said(NOTHING, fact="no matches")
    told = [show(found.matches[:MOST], seen.lines, AROUND)]
    more = len(found.matches) - MOST
    if more > 0 or found.truncated:
        some = f"{more:,} or more" if found.truncated else f"{more:,}"
        told.append(f"[{some} other lines have it, too. Narrow the search to see them.]")
    return said("\n\n".join(told), fact=f"{counted(len(found.matches), 'line')} found")


DECLARATION = Declaration(
    name="search_document",
    title="Search the open document",
    description=(
        "Find the lines of the open document that have a text, or fit a regular expression: up to "
        "20, numbered, with the line before and after each. Case does not count, neither for text "
        "nor for expressions; (?-i) at the beginning of an expression makes it count."
    ),
    parameters=parameters_of(SearchDocument),
    group="workspace",
    changes=False,
    main="query",
    doing="Searching",
    done="Searched",
    rules_of="read_file",
)


def search_document(aim: DocumentTarget) -> Tool:
    """The tool, for one document."""
    return Tool(DECLARATION, partial(run, aim), SearchDocument, touches=lambda _: (aim.path,))
