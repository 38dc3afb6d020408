"""Tool names and call ids the API takes: letters, digits, `_` and `-`.

Names: a character outside these becomes `-x<hex>-`, and so does a `-` that would look like the
beginning of such a mark, so that `read_name` gives the name back. What is then longer than 128 is
cut and ends in a hash: such a name can't be told from its wire form, so keep tool names short.
Ids: cleaned, at most 64, with a hash of the original when changed. Nobody reads them back.
"""

import hashlib
import re
import sys

MAX_NAME = 128
MAX_ID = 64
PLAIN = re.compile(r"[A-Za-z0-9_-]+")
FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
MARK = re.compile(r"-x([0-9a-f]{1,6})-")
TO_MARK = re.compile(r"[^A-Za-z0-9_-]|-(?=x)")


def lower_name(name: str) -> str:
    """A tool's name as the API takes it; names that it takes already stay as they are."""
    if not PLAIN.fullmatch(name) or MARK.search(name):
        name = TO_MARK.sub(lambda found: f"-x{ord(found[0]):x}-", name)
    if 0 < len(name) <= MAX_NAME:
        return name
    return f"{name[: MAX_NAME - 9]}-{short_hash(name)}"


def read_name(name: str) -> str:
    """The tool's own name."""
    return MARK.sub(_marked, name) if "-x" in name else name


def lower_id(call_id: str) -> str:
    """A call's id as the API takes it."""
    if PLAIN.fullmatch(call_id) and len(call_id) <= MAX_ID:
        return call_id
    return f"{FOREIGN.sub('_', call_id)[: MAX_ID - 9]}_{short_hash(call_id)}"


def free_id(call_id: str, used: set[str]) -> str:
    """The id, or the id with the first number that makes it new. The used ids learn of it."""
    free, number = call_id, 1
    while free in used:
        number += 1
        free = f"{call_id[: MAX_ID - 5]}_{number}"
    used.add(free)
    return free


def short_hash(text: str) -> str:
    """Eight characters that differ where texts do."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _marked(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if code <= sys.maxunicode else found[0]
