"""Checks JSON against a server's schema (2020-12): nothing is fetched, nothing can hang."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import msgspec
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]
from referencing import Registry
from referencing.exceptions import Unresolvable

from recto.mcp.checking.patterns import compiled, is_quick, tried

MAX_TOLD = 500
PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MOST_TOLD = 3
MOST_STEPS = 50_000
"""What checking may take where it holds up the program: a fraction of a second."""
MOST_STEPS_ASIDE = 1_000_000
"""What it may take in a thread."""
MOST_STEPS_OF_META = 10_000_000
"""A schema itself takes no more than its size: what describes schemas doesn't multiply."""
TRIED_IN_A_STEP = 1000
LONGEST_NAME = 200
Check = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]
KEYWORDS = cast(dict[str, Check], Draft202012Validator.VALIDATORS)


class SchemaUnusable(Exception):
    """A schema says nothing that can be checked."""


@dataclass(slots=True)
class CheckSteps:
    """How much may still be done for one check."""

    left: int

    def spend(self, count: int) -> None:
        """Do some more. Raises SchemaUnusable."""
        self.left -= count
        if self.left < 0:
            raise SchemaUnusable("checking it takes too long")


STEPS: ContextVar[CheckSteps] = ContextVar("steps of the check that runs")


def counted(check: Check) -> Check:
    """A word of schemas whose steps count: parts that refer to each other multiply."""

    def count_and_check(
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError] | None:
        STEPS.get().spend(1 + (len(cast(Any, value)) if isinstance(value, list | dict) else 0))
        return check(validator, value, instance, schema)

    return count_and_check


def check_pattern(
    validator: Any, pattern: object, instance: object, schema: object
) -> Iterator[ValidationError]:
    """The word `pattern`; what might take too long is left to the server."""
    if not isinstance(instance, str) or not isinstance(pattern, str):
        return
    if not is_quick(pattern, len(instance)):
        return
    STEPS.get().spend(tried(pattern, len(instance)) // TRIED_IN_A_STEP)
    found = compiled(pattern)
    if found is not None and found.search(instance) is None:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def check_named(
    validator: Any, value: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """The word `patternProperties`: by those patterns that surely end soon."""
    if has_short_names(instance):
        quick = {name: item for name, item in value.items() if is_quick(name, LONGEST_NAME)}
        spend_on_names(quick, instance)
        yield from KEYWORDS["patternProperties"](validator, quick, instance, schema) or ()


def check_additional(
    validator: Any, value: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """The word `additionalProperties`; what stands beside it says which ones they are."""
    patterns: Mapping[str, Any] = schema.get("patternProperties", {})
    if has_short_names(instance) and all(is_quick(name, LONGEST_NAME) for name in patterns):
        spend_on_names(patterns, instance)
        yield from KEYWORDS["additionalProperties"](validator, value, instance, schema) or ()


def has_short_names(instance: object) -> bool:
    """Whether it is an object whose names can be matched."""
    names = cast(dict[str, Any], instance) if isinstance(instance, dict) else {}
    return bool(names) and max(map(len, names)) <= LONGEST_NAME


def spend_on_names(patterns: Mapping[str, Any], instance: Mapping[str, Any]) -> None:
    """Count what it takes to match each name. Raises SchemaUnusable."""
    each = sum(1 + tried(name, LONGEST_NAME) // TRIED_IN_A_STEP for name in patterns)
    STEPS.get().spend(len(instance) * each)


def checked_first(check: Check) -> Check:
    """What looks at all that other words took in: only once these are known to end."""

    def check_after(
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        others = {name: item for name, item in schema.items() if not name.startswith("unevaluated")}
        for _ in validator.evolve(schema=others).iter_errors(instance):
            pass
        if not isinstance(instance, dict) or has_short_names(cast(object, instance)):
            yield from check(validator, value, instance, schema) or ()

    return check_after


def check_unique(
    validator: Any, wanted: object, instance: object, schema: object
) -> Iterator[ValidationError]:
    """The word `uniqueItems`, in one go through the items."""
    if wanted is not True or not isinstance(instance, list):
        return
    items = cast(list[object], instance)
    if len({json.dumps(plain(item), sort_keys=True) for item in items}) < len(items):
        yield ValidationError("it has an item twice")


def plain(value: object) -> object:
    """JSON in which equal numbers are written alike."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in cast(dict[str, object], value).items()}
    if isinstance(value, list):
        return [plain(item) for item in cast(list[object], value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def pass_over(*_: object) -> Iterator[ValidationError]:
    """A word that is left to the server."""
    yield from ()


OURS: dict[str, Check] = {
    "pattern": check_pattern,
    "patternProperties": check_named,
    "additionalProperties": check_additional,
    "uniqueItems": check_unique,
    "unevaluatedProperties": checked_first(KEYWORDS["unevaluatedProperties"]),
    "unevaluatedItems": checked_first(KEYWORDS["unevaluatedItems"]),
}
SafeValidator = cast(
    type[Draft202012Validator],
    extend(  # pyright: ignore[reportUnknownMemberType]
        Draft202012Validator,
        {name: counted(check) for name, check in (KEYWORDS | OURS).items()},
    ),
)
LaxValidator = cast(
    type[Draft202012Validator],
    extend(SafeValidator, {"unevaluatedProperties": pass_over}),  # pyright: ignore[reportUnknownMemberType]
)
"""For schemas with slow patterns of names, which that word would match."""
META = Draft202012Validator.META_SCHEMA


@lru_cache(maxsize=1000)
def validator_of(schema: bytes) -> Draft202012Validator:
    """What checks against a schema. Raises SchemaUnusable."""
    found = msgspec.json.decode(schema)
    wrong = first_misfits(SafeValidator(META), found, MOST_STEPS_OF_META)
    if wrong:
        raise SchemaUnusable(wrong[0])
    is_quick_all = all(is_quick(name, LONGEST_NAME) for name in patterns_in(found))
    kind = SafeValidator if is_quick_all else LaxValidator
    # An empty registry: a reference to another document is fetched from nowhere.
    return kind(found, registry=Registry())


def patterns_in(schema: object) -> Iterator[str]:
    """Every pattern for names, wherever it stands."""
    if isinstance(schema, dict):
        found = cast(dict[str, object], schema)
        named = found.get("patternProperties")
        yield from cast(dict[str, object], named) if isinstance(named, dict) else ()
        for item in found.values():
            yield from patterns_in(item)
    elif isinstance(schema, list):
        for item in cast(list[object], schema):
            yield from patterns_in(item)


def misfits(schema: dict[str, Any], value: Any, most: int = MOST_STEPS) -> tuple[str, ...]:
    """What of a value does not fit, in a few words each. Raises SchemaUnusable."""
    return first_misfits(validator_of(msgspec.json.encode(schema)), value, most)


def first_misfits(validator: Draft202012Validator, value: Any, most: int) -> tuple[str, ...]:
    """The first few of them. Raises SchemaUnusable."""
    token = STEPS.set(CheckSteps(most))
    try:
        found = validator.iter_errors(value)  # pyright: ignore[reportUnknownMemberType]
        return tuple(describe(error) for error, _ in zip(found, range(MOST_TOLD), strict=False))
    except (Unresolvable, RecursionError) as error:
        raise SchemaUnusable(str(error)[:MAX_TOLD]) from error
    finally:
        STEPS.reset(token)


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
