"""Where a call goes, with which key, and how long it may take."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, Protocol
from urllib.parse import urlsplit

from recto.llm.wire import WireProtocol

Limit = Literal["first", "idle", "content", "total"]
VERSION = re.compile(r"v\d+\w*")


class HiddenKey(Protocol):
    """A key that shows itself only when asked to."""

    def reveal(self) -> str:
        """The key itself."""
        ...


class AddressRefused(ValueError):
    """A base address that Recto does not call. The words never repeat the address."""


@dataclass(frozen=True, slots=True)
class KeyHeader:
    """How a provider wants its key: the header's name, and what stands before the key in it."""

    name: str = "authorization"
    prefix: str = "Bearer "


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One provider account as it is called: base address, protocol and key."""

    provider: str
    """The provider's id, for failures."""
    url: str
    """The base address. The user's own settings name it: it may be a local one."""
    protocol: WireProtocol
    key: HiddenKey | None = None
    key_header: KeyHeader = KeyHeader()
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Other headers this account wants; those of the protocol go before them."""

    def __post_init__(self) -> None:
        check_address(self.url)

    @property
    def host(self) -> str:
        """All of the address that failures may say."""
        return urlsplit(self.url).hostname or ""

    def address(self, path: str) -> str:
        """The whole address of a call.

        A base address that ends in a version (`…/v1`, or `…/v1beta/openai`) replaces the version
        with which the path begins, so that `http://host` and `http://host/v1` mean the same.
        """
        return address_of(self.url, path)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait for what, in seconds."""

    connect_s: float = 10
    """For the name, the connection and the TLS handshake."""
    first_s: float = 120
    """For the first bytes of a streamed answer."""
    idle_s: float = 90
    """For the next bytes."""
    content_s: float = 600
    """For something to show, while only signs of life come."""
    total_s: float = 300
    """For everything."""

    def words(self, limit: Limit) -> str:
        """What somebody did who took too long."""
        match limit:
            case "first":
                return f"did not begin to answer within {self.first_s:g} s."
            case "idle":
                return f"was silent for {self.idle_s:g} s."
            case "content":
                return f"sent nothing to show for {self.content_s:g} s."
            case "total":
                return f"did not finish within {self.total_s:g} s."


@lru_cache(maxsize=256)
def address_of(url: str, path: str) -> str:
    """A base address and a path put together."""
    base = url.rstrip("/")
    ends = urlsplit(base).path.split("/")[-2:]
    first, _, rest = path.removeprefix("/").partition("/")
    if VERSION.fullmatch(first) and any(VERSION.fullmatch(end) for end in ends):
        return f"{base}/{rest}"
    return f"{base}/{path.removeprefix('/')}"


def check_address(url: str) -> None:
    """Raise AddressRefused unless the address is plain http or https without a key in it."""
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise AddressRefused("The address can't be read. Write https://host/path.") from error
    if parts.scheme not in {"http", "https"} or not has_host:
        raise AddressRefused("The address must begin with http:// or https:// and name a host.")
    if parts.username is not None or parts.query or parts.fragment:
        raise AddressRefused(
            "The address holds a user name, a question mark or a hash. "
            "Write only https://host/path; keys are set with: recto keys set NAME."
        )
