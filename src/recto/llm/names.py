"""Tool names and call ids that every API accepts, always the same for the same name or id.

A name of up to 64 letters, digits, `_` and `-` that begins with no digit and no `-` goes as it is.
Any other is `esc-` and its UTF-8 with `-hh` for each other byte, which `own_name` undoes. Where
that is too long, or there is no UTF-8, the name is cut and ends in a hash: only who knows the tools
of the request, `CutNames`, can tell what it was.
"""

import re
from dataclasses import replace
from hashlib import sha256

from recto.messages import (
    Finished,
    Part,
    Request,
    StreamEvent,
    ToolCall,
    ToolCallStarted,
    called_names,
)

LONGEST = 64
HASH_LENGTH = 12
ESCAPE = "esc-"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
ESCAPED = re.compile(r"esc-((?:[A-Za-z0-9_]|-[0-9a-f]{2})*)")
KEPT_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


def wire_name(name: str) -> str:
    """A tool's name as every API accepts it; unlike names stay unlike."""
    if NAME.fullmatch(name) and not name.startswith(ESCAPE):
        return name
    escaped = _escaped(name)
    if escaped is not None and len(escaped) <= LONGEST:
        return escaped
    # Without `-`, so that it is never taken for an escaped name.
    return _with_hash(re.sub(r"^[^A-Za-z_]|[^A-Za-z0-9_]", "_", name), name)


def own_name(name: str) -> str:
    """The tool's own name again. A name that `wire_name` didn't write stays as it is."""
    found = ESCAPED.fullmatch(name)
    if found is None:
        return name
    raw = re.sub(r"-(..)", lambda byte: chr(int(byte[1], 16)), found[1]).encode("latin-1")
    try:
        plain = raw.decode()
    except UnicodeDecodeError:
        return name
    return plain if wire_name(plain) == name else name


class CutNames:
    """The names of one request's tools that can't be read off what is sent for them."""

    def __init__(self, request: Request) -> None:
        offered = (tool.name for tool in request.tools)
        sent = {wire_name(name): name for name in (*called_names(request.messages), *offered)}
        self._own = {wire: name for wire, name in sent.items() if own_name(wire) != name}

    def restore(self, event: StreamEvent) -> StreamEvent:
        """An event of the answer, with the tools' own names."""
        if not self._own:
            return event
        match event:
            case ToolCallStarted(name=name) if name in self._own:
                return replace(event, name=self._own[name])
            case Finished(message=message) if message.calls:
                parts = tuple(self._restored(part) for part in message.parts)
                return replace(event, message=replace(message, parts=parts))
            case _:
                return event

    def _restored(self, part: Part) -> Part:
        if not isinstance(part, ToolCall):
            return part
        return replace(part, name=self._own.get(part.name, part.name))


def wire_id(call_id: str) -> str:
    """A call's id as every API accepts it; unlike ids stay unlike."""
    if ID.fullmatch(call_id):
        return call_id
    return _with_hash(re.sub(r"[^A-Za-z0-9_-]", "_", call_id), call_id)


def free_id(call_id: str, taken: dict[str, int]) -> str:
    """The id, or the id with the first number that is not taken; it is taken from now on.

    `taken` has the last number that each id was given with, so that none is tried twice.
    """
    free, number = call_id, taken.get(call_id, 1)
    while free in taken:
        number += 1
        end = f"_{number}"
        free = call_id[: LONGEST - len(end)] + end
    taken[call_id] = number
    taken.setdefault(free, 1)
    return free


def _escaped(name: str) -> str | None:
    """The escaped name; None if half a pair of surrogates is in it, which could not come back."""
    try:
        written = name.encode()
    except UnicodeEncodeError:
        return None
    return ESCAPE + "".join(chr(byte) if byte in KEPT_BYTES else f"-{byte:02x}" for byte in written)


def _with_hash(kept: str, text: str) -> str:
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]
    return f"{kept[: LONGEST - HASH_LENGTH - 1]}_{digest}"
