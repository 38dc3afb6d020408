"""Changes one value in the bytes of a JSON object and nothing else: not a space, not an escape."""

import re

import msgspec

STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
SPACE = re.compile(rb"[ \t\r\n]*")
PLAIN = re.compile(rb"[^\s,\]}]+")


def splice(body: bytes, path: tuple[str, ...], value: str | int) -> bytes | None:
    """The bytes with another value at a path of names; None if there is no such place.

    Where a name stands twice, as JSON allows, the last one counts and all are changed.
    """
    spans = list(find(body, path))
    told = msgspec.json.encode(value)
    for start, end in reversed(spans):
        body = body[:start] + told + body[end:]
    return body if spans else None


def find(body: bytes, path: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where the values at a path begin and end. The bytes are known to be JSON."""
    spans = [(skip(body, 0), len(body))]
    for name in path:
        spans = [
            span
            for start, _ in spans
            if body[start : start + 1] == b"{"
            for found, span in members(body, start)
            if found == name
        ]
    return spans


def members(body: bytes, start: int) -> list[tuple[str, tuple[int, int]]]:
    """The names of an object and where their values are."""
    found: list[tuple[str, tuple[int, int]]] = []
    at = skip(body, start + 1)
    while body[at : at + 1] == b'"':
        name_end = end_of(body, at)
        name: str = msgspec.json.decode(body[at:name_end], type=str)
        value = skip(body, skip(body, name_end) + 1)
        value_end = end_of(body, value)
        found.append((name, (value, value_end)))
        at = skip(body, value_end)
        if body[at : at + 1] != b",":
            break
        at = skip(body, at + 1)
    return found


def skip(body: bytes, at: int) -> int:
    """The first place from here on that is no space."""
    match = SPACE.match(body, at)
    return match.end() if match else at


def end_of(body: bytes, start: int) -> int:
    """Where the value that begins here ends."""
    first = body[start : start + 1]
    if first == b'"':
        match = STRING.match(body, start)
        return match.end() if match else len(body)
    if first not in (b"{", b"["):
        match = PLAIN.match(body, start)
        return match.end() if match else start
    depth = 0
    for token in BRACKETS.finditer(body, start):
        depth += DEPTHS.get(token[0], 0)
        if depth == 0 and token[0] in (b"}", b"]"):
            return token.end()
    return len(body)


BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
DEPTHS = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}


def insert(body: bytes, path: tuple[str, ...], value: str | int) -> bytes | None:
    """The bytes with a value at a path where there was none; None if something is in the way."""
    for depth in range(len(path) - 1, -1, -1):
        spans = find(body, path[:depth])
        if not spans:
            continue
        start, _ = spans[-1]
        if body[start : start + 1] != b"{":
            return None
        told: object = value
        for name in reversed(path[depth + 1 :]):
            told = {name: told}
        member = msgspec.json.encode(path[depth]) + b":" + msgspec.json.encode(told)
        is_empty = body[skip(body, start + 1) :][:1] == b"}"
        return body[: start + 1] + member + (b"" if is_empty else b",") + body[start + 1 :]
    return None
