"""Markers that say who may use a route. A route without one is refused to everybody."""

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

Endpoint = TypeVar("Endpoint", bound=Callable[..., object])
MARK = "__recto_access__"
SIZE_MARK = "__recto_body_bytes__"
MEGABYTE = 1024 * 1024


class RouteAccess(Enum):
    """Who may use a route."""

    ANYONE = "anyone"
    PAGE = "page"
    """The page's own files, the same for everybody: the browser's cookie is enough."""
    EMBED = "embed"
    """What a page shows or saves by its address alone: a ticket stands for the page's secret."""
    SESSION = "session"


def for_anyone(endpoint: Endpoint) -> Endpoint:
    """Mark a route that works without a session, such as signing in."""
    setattr(endpoint, MARK, RouteAccess.ANYONE)
    return endpoint


def for_page(endpoint: Endpoint) -> Endpoint:
    """Mark a route that serves the page itself to a signed-in browser."""
    setattr(endpoint, MARK, RouteAccess.PAGE)
    return endpoint


def for_embedding(endpoint: Endpoint) -> Endpoint:
    """Mark a route that a page names in a picture, a frame or a link, where no header goes along.

    It only reads. The ticket in its address counts beside the cookie, never alone.
    """
    setattr(endpoint, MARK, RouteAccess.EMBED)
    return endpoint


def for_session(endpoint: Endpoint) -> Endpoint:
    """Mark a route that needs a signed-in browser or the token."""
    setattr(endpoint, MARK, RouteAccess.SESSION)
    return endpoint


def takes_megabytes(most: int) -> Callable[[Endpoint], Endpoint]:
    """Mark a route whose body may be larger than usual, such as one with pictures."""

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, SIZE_MARK, most * MEGABYTE)
        return endpoint

    return mark


def body_limit(endpoint: object) -> int:
    """The most bytes that a request to a route may have: one megabyte unless it says more."""
    return getattr(endpoint, SIZE_MARK, MEGABYTE)


def access_of(endpoint: object) -> RouteAccess | None:
    """The marker of a route, or None: then nobody may use it."""
    found = getattr(endpoint, MARK, None)
    return found if isinstance(found, RouteAccess) else None
