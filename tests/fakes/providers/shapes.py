"""A small language for what JSON a provider accepts: shapes, and the problems they find.

A shape is a function from a value and its path to problems. Each provider tells the same problem
in its own words, so nothing here speaks to a client.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and where. `expected` names a JSON type, or says which values are allowed."""

    path: Path
    kind: Literal["missing", "extra", "type", "value", "tag"]
    expected: str = ""
    got: Any = None
    allowed: tuple[Any, ...] = ()


Shape = Callable[[Any, Path], Iterator[Problem]]


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a JSON array."""
    return isinstance(value, list)


def objects(value: object) -> list[dict[str, Any]]:
    """The JSON objects in an array; nothing, if it is no array."""
    return [item for item in value if is_object(item)] if is_array(value) else []


def inside(value: object, *keys: str) -> dict[str, Any]:
    """The object found under these keys; an empty one, if there is none."""
    for key in keys:
        value = value.get(key) if is_object(value) else None
    return value if is_object(value) else {}


def anything(value: Any, path: Path) -> Iterator[Problem]:
    """Any JSON at all."""
    return iter(())


def text(pattern: str | None = None, *, min_len: int = 0, max_len: int | None = None) -> Shape:
    """A string."""
    compiled = re.compile(pattern) if pattern else None

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield Problem(path, "type", "string", value)
        elif len(value) < min_len:
            yield Problem(path, "value", f"at least {min_len} characters", value)
        elif max_len is not None and len(value) > max_len:
            yield Problem(path, "value", f"at most {max_len} characters", value)
        elif compiled and not compiled.fullmatch(value):
            yield Problem(path, "value", f"match pattern '{pattern}'", value)

    return check


def integer(low: int | None = None, high: int | None = None) -> Shape:
    """A whole number."""

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int):
            yield Problem(path, "type", "integer", value)
        elif low is not None and value < low:
            yield Problem(path, "value", f"greater than or equal to {low}", value)
        elif high is not None and value > high:
            yield Problem(path, "value", f"less than or equal to {high}", value)

    return check


def number(low: float, high: float) -> Shape:
    """A number."""

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Problem(path, "type", "number", value)
        elif not low <= value <= high:
            yield Problem(path, "value", f"between {low} and {high}", value)

    return check


def boolean(value: Any, path: Path) -> Iterator[Problem]:
    """True or false."""
    if not isinstance(value, bool):
        yield Problem(path, "type", "boolean", value)


def literal(*allowed: Any) -> Shape:
    """One of a few values."""

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if value not in allowed or isinstance(value, bool) != isinstance(allowed[0], bool):
            yield Problem(path, "value", "one of", value, allowed)

    return check


def nullable(shape: Shape) -> Shape:
    """Null, or a shape."""
    return lambda value, path: iter(()) if value is None else shape(value, path)


def items(shape: Shape, *, min_len: int = 0, max_len: int | None = None) -> Shape:
    """An array."""

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if not is_array(value):
            yield Problem(path, "type", "array", value)
            return
        if len(value) < min_len:
            yield Problem(path, "value", f"at least {min_len} items", value)
        if max_len is not None and len(value) > max_len:
            yield Problem(path, "value", f"at most {max_len} items", value)
        for index, item in enumerate(value):
            yield from shape(item, (*path, index))

    return check


def record(
    required: Mapping[str, Shape] | None = None, optional: Mapping[str, Shape] | None = None
) -> Shape:
    """An object with these keys and no others."""
    needed = required or {}
    known = {**needed, **(optional or {})}

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if not is_object(value):
            yield Problem(path, "type", "object", value)
            return
        for key in needed:
            if key not in value:
                yield Problem((*path, key), "missing")
        for key, item in value.items():
            if key in known:
                yield from known[key](item, (*path, key))
            else:
                yield Problem((*path, key), "extra", got=item)

    return check


def free_object(value: Any, path: Path) -> Iterator[Problem]:
    """An object with any keys."""
    if not is_object(value):
        yield Problem(path, "type", "object", value)


def tagged(
    key: str, variants: Mapping[str, Shape], *, default: str | None = None, in_path: bool = False
) -> Shape:
    """An object whose `key` says which shape it has. `in_path`: the tag is told in paths."""

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if not is_object(value):
            yield Problem(path, "type", "object", value)
            return
        tag = value.get(key, default)
        if tag is None:
            yield Problem((*path, key), "missing")
        elif not isinstance(tag, str) or tag not in variants:
            yield Problem((*path, key), "tag", "one of", tag, tuple(variants))
        else:
            yield from variants[tag](value, (*path, tag) if in_path else path)

    return check


def either(
    *, string: Shape | None = None, array: Shape | None = None, mapping: Shape | None = None
) -> Shape:
    """A shape for each JSON type the value may have."""
    names = [
        name for name, shape in (("string", string), ("array", array), ("object", mapping)) if shape
    ]

    def check(value: Any, path: Path) -> Iterator[Problem]:
        if string and isinstance(value, str):
            yield from string(value, path)
        elif array and is_array(value):
            yield from array(value, path)
        elif mapping and is_object(value):
            yield from mapping(value, path)
        else:
            yield Problem(path, "type", " or ".join(names), value)

    return check


def first_problem(shape: Shape, value: object) -> Problem | None:
    """The first thing wrong with a value."""
    return next(shape(value, ()), None)


def dotted(path: Path) -> str:
    """A path as `messages.0.content`."""
    return ".".join(str(step) for step in path)


def bracketed(path: Path) -> str:
    """A path as `messages[0].content`."""
    told = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return told.removeprefix(".")
