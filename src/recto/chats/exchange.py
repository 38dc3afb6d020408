"""What went over the wire for one answer: the exact bytes of each try, both ways."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.storage import LedgerRow, Storage, Write


@dataclass(slots=True)
class Try:
    """One request and what came back for it."""

    request: bytes
    head: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answer: bytearray = field(default_factory=bytearray)


@dataclass(slots=True)
class Exchange:
    """Everything that was sent and received for one answer, and what it cost."""

    tries: list[Try] = field(default_factory=list[Try])
    booked: list[LedgerRow] = field(default_factory=list[LedgerRow])

    def note(self, kind: str, data: bytes) -> None:
        """Take what the transport tells as it sends and receives."""
        if kind == "request":
            self.tries.append(Try(data))
        elif kind == "head":
            self.tries[-1].head = json.loads(data)
        elif kind == "answer":
            self.tries[-1].answer += data

    @property
    def cost_micros(self) -> int | None:
        """What all tries cost; None when a price is unknown or nothing was booked."""
        costs = [row.spend.cost_micros for row in self.booked]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if costs and len(known) == len(costs) else None

    async def keep(self, write: Write, storage: Storage) -> dict[str, Any]:
        """Keep the bytes; answers what the record says of them."""
        tries = [
            {
                "request": await storage.blobs.put(write, one.request),
                "head": dict(one.head),
                "answer": await storage.blobs.put(write, bytes(one.answer)),
            }
            for one in self.tries
        ]
        return {"tries": tries, "booked": [row.spend.id for row in self.booked]}
