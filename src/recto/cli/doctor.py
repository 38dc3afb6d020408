"""`recto doctor`: check this computer."""

import argparse
import asyncio
import dataclasses
import json
import os

from recto.cli.failures import CommandFailed
from recto.config import ConfigFailure, open_home
from recto.doctor import Check, examine

MARKS = {"ok": "ok", "warning": "warning", "problem": "PROBLEM"}


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto doctor`."""
    parser = argparse.ArgumentParser(
        prog="recto doctor",
        description="Checks what Recto needs of this computer and says how to fix it.",
        epilog="examples:\n  recto doctor\n  recto doctor --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print every check; exit with 1 if something must be mended."""
    try:
        home = open_home(os.environ)
    except ConfigFailure as failure:
        raise CommandFailed(str(failure)) from failure
    checks = asyncio.run(examine(home))
    if options.json:
        print(json.dumps([dataclasses.asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            print_check(check)
    return 1 if any(check.state == "problem" for check in checks) else 0


def print_check(check: Check) -> None:
    """One check, and below it what to do."""
    print(f"{MARKS[check.state]:8}{check.name:16}{check.detail}")
    if check.remedy:
        print(f"{'':24}{check.remedy}")
