"""The tools for notebooks: reading, editing and running cells, and the kernel."""

from recto.notebooks import Notebooks
from recto.tools.notebook import cells, read_notebook, running
from recto.tools.tool import Declaration, Tool

NOTEBOOK_DECLARATIONS: tuple[Declaration, ...] = (
    read_notebook.DECLARATION,
    cells.EDIT_CELL,
    cells.ADD_CELL,
    cells.DELETE_CELL,
    running.RUN_CELL,
    running.RUN_ALL_CELLS,
    running.KERNEL,
)


def notebook_tools(notebooks: Notebooks) -> tuple[Tool, ...]:
    """All of them."""
    return (
        read_notebook.read_notebook(notebooks),
        *cells.cell_tools(notebooks),
        *running.running_tools(notebooks),
    )
