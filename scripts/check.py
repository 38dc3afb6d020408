"""Every check that needs no test run: format, lint, types, import contracts, generated API types.

`--quick` leaves out what takes longest: the type checkers and the page's own linters.
`--tests` runs every test as well, of the page and of Python. The type checkers and the page's
linter take then what the tests leave idle while they wait for a page, a kill or a clock.
A type checker or linter that passed is not run again until something that it reads has changed.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import page

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
# Room for what is young: a tenth of the type checker's time went into moving it.
NODE_OPTIONS = "--max-semi-space-size=64 --max-old-space-size=8192"
PASSED = ROOT / ".venv" / "passed-checks"
PLACES = ("src", "tests", "scripts", "benchmarks")


def main() -> None:
    """Run the checks; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--types", action="store_true", help="the type checker of Python alone")
    parser.add_argument("--slow", action="store_true", help="type checkers and the page's linter")
    wanted = parser.parse_args()
    if wanted.quick:
        check_style()
        return
    if wanted.types:
        check_types()
        return
    if wanted.slow:
        check_types()
        check_page_sources()
        return
    check_style()
    run("python", "scripts/api_types.py", "--check")
    if wanted.tests:
        with beside("--slow", niceness=5):
            page.npm("test", "--silent")
            test_python()
    else:
        # Each takes about as long as the other, and one processor.
        with beside("--types"):
            check_page_sources()


def check_types() -> None:
    """The type checker of Python, unless it has passed on just these sources."""
    sources = fingerprint()
    if not has_passed("basedpyright", sources):
        run("basedpyright")
        note_passed("basedpyright", sources)


def check_page_sources() -> None:
    """What reads all sources of the page, with their types."""
    for name in ("check", "lint"):
        check_page(name)


def check_page(name: str) -> None:
    """A check of the page that reads all of its sources."""
    sources = page.fingerprint()
    if not has_passed(f"page-{name}", sources):
        page.npm("run", name, "--silent")
        note_passed(f"page-{name}", sources)


def test_python() -> None:
    """Every test of Python."""
    # Two workers: a third only makes tests that wait for a page or a kill wait longer.
    command = [BIN / "python", "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal"]
    # What was compiled once is kept: neither the next run nor the hundreds of programs that the
    # tests start compile it again.
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    slowest = "--durations=10"
    outcome = subprocess.run([*command, slowest], cwd=ROOT, env=environment, check=False)
    if outcome.returncode:
        sys.exit("check: pytest failed.")


def fingerprint() -> str:
    """One hash over everything that the type checker of Python reads."""
    found = hashlib.sha256(sys.version.encode())
    files = [path for place in PLACES for path in sorted((ROOT / place).rglob("*.py"))]
    for path in [ROOT / "pyproject.toml", ROOT / "requirements-dev.lock", *files]:
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def has_passed(name: str, sources: str) -> bool:
    """Whether a check has passed on just these sources."""
    stamp = PASSED / name
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == sources


def note_passed(name: str, sources: str) -> None:
    """A check has passed."""
    PASSED.mkdir(exist_ok=True)
    (PASSED / name).write_text(sources, encoding="utf-8")


def check_style() -> None:
    """What takes seconds."""
    run("ruff", "format", "--check", "--quiet", *PLACES)
    run("ruff", "check", "--quiet", *PLACES)
    run("lint-imports", "--no-cache")


def run(program: str, *arguments: str) -> None:
    """Run one checker from .venv; its words are shown only if it fails."""
    with start([BIN / program, *arguments]) as process:
        words, _ = process.communicate()
    finish(process.returncode, words, program, *arguments)


@contextmanager
def beside(*arguments: str, niceness: int = 0) -> Generator[None]:
    """This program once more beside what the block does; it does not outlive a block that fails."""
    command = ["nice", "-n", str(niceness), BIN / "python", __file__, *arguments]
    # A group ends as one. In a session of its own `nice` would mean nothing to those outside.
    with start(command, group=0) as process:
        try:
            yield
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        words, _ = process.communicate()
    finish(process.returncode, words, "check.py", *arguments)


def start(command: Sequence[str | Path], group: int | None = None) -> subprocess.Popen[str]:
    """Start a checker whose words are kept until somebody reads them."""
    environment = {**os.environ, "NODE_OPTIONS": NODE_OPTIONS}
    told, as_told = subprocess.PIPE, subprocess.STDOUT
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=told,
        stderr=as_told,
        text=True,
        process_group=group,
    )


def finish(code: int, words: str, program: str, *arguments: str) -> None:
    """Say how a checker ended, and end if it failed."""
    if code:
        print(words, file=sys.stderr)
        sys.exit(f"check: {program} failed.")
    print(f"check: {program} {arguments[0] if arguments else ''} ok", flush=True)


if __name__ == "__main__":
    main()
