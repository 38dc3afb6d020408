"""Plain stand-ins for time and chance, so that a test can say what they are."""

from dataclasses import dataclass, field


@dataclass
class FakeClock:
    """A clock that a test moves."""

    ms: int = 1_700_000_000_000
    seconds: float = 0.0

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.seconds

    def pass_time(self, seconds: float) -> None:
        self.ms += round(seconds * 1000)
        self.seconds += seconds


@dataclass
class CountingIds:
    """Ids and secrets that count up."""

    given: int = field(default=0)

    def new(self) -> str:
        self.given += 1
        return f"{self.given:026d}"

    def secret(self) -> str:
        self.given += 1
        return f"secret-{self.given}"
