"""run_command: a shell command in the folder; what it did to files is recorded like any change."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Protocol

from msgspec import Meta

from recto.processes import ProcessFailure
from recto.tools.control_files import is_control
from recto.tools.effects import Change, Effect, FileState
from recto.tools.schema import Arguments, parameters_of
from recto.tools.secret_content import without_values
from recto.tools.shell import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, CommandResult
from recto.tools.shell.command_result import CommandChanges
from recto.tools.tool import Declaration, Tell, Tool, ToolContext, ToolFailure, ToolOutcome, said

MAX_NAMED = 20
MAX_SHOWN = 200_000
CONTROL = "change_startup_files"
CONTROLS = (
    "The command has run apart. It wants to change files that control what programs or the AI do."
)
GIT_HELD = "[Of .git, only new objects were kept, for the same reason.]"
# Programs that a repository's own configuration has git run. Nobody saw them when a rule allowed
# the command, so they stay away; a person who agrees to a very command gets all of it.
GIT_PROGRAMS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.editor": "false",
    "core.sshCommand": "false",
    "core.askPass": "false",
    "diff.external": "",
    "diff.ignoreSubmodules": "all",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "gpg.program": "false",
    "credential.helper": "",
}
QUIET_GIT = "export " + " ".join(
    [
        f"GIT_CONFIG_COUNT={len(GIT_PROGRAMS)}",
        *(
            f"GIT_CONFIG_KEY_{number}={key} GIT_CONFIG_VALUE_{number}='{value}'"
            for number, (key, value) in enumerate(GIT_PROGRAMS.items())
        ),
    ]
)


class RunCommand(Arguments, frozen=True):
    """What to run."""

    command: Annotated[str, Meta(description="The command, for sh, run in the folder.")]
    timeout_s: Annotated[
        float, Meta(description="After how many seconds it is ended.", gt=0, le=MAX_TIMEOUT_S)
    ] = DEFAULT_TIMEOUT_S
    network: Annotated[
        bool, Meta(description="Whether it needs the network; the user is asked then.")
    ] = False


class OnInterrupt(Protocol):
    """Is told what an interrupted command had done."""

    async def __call__(self, found: CommandChanges, /) -> None:
        """Take it down."""
        ...


class Runs(Protocol):
    """What runs commands: a folder's shell."""

    async def run(
        self,
        command: str,
        *,
        tell: Tell,
        on_interrupt: OnInterrupt,
        hidden: Sequence[str],
        timeout_s: float,
        allow_network: bool,
        obeys_repository: bool,
    ) -> CommandResult:
        """Run a command to its end. Raises ProcessFailure."""
        ...


def run_command(shell: Runs) -> Tool:
    """The tool, for the shell of a folder."""

    async def run(asked: RunCommand, context: ToolContext) -> ToolOutcome:
        async def on_interrupt(found: CommandChanges) -> None:
            await context.files.apply(found.changes)

        hidden = await context.workspace.hidden_paths()
        try:
            ran = await shell.run(
                asked.command if context.approved else f"{QUIET_GIT}; {asked.command}",
                tell=context.tell,
                on_interrupt=on_interrupt,
                hidden=hidden,
                timeout_s=asked.timeout_s,
                allow_network=asked.network,
                obeys_repository=context.approved,
            )
        except ProcessFailure as failure:
            raise ToolFailure(str(failure)) from failure
        # Where commands are not kept apart from them, they can read what is kept from the AI.
        secrets = await context.workspace.secrets_in(hidden)
        return await settle(replace(ran, full=without_values(ran.full, secrets)), context)

    return Tool(DECLARATION, run, RunCommand)


