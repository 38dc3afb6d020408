"""Searching the web, by Exa or by Brave."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any, Protocol

from recto.config import Secret
from recto.research.connection import SearchConnection
from recto.research.openalex import listed, part

TEXT_CHARACTERS = 1000
TAG = re.compile(r"<[^<>]*+>")


class WebSearch(Protocol):
    """A service that searches the web."""

    key_name: str

    async def search(self, query: str, count: int, key: Secret) -> list[dict[str, Any]]:
        """The pages that fit best. Raises SearchFailed."""
        ...


class Exa:
    """Exa's search, with the passages that fit."""

    key_name = "EXA_API_KEY"

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def search(
        self, query: str, count: int, key: Secret, *, category: str | None = None
    ) -> list[dict[str, Any]]:
        """The pages that fit best, of a kind that Exa knows. Raises SearchFailed."""
        asked = {
            "query": query,
            "numResults": count,
            "type": "auto",
            "contents": {"text": {"maxCharacters": TEXT_CHARACTERS}},
        }
        if category is not None:
            asked["category"] = category
        headers = {"x-api-key": key.reveal()}
        found = await self._connection.post("Exa", f"{self._url}/search", asked, headers)
        return [read_exa(row) for row in listed((found or {}).get("results"))]


class Brave:
    """Brave's search."""

    key_name = "BRAVE_API_KEY"

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def search(self, query: str, count: int, key: Secret) -> list[dict[str, Any]]:
        """The pages that fit best. Raises SearchFailed."""
        asked = {"q": query, "count": str(count)}
        headers = {"x-subscription-token": key.reveal(), "accept": "application/json"}
        url = f"{self._url}/res/v1/web/search"
        found = await self._connection.get("Brave", url, asked, headers)
        return [read_brave(row) for row in listed(part((found or {}).get("web")).get("results"))]


def read_exa(row: Mapping[str, Any]) -> dict[str, Any]:
    """One page as Exa tells of it."""
    text = row.get("text")
    return {
        "title": row.get("title"),
        "url": row.get("url"),
        "text": text[:TEXT_CHARACTERS] if isinstance(text, str) else None,
        "published": row.get("publishedDate"),
        "author": row.get("author") or None,
    }


def read_brave(row: Mapping[str, Any]) -> dict[str, Any]:
    """One page as Brave tells of it: its words are marked up as HTML."""
    text = row.get("description")
    return {
        "title": plain(row.get("title")),
        "url": row.get("url"),
        "text": plain(text),
        "published": row.get("page_age"),
        "author": None,
    }


def plain(html: object) -> str | None:
    """Words without their markup."""
    return unescape(TAG.sub("", html))[:TEXT_CHARACTERS] if isinstance(html, str) else None
