"""The JSON that goes in and out of the API: camelCase, times in milliseconds."""

from typing import Annotated, ClassVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic.alias_generators import to_camel

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
ResourceId = Annotated[
    str, StringConstraints(pattern=rf"^([0-9a-hjkmnp-tv-z]{{26}}|{UUID})$", to_lower=True)
]
"""Our own form, or any UUID that a client made. A UUID is the same in any case."""
SkillId = Annotated[
    str,
    StringConstraints(
        pattern=rf"^(builtin\.[a-z-]{{1,40}}|folder\.[0-9a-f]{{8}}|[0-9a-hjkmnp-tv-z]{{26}}|{UUID})$",
        to_lower=True,
    ),
]
"""A skill of one's own has an id like everything else; the others are named by where they are."""


class Schema(BaseModel):
    """What every body shares."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, from_attributes=True, extra="forbid"
    )


class Body(Schema):
    """What a caller sends: what may be left out may be null, and what GET gave is taken back."""

    resource: ClassVar[type[Schema] | None] = None
    """What GET answers for it: those of its fields that can't be changed are ignored."""

    @model_validator(mode="before")
    @classmethod
    def ignore_what_says_nothing(cls, given: object) -> object:
        """Leave out nulls that mean "as if left out", and the read-only fields."""
        if not isinstance(given, dict):
            return given
        own = cls.own_fields()
        read_only = cls.read_only_fields()
        return {
            key: value
            for key, value in cast("dict[str, object]", given).items()
            if key not in read_only and not (value is None and own.get(key, False))
        }

    @classmethod
    def own_fields(cls) -> dict[str, bool]:
        """The fields as JSON names them, and in Python; whether each may be left out."""
        return {
            name: not field.is_required()
            for key, field in cls.model_fields.items()
            for name in (key, field.alias or key)
        }

    @classmethod
    def read_only_fields(cls) -> frozenset[str]:
        """What the resource has besides, as JSON names it."""
        if cls.resource is None:
            return frozenset()
        named = {field.alias or key for key, field in cls.resource.model_fields.items()}
        return frozenset(named - cls.own_fields().keys())


class ProblemBody(BaseModel):
    """What went wrong and what to do (RFC 9457)."""

    model_config = ConfigDict(title="Problem")

    type: str
    title: str
    status: int
    detail: str
    remedy: str | None = None
    errors: list[dict[str, object]] = Field(default_factory=list[dict[str, object]])
