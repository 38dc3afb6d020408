"""Reading records that others made: a field's value when it is of the right type, or nothing."""

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from recto.messages import Image

Record = Mapping[str, Any]

LATEST_MS = 253_402_300_800_000
SECONDS_BELOW = 1e11
MILLISECONDS_BELOW = 1e14
MAX_DEPTH = 100
MAX_IMAGE = 20 * 1024 * 1024
DATA_IMAGE = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,")


def a_record(value: object) -> Record | None:
    """A JSON object."""
    return cast(Record, value) if isinstance(value, dict) else None


def records(value: object) -> list[Any]:
    """The items of a list; none when it is no list."""
    return cast(list[Any], value) if isinstance(value, list) else []


def record_in(record: Record, name: str) -> Record:
    """The object in a field; an empty one when there is none."""
    return a_record(record.get(name)) or {}


def records_in(record: Record, name: str) -> list[Record]:
    """The objects in a list in a field."""
    return [inner for item in records(record.get(name)) if (inner := a_record(item)) is not None]


def text_in(record: Record, *names: str) -> str:
    """The text in the first of the fields that has one."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def key_in(record: Record, *names: str) -> str:
    """What identifies a record: a text or a number."""
    values = (record.get(name) for name in names)
    return next((str(value) for value in values if isinstance(value, str | int) and str(value)), "")


def moment_in(record: Record, *names: str) -> int | None:
    """The time in the first of the fields that has one, in milliseconds."""
    values = (_moment(record.get(name)) for name in names)
    return next((value for value in values if value is not None), None)


def _moment(value: object) -> int | None:
    if isinstance(value, str):
        return _written(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    # Seconds, milliseconds and nanoseconds are all in use, sometimes in one file.
    if value >= MILLISECONDS_BELOW:
        value = value / 1e6
    elif value < SECONDS_BELOW:
        value = value * 1000
    return int(value) if 0 < value < LATEST_MS else None


def _written(value: str) -> int | None:
    try:
        moment = datetime.fromisoformat(value.strip())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        ms = int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
    return ms if 0 < ms < LATEST_MS else None


def parse(text: str) -> object:
    """JSON that can be written again: numbers that are none become nothing. May raise."""
    return json.loads(text, parse_constant=_nothing, parse_float=_finite)


def object_in(text: str) -> Record | None:
    """The object that a text is; None when it is something else."""
    try:
        return a_record(parse(text)) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None


def is_shallow(value: object, depth: int = MAX_DEPTH) -> bool:
    """Whether a value is nested so little that everything can be done with it."""
    record = a_record(value)
    inner = records(value) if record is None else record.values()
    return depth > 0 and all(is_shallow(item, depth - 1) for item in inner)


def _nothing(constant: str) -> None:
    """NaN and the infinities are no JSON."""


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def image_at(url: str) -> Image | None:
    """The picture that an address itself contains."""
    found = DATA_IMAGE.match(url)
    if found is None or len(url) > MAX_IMAGE * 4 // 3:
        return None
    try:
        data = base64.b64decode(url[found.end() :], validate=True)
    except (binascii.Error, ValueError):
        return None
    return Image(found[1], data) if data else None
