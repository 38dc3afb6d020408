"""Signing in and out: the token form, new links for other browsers."""

from urllib.parse import parse_qs

from fastapi import Request
from starlette.responses import Response

from recto.server.access import for_anyone, for_session
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import NOT_SIGNED_IN, may_answer
from recto.server.routes.browser import TOO_MANY, browser_of, welcome
from recto.server.routes.router import Router
from recto.server.schemas.sessions import SessionLink, SignedInBrowser, SignedInBrowsers
from recto.server.services import SiteDependency
from recto.server.sessions import Session
from recto.server.sign_in import sign_in_page

router = Router(tags=["session"])

WRONG_TOKEN = Problem(401, "Wrong token", "That is not this server's token.")
NO_SUCH_SESSION = Problem(404, "Not signed in", "That browser is not signed in any more.")


@router.post("/sign-in", include_in_schema=False)
@for_anyone
async def sign_in(request: Request, site: SiteDependency) -> Response:
    """Sign in by typing the token."""
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    cookie = site.sessions.sign_in(fields.get("token", [""])[0], browser_of(request))
    if cookie is None:
        too_many = site.sessions.note_wrong()
        return sign_in_page(TOO_MANY if too_many else WRONG_TOKEN)
    return welcome(cookie, site, "/")


@router.post(
    "/api/v1/session/link", status_code=201, response_model=SessionLink, responses=NOT_SIGNED_IN
)
@for_session
async def new_link(site: SiteDependency) -> SessionLink:
    """A link that signs in another browser."""
    return SessionLink(url=f"{site.base_url}/open/{site.sessions.new_link_code()}")


@router.delete("/api/v1/session", status_code=204, responses=NOT_SIGNED_IN)
@for_session
async def sign_out(request: Request, site: SiteDependency) -> Response:
    """Sign this browser out; its open streams end."""
    session: Session = request.state.session
    site.sessions.end(session)
    response = Response(status_code=204)
    response.delete_cookie(site.doorway.cookie, path="/")
    return response


@router.get("/api/v1/sessions", response_model=SignedInBrowsers, responses=NOT_SIGNED_IN)
@for_session
async def signed_in(request: Request, site: SiteDependency) -> SignedInBrowsers:
    """Every browser that is signed in."""
    return SignedInBrowsers(
        items=[
            SignedInBrowser(
                id=session.id,
                browser=session.browser,
                signed_in_at=session.signed_in_ms,
                expires_at=session.expires_ms,
                is_this=session is request.state.session,
            )
            for session in site.sessions.all
        ]
    )


@router.delete("/api/v1/sessions", status_code=204, responses=NOT_SIGNED_IN)
@for_session
async def sign_out_others(request: Request, site: SiteDependency) -> None:
    """Sign out everywhere but here: other browsers' open pages end, links that are out are void."""
    site.sessions.end_others(request.state.session)


@router.delete("/api/v1/sessions/{session_id}", status_code=204, responses=may_answer(404))
@for_session
async def sign_one_out(session_id: str, site: SiteDependency) -> None:
    """Sign one browser out; its open pages end."""
    found = next((one for one in site.sessions.all if one.id == session_id), None)
    if found is None:
        raise RequestProblem(NO_SUCH_SESSION)
    site.sessions.end(found)
