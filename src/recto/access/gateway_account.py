"""The gateway that this user is signed in to: who they are there, their tokens, and its models.

Kept in gateway.json of the home, readable by the user alone. Several processes share it: whoever
changes it holds the lock beside it.
"""

import fcntl
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import anyio
from pydantic import Field

from recto.access.json_file import JsonSection, parse_json, write_json
from recto.access.models_file import GATEWAY_ID, ProtocolId
from recto.access.prices import Price, read_price
from recto.config import ConfigFailure, Home, Secret
from recto.llm import Provider

FILE = "gateway.json"
LOCK_FILE = "gateway.lock"
LOOK_AGAIN_S = 0.02

Stamp = tuple[int, int, int] | None


class GatewayOffer(JsonSection):
    """A model of the gateway, as its list describes it."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    provider: str
    """Who answers behind the gateway, and what they call the model: its abilities follow."""
    model: str
    protocol: ProtocolId
    window: Annotated[int, Field(ge=1)]
    max_output: Annotated[int, Field(ge=1)]
    price: dict[str, Any] | None = None

    @property
    def known_price(self) -> Price | None:
        """What it costs through the gateway; None: it does not say."""
        return None if self.price is None else read_price(self.price)

    @property
    def cost(self) -> Decimal:
        """What models are compared by; one of unknown price comes last."""
        price = self.known_price
        return Decimal("Infinity") if price is None else price.rates.input + price.rates.output


class GatewayAccount(JsonSection):
    """Somebody's account at a gateway."""

    url: str
    name: str = ""
    """Empty when a key was given in place of a sign-in."""
    key: str | None = None
    access_token: str = ""
    access_ends_ms: int = 0
    refresh_token: str = ""
    models: list[GatewayOffer] = []

    @property
    def host(self) -> str:
        """The gateway in words."""
        return urlsplit(self.url).netloc

    @property
    def identity(self) -> Secret:
        """What stays the same while tokens change."""
        return Secret(self.key or self.name)

    def provider(self, protocol: ProtocolId = "openai-chat") -> Provider:
        """How a model of the gateway is called: in the protocol of whoever answers."""
        url = f"{self.url}/v1beta" if protocol == "gemini" else self.url
        return Provider(GATEWAY_ID, f"Gateway {self.host}", url, protocol)


@dataclass(slots=True)
class GatewayAccountFile:
    """Reads and writes the file; what was read is kept until the file is another one."""

    home: Home
    _stamp: Stamp = None
    _account: GatewayAccount | None = None

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.home.folder / FILE

    def read(self) -> GatewayAccount | None:
        """The account; None: nobody is signed in. Raises ConfigFailure."""
        stamp = self._stamp_now()
        if stamp != self._stamp:
            self._account = None if stamp is None else self._load()
            self._stamp = stamp
        return self._account

    def save(self, account: GatewayAccount | None) -> None:
        """Keep an account in place of the one before; None forgets it."""
        if account is None:
            self.path.unlink(missing_ok=True)
        else:
            self.home.replace(self.path, write_json(account))

    @asynccontextmanager
    async def locked(self) -> AsyncGenerator[None]:
        """Nobody else, in whichever process, changes the file within the block."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(self.home.folder / LOCK_FILE, flags, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    await anyio.sleep(LOOK_AGAIN_S)
            yield
        finally:
            os.close(fd)  # the lock goes with it

    def _load(self) -> GatewayAccount:
        try:
            mode = self.path.stat().st_mode
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigFailure(f"{self.path} can't be read: {error}.", SIGN_IN_AGAIN) from error
        if stat.S_IMODE(mode) & 0o077:
            words = f"{self.path} can be read by other users of this computer."
            raise ConfigFailure(words, f"Run: chmod 600 {self.path}")
        return parse_json(text, str(self.path), GatewayAccount)

    def _stamp_now(self) -> Stamp:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


SIGN_IN_AGAIN = "Remove it and sign in again: recto login URL"
