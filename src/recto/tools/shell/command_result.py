"""What a command did, and the ways in which it could not be run."""

from dataclasses import dataclass
from typing import Literal

from recto.processes import ProcessFailure
from recto.tools.effects import Change, Effect
from recto.tools.shell.execution import ExecutionResult
from recto.tools.shell.output import CommandOutput, shorten
from recto.tools.shell.repository import RepositoryChanges

Kind = Literal["sandboxed", "confined", "unsandboxed"]


@dataclass(frozen=True, slots=True)
class CommandChanges:
    """What became of files. `clashes` were changed by others meanwhile and are left alone."""

    changes: tuple[Change, ...] = ()
    clashes: tuple[str, ...] = ()
    lost: str = ""
    """What the command did and nobody takes over, in plain words."""

    def changes_of_files(self) -> tuple[Effect, ...]:
        """The changes of single paths, which are all that is read from an overlay."""
        return tuple(change for change in self.changes if isinstance(change, Effect))


@dataclass(frozen=True, slots=True)
class CommandResult:
    """A command that has ended, or was ended.

    Sandboxed, the real folder is as it was: whoever asked makes the changes. Unsandboxed, they are
    made already. Changes are in an order in which they can be made: what goes goes first.
    """

    code: int | None
    """Its exit code, 128 and more for a signal; None when it was ended."""
    output: str
    """What it printed: all of it, or head and tail."""
    full: str
    """The same with far more kept, for who wants to read on."""
    timed_out: bool
    stopped: str
    """Why it was ended, in plain words."""
    found: CommandChanges
    level: Kind
    not_covered: str
    """What can't be undone at this level, in plain words."""
    repository: RepositoryChanges = RepositoryChanges()
    """What it did in .git, if that was under the overlay: also for whoever asked to make."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """What it did to files of the folder."""
        return self.found.changes


def build_command_result(
    ended: ExecutionResult,
    output: CommandOutput,
    found: CommandChanges,
    level: Kind,
    not_covered: str,
    repository: RepositoryChanges,
) -> CommandResult:
    """Everything that is known of a command after its end."""
    full = output.full()
    return CommandResult(
        code=ended.code,
        output=shorten(full),
        full=full,
        timed_out=ended.timed_out,
        stopped=ended.stopped,
        found=found,
        level=level,
        not_covered=not_covered,
        repository=repository,
    )


class CommandRefused(ProcessFailure):
    """The command can't be given to any shell."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The command can't be run: {why}.", "Write it differently.")


class SandboxFailed(ProcessFailure):
    """The sandbox was there but could not be set up for this command, which did not run."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The sandbox could not be set up: {why}.", "Run `recto doctor`.")
