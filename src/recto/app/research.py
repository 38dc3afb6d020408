"""Puts together what references and searches need: services, keys, the gateway, a model."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio

from recto.access import GatewaySession
from recto.assist import CitationReader
from recto.config import ConfigFailure, ResearchSettings, Settings
from recto.messages import Failure
from recto.references import Libraries
from recto.research import (
    ZOTERO_REFUSED,
    ArXiv,
    CrossRef,
    DataCite,
    Exa,
    OpenAlex,
    OpenLibrary,
    PageFetcher,
    PaperSearch,
    PubMed,
    RecordFinder,
    RecordServices,
    SearchConnection,
    SearchFailed,
    SearchKeys,
    Zotero,
    is_public,
)
from recto.tools import ResearchServices

REFUSED_KEY = "does not accept your key. Set another with: recto keys set NAME"


@dataclass(frozen=True, slots=True)
class GatewaySearches:
    """Searches by the gateway that the user is signed in to."""

    session: GatewaySession

    async def search(self, body: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """What it finds; None when nobody is signed in. Raises SearchFailed."""
        try:
            found = await self.session.search(body)
        except ConfigFailure as failure:
            raise SearchFailed(str(failure), 502) from failure
        if isinstance(found, Failure):
            raise SearchFailed(f"The gateway did not search: {found.message}", 502)
        return found


@dataclass(frozen=True, slots=True)
class WebSearches:
    """Searches the web by the user's own key, else by the gateway."""

    exa: Exa
    keys: SearchKeys
    gateway: GatewaySearches

    async def search(self, query: str, count: int) -> list[dict[str, Any]] | None:
        """Pages that fit; None: there is neither. Raises SearchFailed."""
        key = self.keys(Exa.key_name)
        if key is not None:
            return await self.exa.search(query, count, key)
        asked = {"action": "web_search", "query": query, "count": count}
        return await self.gateway.search(asked)


@asynccontextmanager
async def open_research(
    settings: Settings,
    *,
    keys: SearchKeys,
    gateway: GatewaySession,
    reader: CitationReader,
) -> AsyncGenerator[ResearchServices]:
    """Everything that the tools of references and of the web work with, for the block."""
    connection = SearchConnection(refused_key=REFUSED_KEY)
    local = SearchConnection(refused_key=ZOTERO_REFUSED)
    zotero = Zotero(local, settings.research.zotero_url)
    try:
        yield build_research(settings, connection, keys, gateway, reader, zotero)
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()
            await local.close()


def build_research(
    settings: Settings,
    connection: SearchConnection,
    keys: SearchKeys,
    gateway: GatewaySession,
    reader: CitationReader,
    zotero: Zotero,
) -> ResearchServices:
    """The services, over one connection."""
    urls: ResearchSettings = settings.research
    crossref = CrossRef(connection, urls.crossref_url, mailto=urls.mailto)
    exa = Exa(connection, urls.exa_url)
    searches = GatewaySearches(gateway)
    pages = PageFetcher(is_public)
    openalex = OpenAlex(connection, urls.openalex_url)
    services = RecordServices(
        crossref=crossref,
        datacite=DataCite(connection, urls.datacite_url),
        arxiv=ArXiv(connection, urls.arxiv_url),
        pubmed=PubMed(connection, urls.pubmed_url),
        openlibrary=OpenLibrary(connection, urls.openlibrary_url),
        openalex=openalex,
        pages=pages,
    )
    return ResearchServices(
        libraries=Libraries(read_only=settings.references.read_only),
        records=RecordFinder(services, reader.read),
        papers=PaperSearch(openalex, exa, crossref, keys, searches.search),
        search_web=WebSearches(exa, keys, searches).search,
        pages=pages,
        zotero=zotero,
    )
