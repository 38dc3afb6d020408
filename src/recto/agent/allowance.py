"""What a turn may still take; and when that is used up, why it ends and what it has done."""

from collections import Counter

from recto.agent.events import EndReason, TurnEnded
from recto.agent.ports import LoopPorts, TurnLimits
from recto.messages import ToolCall
from recto.tools import ToolOutcome

GO_ON = "Say “continue” to go on."


class TurnAllowance:
    """Steps, time and money of one turn, beside a tally of the tools that ran."""

    def __init__(self, ports: LoopPorts, limits: TurnLimits) -> None:
        self._ports = ports
        self._limits = limits
        self._deadline = ports.monotonic() + limits.wall_s
        self._ran: Counter[str] = Counter()
        self._last_change = ""

    def seconds_left(self) -> float:
        """How long the turn may still take."""
        return self._deadline - self._ports.monotonic()

    def is_late(self) -> bool:
        """Whether the time is up."""
        return self.seconds_left() <= 0

    def give_back(self, seconds: float) -> None:
        """Don't count this time: somebody else took it."""
        # A person who thinks about a permission must not use up the model's time.
        self._deadline += seconds

    def note(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """A tool ran."""
        self._ran[call.name] += 1
        if not outcome.is_error and not self._ports.is_safe(call):
            self._last_change = describe(call, outcome.fact)

    def end_after(self, steps: int) -> TurnEnded | None:
        """The end of the turn, if there may be no step after these."""
        if steps >= self._limits.steps:
            return self._end("steps", f"The turn reached its limit of {count(steps)}.", steps)
        if self.is_late():
            return self.out_of_time(steps)
        most = self._limits.spend_micros
        if most is not None and self._ports.spent_micros() >= most:
            return self._end("spend", f"The turn reached its limit of {dollars(most)}.", steps)
        return None

    def out_of_time(self, steps: int) -> TurnEnded:
        """The end of a turn whose time is up."""
        most = duration(self._limits.wall_s)
        return self._end("time", f"The turn reached its limit of {most}.", steps)

    def repeated(self, call: ToolCall, steps: int) -> TurnEnded:
        """The end of a turn that goes in circles."""
        why = f"The model called {call.name} three times in a row with the same arguments."
        return self._end("repeat", why, steps)

    def _end(self, reason: EndReason, why: str, steps: int) -> TurnEnded:
        ran = ", ".join(f"{name} {times(often)}" for name, often in self._ran.items())
        done = f"It took {count(steps)} and ran {ran or 'no tool'}."
        change = f" Last change: {self._last_change}." if self._last_change else ""
        return TurnEnded(reason, f"{why} {done}{change} {GO_ON}")


def describe(call: ToolCall, fact: str) -> str:
    """A call in a few words: its tool, its path if it has one, and what came of it."""
    path = call.arguments.get("path")
    where = f" on {path}" if isinstance(path, str) else ""
    return f"{call.name}{where}" + (f" ({fact})" if fact else "")


def count(steps: int) -> str:
    """So many steps."""
    return "1 step" if steps == 1 else f"{steps} steps"


def times(often: int) -> str:
    """How often."""
    return {1: "once", 2: "twice"}.get(often, f"{often} times")


def duration(seconds: float) -> str:
    """A limit of time, as people say it."""
    return f"{seconds:g} seconds" if seconds < 120 else f"{seconds / 60:g} minutes"


def dollars(micros: int) -> str:
    """A limit of money, as people say it, to the last digit that counts."""
    exact = f"${micros / 1_000_000:.6f}"
    return exact[:-4] if micros % 10_000 == 0 else exact.rstrip("0")
