"""Programs that come with Recto and read what others wrote: held to themselves and one folder."""

import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from recto.processes import confine
from recto.processes.confined import confined

RIGHTS = "rights.json"
SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/fonts", "/usr/share/zoneinfo",
    "/usr/local/share/fonts", "/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom",
    "/dev/zero",
)  # fmt: skip
"""Libraries, fonts and the like: nothing of the user's."""


def held_to(argv: Sequence[str], folder: Path) -> list[str]:
    """The program with no network, and no file but its own and those of a private folder.

    Where the system can't do that, the program as it is.
    """
    if not confine.is_known_machine() or confine.version() < confine.LEAST:
        return list(argv)
    return confined(
        argv,
        file=str(folder / RIGHTS),
        reads=held_reads(argv[0]),
        writes=[str(folder)],
        allow_network=False,
    )


def held_reads(program: str) -> list[str]:
    """What a program may read of the system to run at all."""
    path = Path(program)
    own = [program, str(path.resolve().parent)]
    if program == sys.executable:
        own += python_folders()
    return [*dict.fromkeys([*own, *SYSTEM])]


def python_folders() -> list[str]:
    """Where Python and what is installed for it lie, Recto itself included."""
    package = Path(__file__).parents[2]
    return [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), str(package)]
