"""`recto replay RUN_ID`: run a turn again from its record, offline, and say whether it is the same."""  # noqa: E501

import argparse
import asyncio
import dataclasses
import json
import os

from recto.app import START_FAILURES, ReplayResult, replay_run
from recto.chats import ChatFailure
from recto.cli.failures import CommandFailed
from recto.config import ConfigFailure, load_settings, open_home

EXAMPLES = """\
examples:
  recto replay 01m7g7wmmefqcp7acntj40zjp2
  recto replay --json 01m7g7wmmefqcp7acntj40zjp2

It exits with 0 when everything came out as recorded, and with 1 at the first difference.
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto replay`."""
    parser = argparse.ArgumentParser(
        prog="recto replay",
        description="Runs a turn again from its record: no model is asked, no file is touched.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", metavar="RUN_ID")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Replay a run, and say how it went."""
    try:
        home = open_home(os.environ)
        settings = load_settings(home.settings_file)
        replayed = asyncio.run(replay_run(home, settings, options.run))
    except (ConfigFailure, ChatFailure, *START_FAILURES) as failure:
        raise CommandFailed(str(failure)) from failure
    if options.json:
        fields = {**dataclasses.asdict(replayed), "identical": replayed.is_identical}
        print(json.dumps(fields, indent=2))
    else:
        print_outcome(replayed)
    return 0 if replayed.is_identical else 1


def print_outcome(replayed: ReplayResult) -> None:
    """The outcome in a few lines."""
    steps = "1 step" if replayed.steps == 1 else f"{replayed.steps} steps"
    found = replayed.difference
    if found is None:
        print(f"identical: {steps}")
        if replayed.ends_early:
            print("The run did not come to its end. What there is of it was compared.")
        return
    print(f"different: {found.place}")
    print(found.words)
    if found.recorded or found.now:
        print(f"  recorded  {found.recorded}")
        print(f"  now       {found.now}")
