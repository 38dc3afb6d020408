"""`recto run "…"`: the AI works on a folder, in the terminal; what it changed can be taken back."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recto.app import START_FAILURES
from recto.chats import ChatFailure, UserMessage
from recto.cli.changes import describe_changes
from recto.cli.command_chats import CommandChats, open_command_chats
from recto.cli.consent import decide
from recto.cli.failures import CommandFailed
from recto.cli.forms import fill_in
from recto.cli.open import existing_folder
from recto.cli.progress import FAILED, STOPPED, JsonProgress, TextProgress, TurnOutcome
from recto.cli.terminal import InterruptGuard, choose, is_somebody_there, note
from recto.config import ConfigFailure, Home, open_home
from recto.projects import ProjectFailure
from recto.skills import SkillFailure
from recto.tools import RulesInvalid, Toolboxes
from recto.workspace import WorkspaceFailure

LONGEST_TITLE = 60
EXPECTED = (
    ConfigFailure,
    *START_FAILURES,
    WorkspaceFailure,
    ChatFailure,
    ProjectFailure,
    SkillFailure,
    RulesInvalid,
)
EXAMPLES = """\
examples:
  recto run "Fix the typos." draft.md
  recto run --skill "Code Review" --context "Parser" "Review this."
  recto run --plan "How would you split this module?" src/app.py
  make 2>&1 | recto run --yes "Fix what fails."
  recto run --json --yes "…" | jq -r 'select(.kind == "text") | .text'

A tool that must ask shows what it wants to do. At the end the changes are shown, to keep or to
undo. Without a terminal nobody can be asked: then such tools are denied and the changes are taken
back, unless --yes agrees to both.

