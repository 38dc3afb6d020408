"""Checks JSON against a server's schema (2020-12): nothing is fetched, nothing can hang."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

import msgspec
from jsonschema import Draft202012Validator, SchemaError
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]
from referencing import Registry
from referencing.exceptions import Unresolvable

MAX_TOLD = 500
PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MOST_TOLD = 3
LONGEST_MATCHED = 2000
QUANTIFIED_GROUP = re.compile(r"\)[*+{?]|\\[1-9]")
UNBOUNDED = re.compile(r"(?<!\\)[*+]|\{\d*,\}")
MOST_UNBOUNDED = 2


class SchemaUnusable(Exception):
    """A schema says nothing that can be checked."""


def is_quick(pattern: str) -> bool:
    """Whether a pattern surely ends soon: a server's could be made to take years."""
    return QUANTIFIED_GROUP.search(pattern) is None and (
        len(UNBOUNDED.findall(pattern)) <= MOST_UNBOUNDED
    )


def check_pattern(
    validator: Any, pattern: object, instance: object, schema: object
) -> Iterator[ValidationError]:
    """The word `pattern`; what might take too long is left to the server."""
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    if len(instance) > LONGEST_MATCHED or not is_quick(pattern):
        return
    try:
        fits = re.search(pattern, instance) is not None
    except re.error:
        return  # a pattern of another dialect
    if not fits:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def pass_over(*_: object) -> Iterator[ValidationError]:
    """A word that is left to the server."""
    yield from ()


SafeValidator = cast(
    type[Draft202012Validator],
    extend(  # pyright: ignore[reportUnknownMemberType]
        Draft202012Validator, {"pattern": check_pattern, "patternProperties": pass_over}
    ),
)


@lru_cache(maxsize=1000)
def validator_of(schema: bytes) -> Draft202012Validator:
    """What checks against a schema. Raises SchemaUnusable."""
    found = msgspec.json.decode(schema)
    try:
        Draft202012Validator.check_schema(found)
    except (SchemaError, RecursionError) as error:
        raise SchemaUnusable(str(error)[:MAX_TOLD]) from error
    # An empty registry: a reference to another document is fetched from nowhere.
    return SafeValidator(found, registry=Registry())


def misfits(schema: dict[str, Any], value: Any) -> tuple[str, ...]:
    """What of a value does not fit, in a few words each. Raises SchemaUnusable."""
    try:
        validator = validator_of(msgspec.json.encode(schema))
        found = validator.iter_errors(value)  # pyright: ignore[reportUnknownMemberType]
        return tuple(describe(error) for error, _ in zip(found, range(MOST_TOLD), strict=False))
    except (Unresolvable, RecursionError) as error:
        raise SchemaUnusable(str(error)[:MAX_TOLD]) from error


def describe(error: ValidationError) -> str:
    """One misfit: where, and what."""
    where = ".".join(map(str, error.absolute_path))
    words = str(error.message)[:MAX_TOLD]
    return f"{where}: {words}" if where else words


def unusable_schema(schema: dict[str, Any], max_bytes: int) -> str:
    """Why no model could be given a schema of arguments; empty when one could."""
    data = msgspec.json.encode(schema)
    if schema.get("type") != "object":
        return "its arguments are not an object"
    if len(data) > max_bytes:
        return f"its schema has more than {max_bytes:,} bytes"
    names = cast(dict[str, Any], schema.get("properties") or {})
    if any(not PROPERTY.fullmatch(name) for name in names):
        return "an argument has a name that providers refuse"
    try:
        validator_of(data)
    except SchemaUnusable as unusable:
        return f"its schema is not valid: {unusable}"
    return ""
