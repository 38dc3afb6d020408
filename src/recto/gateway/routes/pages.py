"""The built pages. Who is signed in they find out themselves: nothing in them is anybody's."""

from typing import Protocol

from fastapi import APIRouter, Request
from starlette.responses import Response

from recto.gateway.problems import ApiProblem, ApiRefused
from recto.gateway.route_access import open_to_anyone

router = APIRouter(tags=["pages"])

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
NO_PAGE = ApiProblem(404, "Not found", "There is no page at this address.")


class Pages(Protocol):
    """The files of the pages by their address."""

    def respond(self, request: Request, /) -> Response | None:
        """The file at the request's address; None if there is none."""
        ...


@router.get("/", include_in_schema=False)
@router.get("/assets/{name}", include_in_schema=False)
@router.get("/icon.svg", include_in_schema=False)
@router.get("/licences.txt", include_in_schema=False)
@open_to_anyone
async def page_file(request: Request) -> Response:
    """A file of the pages."""
    pages: Pages | None = request.app.state.pages
    response = None if pages is None else pages.respond(request)
    if response is None:
        raise ApiRefused(NO_PAGE)
    response.headers["content-security-policy"] = POLICY
    return response
