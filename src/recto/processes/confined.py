"""Programs that Landlock and seccomp hold, where there is no bubblewrap."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from recto.processes import confine
from recto.processes.programs import run

PROGRAM = Path(confine.__file__)
START = (sys.executable, "-I", "-S", str(PROGRAM))
TRY_S = 10


async def can_confine() -> bool:
    """Whether this system has what it takes."""
    return (await run([*START, "--probe"], cwd="/", timeout_s=TRY_S, max_bytes=100)).code == 0


def confined(
    argv: Sequence[str],
    *,
    file: str,
    reads: Sequence[str],
    writes: Sequence[str],
    allow_network: bool,
    listens: bool = False,
    sockets: Sequence[str] = (),
) -> list[str]:
    """The program that gives up all but these rights, and becomes another. `file` is made.

    One that `listens` may have sockets in the folders it writes, and in those for `sockets`, and
    connects to none.
    """
    held = {"reads": list(reads), "writes": list(writes), "network": allow_network}
    held["listens"] = listens
    held["sockets"] = list(sockets)
    Path(file).write_text(json.dumps(held), encoding="utf-8")
    return [*START, file, *argv]


def sandbox_filter() -> bytes | None:
    """A filter of calls for bubblewrap; None on a machine whose calls are not known."""
    if not confine.is_known_machine():
        return None
    families = (confine.AF_UNIX, confine.AF_INET, confine.AF_INET6, confine.AF_NETLINK)
    return confine.call_filter(families)
