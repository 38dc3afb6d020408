"""`recto notebook run`: runs a notebook from the top and writes what its cells answer."""

import argparse
import getpass
import sys
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio import to_thread

from recto.cli.failures import CommandFailed
from recto.clock import SystemClock, SystemIds
from recto.notebooks import (
    Cell,
    CellRun,
    InputRequest,
    NotebookFailure,
    NotebookRun,
    Notebooks,
    code_cells,
    error_text,
)
from recto.supervisor import Supervisor
from recto.workspace import Workspace, WorkspaceFailure, content_hash

MAX_SHOWN = 70


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto notebook`."""
    parser = argparse.ArgumentParser(prog="recto notebook", description="Works with notebooks.")
    commands = parser.add_subparsers(dest="command", required=True)
    run_command = commands.add_parser(
        "run",
        help="run all cells and write their outputs",
        description="Runs all cells from the top and writes their outputs; 1 at the first error.",
    )
    run_command.add_argument("file", metavar="FILE", help="the notebook (.ipynb)")
    run_command.add_argument(
        "--timeout", type=seconds, metavar="S", help="interrupt a cell after S seconds"
    )
    run_command.add_argument("--kernel", metavar="NAME", help="default: the one the notebook names")
    return parser


def seconds(text: str) -> float:
    """A number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds. Use one above 0.")
    return value


def run(options: argparse.Namespace) -> int:
    """Run the notebook; 1 when a cell failed."""
    file = Path(options.file).resolve()
    if not file.is_file():
        raise CommandFailed(f"There is no file {options.file}. Check the spelling.")
    try:
        return anyio.run(run_notebook, file, options.timeout, options.kernel)
    except (NotebookFailure, WorkspaceFailure) as failure:
        raise CommandFailed(str(failure)) from failure


@dataclass(frozen=True, slots=True)
class DiskNotebook:
    """A notebook's file in its folder."""

    name: str
    workspace: Workspace

    @property
    def key(self) -> str:
        """Its absolute path."""
        return f"{self.workspace.root}/{self.name}"

    async def read(self) -> bytes:
        """Its bytes as they are now."""
        return await self.workspace.read_bytes(self.name)

    async def write(self, data: bytes, *, based_on: bytes) -> None:
        """Other bytes, in place of those. Raises PathChanged."""
        await self.workspace.write(self.name, data, expected_hash=content_hash(based_on))


async def run_notebook(file: Path, timeout_s: float | None, kernel_name: str | None) -> int:
    """Run all cells, telling of each; the exit code. Raises NotebookFailure, WorkspaceFailure."""
    clock = SystemClock()
    failure: NotebookFailure | WorkspaceFailure | None = None
    code = 1
    async with (
        await Workspace.open(file.parent) as workspace,
        anyio.create_task_group() as tasks,
    ):
        notebooks = Notebooks(Supervisor(tasks, clock.monotonic), SystemIds(clock))
        opened = DiskNotebook(file.name, workspace)
        folder = str(file.parent)
        cells = NotebookRun(notebooks, opened, folder=folder, cwd=folder, shorten=unchanged)
        try:
            code = await run_cells(cells, timeout_s, kernel_name)
        except (NotebookFailure, WorkspaceFailure) as caught:
            # Out of the group as it is: a command tells one failure, not a group of them.
            failure = caught
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return code


async def run_cells(running: NotebookRun, timeout_s: float | None, kernel_name: str | None) -> int:
    """Run all cells; the exit code."""
    notebook = await running.read()
    cells = code_cells(notebook)
    kernel = await running.kernel(notebook, kernel_name)
    print(f"{kernel.place.spec.title}, {len(cells)} cells", file=sys.stderr)
    for number, cell in enumerate(cells, 1):
        print(f"[{number}/{len(cells)}] {first_line(cell)}", file=sys.stderr, flush=True)
        answer = ask if sys.stdin.isatty() else None
        ran = await running.run(cell, kernel, timeout_s=timeout_s, answer=answer)
        if ran.ending != "ok":
            print(problem(ran, timeout_s), file=sys.stderr)
            return 1
    return 0


async def ask(asked: InputRequest) -> str:
    """Ask whoever sits at the terminal."""
    return await to_thread.run_sync(getpass.getpass if asked.is_password else input, asked.prompt)


async def unchanged(text: str) -> str:
    """A file gets all that was printed, as from Jupyter."""
    return text


def first_line(cell: Cell) -> str:
    """What a cell begins with."""
    return cell.source.strip().splitlines()[0][:MAX_SHOWN]


def problem(ran: CellRun, timeout_s: float | None) -> str:
    """What went wrong in a cell."""
    if ran.ending == "timed_out":
        return f"It took over {timeout_s:g} s and was interrupted."
    errors = [output for output in ran.outputs if output["output_type"] == "error"]
    if not errors:
        return "It failed."
    return error_text(errors[-1])
