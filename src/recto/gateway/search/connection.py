"""The way to the services that search. Their addresses come from the operator's settings."""

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

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self, service: str, url: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> dict[str, Any] | None:
        """The JSON at an address; None: there is nothing. Raises SearchFailed."""
        return await self._ask(service, "GET", url, query, headers, None)

    async def post(
        self, service: str, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> dict[str, Any] | None:
        """The JSON that a question is answered with; None: there is none. Raises SearchFailed."""
        return await self._ask(service, "POST", url, {}, headers, body)

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
    ) -> dict[str, Any] | None:
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
                    return refused(service, answer)
                found: object = json.loads(await read_bounded(answer.content, service))
        except TimeoutError as error:
            raise SearchFailed(f"{service} did not answer in time.", 504) from error
        except (aiohttp.ClientError, ValueError, RecursionError) as error:
            raise SearchFailed(f"{service} did not answer as it must.", 502) from error
        if not isinstance(found, dict):
            raise SearchFailed(f"{service} did not answer as it must.", 502)
        return cast("dict[str, Any]", found)


def refused(service: str, answer: aiohttp.ClientResponse) -> None:
    """A status that tells of no result: of nothing found, or of a failure. Raises SearchFailed."""
    match answer.status:
        case 404:
            return
        case 401 | 402 | 403:
            words = f"{service} does not accept the gateway's key. Tell whoever runs the gateway."
            raise SearchFailed(words, 502)
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
