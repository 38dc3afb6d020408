"""What went over the wire for one answer: the exact bytes of each try, both ways."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recto.chats.services import ChatServices
from recto.messages import Usage
from recto.storage import LedgerRow, PackedBytes, WriteTransaction, pack_beside, record_of


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


@dataclass(frozen=True, slots=True)
class PackedExchange:
    """An exchange ready to be stored."""

    services: ChatServices
    exchange: Exchange
    owner: str
    packed: Sequence[tuple[PackedBytes, PackedBytes]]
    """The request and the answer of each try."""

    async def keep(self, write: WriteTransaction) -> dict[str, Any]:
        """Keep the bytes; answers what the record says of them."""
        blobs, tries = self.services.storage.blobs, self.exchange.tries
        kept = [
            {
                "request": await blobs.put_packed(write, request, attempt.request, self.owner),
                "head": dict(attempt.head),
                "answer": await blobs.put_packed(write, answer, bytes(attempt.answer), self.owner),
            }
            for attempt, (request, answer) in zip(tries, self.packed, strict=True)
        ]
        return {"tries": kept, "booked": [row.spend.id for row in self.exchange.booked]}


async def pack_exchange(
    services: ChatServices, chat_id: str, run_id: str, exchange: Exchange
) -> PackedExchange:
    """Make an exchange ready to be stored, while others can still write."""
    packed = [
        (
            await services.sent.pack(chat_id, "exchange", attempt.request),
            await pack_beside(bytes(attempt.answer)),
        )
        for attempt in exchange.tries
    ]
    return PackedExchange(services, exchange, record_of(run_id), packed)
