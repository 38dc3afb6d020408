"""A small world for the gate: a clock that is told, a model that follows a script."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from recto.access import Access, Price, Purpose, Record, SpendingLimits, TokenBounds
from recto.access.prices import price_of
from recto.llm import PROVIDERS, Traits
from recto.messages import (
    Failure,
    Finished,
    Message,
    Origin,
    Request,
    Started,
    StreamEvent,
    Text,
    TextDelta,
    Usage,
    assistant,
    user,
)

NOVEMBER = 1_794_700_800_000
"""2026-11-15 in UTC."""

# Two micro-dollars a token in, ten a token out: 1,000 tokens are $0.002 and $0.01.
PRICE = price_of(input=Decimal(2), output=Decimal(10), source="test")
PURPOSE = Purpose("chat", "anthropic", "claude")

Step = StreamEvent | BaseException | Callable[[], None]


class ToldClock:
    """A clock that stands still until it is told."""

    def __init__(self, now_ms: int = NOVEMBER) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000

    def pass_ms(self, ms: int) -> Callable[[], None]:
        """A step of a script that takes time."""

        def later() -> None:
            self.ms += ms

        return later


@dataclass
class Scripted:
    """Answers each request with the next script, and remembers what it was asked."""

    scripts: list[list[Step]]
    requests: list[Request] = field(default_factory=list[Request])
    closed: int = 0

    async def __call__(
        self, access: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        self.requests.append(request)
        if record is not None:
            record("request", request.messages[-1].text.encode())
        try:
            for step in self.scripts.pop(0):
                if isinstance(step, BaseException):
                    raise step
                if callable(step):
                    step()
                else:
                    yield step
        finally:
            self.closed += 1


def access(price: Price | None = PRICE, *, max_output: int = 10_000) -> Access:
    return Access(
        id="claude",
        name="Claude",
        model="claude",
        provider=PROVIDERS["anthropic"],
        key=None,
        origin=Origin("anthropic-messages", "account", "claude"),
        traits=Traits(),
        effort=None,
        window=200_000,
        max_output=max_output,
        price=price,
    )


def asked(max_output: int = 1_000) -> Request:
    return Request("claude", (user("Hello"),), max_output)


def limits(month: int | None, *, turn: int | None = None, **projects: int) -> SpendingLimits:
    return SpendingLimits(month, turn_micros=turn, project_micros=projects)


def bounds(prompt: int = 100, output: int = 1_000) -> TokenBounds:
    return TokenBounds(prompt, output)


STARTED = Started("msg_1", "claude-5")
USED = Usage(input=80, output=30)


def says(text: str = "Hi", usage: Usage | None = USED) -> list[Step]:
    return [STARTED, TextDelta(text), Finished("end_turn", assistant(text), usage)]


def fails(failure: Failure, *before: StreamEvent) -> list[Step]:
    text = "".join(event.text for event in before if isinstance(event, TextDelta))
    message = Message("assistant", (Text(text),) if text else ())
    return [*before, Finished("error", message, None, failure)]


def of_project(project: str, turn: str | None = None) -> Purpose:
    return replace(PURPOSE, project_id=project, turn_id=turn)
