"""The three searches: what is asked, who answers, and what it costs."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, model_validator

from recto.access import Credentials, Price, flat_price
from recto.config import SearchSettings
from recto.research import (
    OPENALEX_KEY,
    Brave,
    Exa,
    OpenAlex,
    PageFetcher,
    SearchConnection,
    SearchFailed,
    WebSearch,
    read_doi,
)

REFUSED_KEY = "does not accept the gateway's key. Tell whoever runs the gateway."
MOST_RESULTS = 10
MICROS = 1_000_000
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
Count = Annotated[int, Field(ge=1, le=MOST_RESULTS)]


class SearchBody(BaseModel):
    """What every search has."""

    model_config = ConfigDict(extra="forbid", strict=True)


class OpenAlexSearch(SearchBody):
    """Papers by some words, or the one of a DOI."""

    action: Literal["openalex_search"]
    query: Words | None = None
    doi: Words | None = None
    count: Count = 5

    @model_validator(mode="after")
    def _has_one(self) -> "OpenAlexSearch":
        if (self.query is None) == (self.doi is None):
            raise ValueError("name either a query or a doi")
        if self.doi is not None and read_doi(self.doi) is None:
            raise ValueError("the doi must look like 10.1000/182")
        return self


class WebSearchBody(SearchBody):
    """Pages of the web by some words."""

    action: Literal["web_search"]
    query: Words
    count: Count = 5


class FetchBody(SearchBody):
    """One page of the web."""

    action: Literal["fetch"]
    url: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]


AnySearch = OpenAlexSearch | WebSearchBody | FetchBody
SEARCH: TypeAdapter[AnySearch] = TypeAdapter(Annotated[AnySearch, Field(discriminator="action")])


@dataclass(frozen=True, slots=True)
class PricedSearch:
    """A search that can be made now."""

    service: str
    price: Price
    run: Callable[[], Any]
    """Makes it, once: answers what the client gets. Raises SearchFailed."""


class SearchActions:
    """Finds who answers a search, with the operator's keys as they are now."""

    def __init__(
        self,
        settings: SearchSettings,
        credentials: Callable[[], Credentials],
        fetcher: PageFetcher,
    ) -> None:
        self._settings = settings
        self._credentials = credentials
        self._fetcher = fetcher
        self._connection = SearchConnection(refused_key=REFUSED_KEY)
        self._openalex = OpenAlex(self._connection, settings.openalex_url)
        self._web: WebSearch = (
            Exa(self._connection, settings.exa_url)
            if settings.web == "exa"
            else Brave(self._connection, settings.brave_url)
        )

    def prepare(self, asked: AnySearch) -> PricedSearch:
        """How a search is made, and what for. Raises SearchFailed: it can't be."""
        match asked:
            case OpenAlexSearch():
                return self._papers(asked)
            case WebSearchBody():
                return self._pages(asked)
            case FetchBody(url=url):

                async def fetch() -> dict[str, Any]:
                    return await self._fetcher.fetch(url)

                return PricedSearch("fetch", priced(self._settings.fetch_usd), fetch)

    def _papers(self, asked: OpenAlexSearch) -> PricedSearch:
        key = self._credentials().find(OPENALEX_KEY)
        doi = None if asked.doi is None else read_doi(asked.doi)

        async def search() -> dict[str, Any]:
            if doi is not None:
                return {"results": await self._openalex.look_up(doi, key)}
            assert asked.query is not None
            return {"results": await self._openalex.search(asked.query, asked.count, key)}

        # Without a key it is OpenAlex's free share; a look-up is free for everybody.
        is_free = doi is not None or key is None
        return PricedSearch(
            "openalex", priced(0 if is_free else self._settings.openalex_usd), search
        )

    def _pages(self, asked: WebSearchBody) -> PricedSearch:
        web = self._web
        key = self._credentials().find(web.key_name)
        if key is None:
            words = (
                "This gateway has no key to search the web with. Whoever runs it sets one with:"
                f" recto keys set {web.key_name}"
            )
            raise SearchFailed(words, 503)

        async def search() -> dict[str, Any]:
            return {"results": await web.search(asked.query, asked.count, key)}

        return PricedSearch(self._settings.web, priced(self._settings.web_usd), search)

    async def close(self) -> None:
        """End every connection."""
        await self._connection.close()


def priced(dollars: float) -> Price:
    """What one search costs."""
    return flat_price(math.ceil(dollars * MICROS), source="settings.toml")
