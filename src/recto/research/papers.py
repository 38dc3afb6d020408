"""Papers by some words: OpenAlex, then Exa, then CrossRef, and what failed on the way."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recto.config import Secret
from recto.research.connection import SearchFailed
from recto.research.crossref import CrossRef, shortened
from recto.research.openalex import OPENALEX_KEY, OpenAlex, read_doi
from recto.research.web import Exa

OPENALEX_S, EXA_S, CROSSREF_S = 10.0, 10.0, 15.0
NO_EXA = "Exa was not asked: there is no key for it"
SearchKeys = Callable[[str], Secret | None]
"""Finds a key by its name, as it is set now."""
GatewaySearch = Callable[[Mapping[str, Any]], Awaitable[list[dict[str, Any]] | None]]
"""Searches by the gateway that the user is signed in to; None: to none. Raises SearchFailed."""


@dataclass(frozen=True, slots=True)
class PapersFound:
    """Papers, who found them, and what failed before."""

    papers: tuple[Mapping[str, Any], ...]
    service: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceFailure:
    """A service that did not answer, and why."""

    service: str
    why: str


class PapersUnavailable(Exception):
    """Nobody found anything; says of each service why."""

    def __init__(self, failures: tuple[ServiceFailure, ...]) -> None:
        super().__init__("; ".join(failure.why for failure in failures))
        self.failures = failures


@dataclass(frozen=True, slots=True)
class PaperSearch:
    """Asks the services in turn, each within its time."""

    openalex: OpenAlex
    exa: Exa
    crossref: CrossRef
    keys: SearchKeys
    gateway: GatewaySearch
    limits_s: tuple[float, float, float] = (OPENALEX_S, EXA_S, CROSSREF_S)

    async def search(self, query: str, count: int) -> PapersFound:
        """The papers that fit best. Raises PapersUnavailable."""
        failures: list[ServiceFailure] = []
        steps: tuple[tuple[str, Callable[[str, int], Awaitable[list[dict[str, Any]]]]], ...] = (
            ("OpenAlex", self._by_openalex),
            ("Exa", self._by_exa),
            ("CrossRef", self.crossref.search),
        )
        for (service, ask), limit_s in zip(steps, self.limits_s, strict=True):
            try:
                async with asyncio.timeout(limit_s):
                    papers = await ask(query, count)
            except TimeoutError:
                failures.append(
                    ServiceFailure(service, f"{service} did not answer in {limit_s:g} s")
                )
            except SearchFailed as failed:
                failures.append(ServiceFailure(service, failed.message.rstrip(".")))
            else:
                return PapersFound(tuple(papers), service, notes_of(service, failures))
        raise PapersUnavailable(tuple(failures))

    async def _by_openalex(self, query: str, count: int) -> list[dict[str, Any]]:
        key = self.keys(OPENALEX_KEY)
        if key is None:
            asked = {"action": "openalex_search", "query": query, "count": count}
            found = await self.gateway(asked)
            if found is not None:
                return found
        return await self.openalex.search(query, count, key)

    async def _by_exa(self, query: str, count: int) -> list[dict[str, Any]]:
        key = self.keys(Exa.key_name)
        if key is not None:
            rows = await self.exa.search(query, count, key, category="research paper")
        else:
            asked = {"action": "web_search", "query": f"research paper: {query}", "count": count}
            found = await self.gateway(asked)
            if found is None:
                raise SearchFailed(NO_EXA, 503)
            rows = found
        return [paper_of(row) for row in rows]


def notes_of(service: str, failures: list[ServiceFailure]) -> tuple[str, ...]:
    """What to say before results that are not from the first service."""
    if not failures:
        return ()
    said = [f"{failure.why}." for failure in failures]
    said.append(f"These results are from {service}.")
    missing = (
        "Citation counts, open-access status and DOIs are unavailable."
        if service == "Exa"
        else "Citation counts are CrossRef's own; open-access status is unavailable."
    )
    return (*said, missing)


def paper_of(page: Mapping[str, Any]) -> dict[str, Any]:
    """A page of Exa's as a list of papers shows it."""
    text, author = page.get("text"), page.get("author")
    published = str(page.get("published") or "")[:4]
    return {
        "id": page.get("url"),
        "title": page.get("title"),
        "authors": [author] if isinstance(author, str) and author else [],
        "year": int(published) if published.isdecimal() else None,
        "doi": read_doi(str(page.get("url") or "")),
        "citations": None,
        "type": None,
        "journal": None,
        "abstract": shortened(text) if isinstance(text, str) else None,
        "openAccess": None,
        "openAccessUrl": None,
        "volume": None,
        "issue": None,
        "pages": None,
        "isRetracted": False,
    }
