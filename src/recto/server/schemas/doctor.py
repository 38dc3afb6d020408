"""The JSON of the doctor's checks."""

from typing import Literal

from recto.server.schemas.base import Schema


class DoctorCheck(Schema):
    """One thing Recto needs, and how it is."""

    name: str
    state: Literal["ok", "warning", "problem"]
    detail: str
    remedy: str | None


class DoctorReport(Schema):
    """Everything Recto needs of this computer."""

    checks: list[DoctorCheck]
