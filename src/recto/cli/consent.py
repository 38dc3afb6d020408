"""Asks a person whether a tool may do what it is about to do: exactly what, and why it asks."""

from collections.abc import Iterator, Mapping
from typing import Any

from recto.cli.command_chats import Answer
from recto.cli.terminal import choose, exact, is_somebody_there, note

COMMAND = "run_command"
LONGEST = 2000
NOBODY = "Not allowed: nobody is here to ask. --yes would allow it."
ANSWERS: dict[str, Answer] = {"once": "once", "chat": "chat", "always": "always", "deny": "deny"}


def decide(asked: Mapping[str, Any], *, yes: bool) -> Answer:
    """The answer to a tool that asks."""
    for line in question(asked):
        note(line)
    if yes:
        note("Allowed once, by --yes.")
        return "once"
    if not is_somebody_there():
        note(NOBODY)
        return "deny"
    rule = asked["rule"]
    choices = ANSWERS if rule else {"once": ANSWERS["once"], "deny": ANSWERS["deny"]}
    if rule:
        note(f"  always means from now on: {exact(rule)}")
    named = ", ".join(f"({name[0]}){name[1:]}" for name in choices)
    return ANSWERS[choose(f"Allow it? {named}:", dict(choices), "deny")]


def question(asked: Mapping[str, Any]) -> Iterator[str]:
    """What a tool wants to do, every character of it seen."""
    yield f"{exact(asked['name'])} asks. {asked['why']}"
    for name, value in asked["arguments"].items():
        shown = exact(value if isinstance(value, str) else repr(value))
        more = f"… and {len(shown) - LONGEST:,} characters more" if len(shown) > LONGEST else ""
        yield f"  {exact(name)}: {shown[:LONGEST]}{more}"
    if asked["isUnsandboxed"]:
        yield "  It runs unsandboxed: it can do whatever you can do on this computer."
