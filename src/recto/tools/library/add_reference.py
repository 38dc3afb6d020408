"""add_reference: a work into the library, by a number, an address, its title or a citation."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import anyio.to_thread
from msgspec import Meta

from recto.references import ReferenceFailure
from recto.research import WorkNotFound, read_doi
from recto.tools.library.shown import line_of
from recto.tools.library.writing import write_library
from recto.tools.research import ResearchServices, item_fields
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said


class AddReference(Arguments, frozen=True):
    """What to add."""

    reference: Annotated[
        str,
        Meta(
            description=(
                "A DOI, arXiv number, ISBN, PMID (write PMID: before it), an address, the exact "
                "title, or a citation as it is printed."
            ),
            min_length=1,
        ),
    ]
    key: Annotated[
        str, Meta(description="The key to cite it by; else one is made of name and year.")
    ] = ""


DECLARATION = Declaration(
    name="add_reference",
    title="Add a work to the library",
    description=(
        "Add a work to the folder's library and answer its key. Its record is asked of CrossRef, "
        "DataCite, arXiv, PubMed or Open Library; what none of them has, a model reads out of the "
        "text, which is said. Of a work that is there already the key is answered, and nothing is "
        "added. Never make up a reference: one that is not found is not added."
    ),
    parameters=parameters_of(AddReference),
    group="references",
    changes=True,
    reaches_out=True,
    main="reference",
    doing="Adding reference",
    done="Added reference",
)


async def run(research: ResearchServices, asked: AddReference, context: ToolContext) -> ToolOutcome:
    """Find its record, and add it."""
    doi = read_doi(asked.reference)
    known = await known_work(research, {"DOI": doi}, context) if doi else None
    if known is not None:  # nobody needs to be asked
        return known
    try:
        found = await research.records.find(asked.reference)
    except WorkNotFound as failure:
        words = f"Nothing was added. {str(failure)[:1].upper()}{str(failure)[1:]}"
        raise ToolFailure(words) from failure
    known = await known_work(research, found.item, context)
    if known is not None:
        return known
    library = await research.library(context)
    try:
        write = library.add(found.item, key=asked.key)
    except ReferenceFailure as failure:
        raise ToolFailure(f"Nothing was added. {failure}") from failure
    await write_library(write, context)
    lines = [f"Added to {write.path}. Cite it as [@{write.key}].", item_fields(found.item)]
    if found.is_record:
        lines.append(f"(record of {found.source})")
    else:
        lines.append(
            "(No service has a record of it: a model read this out of the text. Tell the user that"
            " it is not verified.)"
        )
    return said("\n".join(lines), fact=write.key)


async def known_work(
    research: ResearchServices, item: Mapping[str, Any], context: ToolContext
) -> ToolOutcome | None:
    """What is said of a work that the library has."""
    library = await research.library(context)
    known = await anyio.to_thread.run_sync(library.duplicate_of, item)
    if known is None:
        return None
    words = f"It is in the library already. Cite it as [@{known.key}].\n{line_of(known)}"
    return said(words, fact=known.key)


def tool(research: ResearchServices) -> Tool:
    """The tool, over these services."""
    return Tool(DECLARATION, partial(run, research), AddReference)
