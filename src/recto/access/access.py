"""Resolving a model: from a strategy or an id to everything one call needs."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import get_args
from urllib.parse import urlsplit

from recto.access.catalogue import Catalogue, KnownModel, Strategy
from recto.access.credentials import Credentials, fingerprint
from recto.access.models_file import ModelEntry, ModelsFile, ProviderEntry, WorkspaceModels
from recto.access.prices import FREE, Price, Prices, price_of
from recto.config import Secret
from recto.llm import PROVIDERS, Provider, Traits, compatible
from recto.messages import Effort, Origin

STRATEGIES: frozenset[str] = frozenset(get_args(Strategy))
BUILTIN = Provider(id="builtin", name="Built-in", url="", protocol="builtin", is_local=True)
KNOWN: Mapping[str, Provider] = {**PROVIDERS, BUILTIN.id: BUILTIN}


@dataclass(frozen=True, slots=True)
class Access:
    """One model as it can be called now."""

    id: str
    """What the user's settings call it."""
    name: str
    model: str
    """What its provider calls it."""
    provider: Provider
    """The address, the protocol, and how the key is sent."""
    key: Secret | None
    origin: Origin
    traits: Traits
    effort: Effort | None
    """How hard it thinks unless a request says otherwise."""
    window: int
    max_output: int
    price: Price | None
    """None is unknown, not free."""
    instead: str | None = None
    """Whom to ask if its provider does not know it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model as it is shown in a list, whether it can be called or not."""

    id: str
    name: str
    provider: str
    model: str
    missing_key: str | None
    """The name of the key that has to be set first."""
    window: int
    max_output: int
    price: Price | None
    known: KnownModel | None


class Resolver:
    """Finds models by the user's settings, the keys that are set, and the catalogue."""

    def __init__(
        self,
        catalogue: Catalogue,
        prices: Prices,
        models: ModelsFile,
        credentials: Credentials,
        *,
        has_builtin: bool,
    ) -> None:
        self._catalogue = catalogue
        self._prices = prices
        self._models = models
        self._credentials = credentials
        self._has_builtin = has_builtin
        self._entries = {entry.id: entry for entry in models.models}
        self.providers = {**KNOWN, **_changed(models.providers)}

    def resolve(
        self, wanted: str, *, today: date, workspace: WorkspaceModels | None = None
    ) -> Access | None:
        """The model of an id, or the first of a strategy that can be called; None: nobody can."""
        names = {model.id: model.name for model in workspace.models} if workspace else {}
        for id in self._order(wanted, today, workspace):
            access = self._access(id, today)
            if access is not None:
                return replace(access, name=names.get(id) or access.name)
        return None

    def offers(self, today: date) -> tuple[Offer, ...]:
        """Every model that can be chosen: the user's own, then those the catalogue knows."""
        ids = dict.fromkeys((*self._entries, *(model.id for model in self._catalogue.models)))
        entries = (self._entry(id) for id in ids)
        return tuple(self._offer(entry, today) for entry in entries if entry is not None)

    def _order(self, wanted: str, today: date, workspace: WorkspaceModels | None) -> list[str]:
        if wanted not in STRATEGIES:
            return [wanted]
        listed = [self._catalogue.current(id, today) for id in self._strategy(wanted)]
        chosen = (workspace.default if workspace else None), self._models.default
        return [*(id for id in chosen if id and wanted == "chat"), *listed]

    def _strategy(self, name: str) -> tuple[str, ...]:
        return next(ids for found, ids in self._catalogue.strategies.items() if found == name)

    def _entry(self, id: str) -> ModelEntry | None:
        """The user's entry, or one made of `provider/model`."""
        if found := self._entries.get(id):
            return found
        provider, _, model = id.partition("/")
        if not model or provider not in self.providers:
            return None
        known = self._catalogue.known(id)
        name = known.name if known else model
        return ModelEntry(id=id, name=name, provider=provider, model=model)

    def _access(self, id: str, today: date) -> Access | None:
        entry = self._entry(id)
        if entry is None:
            return None
        provider = self.providers[entry.provider]
        key = self._credentials.find(provider.key_name) if provider.key_name else None
        if provider.id == BUILTIN.id and not self._has_builtin:
            return None
        if key is None and provider.key_name:
            return None
        family = self._catalogue.family(provider.id, entry.model, protocol=provider.protocol)
        window = entry.context_window or family.window
        return Access(
            id=entry.id,
            name=entry.name,
            model=entry.model,
            provider=provider,
            key=key,
            origin=Origin(provider.protocol, fingerprint(provider.url, key), entry.model),
            traits=family.traits,
            effort=_effort(entry, family.effort),
            window=window,
            max_output=min(entry.max_output or family.max_output, window),
            price=self._price(entry, provider, today),
            instead=self._catalogue.instead_of(provider.id, entry.model, today),
        )

    def _offer(self, entry: ModelEntry, today: date) -> Offer:
        provider = self.providers[entry.provider]
        name = provider.key_name
        family = self._catalogue.family(provider.id, entry.model, protocol=provider.protocol)
        window = entry.context_window or family.window
        return Offer(
            id=entry.id,
            name=entry.name,
            provider=provider.id,
            model=entry.model,
            missing_key=name if name and self._credentials.find(name) is None else None,
            window=window,
            max_output=min(entry.max_output or family.max_output, window),
            price=self._price(entry, provider, today),
            known=self._catalogue.known(f"{provider.id}/{entry.model}"),
        )

    def _price(self, entry: ModelEntry, provider: Provider, today: date) -> Price | None:
        if stated := entry.price:
            return price_of(
                input=stated.input,
                output=stated.output,
                cache_read=stated.cache_read,
                cache_write=stated.cache_write,
                source="models.json",
            )
        if provider.id == BUILTIN.id or _is_free(provider):
            return FREE
        return self._prices.find(provider.id, entry.model, today)


def _changed(entries: Mapping[str, ProviderEntry]) -> dict[str, Provider]:
    """The providers that the user's file adds or changes."""
    found: dict[str, Provider] = {}
    for id, entry in entries.items():
        known = KNOWN.get(id)
        if known is None:
            # models_file.check has made sure of these two.
            assert entry.url is not None
            assert entry.protocol is not None
            made = compatible(id, entry.url, protocol=entry.protocol, key_name=entry.api_key_env)
            found[id] = replace(made, is_local=entry.api_key_env is None)
            continue
        url = entry.url or known.url
        changed = replace(known, url=url, key_name=entry.api_key_env or known.key_name)
        if entry.protocol not in (None, known.protocol):
            header = compatible(id, url, protocol=entry.protocol).key_header
            changed = replace(changed, protocol=entry.protocol, key_header=header)
        found[id] = changed
    return found


def _is_free(provider: Provider) -> bool:
    """On this machine, by kind and by address: a server that moved elsewhere may cost something."""
    return provider.is_local and is_loopback(provider.url)


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _effort(entry: ModelEntry, usual: Effort | None) -> Effort | None:
    if entry.thinking is None:
        return usual
    return "off" if entry.thinking == "none" else entry.thinking
