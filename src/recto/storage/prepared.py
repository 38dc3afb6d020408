"""Statements that are built once, run on SQLite without going through SQLAlchemy each time.

What it does for a statement takes several times as long as SQLite does. All of it that depends on
the statement alone is done once, and kept: its words, and what turns values and rows.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Dialect, Executable, Result, exc
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from recto.storage.sqlite_connection import TripConnection

Turn = Callable[[Any], Any]
Values = Mapping[str, Any]
MOST_IN_LIST = 20
"""A statement is kept for each length of its lists: longer ones are seldom, and of many lengths."""


class PreparedStatement:
    """A statement in SQLite's words, for values of certain names."""

    def __init__(self, compiled: SQLCompiler, lists: Mapping[str, int], dialect: Dialect) -> None:
        """`lists`: how many values each list has that the statement looks for."""
        self._lists = tuple(lists)
        self.words = str(compiled)
        self._names = tuple(compiled.positiontup or ())
        # Values that stand in the statement itself, such as a state that it compares with.
        self._own = {
            name: bind.value for bind, name in compiled.bind_names.items() if not bind.required
        }
        turns = {name: bind_turn(bind.type, dialect) for bind, name in compiled.bind_names.items()}
        for name, length in lists.items():
            turns |= dict.fromkeys(members(name, length), turns[name])
        self._binds = {name: turn for name, turn in turns.items() if turn is not None}
        columns = compiled._result_columns  # pyright: ignore[reportPrivateUsage]
        self._turns = tuple(
            (place, turn)
            for place, column in enumerate(columns)
            if (turn := row_turn(column.type, dialect)) is not None
        )
        self._described = SimpleResultMetaData([column.name for column in columns])

    def values(self, given: Values) -> tuple[Any, ...]:
        """The values in the order in which SQLite takes them."""
        all_values: dict[str, Any] = {**self._own, **given}
        for name in self._lists:
            found = all_values[name]
            all_values.update(zip(members(name, len(found)), found, strict=True))
        binds = self._binds
        return tuple(
            binds[name](all_values[name]) if name in binds else all_values[name]
            for name in self._names
        )

    def result(self, rows: Iterable[Sequence[Any]]) -> Result[Any]:
        """Rows as SQLAlchemy would answer them."""
        return IteratorResult(self._described, map(self._row, rows))

    def _row(self, row: Sequence[Any]) -> Sequence[Any]:
        if not self._turns:
            return row
        turned = list(row)
        for place, turn in self._turns:
            turned[place] = turn(turned[place])
        return tuple(turned)


@dataclass(frozen=True, slots=True)
class StatementForms:
    """What a statement is for values of certain names, for each length of its lists."""

    lists: tuple[str, ...]
    by_lengths: dict[tuple[int, ...], PreparedStatement] = field(
        default_factory=dict[tuple[int, ...], PreparedStatement]
    )


_known: WeakKeyDictionary[Executable, dict[tuple[str, ...], StatementForms | None]] = (
    WeakKeyDictionary()
)


def prepared(statement: Executable, values: Values, dialect: Dialect) -> PreparedStatement | None:
    """A statement for such values; None for one that only SQLAlchemy can run."""
    of_statement, names = _known.setdefault(statement, {}), tuple(values)
    if names not in of_statement:
        of_statement[names] = _forms(statement, names, dialect)
    forms = of_statement[names]
    if forms is None:
        return None
    lengths = tuple(len(values[name]) for name in forms.lists)
    found = forms.by_lengths.get(lengths)
    assert isinstance(statement, ClauseElement)
    if found is None and all(length <= MOST_IN_LIST for length in lengths):
        # Its lists are written out, so it needs values of these lengths to be compiled.
        given = statement.params(dict(values)) if lengths else statement
        compiled = _compiled(given, names, dialect, render_postcompile=bool(lengths))
        by_name = dict(zip(forms.lists, lengths, strict=True))
        found = forms.by_lengths[lengths] = PreparedStatement(compiled, by_name, dialect)
    return found


def _forms(
    statement: Executable, names: tuple[str, ...], dialect: Dialect
) -> StatementForms | None:
    assert isinstance(statement, ClauseElement)
    compiled = _compiled(statement, names, dialect, render_postcompile=False)
    # Values that Python makes up for columns are SQLAlchemy's business.
    if compiled.insert_prefetch or compiled.update_prefetch or compiled.literal_execute_params:
        return None
    return StatementForms(tuple(compiled.bind_names[bind] for bind in compiled.post_compile_params))


def _compiled(
    statement: ClauseElement, names: tuple[str, ...], dialect: Dialect, *, render_postcompile: bool
) -> SQLCompiler:
    compiled = statement.compile(
        dialect=dialect,
        column_keys=list(names),
        compile_kwargs={"render_postcompile": render_postcompile},
    )
    assert isinstance(compiled, SQLCompiler)
    return compiled


def members(name: str, length: int) -> list[str]:
    """What SQLAlchemy calls the values of a list."""
    return [f"{name}_{number}" for number in range(1, length + 1)]


async def run_prepared(
    connection: AsyncConnection, statement: Executable, values: Values | Sequence[Values]
) -> Result[Any] | None:
    """Run a statement in one trip to SQLite's thread; None if it can't be prepared."""
    many = not isinstance(values, Mapping)
    first = values[0] if many else values
    found = prepared(statement, first, connection.dialect)
    if found is None:
        return None
    connected = connection.sync_connection
    assert connected is not None
    if not connected.in_transaction():
        connected.begin()
    driver = connected.connection.driver_connection
    assert isinstance(driver, TripConnection)
    try:
        if many:
            rows = [found.values(row) for row in values]
            await driver.trip(lambda cursor: cursor.executemany(found.words, rows) and None)
            return found.result(())
        row = found.values(values)
        got = await driver.trip(lambda cursor: cursor.execute(found.words, row).fetchall())
        return found.result(got)
    except sqlite3.Error as error:
        # As SQLAlchemy raises it, whichever way a statement takes; without the values.
        raise exc.DBAPIError.instance(found.words, None, error, sqlite3.Error) from error


def bind_turn(kind: TypeEngine[Any], dialect: Dialect) -> Turn | None:
    """What turns a value into one for SQLite."""
    return kind.dialect_impl(dialect).bind_processor(dialect)


def row_turn(kind: TypeEngine[Any], dialect: Dialect) -> Turn | None:
    """What turns a value of SQLite's into ours."""
    return kind.dialect_impl(dialect).result_processor(dialect, None)
