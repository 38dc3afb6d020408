"""What pydantic finds wrong with a value, in plain words that follow the value's name."""

from collections.abc import Mapping

from pydantic_core import ErrorDetails

SAID: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "string_type": "must be text",
    "string_unicode": "must be text without half characters",
    "string_pattern_mismatch": "does not have the right form",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "is too large a number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number that is not infinite",
    "decimal_type": "must be a number",
    "decimal_parsing": "must be a number",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object with named values",
    "model_type": "must be an object with named values",
    "model_attributes_type": "must be an object with named values",
    "dataclass_type": "must be an object with named values",
    "none_required": "must be null",
    "json_invalid": "is not valid JSON",
}
BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than": ("gt", "must be more than {}"),
    "greater_than_equal": ("ge", "must be at least {}"),
    "less_than": ("lt", "must be less than {}"),
    "less_than_equal": ("le", "must be at most {}"),
    "string_too_long": ("max_length", "must have at most {} characters"),
    "string_too_short": ("min_length", "must have at least {} characters"),
    "too_long": ("max_length", "must have at most {} entries"),
    "too_short": ("min_length", "must have at least {} entries"),
    "literal_error": ("expected", "must be {}"),
    "enum": ("expected", "must be {}"),
    "union_tag_not_found": ("discriminator", "must say {}"),
}


def words_for(detail: ErrorDetails) -> str:
    """What is wrong with one value, such as "must be at least 1"."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in SAID:
        return SAID[kind]
    if kind in BOUNDS:
        name, words = BOUNDS[kind]
        if name == "min_length" and context.get(name) == 1:
            return "must not be empty"
        return words.format(plain(context.get(name)))
    if kind == "union_tag_invalid":
        return f"has a {context['discriminator']} that is none of {context['expected_tags']}"
    if kind in {"value_error", "assertion_error"}:
        return str(context.get("error", detail["msg"])).removesuffix(".")
    return f"is not accepted ({detail['msg']})"


def plain(bound: object) -> object:
    """A bound as people write it: 1, not 1.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound
