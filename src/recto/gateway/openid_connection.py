"""The way to the service that signs people in. Its addresses come from the operator's settings."""

import base64
import json
from collections.abc import Mapping
from typing import Any, Protocol, cast

import aiohttp

TIMEOUT_S = 15
MOST_BYTES = 1024 * 1024


class ServiceSilent(Exception):
    """The service did not answer, or not with what it must."""


class OpenIdConnection(Protocol):
    """Asks the service."""

    async def get(self, url: str) -> Mapping[str, Any]:
        """The JSON at an address. Raises ServiceSilent."""
        ...

    async def post(
        self, url: str, fields: Mapping[str, str], *, login: tuple[str, str] | None
    ) -> Mapping[str, Any]:
        """The JSON that a form is answered with. Raises ServiceSilent."""
        ...


class HttpOpenIdConnection:
    """Asks over HTTP. It follows nobody elsewhere, and reads no more than a megabyte."""

    async def get(self, url: str) -> Mapping[str, Any]:
        """The JSON at an address. Raises ServiceSilent."""
        return await self._ask("GET", url, None, None)

    async def post(
        self, url: str, fields: Mapping[str, str], *, login: tuple[str, str] | None
    ) -> Mapping[str, Any]:
        """The JSON that a form is answered with. Raises ServiceSilent."""
        return await self._ask("POST", url, fields, login)

    async def _ask(
        self,
        method: str,
        url: str,
        fields: Mapping[str, str] | None,
        login: tuple[str, str] | None,
    ) -> Mapping[str, Any]:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        headers: dict[str, str] = {}
        if login is not None:
            pair = ":".join(login).encode()
            headers["authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        try:
            # Somebody signs in seldom: a connection for each is cheaper than keeping one.
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.request(
                    method, url, data=fields, headers=headers, allow_redirects=False
                ) as answer,
            ):
                if answer.status != 200:
                    raise ServiceSilent(f"It answered with status {answer.status}.")
                found: object = json.loads(await read_all(answer.content))
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise ServiceSilent("It did not answer as it must.") from error
        if not isinstance(found, dict):
            raise ServiceSilent("It did not answer as it must.")
        return cast("dict[str, Any]", found)


async def read_all(content: aiohttp.StreamReader) -> bytes:
    """A body, up to a size. Raises ServiceSilent."""
    body = bytearray()
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > MOST_BYTES:
            raise ServiceSilent("It answered too much.")
    return bytes(body)
