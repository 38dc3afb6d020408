"""What providers say of their rate limits in every answer: when there is room again."""

import re
from collections.abc import Mapping
from datetime import datetime

LIMITS = tuple(
    (f"anthropic-ratelimit-{kind}-remaining", f"anthropic-ratelimit-{kind}-reset")
    for kind in ("requests", "tokens", "input-tokens", "output-tokens")
) + tuple(
    (f"x-ratelimit-remaining-{kind}", f"x-ratelimit-reset-{kind}")
    for kind in ("requests", "tokens")
)
"""The headers that say how much is left, and when there is more."""
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def full_for_s(headers: Mapping[str, str], now_ms: int) -> float | None:
    """In how many seconds a used-up limit has room again; None: no limit is used up."""
    found = [
        until(headers.get(reset, ""), now_ms)
        for left, reset in LIMITS
        if left in headers and is_nothing(headers[left])
    ]
    return max(found) if found and max(found) > 0 else None


def is_nothing(remaining: str) -> bool:
    """Whether a header says that nothing is left."""
    return remaining.strip() in ("0", "0.0")


def until(reset: str, now_ms: int) -> float:
    """Seconds until a moment, or of a duration such as 6m0s; 0 for what can't be read."""
    text = reset.strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if re.fullmatch(f"({DURATION.pattern})+", text):
        return sum(float(number) * SECONDS[unit] for number, unit in DURATION.findall(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return max(0.0, moment.timestamp() - now_ms / 1000) if moment.tzinfo else 0.0
