"""edit_reference: some fields of one entry; every other byte of the file stays."""

from functools import partial
from typing import Annotated

from msgspec import Meta

from recto.references import ReferenceFailure
from recto.tools.library.writing import write_library
from recto.tools.research import ResearchServices
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said


class FieldChange(Arguments, frozen=True):
    """One field."""

    name: Annotated[str, Meta(description="Such as title, author, year, doi.", min_length=1)]
    value: Annotated[
        str,
        Meta(description='What it says; "A, B and C, D" for several people. Empty removes it.'),
    ] = ""


class EditReference(Arguments, frozen=True):
    """What to change."""

    key: Annotated[str, Meta(description="The reference's key, without the @.", min_length=1)]
    changes: Annotated[
        list[FieldChange], Meta(description="The fields to change.", max_length=50)
    ] = []
    type: Annotated[str, Meta(description="Another type, such as article or book.")] = ""
    new_key: Annotated[
        str, Meta(description="Another key. Texts that cite the old one are not changed.")
    ] = ""


DECLARATION = Declaration(
    name="edit_reference",
    title="Change fields of a reference",
    description=(
        "Change fields of one reference in the library, by BibTeX's names. Nothing else in the "
        "file changes. Entries of a file that another program writes can't be changed here."
    ),
    parameters=parameters_of(EditReference),
    group="references",
    changes=True,
    main="key",
    doing="Editing reference",
    done="Edited reference",
)


async def run(
    research: ResearchServices, asked: EditReference, context: ToolContext
) -> ToolOutcome:
    """Change it."""
    changes = {change.name: change.value or None for change in asked.changes}
    if not changes and not asked.type and not asked.new_key:
        raise ToolFailure("There is nothing to change. Name fields, a type or a new key.")
    library = await research.library(context)
    key = asked.key.removeprefix("@")
    try:
        write = library.edit(key, changes, kind=asked.type or None, new_key=asked.new_key or None)
    except ReferenceFailure as failure:
        raise ToolFailure(str(failure)) from failure
    await write_library(write, context)
    named = [*changes, *(["type"] if asked.type else []), *(["key"] if asked.new_key else [])]
    return said(f"Changed {', '.join(named)} of @{write.key} in {write.path}.", fact=write.key)


def tool(research: ResearchServices) -> Tool:
    """The tool, over these services."""
    return Tool(DECLARATION, partial(run, research), EditReference)