exit codes:
  0    done
  1    failed
  2    not started: a wrong option, no such file
  3    ended by a limit, or the answer was cut
  4    the model declined
  5    done, but something was not allowed, or the changes were taken back
  130  stopped with Ctrl+C; the words so far are kept
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto run`."""
    parser = argparse.ArgumentParser(
        prog="recto run",
        description="Lets the AI work on a folder, and shows what it does and changes.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("instruction", metavar="INSTRUCTION")
    parser.add_argument("files", nargs="*", metavar="FILE", help="a file that goes along")
    parser.add_argument("--folder", default=".", help="the folder to work on; default: here")
    parser.add_argument("--model", help="default: the one for chats (see recto models)")
    parser.add_argument(
        "--skill", action="append", default=[], metavar="NAME", help="switch a skill on; repeatable"
    )
    parser.add_argument(
        "--context",
        action="append",
        default=[],
        metavar="NAME",
        help="send the files of a context along; repeatable",
    )
    parser.add_argument("--plan", action="store_true", help="only tools that change nothing")
    parser.add_argument(
        "--yes", action="store_true", help="allow what asks, each time, and keep the changes"
    )
    parser.add_argument("--json", action="store_true", help="print each event as a line of JSON")
    return parser


def run(options: argparse.Namespace) -> int:
    """Run one turn in a new chat, and settle what becomes of its changes."""
    folder = existing_folder(options.folder)
    files = [path_in(folder, name) for name in options.files]
    text = with_piped(options.instruction)
    try:
        home = open_home(os.environ)
        show = JsonProgress() if options.json else TextProgress(tools_of(home))
        with open_command_chats(home, folder) as desk:
            return TurnCommand(desk, show, yes=options.yes).work(text, files, options)
    except EXPECTED as failure:
        raise CommandFailed(str(failure)) from failure
    except KeyboardInterrupt:
        return STOPPED


def path_in(folder: Path, name: str) -> str:
    """A file as the folder knows it; a link stays a link."""
    path = Path(name).expanduser()
    real = path.parent.resolve() / path.name
    if not real.is_relative_to(folder):
        raise CommandFailed(
            f"{name} is not in {folder}. Name a file of the folder, or use --folder."
        )
    if not real.is_file():
        raise CommandFailed(f"There is no file {name}. Check the spelling.")
    return real.relative_to(folder).as_posix()


def with_piped(instruction: str) -> str:
    """The instruction; what is piped in stands before it."""
    piped = "" if sys.stdin.isatty() else sys.stdin.read()
    return f"{piped}\n\n{instruction}" if piped.strip() else instruction


def tools_of(home: Home) -> Mapping[str, Any]:
    """What is known of each tool. Raises RulesInvalid."""
    return {setting.declaration.name: setting.declaration for setting in Toolboxes(home).settings()}


def title_of(instruction: str) -> str:
    """The chat's title: the beginning of the instruction."""
    printable = "".join(item if item.isprintable() else " " for item in instruction)
    return " ".join(printable.split())[:LONGEST_TITLE]


def named(name: str, kind: str, known: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The context or skill of a name, however it is written."""
    for item in known:
        if item["name"].casefold() == name.casefold():
            return item
    names = ", ".join(f"“{one['name']}”" for one in known)
    raise CommandFailed(f"There is no {kind} “{name}” here. There are: {names or 'none'}.")


def tell_of_missing(context: Mapping[str, Any]) -> None:
    """Say which files of a context do not exist."""
    for path in context["missingFiles"]:
        note(f"{path} of “{context['name']}” is not there and is not sent.")


class TurnCommand:
    """One turn, from the instruction to what becomes of its changes."""

    def __init__(self, desk: CommandChats, show: JsonProgress | TextProgress, *, yes: bool) -> None:
        self._desk = desk
        self._show = show
        self._yes = yes
        self._outcome = TurnOutcome()
        self._is_stopping = False
        self._seen = 0
        self._ctrl_c = InterruptGuard()

    def work(self, text: str, files: list[str], options: argparse.Namespace) -> int:
        """Run it; the exit code."""
        contexts = [named(item, "context", self._desk.contexts()) for item in options.context]
        skills = [named(item, "skill", self._desk.skills()) for item in options.skill]
        for context in contexts:
            tell_of_missing(context)
        said = UserMessage(
            text,
            files=files,
            plan=options.plan,
            model=options.model,
            context_ids=[item["id"] for item in contexts],
            skill_ids=[skill["id"] for skill in skills],
        )
        chat_id = self._desk.begin(title_of(options.instruction), options.model)
        turn_id = self._desk.say(said)
        try:
            self._follow(turn_id)
            self._settle(turn_id)
        except CommandFailed as failure:
            self._outcome.failure = str(failure)
        self._show.end()
        note(f"Chat {chat_id}")
        if self._outcome.code == FAILED:
            note(f"recto: {self._outcome.failure}")
        return self._outcome.code

    def _follow(self, turn_id: str) -> None:
        """Watch the turn to its end. Ctrl+C stops it; a second one does not wait for that."""
        while True:
            try:
                for event in self._desk.events(turn_id):
                    self._see(event)
            except KeyboardInterrupt:
                if self._is_stopping:
                    raise
                self._is_stopping = True
                self._show.end()
                note("Stopping…")
                self._desk.stop(turn_id)
            else:
                return

    def _see(self, event: Mapping[str, Any]) -> None:
        if event["seq"] <= self._seen:
            return  # told again, because Ctrl+C came before the desk knew that it was seen
        with self._ctrl_c.held():
            self._seen = event["seq"]
            self._outcome.take(event)
            self._show.take(event)
        if event["kind"] == "approval" and not self._is_stopping:
            self._show.end()
            self._desk.answer(event["approvalId"], decide(event, yes=self._yes))
        if event["kind"] == "elicitation" and not self._is_stopping:
            self._show.end()
            self._desk.reply(event["elicitationId"], fill_in(event))

    def _settle(self, turn_id: str) -> None:
        """Show what was changed; keep it or take it back."""
        if not self._outcome.changed:
            return
        self._show.end()
        preview = self._desk.undo(turn_id, dry_run=True)
        lines = list(describe_changes(preview["files"][::-1]))
        for line in lines:
            note(line)
        if preview["notCovered"]:
            note(preview["notCovered"])
        if not lines or self._yes or self._is_kept():
            self._desk.accept(turn_id)
        else:
            self._take_back(turn_id)

    def _is_kept(self) -> bool:
        """Whether somebody agrees to the changes."""
        if not is_somebody_there():
            note("Nobody is here to agree to these changes, so they are taken back. See --yes.")
            return False
        question = "Keep these changes? (k)eep, (u)ndo:"
        try:
            return choose(question, {"keep": "keep", "undo": "undo"}, "undo") == "keep"
        except KeyboardInterrupt:
            note()
            note("The changes stay. The chat can undo them.")
            raise

    def _take_back(self, turn_id: str) -> None:
        self._outcome.deny()
        undo_id = self._desk.undo(turn_id, dry_run=False)["undoCallId"]
        if undo_id is not None:
            for event in self._desk.events(undo_id):
                self._show.take(event)
