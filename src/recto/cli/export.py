"""`recto export CHAT`: a chat as a file; `recto export --list`: the chats of a folder."""

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from recto import durable
from recto.app import START_FAILURES
from recto.cli.command_chats import CommandChats, Json, open_command_chats
from recto.cli.failures import CommandFailed
from recto.cli.open import existing_folder
from recto.cli.terminal import exact
from recto.config import ConfigFailure, open_home
from recto.projects import ProjectFailure

EXAMPLES = """\
examples:
  recto export --list
  recto export 01jc0hz4k7e8 > chat.md
  recto export 01jc0hz4k7e8 --format html -o chat.html
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto export`."""
    parser = argparse.ArgumentParser(
        prog="recto export",
        description="Writes a chat as Markdown, as one HTML page, or as JSON with all of it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("chat", nargs="?", metavar="CHAT", help="its id; see --list")
    parser.add_argument("--list", action="store_true", help="list the chats of the folder")
    parser.add_argument("--folder", default=".", help="whose chats --list lists; default: here")
    parser.add_argument("--json", action="store_true", help="with --list: print JSON")
    parser.add_argument("--format", choices=("markdown", "html", "json"), default="markdown")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the output")
    return parser


def run(options: argparse.Namespace) -> int:
    """Write a chat, or list what there is."""
    if (options.chat is None) is not options.list:
        raise CommandFailed("Name one chat, or use --list to see them.")
    folder = existing_folder(options.folder)
    try:
        with open_command_chats(open_home(os.environ), folder) as desk:
            if options.list:
                list_chats(desk.chats(), options.json)
            else:
                write(desk, options)
    except (ConfigFailure, *START_FAILURES, ProjectFailure) as failure:
        raise CommandFailed(str(failure)) from failure
    return 0


def list_chats(chats: list[Json], as_json: bool) -> None:
    """A line for each chat, the most recently active first."""
    if as_json:
        print(json.dumps(chats, indent=2))
    elif not chats:
        print("There are no chats in this folder yet.")
    else:
        for chat in chats:
            print(f"{chat['id']}  {day(chat['lastActiveAt'])}  {exact(chat['title'])}")


def day(time_ms: int) -> str:
    """A time in the computer's own zone, to the minute."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def write(desk: CommandChats, options: argparse.Namespace) -> None:
    """A chat to the output, or into a file, which is whole or not there."""
    data = desk.export(options.chat, options.format)
    if options.output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    file = Path(options.output).expanduser()
    try:
        folder_fd = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            durable.replace_file(folder_fd, file.name, data)
        finally:
            os.close(folder_fd)
    except OSError as error:
        raise CommandFailed(f"{file} can't be written: {error.strerror}.") from error
