"""What a turn draws from outside while it runs: clock readings, and how its tokens are counted.

Each draw has a label, so that a replay finds it again whichever tool was faster.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from recto.clock import Clock
from recto.context import TokenCounter
from recto.storage import ChatEvent

Factors = tuple[float, float]
"""What a model's token counts are multiplied by."""
LOOP = "loop"


class ClockReadings(Protocol):
    """Where a turn draws from."""

    def monotonic(self, label: str = LOOP) -> float:
        """Seconds that never go back."""
        ...

    def factors(self, step: int, now: Factors | None) -> Factors | None:
        """How tokens are counted in a step."""
        ...

    def take_new(self) -> list[list[Any]]:
        """What was drawn since this was last asked, for the record."""
        ...


class LiveReadings:
    """Draws from the real clock, and remembers what came."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._new: list[list[Any]] = []

    def monotonic(self, label: str = LOOP) -> float:
        """Seconds that never go back."""
        value = self._clock.monotonic()
        self._new.append([label, value])
        return value

    def factors(self, step: int, now: Factors | None) -> Factors | None:
        """How tokens are counted in a step."""
        self._new.append([f"factors {step}", now])
        return now

    def take_new(self) -> list[list[Any]]:
        """What was drawn since this was last asked, for the record."""
        new, self._new = self._new, []
        return new


class RecordedReadings:
    """Draws what was drawn before. Where the record has no more, time stands still."""

    def __init__(self, events: Iterable[ChatEvent]) -> None:
        # One queue for each label: tools that run side by side draw in another order each time.
        self._left: Mapping[str, deque[Any]] = defaultdict(deque)
        self._last = 0.0
        for event in events:
            if event.kind == "draws":
                for label, value in event.body["draws"]:
                    self._left[label].append(value)

    def monotonic(self, label: str = LOOP) -> float:
        """Seconds as they were then."""
        if self._left[label]:
            self._last = self._left[label].popleft()
        return self._last

    def factors(self, step: int, now: Factors | None) -> Factors | None:
        """How tokens were counted then."""
        known = self._left[f"factors {step}"]
        found = known.popleft() if known else None
        return None if found is None else (found[0], found[1])

    def take_new(self) -> list[list[Any]]:
        """Nothing is new."""
        return []


def count_as_recorded(draws: ClockReadings, counter: TokenCounter, model: str, step: int) -> None:
    """Other chats teach the counter, too: how it counts in a step is part of the record."""
    known = counter.calibration.factors
    factors = draws.factors(step, known.get(model))
    if factors is not None:
        known[model] = factors
