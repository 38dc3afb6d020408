"""The calls of one answer: which run together, which are one too many, and what is still open."""

from collections.abc import Callable
from dataclasses import dataclass, field

from recto.agent.events import CallKey
from recto.messages import ToolCall, ToolResult

MOST_ALIKE = 2


@dataclass(slots=True)
class AnswerCalls:
    """The calls of an answer, by place. Each gets exactly one result.

    Two calls with one id never run side by side: an id names the first open call that has it.
    """

    all: tuple[ToolCall, ...]
    results: dict[int, ToolResult] = field(default_factory=dict[int, ToolResult])
    started: set[int] = field(default_factory=set[int])

    @property
    def open(self) -> list[int]:
        """The places that have no result yet."""
        return [place for place in range(len(self.all)) if place not in self.results]

    def start(self, call: ToolCall) -> None:
        """A call begins to run."""
        self.started.add(self._place(call))

    def settle(self, call: ToolCall, result: ToolResult) -> None:
        """A call has its result."""
        self.results[self._place(call)] = result

    def in_order(self) -> tuple[ToolResult, ...]:
        """Every result, in the order of the calls."""
        return tuple(self.results[place] for place in range(len(self.all)))

    def _place(self, call: ToolCall) -> int:
        # Readers number ids that come twice; should one slip through, each call has its own result.
        return next(place for place in self.open if self.all[place].id == call.id)


class RepeatedCalls:
    """Counts calls that are the same as the one before."""

    def __init__(self) -> None:
        self._last: CallKey | None = None
        self._alike = 0

    def admit(self, calls: tuple[ToolCall, ...]) -> int:
        """How many of these calls may run: all that come before the third of a kind in a row."""
        for place, call in enumerate(calls):
            key = CallKey(call.name, call.arguments)
            self._alike = self._alike + 1 if key == self._last else 1
            self._last = key
            if self._alike > MOST_ALIKE:
                return place
        return len(calls)


def batches(calls: tuple[ToolCall, ...], is_safe: Callable[[ToolCall], bool]) -> list[list[int]]:
    """The places of calls that may run side by side: neighbours that change nothing.

    Whatever shares its id with one of them waits for the next batch.
    """
    found: list[list[int]] = []
    ids: set[str] = set()
    for place, call in enumerate(calls):
        safe = is_safe(call)
        if safe and ids and call.id not in ids:
            found[-1].append(place)
        else:
            found.append([place])
            ids.clear()
        if safe:
            ids.add(call.id)
    return found
