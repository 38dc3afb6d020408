"""No test reaches another computer: whoever tries is refused, and the test that did fails.

An audit hook sees every connection, datagram and look-up of Python's own sockets, whoever makes
it; it can't be taken off again. What libuv does by itself (a Recto that is served by uvloop) it
does not see.
"""

import ipaddress
import socket
import sys
from typing import Any

ADDRESSED = ("socket.connect", "socket.sendto", "socket.sendmsg")
NAMED = ("socket.getaddrinfo", "socket.gethostbyname")
attempts: list[str] = []
"""What was refused since somebody last looked."""
_installed: list[bool] = []


class RealNetwork(OSError):
    """A test tried to reach another computer."""


def install() -> None:
    """Refuse everything but this computer, from now on, in this process and those it forks."""
    if not _installed:
        _installed.append(True)
        sys.addaudithook(watch)


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Look at one thing that Python is about to do."""
    if not event.startswith("socket."):
        return
    if event in ADDRESSED:
        asked, address = arguments[0], arguments[1]
        is_other = asked.family in (socket.AF_INET, socket.AF_INET6) and is_elsewhere(address)
    elif event in NAMED:
        address = arguments[0]
        is_other = is_name_elsewhere(address)
    else:
        return
    if is_other:
        words = f"{event} {address!r}: tests reach no other computer"
        attempts.append(words)
        raise RealNetwork(words)


def is_elsewhere(address: Any) -> bool:
    """Whether an address is another computer's. A datagram on a connected socket has none."""
    if address is None:
        return False
    host = str(address[0]).partition("%")[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return is_name_elsewhere(host)
    mapped = getattr(found, "ipv4_mapped", None) or found
    return not (mapped.is_loopback or mapped.is_unspecified)


def is_name_elsewhere(host: Any) -> bool:
    """Whether a name must be asked for elsewhere. A number is no name, and asks nobody."""
    name = host.decode() if isinstance(host, bytes) else host or ""
    if name in ("", "localhost", "<broadcast>") or name.endswith(".localhost"):
        return False
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return True
    return False
