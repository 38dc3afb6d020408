"""What is wrong with a value is said in plain words."""

from typing import Annotated, Literal

import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
)

from recto.config import words_for


class Value(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, StringConstraints(min_length=1, max_length=5, pattern="^[a-z]*$")] = "a"
    count: Annotated[int, Field(ge=1, lt=10)] = 1
    share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1
    on: bool = False
    level: Literal["low", "high"] = "low"
    items: Annotated[list[str], Field(max_length=2)] = []
    inner: "Value | None" = None

    @field_validator("items")
    @classmethod
    def are_not_empty(cls, items: list[str]) -> list[str]:
        if "" in items:
            raise ValueError("An item has no words.")
        return items


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("name", 5, "must be text"),
        ("name", "", "must not be empty"),
        ("name", "abcdef", "must have at most 5 characters"),
        ("name", "A", "does not have the right form"),
        ("count", "x", "must be a whole number"),
        ("count", 0, "must be at least 1"),
        ("count", 10, "must be less than 10"),
        ("share", 0, "must be more than 0"),
        ("share", 2, "must be at most 1"),
        ("on", "maybe", "must be true or false"),
        ("level", "loud", "must be 'low' or 'high'"),
        ("items", "x", "must be a list"),
        ("items", ["a", "b", "c"], "must have at most 2 entries"),
        ("items", [""], "An item has no words"),
        ("inner", 1, "must be an object with named values"),
        ("colour", 1, "is not known here"),
    ],
)
def test_a_mistake_is_told_in_plain_words(name: str, value: object, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Value.model_validate({name: value})
    assert [words_for(detail) for detail in caught.value.errors()] == [words]
