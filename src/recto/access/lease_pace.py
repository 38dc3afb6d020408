"""How soon a worker writes again: at once, unless the database is busy."""

from dataclasses import dataclass

from recto.access.lease_batches import Batch

QUICK_S = 0.05
"""A transaction that takes no longer was not kept waiting by others."""
PAUSES = 4
"""For so long in proportion a worker stays away from a database that kept it waiting."""
LONGEST_S = 1.0
RETRY_S = 0.2
"""How soon it is asked again for money that other workers may return."""


@dataclass(slots=True)
class WritePace:
    """What is known of the last transactions.

    However many workers there are, most of them pause: so the queue at the database is short, and
    whoever needs money is soon answered.
    """

    took_s: float = 0.0
    ended_at: float = 0.0

    def wrote(self, began: float, ended: float) -> None:
        """A transaction is over."""
        self.took_s += (ended - began - self.took_s) / 4
        self.ended_at = ended

    def pause_s(self, batch: Batch, now: float) -> float:
        """How long to wait with what has come together."""
        if batch.is_urgent:
            return 0.0
        pause = min(LONGEST_S, PAUSES * max(0.0, self.took_s - QUICK_S))
        if batch.is_parked:
            pause = max(RETRY_S, pause)
        return self.ended_at + pause - now
