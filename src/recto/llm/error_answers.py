"""What error answers of all APIs have in common: the status, when to try again, plain words."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from recto.messages import RETRYABLE, FailureKind

SHOWN_CHARACTERS = 200
NARROWED: Mapping[int, frozenset[FailureKind]] = {
    401: frozenset({"auth"}),
    402: frozenset({"quota", "budget"}),
    403: frozenset({"auth", "quota", "budget", "not_found"}),
    429: frozenset({"rate_limit", "quota", "budget", "overloaded", "context_length"}),
}
"""What the body of an answer with such a status can still say about it."""


def agreed_kind(
    status: int | None, by_status: FailureKind, by_body: FailureKind | None
) -> FailureKind:
    """What happened, when a status and a body's words may say different things.

    A status that blames the request counts: words may only say more exactly what is wrong with it.
    Of any other status, and of none, the words say more.
    """
    if by_body is None:
        return by_status
    if status is None or not 400 <= status < 500:
        return by_body
    if status in NARROWED:
        return by_body if by_body in NARROWED[status] else by_status
    return by_status if by_body in RETRYABLE else by_body


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait. A date counts from the date of the same answer: there is no clock."""
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        wait = _number(headers.get(name, ""))
        if wait is not None:
            return wait / per_second
    try:
        until = parsedate_to_datetime(headers["retry-after"])
        return max((until - parsedate_to_datetime(headers["date"])).total_seconds(), 0.0)
    except (KeyError, ValueError, TypeError):
        # No date, none of the answer itself, or only one of them with a time zone.
        return None


def read_may_retry(headers: Mapping[str, str]) -> bool | None:
    """Whether the provider says that another try makes sense; None if it doesn't say."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry", "").lower())


def first_words(body: bytes) -> str:
    """The beginning of a body that says nothing in a form we know."""
    return body[: 4 * SHOWN_CHARACTERS].decode("utf-8", "replace").strip()[:SHOWN_CHARACTERS]


def _number(text: str) -> float | None:
    """A number that one can wait for."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 <= found < float("inf") else None
