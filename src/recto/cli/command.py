"""The command line: which command was meant, and how failures are told.

Nothing heavy is imported here; each command imports what it needs when it runs.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from recto.cli.failures import CommandFailed
from recto.cli.terminal import tame

COMMANDS = (
    "ask",
    "doctor",
    "export",
    "gateway",
    "keys",
    "login",
    "logout",
    "mcp",
    "models",
    "notebook",
    "publish",
    "replay",
    "run",
    "trace",
    "usage",
)
FAILED = 2
EXAMPLES = """\
examples:
  recto                     open the folder you are in
  recto ~/thesis            open a folder
  recto --no-open --port 0  print a link instead of opening the browser, on any free port
  recto doctor              check this computer and say how to fix it
  recto keys set ANTHROPIC_API_KEY
  recto ask "What is the Rayleigh criterion?"
  recto run "Fix the typos." draft.md
  recto notebook run month.ipynb
  recto publish methods.md --to docx
"""


def main() -> NoReturn:
    """Run the command; say what went wrong in one line and exit with 2."""
    try:
        sys.exit(run(sys.argv[1:]))
    except CommandFailed as failure:
        print(tame(f"recto: {failure}"), file=sys.stderr)
        sys.exit(FAILED)
    except BrokenPipeError:
        # The reader of our output is gone (such as `recto keys | head`): nothing left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    if arguments and arguments[0] in COMMANDS:
        command = importlib.import_module(f"recto.cli.{arguments[0]}")
        parser = command.build_parser()
        return command.run(parser.parse_args(arguments[1:]))
    options = build_parser().parse_args(arguments)
    from recto.cli.open import open_folder

    return open_folder(options)


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto [FOLDER]`."""
    parser = argparse.ArgumentParser(
        prog="recto",
        usage=f"recto [FOLDER] [options]\n       recto {{{','.join(COMMANDS)}}} …",
        description="Opens a folder of documents, code and notebooks in the browser.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="default: here")
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="show the version")
    parser.add_argument("--no-open", action="store_true", help="don't open the browser")
    parser.add_argument("--port", type=port, help="default: 7457; 0 takes any free one")
    parser.add_argument("--host", help="default: 127.0.0.1, which only this computer can reach")
    parser.add_argument("--json", action="store_true", help="print the ready line as JSON")
    remote = parser.add_argument_group(
        "from other computers", "RECTO_TOKEN must hold a long secret: it is the password."
    )
    remote.add_argument("--name", action="append", default=[], help="a host name to answer to")
    remote.add_argument("--certificate", metavar="FILE", help="TLS certificate (PEM)")
    remote.add_argument("--certificate-key", metavar="FILE", help="its key (PEM)")
    remote.add_argument(
        "--plain-http", action="store_true", help="accept that others may read along"
    )
    return parser


class ShowVersion(argparse.Action):
    """`--version`: looks the version up only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version and exit."""
        from importlib.metadata import version

        print(f"recto {version('recto')}")
        parser.exit()


def port(text: str) -> int:
    """A port number."""
    if text.isdecimal() and int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port. Use a number from 0 to 65535.")
