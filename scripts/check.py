"""Every check that needs no test run: format, lint, types, import contracts, generated API types.

`--quick` leaves out what takes longest: the type checkers and the page's own linters.
`--page-tests` runs the page's tests as well, while the type checker of Python is at work.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import page

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
# Room for what is young: a tenth of the type checker's time went into moving it.
NODE_OPTIONS = "--max-semi-space-size=64 --max-old-space-size=8192"
PLACES = ("src", "tests", "scripts", "benchmarks")


def main() -> None:
    """Run the checks; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page-tests", action="store_true")
    wanted = parser.parse_args()
    if wanted.quick:
        check_style()
        return
    # It takes longer than all the others together, and one processor.
    with running("basedpyright"):
        check_style()
        run("python", "scripts/api_types.py", "--check")
        page.npm("run", "check", "--silent")
        page.npm("run", "lint", "--silent")
        if wanted.page_tests:
            page.npm("test", "--silent")


def check_style() -> None:
    """What takes seconds."""
    run("ruff", "format", "--check", "--quiet", *PLACES)
    run("ruff", "check", "--quiet", *PLACES)
    run("lint-imports", "--no-cache")


def run(program: str, *arguments: str) -> None:
    """Run one checker from .venv; its words are shown only if it fails."""
    with running(program, *arguments):
        pass


@contextmanager
def running(program: str, *arguments: str) -> Generator[None]:
    """A checker from .venv beside what the block does; it does not outlive a block that fails."""
    command = [BIN / program, *arguments]
    told, as_told = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "NODE_OPTIONS": NODE_OPTIONS},
        stdout=told,
        stderr=as_told,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield
        except BaseException:
            # The program itself may only have started the checker.
            os.killpg(process.pid, signal.SIGKILL)
            raise
        words, _ = process.communicate()
    if process.returncode:
        print(words, file=sys.stderr)
        sys.exit(f"check: {program} failed.")
    print(f"check: {program} {arguments[0] if arguments else ''} ok", flush=True)


if __name__ == "__main__":
    main()
