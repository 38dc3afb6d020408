"""Markers that say who may use a route. A route without one is refused to everybody."""

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

Endpoint = TypeVar("Endpoint", bound=Callable[..., object])
MARK = "__recto_access__"


class Access(Enum):
    """Who may use a route."""

    ANYONE = "anyone"
    SESSION = "session"


def for_anyone(endpoint: Endpoint) -> Endpoint:
    """Mark a route that works without a session, such as signing in."""
    setattr(endpoint, MARK, Access.ANYONE)
    return endpoint


def for_session(endpoint: Endpoint) -> Endpoint:
    """Mark a route that needs a signed-in browser or the token."""
    setattr(endpoint, MARK, Access.SESSION)
    return endpoint


def access_of(endpoint: object) -> Access | None:
    """The marker of a route, or None: then nobody may use it."""
    found = getattr(endpoint, MARK, None)
    return found if isinstance(found, Access) else None
