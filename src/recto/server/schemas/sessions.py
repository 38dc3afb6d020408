"""The JSON of sessions, and of links that sign in."""

from recto.server.schemas.base import Schema


class SessionLink(Schema):
    """An address that signs in one browser, once."""

    url: str


class SignedInBrowser(Schema):
    """A browser that is signed in."""

    id: str
    browser: str
    """What it called itself, such as Firefox on Linux; empty if it did not say."""
    signed_in_at: int
    expires_at: int
    is_this: bool
    """Whether it is the one that asks."""


class SignedInBrowsers(Schema):
    """Every browser that is signed in, the latest first."""

    items: list[SignedInBrowser]
