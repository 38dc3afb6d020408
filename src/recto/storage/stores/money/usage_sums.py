"""What was used in a while: sums over the ledger, made by the database."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Integer, case, cast, func, literal, select, union_all
from sqlalchemy.sql import ColumnElement, Select

from recto.storage.tables import ledger
from recto.storage.transactions import ReadTransaction, Transactions
from recto.storage.usage_records import (
    CachedTokens,
    ChatCounts,
    StretchUsage,
    UsageCounts,
    UsageFigures,
)

PRICE = ledger.c.body["price"].as_string()
WRITTEN_LONG = ledger.c.body["cache_write_long"].as_integer()
PROMPT = ledger.c.input_tokens + ledger.c.cache_read_tokens + ledger.c.cache_write_tokens


class UsageSums:
    """Reads the ledger for the user's page: no row leaves the database, only sums of many."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def over(self, bounds: Sequence[int]) -> UsageFigures:
        """The stretches between moments, the earliest first: one fewer than there are bounds."""
        is_within = (ledger.c.created_ms >= bounds[0]) & (ledger.c.created_ms < bounds[-1])
        async with self._transactions.read() as view:
            return UsageFigures(
                await _by_stretch(view, bounds),
                await _by_chat(view, is_within),
                await _cached(view, is_within),
            )


async def _by_stretch(view: ReadTransaction, bounds: Sequence[int]) -> tuple[StretchUsage, ...]:
    # A join: the index finds the rows of each stretch, whatever its length.
    times = union_all(
        *(
            select(
                literal(number, Integer).label("number"),
                literal(start, BigInteger).label("start_ms"),
                literal(bounds[number + 1], BigInteger).label("end_ms"),
            )
            for number, start in enumerate(bounds[:-1])
        )
    ).subquery()
    is_in = (ledger.c.created_ms >= times.c.start_ms) & (ledger.c.created_ms < times.c.end_ms)
    of = (ledger.c.provider, ledger.c.model, ledger.c.feature, ledger.c.project_id)
    query = select(times.c.number, *of, *_counts()).select_from(times.join(ledger, is_in))
    query = query.group_by(times.c.number, *of).order_by(times.c.number, *of)
    return tuple(
        StretchUsage(*row[:5], counts=UsageCounts(*row[5:])) for row in await _rows(view, query)
    )


async def _by_chat(view: ReadTransaction, is_within: ColumnElement[bool]) -> tuple[ChatCounts, ...]:
    chat = ledger.c.chat_id
    query = select(chat, *_counts()).where(is_within, chat.is_not(None))
    query = query.group_by(chat).order_by(chat)
    return tuple(ChatCounts(row[0], UsageCounts(*row[1:])) for row in await _rows(view, query))


async def _cached(
    view: ReadTransaction, is_within: ColumnElement[bool]
) -> tuple[CachedTokens, ...]:
    """Rates depend on the length of the prompt: rows are apart where some price changes."""
    has_price = is_within & PRICE.is_not(None)
    prices = {
        text: json.loads(text)
        for text in (await view.execute(select(PRICE).where(has_price).distinct())).scalars()
    }
    steps = sorted({tier["above"] for price in prices.values() for tier in price.get("tiers", ())})
    reached = [(literal(above, literal_execute=True) < PROMPT, above + 1) for above in steps]
    # The highest first: a case is the first one that is true.
    prompt = case(*reversed(reached), else_=0) if reached else literal(0, literal_execute=True)
    groups = (PRICE.label("price"), prompt.label("prompt"))
    query = select(
        *groups,
        _sum(ledger.c.cache_read_tokens),
        _sum(ledger.c.cache_write_tokens),
        _sum(func.coalesce(WRITTEN_LONG, 0)),
    )
    query = query.where(has_price).group_by("price", "prompt").order_by("price", "prompt")
    return tuple(CachedTokens(prices[row[0]], *row[1:]) for row in await _rows(view, query))


async def _rows(view: ReadTransaction, query: Select[*tuple[Any, ...]]) -> Sequence[Sequence[Any]]:
    return list(await view.execute(query))


def _counts() -> tuple[ColumnElement[int], ...]:
    return (
        func.count(),
        _sum(ledger.c.input_tokens),
        _sum(ledger.c.cache_read_tokens),
        _sum(ledger.c.cache_write_tokens),
        _sum(ledger.c.output_tokens),
        _sum(ledger.c.reasoning_tokens),
        _sum(ledger.c.cost_micros),
        func.count() - func.count(ledger.c.cost_micros),
    )


def _sum(column: ColumnElement[int] | ColumnElement[int | None]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)
