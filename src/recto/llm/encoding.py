"""JSON whose bytes are always the same for the same value: keys sorted, fields in their order."""

from typing import Any, TypeVar, cast

import msgspec
from msgspec import inspect

from recto.messages import encodable_json

T = TypeVar("T")
_SORTED = msgspec.json.Encoder(order="deterministic")


def encode(value: Any) -> bytes:
    """The value as JSON. Halves of surrogate pairs, which no UTF-8 holds, are replaced."""
    try:
        return _SORTED.encode(value)
    except UnicodeEncodeError:
        # Sorted before: the fields of a struct keep their order. What is JSON already is read.
        plain = msgspec.to_builtins(value, order="deterministic", enc_hook=msgspec.json.decode)
        return msgspec.json.encode(encodable_json(plain))


def known_only(value: Any, kind: inspect.Type) -> Any:
    """Plain JSON without the fields that a kind does not have: clients add fields of their own."""
    match kind:
        case inspect.StructType() if isinstance(value, dict):
            fields = {field.encode_name: field.type for field in kind.fields}
            tag = {kind.tag_field} if kind.tag_field else set[str]()
            return {
                name: known_only(item, fields[name]) if name in fields else item
                for name, item in cast(dict[str, Any], value).items()
                if name in fields or name in tag
            }
        case inspect.ListType() if isinstance(value, list):
            return [known_only(item, kind.item_type) for item in cast(list[Any], value)]
        case inspect.UnionType():
            inner = _meant(value, kind)
            return value if inner is None else known_only(value, inner)
        case _:
            return value


def _meant(value: Any, union: inspect.UnionType) -> inspect.Type | None:
    """Which kind of a union a value is; None for one without fields."""
    if isinstance(value, list):
        return next((item for item in union.types if isinstance(item, inspect.ListType)), None)
    if not isinstance(value, dict):
        return None
    named = cast(dict[str, Any], value)
    structs = [item for item in union.types if isinstance(item, inspect.StructType)]
    tagged = [item for item in structs if item.tag_field and named.get(item.tag_field) == item.tag]
    return next(iter(tagged or [item for item in structs if item.tag_field is None]), None)


def convert(value: object, kind: type[T], *, strict: bool = True) -> T:
    """A value of plain JSON as the kind that it should be. Raises msgspec.ValidationError."""
    try:
        return msgspec.convert(value, kind, strict=strict)
    except UnicodeEncodeError as error:
        # Half a pair of surrogates where a number belongs: it can't even be said what is wrong.
        words = "Half a character stands where something else belongs"
        raise msgspec.ValidationError(words) from error
