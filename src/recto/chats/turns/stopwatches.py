"""How long things of a turn took, in seconds, as people are told."""

from collections.abc import Callable

from recto.messages import StreamEvent, ThinkingEnded, ThinkingStarted

THINKING = "thinking"


class Stopwatches:
    """Stop watches by name."""

    def __init__(self, read: Callable[[str], float]) -> None:
        """`read` reads a clock that never goes back, and is told what for."""
        self._read = read
        self._began: dict[str, float] = {}
        self._thought = 0.0

    def start(self, name: str) -> None:
        """Something begins."""
        self._began[name] = self._read(f"{name} began")
        if name.startswith("step"):
            self._thought = 0.0

    def seconds(self, name: str) -> float:
        """How long it has taken; 0 for what never began."""
        began = self._began.pop(name, None)
        return 0.0 if began is None else round(self._read(f"{name} ended") - began, 3)

    def see(self, piece: StreamEvent) -> None:
        """Take note of thinking."""
        if isinstance(piece, ThinkingStarted):
            self.start(THINKING)
        elif isinstance(piece, ThinkingEnded):
            self._thought += self.seconds(THINKING)

    @property
    def thinking_seconds(self) -> float:
        """How long the model has thought in this step."""
        return round(self._thought, 3)
