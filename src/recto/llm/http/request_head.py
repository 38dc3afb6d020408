"""Whom a request goes to, and the lines it begins with."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from yarl import URL


class BadHeader(ValueError):
    """A header holds what none may hold."""


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


def write_head(method: str, target: Target, headers: Mapping[str, str], size: int) -> bytes:
    """A request's head. Raises BadHeader."""
    lines = [f"{method} {target.path} HTTP/1.1", f"host: {target.host_header}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if size or method == "POST":
        lines.append(f"content-length: {size}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    breaks = len(lines) + 1
    if head.count("\r") != breaks or head.count("\n") != breaks or "\0" in head:
        raise BadHeader
    try:
        return head.encode("latin-1")
    except UnicodeEncodeError as error:
        raise BadHeader from error
