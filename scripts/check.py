"""Every check that needs no test run: format, lint, types, import contracts, generated API types.

`--quick` leaves out what takes longest: the type checkers and the page's own linters.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import page

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PLACES = ("src", "tests", "scripts", "benchmarks")


def main() -> None:
    """Run the checks one after another; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    run("ruff", "format", "--check", "--quiet", *PLACES)
    run("ruff", "check", "--quiet", *PLACES)
    run("lint-imports", "--no-cache")
    if quick:
        return
    run("basedpyright")
    run("python", "scripts/api_types.py", "--check")
    page.npm("run", "check", "--silent")
    page.npm("run", "lint", "--silent")


def run(program: str, *arguments: str) -> None:
    """Run one checker from .venv; its words are shown only if it fails."""
    outcome = subprocess.run(
        [BIN / program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if outcome.returncode:
        print(outcome.stdout + outcome.stderr, file=sys.stderr)
        sys.exit(f"check: {program} failed.")
    print(f"check: {program} {arguments[0] if arguments else ''} ok", flush=True)


if __name__ == "__main__":
    main()