async def settle(ran: CommandResult, context: ToolContext) -> ToolOutcome:
    """Take over what a command did, and say all there is to say about it."""
    # Only of an overlay are changes still to be made.
    controls = control_changes(ran) if ran.level == "sandboxed" else []
    is_agreed = not controls or await is_agreed_to(controls, context)
    held = [] if is_agreed else [path for path, _ in controls]
    changes = tuple(change for change in ran.changes if is_agreed or not is_held(change))
    left = [
        *await context.files.apply(changes),
        *await ran.repository.take_over(only_objects=not is_agreed),
    ]
    made = [path for path in paths_of(changes) if path not in left]
    told = [
        ran.full.rstrip("\n") or "It printed nothing.",
        how_it_ended(ran),
        named("Changed", made),
        named("Not changed, because something else happened there", [*left, *ran.found.clashes]),
        named("Not changed, because such files may only be changed when the user agrees", held),
        "" if is_agreed or not ran.repository.effects else GIT_HELD,
        ran.found.lost,
    ]
    outcome = said("\n".join(filter(None, told)), fact=fact(ran))
    return replace(outcome, is_error=bool(ran.stopped), not_covered=ran.not_covered)


def control_changes(ran: CommandResult) -> list[tuple[str, FileState | None]]:
    """What would stand in files that control programs, which no rule can allow."""
    inside = [(f".git/{effect.path}", effect.after) for effect in ran.repository.controls()]
    changed = [effect for effect in ran.found.changes_of_files() if is_control(effect.path)]
    every = [*((effect.path, effect.after) for effect in changed), *inside]
    # A folder is nothing by itself; what is in it is listed.
    return sorted(
        ((path, after) for path, after in every if after is None or after.kind != "folder"),
        key=lambda change: change[0],
    )


def is_held(change: Change) -> bool:
    """Whether a change waits for a person."""
    return not isinstance(change, Effect) or is_control(change.path)


async def is_agreed_to(
    changes: Sequence[tuple[str, FileState | None]], context: ToolContext
) -> bool:
    """Ask about changes, each letter of them; no when nobody can be asked, or they can't be shown.

    That a person agreed to the command is no answer: nobody saw these when they did.
    """
    if context.agree is None:
        return False
    shown = {path: in_words(after) for path, after in changes}
    if sum(map(len, shown.values())) > MAX_SHOWN:
        return False
    return await context.agree(CONTROL, CONTROLS, shown)


def in_words(after: FileState | None) -> str:
    """What will stand at a path."""
    if after is None:
        return "(taken away)"
    if after.kind == "link":
        return f"(a link to {os.fsdecode(after.data)})"
    try:
        return after.data.decode("utf-8")
    except UnicodeDecodeError:
        digest = hashlib.sha256(after.data).hexdigest()
        return f"({len(after.data):,} bytes that are no text, SHA-256 {digest})"


def paths_of(changes: Sequence[Change]) -> list[str]:
    """The paths that were changed, in order; folders that were only made are left out."""
    return sorted(
        change.path
        for change in changes
        if not (isinstance(change, Effect) and change.after and change.after.kind == "folder")
    )


def how_it_ended(ran: CommandResult) -> str:
    """The exit code, or why it was ended."""
    return f"[{ran.stopped}]" if ran.stopped else f"[exit code {ran.code}]"


def fact(ran: CommandResult) -> str:
    """The few words at the end of its line."""
    if ran.timed_out:
        return "timed out"
    return "ended" if ran.stopped else f"exit {ran.code}"


def named(what: str, paths: Sequence[str]) -> str:
    """A line that names some files; empty when there are none."""
    if not paths:
        return ""
    more = f" and {len(paths) - MAX_NAMED:,} more" if len(paths) > MAX_NAMED else ""
    return f"[{what}: {', '.join(paths[:MAX_NAMED])}{more}]"


DECLARATION = Declaration(
    name="run_command",
    title="Run a shell command in this folder",
    description=(
        "Run a shell command in the folder and get what it prints and its exit code. It reads no "
        "input, and nothing of it goes on in the background. Where commands are sandboxed, it can "
        "change only this folder, and has no network unless network is set and the user agrees. "
        "Use the other tools to read, search and edit files."
    ),
    parameters=parameters_of(RunCommand),
    group="workspace",
    changes=True,
    asks=True,
    main="command",
    doing="Running",
    done="Ran",
)
