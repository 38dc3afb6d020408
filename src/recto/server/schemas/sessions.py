"""The JSON of links that sign in."""

from recto.server.schemas.base import Schema


class SessionLink(Schema):
    """An address that signs in one browser, once."""

    url: str
