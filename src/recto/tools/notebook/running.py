"""run_cell, run_all_cells, kernel: code of a notebook with the rights of the user."""

from collections.abc import Sequence
from typing import Annotated, Literal

import anyio
from msgspec import Meta

from recto.messages import Text
from recto.notebooks import (
    CellRun,
    NoKernel,
    NotCode,
    NotebookRun,
    Notebooks,
    code_cells,
    variables_of,
)
from recto.tools.bounds import shortened
from recto.tools.notebook.cell_view import CellViewer, pictures
from recto.tools.notebook.target import CellId, NotebookPath, aim_at, told_to_model
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said

CELL_S = 60.0
ALL_S = 300.0
MAX_S = 3600.0
MAX_IN_FILE = 1_000_000
"""Characters of printed text that a file gets; the whole is kept by handle."""
KernelName = Annotated[
    str | None, Meta(description="The kernel to start, if none runs; else the notebook's own.")
]


class RunCell(Arguments, frozen=True):
    """What to run."""

    path: NotebookPath
    cell: CellId
    timeout_s: Annotated[
        float, Meta(description="After how many seconds it is interrupted.", gt=0, le=MAX_S)
    ] = CELL_S
    kernel: KernelName = None


class RunAllCells(Arguments, frozen=True):
    """What to run."""

    path: NotebookPath
    restart: Annotated[bool, Meta(description="Begin with a new kernel.")] = False
    timeout_s: Annotated[
        float, Meta(description="After how many seconds all is interrupted.", gt=0, le=MAX_S)
    ] = ALL_S
    kernel: KernelName = None


class KernelAction(Arguments, frozen=True):
    """What to do with the kernel."""

    path: NotebookPath
    action: Annotated[
        Literal["status", "variables", "interrupt", "restart"],
        Meta(description="What to do with the kernel."),
    ] = "status"


def running_tools(notebooks: Notebooks) -> tuple[Tool, ...]:
    """The three tools."""

    async def open_run(path: str, context: ToolContext) -> NotebookRun:
        async def shorten(text: str) -> str:
            return await shortened(text, context.outputs, MAX_IN_FILE)

        file = await aim_at(path, context)
        root = context.workspace.root
        return NotebookRun(notebooks, file, folder=root, cwd=file.folder, shorten=shorten)

    async def run_cell(asked: RunCell, context: ToolContext) -> ToolOutcome:
        with told_to_model():
            run = await open_run(asked.path, context)
            notebook = await run.read()
            cell = notebook.cell(asked.cell)
            if cell.kind != "code":
                raise NotCode(cell.id)
            kernel = await run.kernel(notebook, asked.kernel)
            ran = await run.run(cell, kernel, timeout_s=asked.timeout_s, tell=context.tell)
        return await told([ran], context, total=1)

    async def run_all(asked: RunAllCells, context: ToolContext) -> ToolOutcome:
        ends = anyio.current_time() + asked.timeout_s
        with told_to_model():
            run = await open_run(asked.path, context)
            notebook = await run.read()
            file = await aim_at(asked.path, context)
            if asked.restart and notebooks.kernels.status(file.key) is not None:
                kernel = await notebooks.kernels.restart(file.key)
            else:
                kernel = await run.kernel(notebook, asked.kernel)
            cells = code_cells(notebook)
            ran = [
                item
                async for item in run.run_all(
                    cells,
                    kernel,
                    timeout_s=lambda: max(0.0, ends - anyio.current_time()),
                    tell=context.tell,
                )
            ]
        return await told(ran, context, total=len(cells))

    async def kernel_action(asked: KernelAction, context: ToolContext) -> ToolOutcome:
        with told_to_model():
            key = (await aim_at(asked.path, context)).key
            if asked.action == "variables":
                return said(await variables_text(notebooks, key))
            if asked.action == "interrupt":
                await notebooks.kernels.interrupt(key)
            elif asked.action == "restart":
                await notebooks.kernels.restart(key)
            return said(await status_of(notebooks, key, context.workspace.root))

    return (
        Tool(RUN_CELL, run_cell, RunCell, touches=lambda asked: (asked.path,)),
        Tool(RUN_ALL_CELLS, run_all, RunAllCells, touches=lambda asked: (asked.path,)),
        Tool(KERNEL, kernel_action, KernelAction, touches=lambda asked: (asked.path,)),
    )


