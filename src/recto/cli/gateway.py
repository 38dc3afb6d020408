"""`recto gateway`: serve models to many people, and see to their accounts, keys and limits."""

import argparse
import os
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from recto.cli.command import port
from recto.cli.failures import CommandFailed
from recto.cli.gateway_people import (
    add_key,
    add_user,
    keep_calls,
    list_keys,
    list_users,
    revoke_key,
    usage,
)
from recto.config import ConfigFailure, load_settings, open_home

MICROS = 1_000_000
MOST_USD = 10_000_000
EXAMPLES = """\
examples:
  recto gateway                                    serve until Ctrl+C
  recto gateway --workers 4                        in four processes (needs PostgreSQL)
  recto gateway user add ann --monthly 20          prints a link for Ann to choose a password
  recto gateway key add --user ann --models sonnet,haiku --rpm 60
  recto gateway key list
  recto gateway usage --user ann
"""
ACTIONS: dict[tuple[str | None, str | None], Callable[[argparse.Namespace], int]] = {
    ("user", "add"): add_user,
    ("user", "list"): list_users,
    ("user", "keep"): keep_calls,
    ("key", "add"): add_key,
    ("key", "list"): list_keys,
    ("key", "revoke"): revoke_key,
    ("usage", None): usage,
}


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto gateway`."""
    parser = argparse.ArgumentParser(
        prog="recto gateway",
        description="Gives many people, and the tools they use, models through your keys.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", help="default: 127.0.0.1, which only this computer can reach")
    parser.add_argument("--port", type=port, help="default: 7458; 0 takes any free one")
    parser.add_argument("--workers", type=whole(1, 1000), default=1, help="processes; default: 1")
    parser.add_argument(
        "--plain-http", action="store_true", help="accept that others may read along"
    )
    # A process that another gateway began.
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--fd", type=int, help=argparse.SUPPRESS)
    subjects = parser.add_subparsers(dest="subject", metavar="{user,key,usage}")
    add_user_parsers(subjects.add_parser("user", help="people: add, list, keep"))
    add_key_parsers(subjects.add_parser("key", help="keys: add, list, revoke"))
    shown = subjects.add_parser("usage", help="what was spent this month")
    shown.add_argument("--user", metavar="NAME", help="one person, by model and key")
    shown.add_argument("--json", action="store_true", help="print it as JSON")
    shown.set_defaults(action=None)
    return parser


def add_user_parsers(parser: argparse.ArgumentParser) -> None:
    """The options of `recto gateway user`."""
    actions = parser.add_subparsers(dest="action", metavar="{add,list,keep}", required=True)
    add = actions.add_parser("add", help="prints a link to choose a password with")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--admin", action="store_true", help="may see and change everything")
    add.add_argument("--monthly", type=micros, metavar="USD", help="limit; 0: nothing is spent")
    add.add_argument("--balance", type=micros, metavar="USD", help="what may be spent in all")
    shown = actions.add_parser("list", help="everybody, with what they have spent")
    keep = actions.add_parser("keep", help="has somebody's prompts and answers kept, or no more")
    keep.add_argument("name", metavar="NAME")
    wanted = keep.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--days", type=whole(1, 3650), metavar="DAYS", help="for how long")
    wanted.add_argument("--off", action="store_true", help="no more; erases what is kept")
    for one in (add, shown, keep):
        one.add_argument("--json", action="store_true", help="print it as JSON")


def add_key_parsers(parser: argparse.ArgumentParser) -> None:
    """The options of `recto gateway key`."""
    actions = parser.add_subparsers(dest="action", metavar="{add,list,revoke}", required=True)
    add = actions.add_parser("add", help="prints the key, once")
    add.add_argument("--user", metavar="NAME", required=True)
    add.add_argument("--name", metavar="TEXT", default="", help="what it is for")
    add.add_argument("--monthly", type=micros, metavar="USD", help="limit; 0: nothing is spent")
    add.add_argument("--models", type=listed, metavar="A,B", help="only these")
    add.add_argument("--rpm", type=whole(0, 10**9), metavar="N", help="requests a minute")
    add.add_argument("--expires", type=whole(1, 36_500), metavar="DAYS")
    shown = actions.add_parser("list", help="everybody's keys, without the keys")
    revoke = actions.add_parser("revoke", help="has a key open nothing, within a second")
    revoke.add_argument("id", metavar="ID")
    for one in (add, shown, revoke):
        one.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: argparse.Namespace) -> int:
    """Serve, or do what was asked for with the people."""
    if options.subject is None:
        return serve(options)
    return ACTIONS[options.subject, options.action](options)


def serve(options: argparse.Namespace) -> int:
    """Serve until told to stop."""
    import uvloop

    from recto import app

    try:
        home = open_home(os.environ)
        settings = load_settings(home.settings_file)
        if options.worker is not None:
            uvloop.run(app.serve_as_worker(home, settings, number=options.worker, fd=options.fd))
            return 0
        wanted = app.GatewayOptions(
            host=options.host or settings.gateway.host,
            port=settings.gateway.port if options.port is None else options.port,
            workers=options.workers,
            plain_http=options.plain_http,
        )

        def on_ready(ready: app.ReadyGateway) -> None:
            app.settle_garbage()
            announce(ready.url, ready.admin_link)

        uvloop.run(app.serve_gateway(wanted, home, settings, ready=on_ready))
    except (ConfigFailure, *app.START_FAILURES) as failure:
        raise CommandFailed(str(failure)) from failure
    return 0


def announce(url: str, admin_link: str | None) -> None:
    """Say that the gateway is ready, and where the first admin gets in."""
    print(f"Recto gateway is ready at {url}", flush=True)
    if admin_link is not None:
        print(f"The first admin chooses a password at {admin_link}", flush=True)


def micros(text: str) -> int:
    """Dollars, as micro-dollars."""
    try:
        found = Decimal(text) * MICROS
        if 0 <= found <= MOST_USD * MICROS and found == int(found):
            return int(found)
    except (InvalidOperation, ValueError, OverflowError):
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no amount. Write dollars, such as 20 or 0.50.")


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number within bounds."""

    def read(text: str) -> int:
        if text.isdecimal() and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}.")

    return read


def listed(text: str) -> list[str]:
    """Names with commas between them."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError("Write names with commas between them: a,b")
    return found
