"""The JSON of the rules of keeping."""

from recto.server.schemas.base import Schema


class KeptRecords(Schema):
    """One kind of record: what is kept, for how long, and why."""

    kept: str
    how_long: str
    why: str


class KeepingRules(Schema):
    """What Recto keeps, and when it goes by itself."""

    rules: list[KeptRecords]
