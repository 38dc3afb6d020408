"""Tool names on the wire, there and back, without knowing the request.

A name the API takes (a letter or underscore first, then `[A-Za-z0-9_.:-]`, at most 128) goes as it
is. Any other is written as `_:` and its UTF-8 with `:XX` for each byte that is not a letter, digit,
`_`, `.` or `-`, which `own_name` undoes. Only what is still too long then is cut and hashed, and
comes back in that form.
"""

import hashlib
import re
from urllib.parse import quote, unquote

MAX_NAME = 128
ACCEPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
WRITTEN = "_:"


def wire_name(name: str) -> str:
    """A tool's name as the API accepts it."""
    if ACCEPTED.fullmatch(name) and not name.startswith(WRITTEN):
        return name
    quoted = quote(name, safe="", errors="replace").replace("~", "%7E").replace("%", ":")
    written = WRITTEN + quoted
    if len(written) <= MAX_NAME:
        return written
    mark = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:16]
    return f"h_{quoted.replace(':', '_')[:100]}_{mark}"


def own_name(name: str) -> str:
    """The name behind a name on the wire."""
    if not name.startswith(WRITTEN):
        return name
    return unquote(name[len(WRITTEN) :].replace(":", "%"))
