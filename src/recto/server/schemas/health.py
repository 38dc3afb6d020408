"""The JSON of the server's health."""

from typing import Literal

from recto.server.schemas.base import Schema


class BackgroundTask(Schema):
    """How one kind of background work is; `pausing` when it failed and is about to begin again."""

    name: str
    state: Literal["idle", "running", "pausing"]
    failures: int
    last_error: str | None


class Health(Schema):
    """The server is there; `waiting` while its database does not answer."""

    status: Literal["ok", "waiting"]
    version: str
    tasks: list[BackgroundTask]
