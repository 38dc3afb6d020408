"""Where pandoc is: it comes with Recto, in an installed package."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def find_pandoc() -> str | None:
    """The program; None where the package has none for this computer."""
    found = find_spec("pypandoc")
    if found is None or found.origin is None:
        return None
    program = Path(found.origin).parent / "files" / "pandoc"
    return str(program) if program.exists() else None
