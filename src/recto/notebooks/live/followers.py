"""Whoever shows a notebook follows it: what its cells answer, and its state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from recto.notebooks.kernels.outputs import CellOutputs
from recto.notebooks.live.output_views import MAX_SHOWN, live_view

Message = dict[str, Any]
MOMENT_S = 0.02
"""How long news may wait that nobody looks for: less than anybody sees."""


class ShownNotebook(Protocol):
    """What a follower looks at."""

    def running_outputs(self, cell_id: str) -> CellOutputs | None:
        """What a running cell has answered so far; None when it does not run."""
        ...

    def cell_message(self, cell_id: str) -> Message:
        """A cell with all of its outputs."""
        ...

    def state_message(self) -> Message:
        """How the notebook is."""
        ...

    def whole_message(self) -> Message:
        """Everything, for whoever knows nothing yet."""
        ...


@dataclass(slots=True)
class SentText:
    """How far a printed text was sent."""

    outputs: CellOutputs
    count: int
    settled: int


@dataclass(slots=True)
class NotebookFollower:
    """What one page has not been told yet."""

    notebook: ShownNotebook
    moment_s: float = MOMENT_S
    _is_new: bool = True
    _has_state: bool = True
    _cells: dict[str, bool] = field(default_factory=dict[str, bool])
    """Cells with news, and whether all of it must be sent again."""
    _sent: dict[str, SentText] = field(default_factory=dict[str, SentText])
    _news: anyio.Event = field(default_factory=anyio.Event)
    _answers: anyio.Event = field(default_factory=anyio.Event)
    """Is set when there is news that must not wait."""

    def __post_init__(self) -> None:
        self._tell_now()

    def __hash__(self) -> int:
        return id(self)

    def tell_state(self, *, may_wait: bool = True) -> None:
        """The state has changed; one that may not wait is told although the next may follow."""
        self._has_state = True
        self._news.set()
        if not may_wait:
            self._answers.set()

    def tell_cell(self, cell_id: str, *, is_printed: bool = False, may_wait: bool = False) -> None:
        """A cell has answered something; whether it only printed, or has only begun or ended."""
        self._cells[cell_id] = self._cells.get(cell_id, False) or not is_printed
        self._news.set()
        if not may_wait:
            self._answers.set()

    def tell_all(self) -> None:
        """Anything may have changed."""
        self._is_new = True
        self._tell_now()

    def _tell_now(self) -> None:
        self._news.set()
        self._answers.set()

    async def news(self) -> list[Message]:
        """All that is new; waits until there is something.

        An answer is told at once. That its cell has begun goes along with it, or follows a moment
        later: a page that had to draw both would show the answer later.
        """
        await self._news.wait()
        with anyio.move_on_after(self.moment_s):
            await self._answers.wait()
        self._news, self._answers = anyio.Event(), anyio.Event()
        is_new, has_state, cells = self._is_new, self._has_state, self._cells
        self._is_new, self._has_state, self._cells = False, False, {}
        if is_new:
            self._sent.clear()
            return [self.notebook.whole_message(), self.notebook.state_message()]
        messages = [self._cell(cell_id, is_whole=whole) for cell_id, whole in cells.items()]
        return [*messages, self.notebook.state_message()] if has_state else messages

    def _cell(self, cell_id: str, *, is_whole: bool) -> Message:
        outputs = self.notebook.running_outputs(cell_id)
        sent = self._sent.pop(cell_id, None)
        if outputs is None:
            return self.notebook.cell_message(cell_id)
        items = outputs.items
        last = items[-1] if items else None
        if not isinstance(last, tuple):
            return self.notebook.cell_message(cell_id)
        text = last[1]
        self._sent[cell_id] = SentText(outputs, len(items), text.settled)
        is_same = sent is not None and sent.outputs is outputs and sent.count == len(items)
        if is_whole or sent is None or not is_same or len(text) > MAX_SHOWN:
            return self.notebook.cell_message(cell_id)
        added: Mapping[str, Any] = {"keep": sent.settled, "text": text.since(sent.settled)}
        return {"type": "append", "cell": cell_id, "index": len(items) - 1, **added}


def views_of(outputs: CellOutputs) -> list[Message]:
    """What a running cell has answered, for pages."""
    return [live_view(item) for item in outputs.items]
