"""read_notebook: an outline first, then cells by id, range, heading or words."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from recto.messages import Text
from recto.notebooks import Cell, Notebook, Notebooks, is_error, output_text
from recto.tools.bounds import shortened
from recto.tools.notebook.cell_view import CellViewer, pictures
from recto.tools.notebook.target import NotebookPath, aim_at, open_notebook, told_to_model
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome

HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$", re.MULTILINE)
MAX_LINE = 100
MAX_ANSWER = 50_000


class ReadNotebook(Arguments, frozen=True):
    """What to read."""

    path: NotebookPath
    cell: Annotated[str | None, Meta(description="One cell, by its id.")] = None
    first: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="The first cell to read, from 1.")
    ] = None
    last: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="The last cell to read.")
    ] = None
    heading: Annotated[str | None, Meta(description="All cells below this heading.")] = None
    search: Annotated[str | None, Meta(description="The cells that hold these words.")] = None


def read_notebook(notebooks: Notebooks) -> Tool:
    """The tool."""

    async def run(asked: ReadNotebook, context: ToolContext) -> ToolOutcome:
        with told_to_model():
            file = await aim_at(asked.path, context)
            notebook, _ = await open_notebook(notebooks, file)
            cells = tuple(notebooks.shown(file.key, cell) for cell in notebook.cells)
            notebook = replace(notebook, cells=cells)
            places = chosen(notebook, asked)
        if places is None:
            lines = [outline_line(at, cell) for at, cell in enumerate(notebook.cells, 1)]
            outline = await bounded("\n".join([head(notebook), *lines]), context)
            return ToolOutcome((Text(outline),), fact=fact(notebook))
        viewer = CellViewer(context)
        shown = [notebook.cells[at] for at in places]
        texts = [await viewer.cell(at + 1, notebook.cells[at]) for at in places]
        seen = pictures([output for cell in shown for output in cell.outputs], context)
        told = f"1 cell of {len(notebook.cells)}" if len(shown) == 1 else f"{len(shown)} cells"
        return ToolOutcome((Text(await bounded("\n\n".join(texts), context)), *seen), fact=told)

    return Tool(DECLARATION, run, ReadNotebook, touches=lambda asked: (asked.path,))


async def bounded(text: str, context: ToolContext) -> str:
    """What one answer holds of a text; the rest by handle."""
    return await shortened(text, context.outputs, min(MAX_ANSWER, context.room))


def chosen(notebook: Notebook, asked: ReadNotebook) -> Sequence[int] | None:
    """The places of the cells that were asked for; None for the outline. Raises ToolFailure."""
    count = len(notebook.cells)
    if asked.cell is not None:
        return [notebook.index(asked.cell)]
    if asked.heading is not None:
        return below_heading(notebook, asked.heading)
    if asked.search is not None:
        found = [at for at, cell in enumerate(notebook.cells) if holds(cell, asked.search)]
        if not found:
            raise ToolFailure(f"No cell holds {asked.search!r}.")
        return found
    if asked.first is None and asked.last is None:
        return None
    found = range((asked.first or 1) - 1, min(asked.last or count, count))
    if not found:
        raise ToolFailure(f"The notebook has {count} cells; there are none in this range.")
    return found


def below_heading(notebook: Notebook, wanted: str) -> list[int]:
    """From the cell with a heading up to the next one that is as high. Raises ToolFailure."""
    name = wanted.lstrip("#").strip().casefold()
    found: list[int] = []
    level = 0
    for at, cell in enumerate(notebook.cells):
        headings = HEADING.findall(cell.source) if cell.kind == "markdown" else []
        if level and any(len(signs) <= level for signs, _ in headings):
            return found
        levels = [len(signs) for signs, words in headings if words.casefold() == name]
        if levels and not level:
            level = levels[0]
        if level:
            found.append(at)
    if not found:
        raise ToolFailure(
            f"There is no heading {wanted!r}. Without arguments, you get the outline."
        )
    return found


def holds(cell: Cell, words: str) -> bool:
    """Whether a cell or its outputs have some words in them."""
    texts = (cell.source, *(output_text(output) for output in cell.outputs))
    return any(words.casefold() in text.casefold() for text in texts)


def head(notebook: Notebook) -> str:
    """What is said above an outline."""
    kernel = f", kernel {notebook.kernel_name}" if notebook.kernel_name else ""
    problem = f" It can only be read: {notebook.problem}" if notebook.problem else ""
    return f"{fact(notebook)}{kernel}.{problem}"


def fact(notebook: Notebook) -> str:
    """How many cells there are, in words."""
    count = len(notebook.cells)
    return "1 cell" if count == 1 else f"{count:,} cells"


def outline_line(number: int, cell: Cell) -> str:
    """A cell in one line."""
    lines = cell.source.splitlines()
    first = next((line.strip() for line in lines if line.strip()), "(empty)")
    told = [cell.kind, "1 line" if len(lines) == 1 else f"{len(lines)} lines"]
    if cell.execution_count is not None:
        told.append(f"ran as [{cell.execution_count}]")
    if any(is_error(output) for output in cell.outputs):
        told.append("error")
    return f"{number}. [{cell.id}] {', '.join(told)}: {first[:MAX_LINE]}"


DECLARATION = Declaration(
    name="read_notebook",
    title="Read a notebook: its outline, or some of its cells",
    description=(
        "Read a Jupyter notebook. With the path alone you get an outline with the id of each cell; "
        "with cell, first and last, heading or search you get those cells: source, version (which "
        "edit_cell wants) and outputs, cut to 300 characters. Pictures come as pictures."
    ),
    parameters=parameters_of(ReadNotebook),
    group="notebooks",
    changes=False,
    main="path",
    doing="Reading",
    done="Read",
)
