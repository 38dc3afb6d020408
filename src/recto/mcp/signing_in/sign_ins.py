"""Sign-ins to servers at addresses: tokens in a file of the home, readable by the user alone."""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
import msgspec

from recto.config import ConfigFailure, Home
from recto.mcp.file_locks import locked, locked_meanwhile


class KeptSignIn(msgspec.Struct, frozen=True):
    """What a sign-in brought. It holds for one server, and for the issuer that gave it."""

    url: str
    issuer: str = ""
    token_endpoint: str = ""
    resource: str = ""
    client: dict[str, Any] = {}
    """What the issuer knows us by."""
    access_token: str = ""
    refresh_token: str = ""
    scope: str = ""
    ends_ms: int | None = None
    """When the access token ends, if that was told."""


class McpSignIns:
    """The sign-ins of this home, by the address of the server."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def get(self, url: str) -> KeptSignIn | None:
        """What is kept for an address. Raises ConfigFailure."""
        return next((item for item in self._read() if item.url == url), None)

    async def put(self, kept: KeptSignIn) -> None:
        """Keep a sign-in. Raises ConfigFailure."""
        await self._change(kept.url, kept)

    async def remove(self, url: str) -> None:
        """Forget a sign-in. Raises ConfigFailure."""
        await self._change(url, None)

    @asynccontextmanager
    async def renewing(self, url: str) -> AsyncGenerator[None]:
        """One renewal at a time, in all Rectos: a refresh token often holds only once.

        For each address by itself: an issuer that hangs keeps no other server's calls waiting.
        """
        file, digest = self._home.mcp_sign_ins_file, hashlib.sha256(url.encode()).hexdigest()
        async with locked_meanwhile(file.with_name(f"{file.name}.renewal-{digest[:16]}")):
            yield

    async def _change(self, url: str, kept: KeptSignIn | None) -> None:
        def write() -> None:
            with locked(self._home.mcp_sign_ins_file):
                rest = [item for item in self._read() if item.url != url]
                found = rest if kept is None else [*rest, kept]
                self._home.replace(self._home.mcp_sign_ins_file, msgspec.json.encode(found))

        await anyio.to_thread.run_sync(write)

    def _read(self) -> list[KeptSignIn]:
        file = self._home.mcp_sign_ins_file
        try:
            return msgspec.json.decode(file.read_bytes(), type=list[KeptSignIn])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.DecodeError) as error:
            # Its words could quote a token.
            raise ConfigFailure(f"{file} can't be read.", "Remove it and sign in again.") from error
