"""Everything that may go wrong with a notebook, each with what to do about it.

NotebookFailure
    NotebookBroken    the file is no notebook that can be read
    NotebookReadOnly  it can be read, but not changed without a loss
    NoSuchCell        no cell has this id
    CellChanged       the cell is not what the editor has read
    NotCode           the cell is not code, so it can't run
    LastCell          a notebook keeps one cell at least
    NoSuchKernel      no kernel has this name, or it can't be started
    KernelFailed      a kernel did not start, or does not answer
    KernelDied        the kernel's process has ended
    NoKernel          no kernel is running
    SandboxMissing    a kernel shall run in the sandbox, and there is none that could hold it
"""

from typing import cast


class NotebookFailure(Exception):
    """Something expected went wrong; `message` says what, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NotebookBroken(NotebookFailure):
    """The file is no notebook that can be read."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(
            f"This is not a notebook that can be read: {why}.",
            "Correct the file as text, or take an earlier version.",
        )


class NotebookReadOnly(NotebookFailure):
    """The notebook can be read, but not changed without a loss."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"This notebook can't be changed: {problem}", "It can only be read.")


class NoSuchCell(NotebookFailure):
    """No cell has this id."""

    def __init__(self, cell_id: str) -> None:
        super().__init__(f"There is no cell {cell_id}.", "Read the notebook again.")


class CellChanged(NotebookFailure):
    """The cell is not what the editor has read."""

    def __init__(self, cell_id: str) -> None:
        self.cell_id = cell_id
        super().__init__(
            f"The cell {cell_id} has changed since it was read.", "Edit what is there now."
        )


class LastCell(NotebookFailure):
    """A notebook keeps one cell at least."""

    def __init__(self) -> None:
        super().__init__("This is the only cell of the notebook.", "Change it instead.")


class NoSuchKernel(NotebookFailure):
    """No kernel has this name, or it can't be started."""


class KernelFailed(NotebookFailure):
    """A kernel did not start, or does not answer."""


class KernelDied(NotebookFailure):
    """The kernel's process has ended."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The kernel has died: {why}.", "Its variables are gone; the next run starts a new one."
        )


class NoKernel(NotebookFailure):
    """No kernel is running."""

    def __init__(self) -> None:
        super().__init__("No kernel is running for this notebook.", "Run a cell: that starts one.")


class SandboxMissing(NotebookFailure):
    """A kernel shall run in the sandbox, and there is none that could hold it."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(f"The kernel can't be started in the sandbox: {why}", remedy)


class NotCode(NotebookFailure):
    """The cell is not code."""

    def __init__(self, cell_id: str) -> None:
        super().__init__(f"The cell {cell_id} is not code.", "Only code cells run.")


def unexpected(error: BaseException) -> str:
    """What is told of an error in Recto itself; its log has the places in the program."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    words = str(error).partition("\n")[0][:200]
    told = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return f"an error in Recto itself ({told}), told in its log"
