"""Zotero's own library, read over the local API of the program that runs on this computer."""

import json
from typing import Any

from recto.research.connection import SearchConnection, SearchFailed
from recto.research.openalex import listed, part

SERVICE = "Zotero"
AT_ONCE = 500
MOST = 20_000
REFUSED = (
    "does not let other programs read its library. Allow it in Zotero's settings, under Advanced."
)


class Zotero:
    """Asks Zotero."""

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def items(self) -> list[dict[str, Any]]:
        """All works of the library, as items of CSL-JSON. Raises SearchFailed."""
        # Notes and loose files have keys, too, and are in no list of works.
        count = len((await self._ask({"format": "keys"})).split())
        found: list[dict[str, Any]] = []
        for start in range(0, min(count, MOST), AT_ONCE):
            asked = {"format": "csljson", "limit": str(AT_ONCE), "start": str(start)}
            found += read_list(await self._ask(asked))
        return found

    async def _ask(self, asked: dict[str, str]) -> bytes:
        url = f"{self._url}/api/users/0/items/top"
        try:
            return await self._connection.read(SERVICE, url, asked, {}) or b""
        except SearchFailed as failed:
            if failed.status == 502 and "reached" in failed.message:
                words = "Zotero does not run on this computer. Start it, then try again."
                raise SearchFailed(words, 502) from failed
            raise


def read_list(data: bytes) -> list[dict[str, Any]]:
    """The works of one answer: a list, which the web's API wraps. Raises SearchFailed."""
    try:
        found: object = json.loads(data or b"[]")
    except (ValueError, RecursionError) as error:
        raise SearchFailed(f"{SERVICE} did not answer as it must.", 502) from error
    return listed(found) or listed(part(found).get("items"))
