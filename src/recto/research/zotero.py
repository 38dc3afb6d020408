"""Zotero's own library, read over the local API of the program that runs on this computer."""

from typing import Any

from recto.research.connection import SearchConnection, SearchFailed
from recto.research.openalex import listed

SERVICE = "Zotero"
AT_ONCE = 100
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
        found: list[dict[str, Any]] = []
        while len(found) < MOST:
            asked = {"format": "csljson", "limit": str(AT_ONCE), "start": str(len(found))}
            try:
                page = await self._connection.get(
                    SERVICE, f"{self._url}/api/users/0/items/top", asked, {}
                )
            except SearchFailed as failed:
                if failed.status == 502 and "reached" in failed.message:
                    words = "Zotero does not run on this computer. Start it, then try again."
                    raise SearchFailed(words, 502) from failed
                raise
            rows = listed((page or {}).get("items"))
            found += rows
            if len(rows) < AT_ONCE:
                break
        return found
