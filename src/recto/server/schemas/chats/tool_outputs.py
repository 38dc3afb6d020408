"""The JSON of long outputs of tools."""

from recto.server.schemas.base import Schema


class ToolOutput(Schema):
    """A part of an output that is kept whole."""

    text: str
    characters: int
    """How long all of it is."""
