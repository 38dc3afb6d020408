"""Markers that say who may use a route of the people's API. One without is refused to everybody."""

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

Endpoint = TypeVar("Endpoint", bound=Callable[..., object])
MARK = "__recto_gateway_access__"


class Audience(Enum):
    """Who may use a route."""

    ANYONE = "anyone"
    MEMBER = "member"
    ADMIN = "admin"


def open_to_anyone(endpoint: Endpoint) -> Endpoint:
    """Mark a route that works for strangers, such as signing in."""
    setattr(endpoint, MARK, Audience.ANYONE)
    return endpoint


def for_members(endpoint: Endpoint) -> Endpoint:
    """Mark a route for whoever is signed in: it gives them only what is theirs."""
    setattr(endpoint, MARK, Audience.MEMBER)
    return endpoint


def for_admins(endpoint: Endpoint) -> Endpoint:
    """Mark a route for admins, and the operator's own commands."""
    setattr(endpoint, MARK, Audience.ADMIN)
    return endpoint


def audience_of(endpoint: object) -> Audience | None:
    """The marker of a route, or None: then nobody may use it."""
    found = getattr(endpoint, MARK, None)
    return found if isinstance(found, Audience) else None
