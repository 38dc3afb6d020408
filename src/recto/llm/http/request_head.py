"""Whom a request goes to, and the lines it begins with."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from yarl import URL

from recto.llm.endpoint import Endpoint


class BadHeader(ValueError):
    """A header holds what none may hold."""


class BadKey(ValueError):
    """A key holds signs that no key has."""


class Place(NamedTuple):
    """Whom to connect to."""

    scheme: str
    host: str
    port: int


class Target(NamedTuple):
    """An address as a request needs it."""

    place: Place
    host_header: str
    path: str


@lru_cache(maxsize=256)
def target_of(address: str) -> Target:
    """Read an address."""
    url = URL(address, encoded=True)
    place = Place(url.scheme, url.raw_host or "", url.port or 80)
    return Target(place, url.host_port_subcomponent or "", url.raw_path_qs)


def sent_headers(endpoint: Endpoint, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request, with the key. Raises BadKey."""
    found = {
        # A packed stream comes in lumps: words should show as they are written.
        "accept-encoding": "identity",
        "user-agent": "recto",
        **endpoint.headers,
        **headers,
    }
    secret = endpoint.key.reveal() if endpoint.key else ""
    if secret:
        # A line break in a key would begin a header of its own.
        if not (secret.isascii() and secret.isprintable()):
            raise BadKey
        place = endpoint.key_header
        found[place.name] = place.prefix + secret
    return found


def write_head(method: str, target: Target, headers: Mapping[str, str], size: int) -> bytes:
    """A request's head. Raises BadHeader."""
    start = write_start(method, target, headers)
    if size or method == "POST":
        start += b"content-length: %d\r\n" % size
    return start + b"\r\n"


def write_start(method: str, target: Target, headers: Mapping[str, str]) -> bytes:
    """The lines of a head but the one that tells the body's length. Raises BadHeader."""
    lines = [f"{method} {target.path} HTTP/1.1", f"host: {target.host_header}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join(lines) + "\r\n"
    breaks = len(lines)
    if head.count("\r") != breaks or head.count("\n") != breaks or "\0" in head:
        raise BadHeader
    try:
        return head.encode("latin-1")
    except UnicodeEncodeError as error:
        raise BadHeader from error
