"""Pages of a list, newest first, and the opaque marks that say where the next one starts.

A mark names the last row that was shown, so rows added meanwhile neither repeat nor hide others.
"""

import base64
import heapq
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Column, Select, tuple_

from recto.storage.failures import BadCursor
from recto.storage.records import Page
from recto.storage.transactions import ReadTransaction

T = TypeVar("T")

MAX_CURSOR = 512
MAX_PAGE = 1000


async def newest_first(
    view: ReadTransaction,
    query: Select[*tuple[Any, ...]],
    order: tuple[Column[Any], Column[Any]],
    make: Callable[[Sequence[Any]], T],
    *,
    cursor: str | None,
    limit: int,
) -> Page[T]:
    """The rows of `query` after `cursor`, by time and id; both columns must be in the query."""
    if not 1 <= limit <= MAX_PAGE:
        raise ValueError(f"A page has 1 to {MAX_PAGE} items, not {limit}.")
    when, row_id = order
    if cursor is not None:
        query = query.where(tuple_(when, row_id) < tuple_(*decode(cursor)))
    # One more than shown tells whether there is a next page.
    query = query.order_by(when.desc(), row_id.desc()).limit(limit + 1)
    rows = (await view.execute(query)).fetchall()
    shown = rows[:limit]
    more = len(rows) > limit
    mark = encode(*(getattr(shown[-1], column.name) for column in order)) if more else None
    return Page(tuple(make(row) for row in shown), mark)


def merged(pages: Sequence[Page[T]], key: Callable[[T], tuple[int, str]], limit: int) -> Page[T]:
    """One page of several that began after the same cursor; `key` is an item's time and id."""
    items = list(heapq.merge(*(page.items for page in pages), key=key, reverse=True))
    shown = items[:limit]
    more = len(items) > limit or any(page.next_cursor for page in pages)
    return Page(tuple(shown), encode(*key(shown[-1])) if more else None)


def encode(when_ms: int, row_id: str) -> str:
    """A cursor that stands just after this row."""
    packed = json.dumps([when_ms, row_id], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decode(cursor: str) -> tuple[int, str]:
    """The place a cursor stands for.

    Raises:
        BadCursor: we did not make it.
    """
    if len(cursor) > MAX_CURSOR:
        raise BadCursor
    try:
        packed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        place: object = json.loads(packed)
    except (ValueError, RecursionError) as error:
        raise BadCursor from error
    match place:
        # Anybody can send a cursor: what an engine would choke on is refused here.
        case [int(when_ms), str(row_id)] if 0 <= when_ms < 1 << 63 and _is_plain(row_id):
            return when_ms, row_id
        case _:
            raise BadCursor


def _is_plain(row_id: str) -> bool:
    return row_id.isascii() and row_id.isprintable()
