"""What servers are run with."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from recto.config import Home
from recto.mcp.records import ServerRecords
from recto.mcp.signing_in.sign_ins import McpSignIns
from recto.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class ServerServices:
    """What servers are run with."""

    home: Home
    records: ServerRecords
    supervisor: Supervisor
    sign_ins: McpSignIns
    now_ms: Callable[[], int]
    new_id: Callable[[], str]
    changed: Callable[[], None]
    """Hears that something about servers is otherwise than before."""


def load_session() -> ModuleType:
    """The module that uses the SDK, which takes a second to load."""
    return importlib.import_module("recto.mcp.session")
