"""The page, and the one-time links that open it: what is answered before all else is loaded.

So nothing here may need more than the gate does.
"""

from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from recto.server.access import for_anyone, for_page
from recto.server.gate import Site
from recto.server.problems import Problem
from recto.server.sessions import SESSION_DAYS
from recto.server.sign_in import sign_in_page

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
TOO_MANY = Problem(429, "Too many wrong attempts", "Wait a minute, then try again.")


@for_anyone
async def redeem(request: Request) -> Response:
    """Sign in by a one-time link. A browser that is signed in already just goes on."""
    site: Site = request.app.state.site
    code = request.path_params["code"]
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


@for_page
async def show_page(request: Request) -> Response:
    """A file of the page."""
    site: Site = request.app.state.site
    response = site.page.respond(request)
    if response is None:
        raise HTTPException(404, "Not found")
    return response


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


def get_route(path: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
    """A route for GET alone: what only looks at a link, by HEAD, must not use it up."""
    route = Route(path, endpoint)
    route.methods = {"GET"}
    return route


LINK = get_route("/open/{code}", redeem)
PAGE = get_route("/{path:path}", show_page)
"""Last of all routes: it takes every address that nothing else took."""
