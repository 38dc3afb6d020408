"""The way to the services that search. Their addresses come from the settings."""

import json
from collections.abc import Mapping
from typing import Any, cast

import aiohttp

TIMEOUT_S = 20
MOST_BYTES = 8 * 1024 * 1024


class SearchFailed(Exception):
    """There is no result; says why, and with which status the client is told."""

    def __init__(self, message: str, status: int, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s


class SearchConnection:
    """Asks a service for JSON. It follows nobody elsewhere: the key would travel along."""

    def __init__(self, *, refused_key: str) -> None:
        """`refused_key` are the words behind a service's name when it does not take the key."""
        self._refused_key = refused_key
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self, service: str, url: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> dict[str, Any] | None:
        """The JSON at an address; None: there is nothing. Raises SearchFailed."""
        return read_json(service, await self.read(service, url, query, headers))

    async def post(
        self, service: str, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> dict[str, Any] | None:
        """The JSON that a question is answered with; None: there is none. Raises SearchFailed."""
        return read_json(service, await self._ask(service, "POST", url, {}, headers, body))

    async def read(
        self, service: str, url: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> bytes | None:
        """What stands at an address; None: there is nothing. Raises SearchFailed."""
        return await self._ask(service, "GET", url, query, headers, None)

    async def close(self) -> None:
        """End every connection."""
        if self._session is not None:
            await self._session.close()

    async def _ask(
        self,
        service: str,
        method: str,
        url: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None,
    ) -> bytes | None:
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
            self._session = aiohttp.ClientSession(
                timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
            )
        try:
            async with self._session.request(
                method, url, params=query, headers=headers, json=body, allow_redirects=False
            ) as answer:
                if answer.status != 200:
                    return refused(service, answer, self._refused_key)
                return await read_bounded(answer.content, service)
        except TimeoutError as error:
            raise SearchFailed(f"{service} did not answer in time.", 504) from error
        except aiohttp.ClientConnectorError as error:
            raise SearchFailed(f"{service} can't be reached.", 502) from error
        except aiohttp.ClientError as error:
            raise SearchFailed(f"{service} did not answer as it must.", 502) from error


def read_json(service: str, data: bytes | None) -> dict[str, Any] | None:
    """An object of JSON. Raises SearchFailed."""
    try:
        found: object = None if data is None else json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SearchFailed(f"{service} did not answer as it must.", 502) from error
    if data is None:
        return None
    if not isinstance(found, dict):
        raise SearchFailed(f"{service} did not answer as it must.", 502)
    return cast("dict[str, Any]", found)


def refused(service: str, answer: aiohttp.ClientResponse, refused_key: str) -> None:
    """A status that tells of no result: of nothing found, or of a failure. Raises SearchFailed."""
    match answer.status:
        case 404:
            return
        case 401 | 402 | 403:
            raise SearchFailed(f"{service} {refused_key}", 502)
        case 429:
            wait = answer.headers.get("retry-after", "")
            wait_s = int(wait) if wait.isdecimal() else 60
            words = f"{service} takes no more searches just now. Try again in {wait_s} seconds."
            raise SearchFailed(words, 429, retry_after_s=wait_s)
        case 400 | 422:
            raise SearchFailed(f"{service} does not understand this search. Word it anew.", 422)
        case status:
            raise SearchFailed(f"{service} failed with status {status}. Try again later.", 502)


async def read_bounded(content: aiohttp.StreamReader, service: str) -> bytes:
    """A body, up to a size. Raises SearchFailed."""
    body = bytearray()
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > MOST_BYTES:
            raise SearchFailed(f"{service} answered too much.", 502)
    return bytes(body)
