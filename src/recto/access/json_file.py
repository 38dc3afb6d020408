"""Strict JSON files that people write: every mistake is named with its file, line and remedy."""

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from recto.config import ConfigFailure, words_for

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
Location = tuple[str | int, ...]


class JsonSection(BaseModel):
    """An object of the file; unknown names are mistakes. Names are written in camelCase."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
    )


S = TypeVar("S", bound=JsonSection)


class DuplicateName(ValueError):
    """A name stands twice in one object."""


def load_json(file: Path, model: type[S]) -> S:
    """Read one of our files; a missing file is an empty one."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return model()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigFailure(f"{file} can't be read: {error}.", "Fix or remove it.") from error
    return parse_json(text, str(file), model)


def parse_json(text: str, file: str, model: type[S]) -> S:
    """The content of a file, checked."""
    try:
        # Decimal: prices as floats would round money. The hook sees names twice, which json merges.
        content = json.loads(text, parse_float=Decimal, object_pairs_hook=_once)
        return model.model_validate(content)
    except json.JSONDecodeError as error:
        raise ConfigFailure(
            f"{file}, line {error.lineno}: this is not JSON: {error.msg}.", "Fix that line."
        ) from error
    except DuplicateName as error:
        raise ConfigFailure(f"{file}: {error}.", "Keep one of them.") from error
    except RecursionError as error:
        raise ConfigFailure(f"{file} is nested too deeply.", "Fix or remove it.") from error
    except ValidationError as error:
        problems = "; ".join(_describe(detail, text, model) for detail in error.errors())
        raise ConfigFailure(f"{file}, {problems}.", "Fix the file.") from error


def mistake(text: str, file: str, location: Location, words: str, remedy: str) -> ConfigFailure:
    """A mistake that only the caller can see, at its place in the file."""
    return ConfigFailure(f"{file}, line {line_of(location, text)}: {words}.", remedy)


def write_json(content: JsonSection) -> bytes:
    """The content as a file for people; what is as always is left out."""
    fields = content.model_dump(exclude_defaults=True)
    return (json.dumps(fields, indent=2, ensure_ascii=False, default=_number) + "\n").encode()


def line_of(location: Location, text: str) -> int:
    """The line of a value, or of the nearest thing around it that is there."""
    best, line = 0, 1
    for path, position in _places(text):
        if len(path) > best and path == location[: len(path)]:
            best, line = len(path), text.count("\n", 0, position) + 1
    return line


def _places(text: str) -> Iterator[tuple[Location, int]]:
    """Where each name and each item of a list stands. The text is known to be JSON."""
    path: list[str | int] = []
    is_list: list[bool] = []
    names = True
    for token in TOKEN.finditer(text):
        sign = token[0]
        if sign in "]}":
            path.pop()
            names = not is_list.pop()
            continue
        if is_list and not is_list[-1] and names and sign[0] == '"':
            path[-1] = str(json.loads(sign))
            names = False
            yield tuple(path), token.start()
        elif sign == ",":
            names = not is_list[-1]
            path[-1] = path[-1] + 1 if isinstance(path[-1], int) else path[-1]
        elif sign != ":" and is_list and is_list[-1]:
            yield tuple(path), token.start()
        if sign in "[{":
            path.append(0 if sign == "[" else "")
            is_list.append(sign == "[")
            names = sign == "{"


def _number(value: object) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError(f"{value!r} can't be written as JSON.")
    return int(value) if value == value.to_integral_value() else float(value)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    double = next(name for name in names if names.count(name) > 1)
    raise DuplicateName(f"{double!r} stands twice in one object")


def _describe(detail: ErrorDetails, text: str, model: type[BaseModel]) -> str:
    """One mistake in words: line, name, what is wrong, what is allowed."""
    location = detail["loc"]
    name = ".".join(map(str, location)) or "the file"
    place = f"line {line_of(location, text)}: {name}"
    if detail["type"] == "extra_forbidden":
        allowed = ", ".join(_allowed(location[:-1], model))
        return f"{place} is not known. Allowed here: {allowed}"
    separator = ": " if detail["type"] == "value_error" else " "
    return f"{place}{separator}{words_for(detail)}"


def _allowed(location: Location, model: type[BaseModel]) -> list[str]:
    """The names an object of the file may have."""
    for step in location:
        if isinstance(step, int):
            continue
        for name, field in model.model_fields.items():
            if step in (name, field.alias):
                model = _section(field.annotation) or model
    return sorted(field.alias or name for name, field in model.model_fields.items())


def _section(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_section(inner) for inner in get_args(annotation))
    return next((section for section in found if section is not None), None)
