"""Names and ids that the API accepts, made from any name or id, always the same ones.

A name of up to 64 letters, digits, `_` and `-` goes as it is. Any other is written as `esc-` and
the name with `-hh` for each other byte, which `own_name` undoes. Where that is too long, the name
is cut and ends in a hash: it comes back so, and whoever offers the tool finds it by `wire_name`.
"""

import re
from hashlib import sha256

LONGEST = 64
HASH_LENGTH = 12
ESCAPE = "esc-"
ACCEPTED = re.compile(r"[A-Za-z0-9_-]{1,64}")
ESCAPED = re.compile(r"esc-(?:[A-Za-z0-9_]|-[0-9a-f]{2})+")


def wire_name(name: str) -> str:
    """A tool's name as the API accepts it."""
    if ACCEPTED.fullmatch(name) and not name.startswith(ESCAPE):
        return name
    escaped = ESCAPE + "".join(map(escape, name.encode("utf-8", "replace")))
    return escaped if name and len(escaped) <= LONGEST else shortened(name)


def own_name(name: str) -> str:
    """The tool's own name again."""
    if not ESCAPED.fullmatch(name):
        return name
    plain = re.sub(r"-([0-9a-f]{2})", unescape, name.removeprefix(ESCAPE))
    return plain.encode("latin-1").decode("utf-8", "replace")


def wire_id(own_id: str) -> str:
    """A call's id as the API accepts it: unlike ids stay unlike."""
    return own_id if ACCEPTED.fullmatch(own_id) else shortened(own_id)


def shortened(text: str) -> str:
    """What can be kept of a text, and a hash of all of it."""
    kept = re.sub(r"[^A-Za-z0-9_-]", "_", text)[: LONGEST - HASH_LENGTH - 1]
    return f"{kept}_{sha256(text.encode('utf-8', 'replace')).hexdigest()[:HASH_LENGTH]}"


def escape(byte: int) -> str:
    """A byte of a name: itself, if it is a letter, a digit or `_`."""
    letter = chr(byte)
    return letter if letter.isascii() and (letter.isalnum() or letter == "_") else f"-{byte:02x}"


def unescape(match: re.Match[str]) -> str:
    """The byte that stands behind `-hh`."""
    return chr(int(match[1], 16))
