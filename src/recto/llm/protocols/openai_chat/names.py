"""Tool names and call ids that the API accepts.

A name of other characters than [A-Za-z0-9_-] is escaped (`a.b` is `a_x2E_b` on the wire) and
unescaped when it comes back. A name that is longer than 64 even so is cut and ends in a hash of
the whole; that can't be undone, and the name comes back as it was sent.
"""

import re
from hashlib import sha256

LONGEST = 64
_ESCAPED = re.compile(r"_x([0-9A-F]{2,6})_")
# An underscore is escaped where what follows would make it look like the start of an escape.
_TO_ESCAPE = re.compile(r"[^A-Za-z0-9_-]|_(?=x[0-9A-F]{2,6}[^A-Za-z0-9-])")


def wire_name(name: str) -> str:
    """A tool's name on the wire."""
    escaped = _TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):02X}_", name)
    if 0 < len(escaped) <= LONGEST:
        return escaped
    return f"{escaped[:47]}_{digest(name, 16)}"


def plain_name(name: str) -> str:
    """The tool's name that is so on the wire."""
    if "_x" not in name:
        return name
    plain = _ESCAPED.sub(_unescaped, name)
    return plain if wire_name(plain) == name else name


def _unescaped(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return found[0] if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code)


def wire_id(call_id: str, taken: set[str]) -> str:
    """A call's id on the wire, unlike all that are taken, and now taken itself."""
    found = call_id if 0 < len(call_id) <= LONGEST else made_id(call_id)
    again = 0
    while found in taken:
        again += 1
        found = made_id(f"{call_id}:{again}")
    taken.add(found)
    return found


def made_id(seed: str) -> str:
    """A call id, always the same for the same seed."""
    return f"call_{digest(seed, 24)}"


def digest(text: str, length: int) -> str:
    """A short hash of a text, for names and ids."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
