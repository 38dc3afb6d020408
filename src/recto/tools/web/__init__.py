"""Tools that look elsewhere: the web, papers, pages."""

from recto.tools.research import ResearchServices
from recto.tools.tool import Declaration, Tool
from recto.tools.web import fetch_url, search_papers, web_search

MODULES = (web_search, search_papers, fetch_url)
WEB_DECLARATIONS: tuple[Declaration, ...] = tuple(module.DECLARATION for module in MODULES)


def web_tools(research: ResearchServices) -> tuple[Tool, ...]:
    """All of them, in the order in which they are shown."""
    return tuple(module.tool(research) for module in MODULES)
