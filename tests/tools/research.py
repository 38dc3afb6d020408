"""Services for the tools of references and of the web, at an address of a test."""

from collections.abc import Mapping
from typing import Any

from recto.config import Secret
from recto.references import Libraries
from recto.research import (
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
    Zotero,
)
from recto.tools import ResearchServices, SearchWeb


async def unsure(text: str) -> dict[str, Any] | str:
    return "a model is not sure what the text says"


async def no_gateway(body: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    return None


async def no_web(query: str, count: int) -> list[dict[str, Any]] | None:
    return None


def no_keys(name: str) -> Secret | None:
    return None


def services_at(
    url: str,
    connection: SearchConnection,
    *,
    parse: Any = unsure,
    search_web: SearchWeb = no_web,
) -> ResearchServices:
    """Everything at one address; loopback stands for the public internet."""
    crossref = CrossRef(connection, url)
    pages = PageFetcher(lambda address: True)
    records = RecordServices(
        crossref,
        DataCite(connection, url),
        ArXiv(connection, url),
        PubMed(connection, url),
        OpenLibrary(connection, url),
        OpenAlex(connection, url),
        pages,
    )
    papers = PaperSearch(
        OpenAlex(connection, url), Exa(connection, url), crossref, no_keys, no_gateway
    )
    return ResearchServices(
        Libraries(),
        RecordFinder(records, parse),
        papers,
        search_web,
        pages,
        Zotero(connection, url),
    )


def nowhere() -> ResearchServices:
    """Services that nobody answers for: of a library alone."""
    return services_at("http://127.0.0.1:9", SearchConnection(refused_key="…"))
