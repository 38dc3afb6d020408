"""The line that a running cell wants, from whoever looks at the notebook."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio

from recto.notebooks.kernels.execution import InputRequest
from recto.notebooks.live.state_views import asked_view

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernel import Kernel


class InputQuestions:
    """Asks one thing at a time: a kernel runs one cell at a time."""

    def __init__(self, tell: Callable[[], None]) -> None:
        """`tell` is called when something is asked, and when it is not any more."""
        self._tell = tell
        self._asked: tuple[str, InputRequest] | None = None
        self._value: str | None = None
        self._is_over = anyio.Event()

    @property
    def view(self) -> dict[str, Any] | None:
        """What is asked, for pages."""
        return None if self._asked is None else asked_view(*self._asked)

    async def ask(self, cell_id: str, request: InputRequest, kernel: "Kernel") -> str:
        """A line from whoever looks; an empty one when nobody may answer any more."""
        self._asked = (cell_id, request)
        self._value, self._is_over = None, anyio.Event()
        self._tell()
        try:
            async with anyio.create_task_group() as tasks:

                async def until_dead() -> None:
                    await kernel.wait_until_over()
                    tasks.cancel_scope.cancel()

                tasks.start_soon(until_dead)
                await self._is_over.wait()
                tasks.cancel_scope.cancel()
        finally:
            # Also when whoever ran the cell was stopped: nobody waits for the line any more.
            self._asked = None
            self._tell()
        return self._value or ""

    def answer(self, cell_id: str, value: str) -> bool:
        """The line that a running cell wants; False when it wants none."""
        if self._asked is None or self._asked[0] != cell_id or self._is_over.is_set():
            return False
        self._value = value
        self._is_over.set()
        return True

    def give_up(self) -> None:
        """Nobody answers any more."""
        self._is_over.set()