async def status_of(notebooks: Notebooks, key: str, folder: str) -> str:
    """How the kernel is, and which others there are."""
    found = notebooks.kernels.status(key)
    if found is None:
        state = "No kernel is running for this notebook; run_cell starts one."
    else:
        died = f" ({found.why_dead})" if found.why_dead else ""
        waiting = f", {found.queued} running or waiting" if found.queued else ""
        state = f"{found.title} ({found.name}) is {found.state}{died}{waiting}."
    names = [
        f"{spec.name} ({spec.problem or spec.title})"
        for spec in await notebooks.kernels.available(folder)
    ]
    return f"{state}\nKernels that can be chosen: {', '.join(names)}."


async def variables_text(notebooks: Notebooks, key: str) -> str:
    """The names that a notebook's kernel knows. Raises NoKernel, KernelDied."""
    kernel = notebooks.kernels.find(key)
    if kernel is None:
        raise NoKernel
    if kernel.place.spec.language.casefold() != "python":
        return "Only Python kernels tell their variables."
    found = await variables_of(kernel)
    if found is None:
        return "The kernel did not answer; it may be busy."
    lines = [
        f"{one.name}: {one.type}{f' {one.shape}' if one.shape else ''} = {one.preview}"
        for one in found
    ]
    return "\n".join(lines) or "There are no variables yet."


async def told(ran: Sequence[CellRun], context: ToolContext, *, total: int) -> ToolOutcome:
    """What cells answered."""
    viewer = CellViewer(context)
    pieces: list[str] = []
    for item in ran:
        lines = await viewer.outputs(item.outputs)
        pieces += [f"# Cell {item.cell_id}: {how_it_ended(item)}", *lines]
    failed = [item for item in ran if item.ending != "ok"]
    if failed and len(ran) < total:
        pieces.append(f"[{total - len(ran)} cells after it did not run.]")
    seen = pictures([output for item in ran for output in item.outputs], context)
    fact = failed[0].ending.replace("_", " ") if failed else f"{len(ran)} ran"
    text = "\n".join(pieces) or "There is no code to run."
    return ToolOutcome((Text(text), *seen), is_error=bool(failed), fact=fact)


def how_it_ended(ran: CellRun) -> str:
    """The end of a run in words."""
    words = {
        "ok": "ran",
        "error": "raised an error",
        "timed_out": "took too long, so the kernel was interrupted",
    }[ran.ending]
    if ran.is_stuck:
        words += ", which it does not react to: restart the kernel"
    return words if ran.is_written else f"{words}; its cell is gone, so no outputs were written"


RUN_CELL = Declaration(
    name="run_cell",
    title="Run a cell of a notebook",
    description=(
        "Run a code cell of a Jupyter notebook in its kernel, which is started if need be and "
        "keeps its variables. Outputs are written into the notebook and told, cut to 300 "
        "characters. After timeout_s the kernel is interrupted. The user agrees once for each "
        "notebook."
    ),
    parameters=parameters_of(RunCell),
    group="notebooks",
    changes=True,
    asks=True,
    asks_once=True,
    main="path",
    doing="Running",
    done="Ran",
)
RUN_ALL_CELLS = Declaration(
    name="run_all_cells",
    title="Run all cells of a notebook",
    description=(
        "Run all code cells of a Jupyter notebook from the top, up to the first error. Set restart "
        "to begin with a new kernel."
    ),
    parameters=parameters_of(RunAllCells),
    group="notebooks",
    changes=True,
    asks=True,
    asks_once=True,
    main="path",
    doing="Running",
    done="Ran",
    rules_of="run_cell",
)
KERNEL = Declaration(
    name="kernel",
    title="See, ask, interrupt or restart a notebook's kernel",
    description=(
        "Say how the kernel of a Jupyter notebook is and which kernels there are; list its "
        "variables with type, shape and a look at each; interrupt what it runs; or "
        "restart it, which forgets all variables."
    ),
    parameters=parameters_of(KernelAction),
    group="notebooks",
    changes=True,
    main="path",
    doing="Asking the kernel of",
    done="Asked the kernel of",
)
