"""Asks a person what an MCP server wants to know: a form, field by field, or an address to open."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from recto.cli.terminal import choose, exact, is_somebody_there, note
from recto.tools import ElicitationAnswer

NOBODY = "Nobody is here to answer, so the question is cancelled."
ACTIONS = {"accept": "accept", "decline": "decline", "cancel": "cancel"}
QUESTION = "(a)ccept, (d)ecline, (c)ancel:"


class NotFilledIn(Exception):
    """The terminal was closed in the middle of a form."""


def fill_in(asked: Mapping[str, Any]) -> ElicitationAnswer:
    """The answer to a server that asks."""
    note(f"The MCP server {exact(asked['server'])} asks: {exact(asked['message'])}")
    if asked["url"] is not None:
        note(f"  It wants you to open this address: {exact(asked['url'])}")
    if not is_somebody_there():
        note(NOBODY)
        return ElicitationAnswer("cancel")
    action = choose(f"Answer it? {QUESTION}", ACTIONS, "cancel")
    if action == "decline":
        return ElicitationAnswer("decline")
    if action != "accept":
        return ElicitationAnswer("cancel")
    if asked["form"] is None:
        return ElicitationAnswer("accept")
    try:
        return ElicitationAnswer("accept", fields_of(asked["form"]))
    except NotFilledIn:
        return ElicitationAnswer("cancel")


def fields_of(form: Mapping[str, Any]) -> dict[str, Any]:
    """What a person fills in; what is left empty is left out."""
    found: dict[str, Any] = {}
    for name, field in form.get("properties", {}).items():
        value = field_value(name, field, is_required=name in form.get("required", ()))
        if value is not None:
            found[name] = value
    return found


def field_value(name: str, field: Mapping[str, Any], *, is_required: bool) -> Any:
    """One field. Raises NotFilledIn."""
    kind, choices = field.get("type", "string"), choices_of(field)
    hint = f" ({', '.join(map(exact, choices))})" if choices else f" ({kind})"
    optional = "" if is_required else ", or nothing"
    if "default" in field:
        optional = f", or nothing for {exact(str(field['default']))}"
    if field.get("description"):
        note(f"  {exact(field['description'])}")
    while True:
        words = exact(field.get("title") or name)
        print(f"  {words}{hint}{optional}:", end=" ", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise NotFilledIn
        typed = line.strip()
        if not typed and "default" in field:
            return field["default"]
        if not typed and not is_required:
            return None
        value = read_value(typed, kind)
        if value is not None and (not choices or kind == "array" or value in choices):
            return value
        note("  That does not fit.")


def choices_of(field: Mapping[str, Any]) -> Sequence[str]:
    """What a field may be, if that is a list."""
    items: Mapping[str, Any] = field.get("items", {})
    listed = field.get("oneOf") or items.get("anyOf") or items.get("oneOf") or ()
    return field.get("enum") or items.get("enum") or [item["const"] for item in listed]


def read_value(typed: str, kind: str) -> Any:
    """What was typed as the kind that is wanted; None when it is none."""
    try:
        match kind:
            case "integer":
                return int(typed)
            case "number":
                return float(typed)
            case "boolean":
                return {"yes": True, "y": True, "true": True, "no": False, "n": False}.get(
                    typed.lower(), False if typed.lower() == "false" else None
                )
            case "array":
                return [item.strip() for item in typed.split(",") if item.strip()]
            case _:
                return typed or None
    except ValueError:
        return None
