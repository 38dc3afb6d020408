"""Tools for the library of references."""

from recto.tools.library import (
    add_reference,
    cite_reference,
    edit_reference,
    get_reference,
    search_references,
)
from recto.tools.research import ResearchServices
from recto.tools.tool import Declaration, Tool

MODULES = (search_references, get_reference, add_reference, cite_reference, edit_reference)
REFERENCE_DECLARATIONS: tuple[Declaration, ...] = tuple(module.DECLARATION for module in MODULES)


def reference_tools(research: ResearchServices) -> tuple[Tool, ...]:
    """All of them, in the order in which they are shown."""
    return tuple(module.tool(research) for module in MODULES)
