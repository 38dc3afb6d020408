"""What went over the wire for one answer: the exact bytes of each try, both ways."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.messages import Usage
from recto.storage import LedgerRow, Storage, WriteTransaction


@dataclass(slots=True)
class ExchangeAttempt:
    """One request and what came back for it."""

    request: bytes
    head: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answer: bytearray = field(default_factory=bytearray)


@dataclass(slots=True)
class Exchange:
    """Everything that was sent and received for one answer, and what it cost."""

    tries: list[ExchangeAttempt] = field(default_factory=list[ExchangeAttempt])
    booked: list[LedgerRow] = field(default_factory=list[LedgerRow])

    def note(self, kind: str, data: bytes) -> None:
        """Take what the transport tells as it sends and receives."""
        if kind == "request":
            self.tries.append(ExchangeAttempt(data))
        elif kind == "head":
            self.tries[-1].head = json.loads(data)
        elif kind == "answer":
            self.tries[-1].answer += data

    @property
    def cost_micros(self) -> int | None:
        """What all tries cost; None when a price is unknown or nothing was booked."""
        costs = [row.spend.cost_micros for row in self.booked]
        known = [cost for cost in costs if cost is not None]
        # A sum without the unpriced tries would look like the whole cost.
        return sum(known) if costs and len(known) == len(costs) else None

    def usage(self, told: Usage | None) -> Usage | None:
        """What an answer used: the provider's last word, else what was booked for all tries."""
        # A provider that was cut off told only part of it; the ledger has every try.
        if not self.booked or (told is not None and told.source == "final"):
            return told
        spends = [row.spend for row in self.booked]
        sources = {str(spend.body["source"]) for spend in spends}
        return Usage(
            input=sum(spend.input_tokens for spend in spends),
            cache_read=sum(spend.cache_read_tokens for spend in spends),
            cache_write=sum(spend.cache_write_tokens for spend in spends),
            cache_write_long=sum(spend.body.get("cache_write_long", 0) for spend in spends),
            output=sum(spend.output_tokens for spend in spends),
            reasoning=sum(spend.reasoning_tokens for spend in spends),
            source="final" if sources == {"final"} else "estimated",
        )

    async def keep(self, write: WriteTransaction, storage: Storage) -> dict[str, Any]:
        """Keep the bytes; answers what the record says of them."""
        tries = [
            {
                "request": await storage.blobs.put(write, attempt.request),
                "head": dict(attempt.head),
                "answer": await storage.blobs.put(write, bytes(attempt.answer)),
            }
            for attempt in self.tries
        ]
        return {"tries": tries, "booked": [row.spend.id for row in self.booked]}
