"""run_command: a shell command in the folder; what it did to files is recorded like any change."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Protocol

from msgspec import Meta

from recto.processes import ProcessFailure
from recto.tools.control_files import is_control
from recto.tools.effects import Change, Effect
from recto.tools.schema import Arguments, parameters_of
from recto.tools.shell import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, CommandResult
from recto.tools.shell.command_result import CommandChanges
from recto.tools.tool import Declaration, Tell, Tool, ToolContext, ToolFailure, ToolOutcome, said

MAX_NAMED = 20
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
    ) -> CommandResult:
        """Run a command to its end. Raises ProcessFailure."""
        ...


def run_command(shell: Runs) -> Tool:
    """The tool, for the shell of a folder."""

    async def run(asked: RunCommand, context: ToolContext) -> ToolOutcome:
        async def on_interrupt(found: CommandChanges) -> None:
            await context.files.apply(found.changes)

        try:
            ran = await shell.run(
                asked.command if context.approved else f"{QUIET_GIT}; {asked.command}",
                tell=context.tell,
                on_interrupt=on_interrupt,
                hidden=await context.workspace.hidden_paths(),
                timeout_s=asked.timeout_s,
                allow_network=asked.network,
            )
        except ProcessFailure as failure:
            raise ToolFailure(str(failure)) from failure
        return await settle(ran, context)

    return Tool(DECLARATION, run, RunCommand)


async def settle(ran: CommandResult, context: ToolContext) -> ToolOutcome:
    """Take over what a command did, and say all there is to say about it."""
    changes, held = sort_out(ran, approved=context.approved)
    left = await context.files.apply(changes)
    made = [path for path in paths_of(changes) if path not in left]
    told = [
        ran.full.rstrip("\n") or "It printed nothing.",
        how_it_ended(ran),
        named("Changed", made),
        named("Not changed, because something else happened there", [*left, *ran.found.clashes]),
        named("Not changed, because such files may only be changed when the user agrees", held),
        ran.found.lost,
    ]
    outcome = said("\n".join(filter(None, told)), fact=fact(ran))
    return replace(outcome, is_error=bool(ran.stopped), not_covered=ran.not_covered)


def sort_out(ran: CommandResult, *, approved: bool) -> tuple[tuple[Change, ...], list[str]]:
    """What may be taken over, and the files that control programs, which a rule can't allow."""
    if approved or ran.level == "unsandboxed":
        return ran.changes, []
    held = [path for path in paths_of(ran.changes) if is_control(path)]
    kept = [
        change
        for change in ran.changes
        if isinstance(change, Effect) and not is_control(change.path)
    ]
    return tuple(kept), held


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
