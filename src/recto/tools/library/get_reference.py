"""get_reference: one entry of the library, whole."""

from functools import partial
from typing import Annotated

from msgspec import Meta

from recto.references import ReferenceFailure
from recto.tools.library.shown import whole
from recto.tools.research import ResearchServices
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said


class GetReference(Arguments, frozen=True):
    """Which one."""

    key: Annotated[str, Meta(description="Its key, without the @.", min_length=1)]
    document: Annotated[
        str, Meta(description="A document whose own bibliography is searched, too.")
    ] = ""


DECLARATION = Declaration(
    name="get_reference",
    title="Read one reference, whole",
    description="Everything that the library says of one reference, by its key.",
    parameters=parameters_of(GetReference),
    group="references",
    changes=False,
    main="key",
    doing="Reading reference",
    done="Read reference",
)


async def run(research: ResearchServices, asked: GetReference, context: ToolContext) -> ToolOutcome:
    """Show it."""
    library = await research.library(context, asked.document)
    key = asked.key.removeprefix("@")
    try:
        reference, (file, _) = library.get(key), library.entry(key)
    except ReferenceFailure as failure:
        raise ToolFailure(str(failure)) from failure
    return said(whole(reference, file.path, read_only=file.read_only), fact=reference.year)


def tool(research: ResearchServices) -> Tool:
    """The tool, over these services."""
    return Tool(DECLARATION, partial(run, research), GetReference)
