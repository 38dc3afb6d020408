"""At each start: whether the totals that this month's limits are checked against are right."""

import logging
from datetime import tzinfo

from recto.access.limits import month_of, month_scope, project_scope
from recto.clock import Clock
from recto.storage import Storage

log = logging.getLogger(__name__)


class TotalsCheck:
    """Sums this month's rows once, beside everything else: older totals limit nothing any more."""

    def __init__(self, storage: Storage, *, clock: Clock, zone: tzinfo) -> None:
        self._storage = storage
        self._clock = clock
        self._zone = zone
        self.wrong: tuple[str, ...] = ()
        """The scopes whose totals were not what their rows come to."""

    async def run(self) -> None:
        """Check, and say in the log what is wrong. "This computer" in the settings says it, too."""
        month = month_of(self._clock.now_ms(), self._zone)
        wrong = await self._storage.ledger.wrong_totals([month_scope(month)])
        is_more, cursor = True, None
        while is_more:
            page = await self._storage.projects.page(cursor)
            scopes = [project_scope(item.id, month) for item in page.items]
            wrong += await self._storage.ledger.wrong_totals(scopes)
            cursor = page.next_cursor
            is_more = cursor is not None
        self.wrong = wrong
        if self.wrong:
            log.error(
                "totals of the budget are not what the ledger's rows come to: limits may stop too "
                "early or too late; please report this",
                extra={"scopes": self.wrong},
            )
