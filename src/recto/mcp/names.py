"""Names of servers' tools as every provider takes them: `server__tool`, at most 64 characters.

One name for all providers: a chat may go on with another model, and its history stays as it is.
"""

import hashlib
import re

from recto.mcp.configuration import ServerConfig

MAX_NAME = 64
BETWEEN = "__"
HASH = 10
WRONG = re.compile(r"[^A-Za-z0-9_-]")
# Then the first `__` of a name is the one between the two.
CLEAR_SERVER = re.compile(r"[A-Za-z](?!.*__)[A-Za-z0-9_-]*(?<!_)")


def offered_name(server: str, tool: str) -> str:
    """The name that models know a tool by; another one for every server and tool."""
    plain = f"{server}{BETWEEN}{tool}"
    if (
        len(plain) <= MAX_NAME
        and CLEAR_SERVER.fullmatch(server)
        and tool
        and not WRONG.search(tool)
    ):
        return plain
    digest = hashlib.sha256(f"{len(server)} {plain}".encode("utf-8", "surrogatepass")).hexdigest()
    cleaned = WRONG.sub("_", plain)
    start = cleaned if cleaned[:1].isalpha() else f"s{cleaned}"
    return f"{start[: MAX_NAME - HASH - 1]}_{digest[:HASH]}"


def id_of(config: ServerConfig) -> str:
    """What stands for a server in addresses."""
    named = f"{config.root or ''}\0{config.name}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).hexdigest()[:16]
