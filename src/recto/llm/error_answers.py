"""What error answers of all APIs have in common: when to try again, and words where no JSON is."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

SHOWN_CHARACTERS = 200


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
