"""The page itself. Last of all routes: it takes every address that nothing else took."""

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from recto.server.access import for_page
from recto.server.services import SiteDependency

router = APIRouter(include_in_schema=False)


@router.get("/{path:path}")
@for_page
async def page(request: Request, site: SiteDependency) -> Response:
    """A file of the page."""
    response = site.page.respond(request)
    if response is None:
        raise HTTPException(404, "Not found")
    return response
