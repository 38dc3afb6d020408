"""The notebook that a call is about: its file as tools read and change it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from recto.notebooks import CellChanged, Notebook, NotebookFailure, Notebooks
from recto.tools.tool import ToolContext, ToolFailure
from recto.workspace import content_hash

NotebookPath = Annotated[str, Meta(description="The notebook (.ipynb), relative to the folder.")]
CellId = Annotated[str, Meta(description="The id of the cell, as read_notebook shows it.")]
SUFFIX = ".ipynb"


@dataclass(frozen=True, slots=True)
class ToolNotebook:
    """A notebook's file, read from the folder and written as a recorded change."""

    path: str
    key: str
    context: ToolContext

    async def read(self) -> bytes:
        """Its bytes as they are now."""
        return await self.context.workspace.read_bytes(self.path)

    async def write(self, data: bytes, *, based_on: bytes) -> None:
        """Other bytes, in place of those. Raises PathChanged."""
        known = content_hash(based_on)
        await self.context.files.write(self.path, data, expected_hash=known)

    @property
    def folder(self) -> str:
        """The folder that it lies in, absolute."""
        return self.key.rpartition("/")[0]


async def aim_at(path: str, context: ToolContext) -> ToolNotebook:
    """The notebook at a path. Raises ToolFailure, WorkspaceFailure."""
    if not path.casefold().endswith(SUFFIX):
        raise ToolFailure(f'"{path}" is not a notebook: its name does not end in {SUFFIX}.')
    real = await context.workspace.real_path(path)
    return ToolNotebook(real, f"{context.workspace.root}/{real}", context)


async def open_notebook(notebooks: Notebooks, file: ToolNotebook) -> tuple[Notebook, bytes]:
    """The notebook and its bytes. Raises NotebookBroken, WorkspaceFailure."""
    data = await file.read()
    return notebooks.cells.read(file.key, data), data


@contextmanager
def told_to_model(notebook: Notebook | None = None) -> Generator[None]:
    """Turn what goes wrong with a notebook into words for the model, with the text as it is now."""
    try:
        yield
    except CellChanged as failure:
        raise ToolFailure(f"{failure}{fresh(notebook, failure.cell_id)}") from failure
    except NotebookFailure as failure:
        raise ToolFailure(str(failure)) from failure


def fresh(notebook: Notebook | None, cell_id: str) -> str:
    """A cell as it is now, for an editor that has read something else."""
    if notebook is None:
        return ""
    cell = notebook.cell(cell_id)
    return f" It is {cell.kind} of version {cell.version} now:\n\n{cell.source}"
