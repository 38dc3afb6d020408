"""`recto usage`: what was spent this month, from the ledger."""

import argparse
import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from recto.app import START_FAILURES, usage_report
from recto.cli.failures import CommandFailed
from recto.cli.running_server import fetch
from recto.config import ConfigFailure, find_running, load_settings, open_home

EXAMPLES = """\
examples:
  recto usage
  recto usage --month 2026-10
  recto usage --json
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto usage`."""
    parser = argparse.ArgumentParser(
        prog="recto usage",
        description="Shows what requests to models have cost.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--month", type=month, help="default: this one")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


def month(text: str) -> str:
    """A month such as 2026-11."""
    year, dash, number = text.partition("-")
    if len(year) == 4 and dash and number in {f"{item:02}" for item in range(1, 13)}:
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not a month. Write it like 2026-11.")


def run(options: argparse.Namespace) -> int:
    """Print the report."""
    try:
        home = open_home(os.environ)
        running = find_running(home)
        if running is None:
            settings = load_settings(home.settings_file)
            report = asyncio.run(usage_report(home, settings, options.month))
        else:
            query = f"?month={options.month}" if options.month else ""
            report = {
                **fetch(running, f"/api/v1/usage{query}"),
                "budget": fetch(running, "/api/v1/budget"),
            }
    except (ConfigFailure, *START_FAILURES) as failure:
        raise CommandFailed(str(failure)) from failure
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        print_report(report)
    return 0


def print_report(report: Mapping[str, Any]) -> None:
    """The month in a few lines."""
    limit = report["budget"]["monthlyLimitUsd"]
    total = report["totals"]
    of = f" of ${limit}" if limit is not None else ", no limit"
    print(f"{report['month']}: {dollars(total['costMicros'])}{of}, {total['requests']} requests")
    if total["unpriced"]:
        print(f"{total['unpriced']} of them have no known price.")
    for title, rows in (("By model", report["models"]), ("By feature", report["features"])):
        print_rows(title, rows)


def print_rows(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """A table."""
    if not rows:
        return
    print(f"\n{title}")
    for row in rows:
        tokens = row["inputTokens"] + row["cacheReadTokens"] + row["cacheWriteTokens"]
        cost = dollars(row["costMicros"]) if row["unpriced"] < row["requests"] else "unknown"
        print(
            f"  {row['name']:40}{row['requests']:>6}{tokens:>12,} in"
            f"{row['outputTokens']:>10,} out{cost:>12}"
        )


def dollars(micros: int) -> str:
    """An amount with as many places as it needs, at least cents."""
    return f"${micros / 1_000_000:.2f}" if micros % 10_000 == 0 else f"${micros / 1_000_000:.4f}"
