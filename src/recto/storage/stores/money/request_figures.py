"""Figures of the gateway's requests: sums over the ledger, made by the database."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Integer, case, cast, func, literal, select
from sqlalchemy.sql import ColumnElement, Select

from recto.storage.figure_records import (
    DayRun,
    DeploymentCount,
    DeploymentLatency,
    FailureCount,
    FigureRange,
    FirstTokens,
    ModelDay,
    RequestCount,
)
from recto.storage.tables import ledger, reservation_scopes
from recto.storage.transactions import Transactions, WriteTransaction

FAILED = ("failed", "interrupted")
HOUR_MS = 60 * 60 * 1000
MINUTE_MS = 60 * 1000

ACCOUNT = ledger.c.body["account"].as_string()
DEPLOYMENT = ledger.c.body["deployment"].as_string()
FIRST_TOKEN = ledger.c.body["first_token_ms"].as_integer()


class RequestFigures:
    """Reads the ledger for the gateway's pages: no row leaves the database, only sums of many."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def by_day(
        self,
        asked: FigureRange,
        runs: Sequence[DayRun],
        *,
        within: WriteTransaction | None = None,
    ) -> tuple[ModelDay, ...]:
        """What each model was asked on each day."""
        day = _day_of(runs).label("day")
        query = select(
            day,
            ledger.c.provider,
            ledger.c.model,
            func.count(),
            _failed(),
            _sum(ledger.c.input_tokens),
            _sum(ledger.c.cache_read_tokens),
            _sum(ledger.c.cache_write_tokens),
            _sum(ledger.c.output_tokens),
            _sum(ledger.c.cost_micros),
            func.count() - func.count(ledger.c.cost_micros),
        )
        query = _within(query, asked).group_by(day, ledger.c.provider, ledger.c.model)
        query = query.order_by(day, ledger.c.provider, ledger.c.model)
        return tuple(ModelDay(*row) for row in await self._rows(query, within))

    async def by_hour(
        self, asked: FigureRange, *, within: WriteTransaction | None = None
    ) -> tuple[RequestCount, ...]:
        """How many requests there were in each hour after the start; hours without are left out."""
        hour = _stretch(asked.start_ms, HOUR_MS).label("hour")
        query = _within(select(hour, func.count(), _failed()), asked).group_by(hour).order_by(hour)
        return tuple(RequestCount(*row) for row in await self._rows(query, within))

    async def failures(
        self, asked: FigureRange, *, within: WriteTransaction | None = None
    ) -> tuple[FailureCount, ...]:
        """How requests ended that have no whole answer, the most frequent first.

        The cause is the kind of the failure, or else how the request ended.
        """
        kind = ledger.c.body["failure"].as_string()
        cause = func.coalesce(kind, ledger.c.outcome).label("cause")
        query = _within(select(cause, func.count()), asked).where(ledger.c.outcome != "finished")
        query = query.group_by(cause).order_by(func.count().desc(), cause)
        return tuple(FailureCount(*row) for row in await self._rows(query, within))

    async def first_tokens(
        self, asked: FigureRange, *, within: WriteTransaction | None = None
    ) -> tuple[FirstTokens, ...]:
        """How long each model took to begin: the middle, and what 95 of 100 were faster than."""
        whose = (ledger.c.provider, ledger.c.model)
        timed = _timed(asked, whose).subquery()
        query = (
            select(
                timed.c.provider,
                timed.c.model,
                func.max(timed.c.requests),
                _at_share(timed, 50),
                _at_share(timed, 95),
            )
            .group_by(timed.c.provider, timed.c.model)
            .order_by(timed.c.provider, timed.c.model)
        )
        return tuple(FirstTokens(*row) for row in await self._rows(query, within))

    async def by_deployment(
        self, asked: FigureRange, *, within: WriteTransaction | None = None
    ) -> tuple[DeploymentCount, ...]:
        """What each deployment was asked in each minute after the start."""
        minute = _stretch(asked.start_ms, MINUTE_MS).label("minute")
        deployment = DEPLOYMENT.label("deployment")
        query = _within(select(deployment, minute, func.count(), _failed()), asked)
        query = query.where(DEPLOYMENT.is_not(None)).group_by(deployment, minute)
        query = query.order_by(deployment, minute)
        return tuple(DeploymentCount(*row) for row in await self._rows(query, within))

    async def deployment_latency(
        self, asked: FigureRange, *, within: WriteTransaction | None = None
    ) -> tuple[DeploymentLatency, ...]:
        """How long each deployment took to begin, in the middle."""
        timed = _timed(asked, (DEPLOYMENT.label("deployment"),)).subquery()
        query = select(timed.c.deployment, _at_share(timed, 50)).group_by(timed.c.deployment)
        query = query.where(timed.c.deployment.is_not(None)).order_by(timed.c.deployment)
        return tuple(DeploymentLatency(*row) for row in await self._rows(query, within))

    async def _rows(
        self, query: Select[*tuple[Any, ...]], within: WriteTransaction | None
    ) -> Sequence[Sequence[Any]]:
        async with self._transactions.read(within) as view:
            return list(await view.execute(query))


def _within(query: Select[*tuple[Any, ...]], asked: FigureRange) -> Select[*tuple[Any, ...]]:
    """The rows that are meant. Of everybody are those that belong to some account."""
    in_time = (ledger.c.created_ms >= asked.start_ms) & (ledger.c.created_ms < asked.end_ms)
    if asked.scopes is None:
        return query.where(in_time, ACCOUNT.is_not(None))
    booked = ledger.join(
        reservation_scopes, reservation_scopes.c.reservation_id == ledger.c.reservation_id
    )
    return query.select_from(booked).where(in_time, reservation_scopes.c.scope.in_(asked.scopes))


def _stretch(start_ms: int, length_ms: int) -> ColumnElement[int]:
    """Which stretch of time after a moment a row is in, counted from 0."""
    start, length = (
        literal(start_ms, literal_execute=True),
        literal(length_ms, literal_execute=True),
    )
    return cast((ledger.c.created_ms - start) // length, Integer)


def _written(number: int) -> ColumnElement[int]:
    """A number as a part of the statement: bound ones would be other expressions to group by."""
    return literal(number, BigInteger, literal_execute=True)


def _day_of(runs: Sequence[DayRun]) -> ColumnElement[int]:
    """The number of a row's day."""
    later_first = [
        (
            ledger.c.created_ms >= _written(run.start_ms),
            _stretch(run.start_ms, run.day_ms) + _written(run.first_day),
        )
        for run in reversed(runs)
    ]
    return case(*later_first, else_=_written(0))


def _timed(asked: FigureRange, whose: Sequence[ColumnElement[Any]]) -> Select[*tuple[Any, ...]]:
    """Every request that began to answer, with its place among those of the same."""
    place = func.row_number().over(partition_by=whose, order_by=FIRST_TOKEN)
    total = func.count().over(partition_by=whose)
    query = select(*whose, FIRST_TOKEN.label("ms"), place.label("place"), total.label("requests"))
    return _within(query, asked).where(FIRST_TOKEN.is_not(None))


def _at_share(timed: Any, hundredths: int) -> ColumnElement[int]:
    """The time that so many of a hundred do not pass."""
    place = (timed.c.requests * hundredths + 99) // 100
    return func.max(case((timed.c.place == place, timed.c.ms)))


def _failed() -> ColumnElement[int]:
    return cast(func.sum(case((ledger.c.outcome.in_(FAILED), 1), else_=0)), BigInteger)


def _sum(column: ColumnElement[int] | ColumnElement[int | None]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)
