"""Where programs are found, and what they may know."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from recto.processes.failures import ProgramMissing

# Named one by one: keys of providers stand in this program's own environment.
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR")


def find_program(name: str, *, beside_python: bool = False) -> str:
    """The absolute path of a program. Raises ProgramMissing.

    Relative entries of PATH are skipped: they would mean the folder the program runs in.
    """
    if beside_python:
        beside = Path(sys.executable).parent / name
        if os.access(beside, os.X_OK):
            return str(beside)
    found = shutil.which(name, path=absolute_path())
    if found is None:
        raise ProgramMissing(name)
    return found


def absolute_path() -> str:
    """PATH without its relative entries."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program may know: a short list of variables, and what the caller adds."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith("LC_")
    }
    return {**passed, "PATH": absolute_path(), **(extra or {})}
