"""What the page reads when it opens, in one answer."""

from pydantic import JsonValue

from recto.server.schemas.base import Schema


class EarlyAnswer(Schema):
    """What one address answers, as if it had been asked by itself.

    The line before all of these lists the addresses: {"expected": [...]}.
    """

    address: str
    """Path and query, as the page asks for it."""
    status: int
    headers: dict[str, str]
    """Its type, and its ETag where it has one."""
    body: JsonValue
