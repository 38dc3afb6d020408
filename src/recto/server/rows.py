"""Rows of a bulk request, each read by itself: one that is wrong does not refuse the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler, JsonValue, ValidationError
from pydantic_core import CoreSchema, core_schema

from recto.config import words_for

TWICE = "This id is named twice in the request, and nobody can say which row is meant."

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class DescribedAs:
    """The annotation of a row that is read later: the API's description has its real form."""

    model: type[BaseModel]

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Described as the model, and taken as it comes."""
        described = handler.generate_schema(self.model)
        return core_schema.no_info_wrap_validator_function(lambda value, _: value, described)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that can't be read: its id, if it says one, and what is wrong."""

    id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class ReadRows(Generic[R]):
    """The rows of a request by their places in it."""

    read: Mapping[int, R]
    refused: Mapping[int, RefusedRow]


def read_rows(model: type[R], rows: Sequence[JsonValue]) -> ReadRows[R]:
    """Read every row; those that are wrong, or named twice, come with the reason."""
    ids = Counter(map(id_of, rows))
    read: dict[int, R] = {}
    refused: dict[int, RefusedRow] = {}
    for place, row in enumerate(rows):
        name = id_of(row)
        if name is not None and ids[name] > 1:
            refused[place] = RefusedRow(name, TWICE)
            continue
        try:
            read[place] = model.model_validate(row)
        except ValidationError as error:
            refused[place] = RefusedRow(name, "; ".join(map(sentence, error.errors())) + ".")
    return ReadRows(read, refused)


def id_of(row: JsonValue) -> str | None:
    """The id that a row says, whatever else is wrong with it."""
    value = row.get("id") if isinstance(row, dict) else None
    return value.lower() if isinstance(value, str) else None


def sentence(detail: Any) -> str:
    """One mistake: where, and what is wrong."""
    return f"{'.'.join(map(str, detail['loc'])) or 'The row'} {words_for(detail)}"
