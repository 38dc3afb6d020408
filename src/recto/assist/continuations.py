"""An answer over several calls: what the calls before gave, and how the next one adds to it."""

from dataclasses import dataclass, replace

from recto.context import goes_on, joined
from recto.messages import (
    Finished,
    Message,
    Started,
    StreamEvent,
    Usage,
    UsageReported,
)

MOST_HOPS = 8
"""How many calls one answer may take, before it is handed over as it is."""


@dataclass(frozen=True, slots=True)
class AnswerSoFar:
    """What the calls before this one gave: nothing yet, at first."""

    hops: int = 0
    message: Message = Message("assistant", ())
    usage: Usage | None = None

    def tell(self, event: StreamEvent) -> StreamEvent | None:
        """An event of this call as one of the whole answer, which begins only once."""
        if not self.hops:
            return event
        match event:
            case Started():
                return None
            case UsageReported():
                return UsageReported(total(self.usage, event.usage))
            case _:
                return event

    def end(self, end: Finished) -> Finished:
        """The end of this call as that of the whole answer."""
        if not self.hops:
            return end
        used = total(self.usage, end.usage)
        return replace(end, message=joined(self.message, end.message), usage=used)

    def after(self, end: Finished) -> "AnswerSoFar | None":
        """What the next call begins with; None when there is none, for this was the end."""
        if end.reason != "pause" or self.hops + 1 >= MOST_HOPS or not goes_on(end.message):
            return None
        return AnswerSoFar(self.hops + 1, end.message, end.usage)


def total(before: Usage | None, now: Usage | None) -> Usage:
    """What was used by all calls. What one of them did not say makes the sum a partial one."""
    one, two = before or Usage(), now or Usage()
    sources = {"partial" if used is None else used.source for used in (before, now)}
    return Usage(
        input=one.input + two.input,
        cache_read=one.cache_read + two.cache_read,
        cache_write=one.cache_write + two.cache_write,
        cache_write_long=one.cache_write_long + two.cache_write_long,
        output=one.output + two.output,
        reasoning=one.reasoning + two.reasoning,
        source="final" if sources == {"final"} else "partial",
    )
