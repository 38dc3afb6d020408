"""When a failed call is tried again, and after how long. Once something was shown: never."""

from dataclasses import dataclass

from recto.messages import Failure, Started, StreamEvent, UsageReported


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most so many tries more, each after a longer wait."""

    retries: int = 3
    first_wait_s: float = 0.5
    longest_wait_s: float = 8
    longest_asked_s: float = 120
    """A provider that asks for a longer pause is not waited for: the user decides."""

    def wait_s(self, failure: Failure, retries_made: int, chance: float) -> float | None:
        """How long to wait before the next try, or None for no other try.

        `chance` is from 0 to 1: callers that failed together must not come back together.
        """
        if retries_made >= self.retries or not failure.retryable:
            return None
        grown = min(self.longest_wait_s, self.first_wait_s * 2**retries_made)
        asked_s = failure.retry_after_s
        if asked_s is None:
            # At least half of it: "full jitter" could come back at once.
            return grown * (0.5 + chance / 2)
        if asked_s > self.longest_asked_s:
            return None
        # Never sooner than the provider asked for.
        return min(self.longest_asked_s, max(0.0, asked_s) + grown * chance / 2)


def is_visible(event: StreamEvent) -> bool:
    """Whether somebody who watches has seen something of the answer by this event."""
    return not isinstance(event, Started | UsageReported)
