"""`recto keys`: the providers' keys. A key is typed or piped in, never given as an argument."""

import argparse
import getpass
import json
import os
import sys

from recto.cli.failures import CommandFailed
from recto.config import ConfigFailure, Home, Secret, load_keys, open_home, save_keys

EXAMPLES = """\
examples:
  recto keys                             list the keys (never their values)
  recto keys set ANTHROPIC_API_KEY       type or paste the key; it is not shown
  pass show openai | recto keys set OPENAI_API_KEY
  recto keys remove OPENAI_API_KEY
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto keys`."""
    parser = argparse.ArgumentParser(
        prog="recto keys",
        description="Keeps the providers' keys in keys.env, readable only by you.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    actions = parser.add_subparsers(dest="action", metavar="{set,remove}")
    for action, does in (("set", "add or replace a key"), ("remove", "forget a key")):
        actions.add_parser(action, help=does).add_argument("name", metavar="NAME")
    return parser


def run(options: argparse.Namespace) -> int:
    """List, set or remove keys."""
    try:
        home = open_home(os.environ)
        match options.action:
            case "set":
                set_key(home, options.name)
            case "remove":
                remove_key(home, options.name)
            case _:
                list_keys(home, options.json)
    except ConfigFailure as failure:
        raise CommandFailed(str(failure)) from failure
    return 0


def list_keys(home: Home, as_json: bool) -> None:
    """Print the names, with a hint to tell keys apart."""
    keys = load_keys(home)
    if as_json:
        print(json.dumps([{"name": name, "hint": key.hint()} for name, key in keys.items()]))
    elif not keys:
        print("No keys yet. Add one with: recto keys set ANTHROPIC_API_KEY")
    else:
        for name, key in keys.items():
            print(f"{name:24}{key.hint()}")


def set_key(home: Home, name: str) -> None:
    """Read the key from the terminal, unseen, or from a pipe."""
    typed = getpass.getpass(f"{name}: ") if sys.stdin.isatty() else sys.stdin.readline()
    save_keys(home, {**load_keys(home), name: Secret(typed.strip())})
    print(f"{name} is kept in {home.keys_file}.")


def remove_key(home: Home, name: str) -> None:
    """Forget a key."""
    keys = dict(load_keys(home))
    if keys.pop(name, None) is None:
        raise CommandFailed(f"There is no key {name}. See the list with: recto keys")
    save_keys(home, keys)
    print(f"{name} is removed.")
