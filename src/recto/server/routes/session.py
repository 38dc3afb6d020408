"""Signing in and out: one-time links, the token form, new links for other browsers."""

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from recto.server.access import for_anyone, for_session
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import NOT_SIGNED_IN, may_answer
from recto.server.schemas.sessions import SessionLink, SignedInBrowser, SignedInBrowsers
from recto.server.services import Site, SiteDependency
from recto.server.sessions import SESSION_DAYS, Session
from recto.server.sign_in import sign_in_page

router = APIRouter(tags=["session"])

# In this order: each of them also calls itself what comes after it.
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)

USED_LINK = Problem(
    401,
    "This link has been used",
    "Each link signs in one browser, once, within an hour.",
    remedy="Run recto again for a new one.",
)
WRONG_TOKEN = Problem(401, "Wrong token", "That is not this server's token.")
NO_SUCH_SESSION = Problem(404, "Not signed in", "That browser is not signed in any more.")
TOO_MANY = Problem(429, "Too many wrong attempts", "Wait a minute, then try again.")


@router.get("/open/{code}", include_in_schema=False)
@for_anyone
async def redeem(code: str, request: Request, site: SiteDependency) -> Response:
    """Sign in by a one-time link. A browser that is signed in already just goes on."""
    if request.state.session is not None:
        # Its page may have lost its secret; only a fresh link gives it back.
        good = site.sessions.take_link(code)
        known = site.sessions.page_secret(request.cookies[site.doorway.cookie]) if good else None
        where = target(request) + (known.fragment if known else "")
        return RedirectResponse(where, status_code=303)
    cookie = site.sessions.redeem(code, browser_of(request))
    if cookie is None:
        too_many = site.sessions.note_wrong()
        return sign_in_page(TOO_MANY if too_many else USED_LINK)
    return welcome(cookie, site, target(request))


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


def browser_of(request: Request) -> str:
    """What a browser calls itself, in a few words."""
    agent = request.headers.get("user-agent", "")
    name = next((words for mark, words in BROWSERS if mark in agent), "")
    system = next((words for mark, words in SYSTEMS if mark in agent), "")
    return " on ".join(filter(None, (name, system)))


def target(request: Request) -> str:
    """Where a link leads: the page, on the project it names."""
    project = request.query_params.get("project", "")
    return f"/?project={project}" if project.isalnum() and project.isascii() else "/"


def welcome(cookie: str, site: Site, where: str) -> Response:
    """Set the cookie, hand over the page's secret; the code does not stay in the address."""
    page = site.sessions.page_secret(cookie)
    response = RedirectResponse(where + page.fragment, status_code=303)
    response.set_cookie(
        site.doorway.cookie,
        cookie,
        max_age=SESSION_DAYS * 24 * 60 * 60,
        httponly=True,
        samesite="strict",
        secure=site.doorway.scheme == "https",
        path="/",
    )
    response.headers["cache-control"] = "no-store"
    return response
