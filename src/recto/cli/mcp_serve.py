"""`recto mcp serve`: the folder's tools for another program, on standard input and output."""

import argparse
import os
from collections.abc import Mapping
from typing import Any

from recto.app import START_FAILURES
from recto.cli.failures import CommandFailed
from recto.cli.open import existing_folder
from recto.cli.progress import STOPPED
from recto.cli.running_server import BROKEN_CONNECTION, NOT_SIGNED_IN, post
from recto.cli.terminal import note
from recto.config import ConfigFailure, RunningServer, load_settings, open_home

EXAMPLES = """\
The client starts this command and talks to it. In the common form of its configuration:

  {"mcpServers": {"recto": {"command": "recto", "args": ["mcp", "serve", "/path/to/folder"]}}}

What it writes waits for review in Recto, under its name: run `recto` in the folder to see it.
A Recto that runs already does the work; else this command is one, until its client ends.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `recto mcp serve`."""
    parser.description = "Offers a folder to an MCP client: search, read, reviewed edits, threads."
    parser.epilog = EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="default: here")


def serve(options: argparse.Namespace) -> int:
    """Serve until the client closes the input."""
    folder = existing_folder(options.folder)
    try:
        home = open_home(os.environ)
        settings = load_settings(home.settings_file)
    except ConfigFailure as failure:
        raise CommandFailed(str(failure)) from failure
    if folder.is_relative_to(home.folder.resolve()):
        raise CommandFailed(f"Recto keeps its own records in {folder}. Name another folder.")

    import uvloop

    from recto.app import NoAnswer, NotHeard, serve_stdio

    def ask(
        running: RunningServer, path: str, body: object, headers: Mapping[str, str]
    ) -> dict[str, Any]:
        try:
            status, answer = post(running, path, body, headers)
        except ConnectionRefusedError as error:
            raise NotHeard from error
        except BROKEN_CONNECTION as error:
            raise NoAnswer(str(error)) from error
        if status == NOT_SIGNED_IN:
            raise NotHeard
        return answer

    try:
        uvloop.run(serve_stdio(home, settings, folder, ask, note))
    except START_FAILURES as failure:
        raise CommandFailed(str(failure)) from failure
    except KeyboardInterrupt:
        return STOPPED
    return 0
