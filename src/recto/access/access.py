"""Resolving a model: from a strategy or an id to everything one call needs."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import get_args
from urllib.parse import urlsplit

from recto.access.catalogue import Catalogue, Family, KnownModel, Strategy
from recto.access.credentials import Credentials, fingerprint
from recto.access.gateway_account import GatewayAccount, GatewayOffer
from recto.access.models_file import (
    BUILTIN_ID,
    GATEWAY_ID,
    ModelEntry,
    ModelsFile,
    ProviderEntry,
    ThinkingLevel,
    WorkspaceModels,
)
from recto.access.prices import FREE, Price, Prices, price_of
from recto.config import Secret
from recto.llm import PROVIDERS, Provider, Traits, compatible
from recto.messages import Effort, Origin

STRATEGIES: frozenset[str] = frozenset(get_args(Strategy))
BUILTIN = Provider(id=BUILTIN_ID, name="Built-in", url="", protocol="builtin", is_local=True)
GATEWAY = Provider(id=GATEWAY_ID, name="Gateway", url="", protocol="openai-chat")
"""Where the user is signed in; its address is that of the sign-in."""
KNOWN: Mapping[str, Provider] = {**PROVIDERS, BUILTIN.id: BUILTIN, GATEWAY.id: GATEWAY}


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
    path: str | None = None
    """The file of a model that runs on this computer; None is the one that is installed."""


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
    levels: tuple[ThinkingLevel, ...]
    """How hard it can be asked to think, least first; empty where there is nothing to choose."""
    thinking: ThinkingLevel | None
    """The level that the user chose."""
    usual_thinking: ThinkingLevel | None
    """The level where nobody chose one."""
    has_tools: bool = True
    """Whether it can use tools."""


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
        gateway: GatewayAccount | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._prices = prices
        self._models = models
        self._credentials = credentials
        self._has_builtin = has_builtin
        self._entries = {entry.id: entry for entry in models.models}
        self._gateway = gateway
        self._served = {offer.id: offer for offer in gateway.models} if gateway else {}
        """The gateway's models, by what it calls them."""
        own_gateway = gateway.provider() if gateway else GATEWAY
        self.providers = {**KNOWN, **_changed(models.providers), GATEWAY.id: own_gateway}

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
        own = (id for id in self._entries if self._catalogue.known(id) is None)
        served = (gateway_id(name) for name in self._served)
        ids = dict.fromkeys((*own, *served, *(model.id for model in self._catalogue.models)))
        entries = (self._entry(id) for id in ids)
        return tuple(
            self._offer(entry, today)
            for entry in entries
            # What the user once said of a gateway's model stays in the file when it is gone there.
            if entry is not None and (entry.provider != GATEWAY.id or entry.model in self._served)
        )

    def plain_entry(self, id: str) -> ModelEntry | None:
        """What would hold of a model without an entry of the user's; None for one that needs it."""
        provider, _, model = id.partition("/")
        if not model or provider not in self.providers:
            return None
        known = self._catalogue.known(id)
        name = known.name if known else model
        if provider == GATEWAY.id:
            if model not in self._served:
                return None
            name = self._served[model].name
        return ModelEntry(id=id, name=name, provider=provider, model=model)

    def _order(self, wanted: str, today: date, workspace: WorkspaceModels | None) -> list[str]:
        if wanted not in STRATEGIES:
            return [wanted, *self._twins(wanted)]
        listed = [self._catalogue.current(id, today) for id in self._strategy(wanted)]
        small = [id for id in listed if self._is_builtin(id)]
        # The built-in model comes last: it answers where nobody else can.
        others = [id for id in listed if id not in small]
        served = [twin for id in others for twin in self._twins(id)]
        if wanted != "chat":
            cheap = sorted(self._served.values(), key=lambda offer: offer.cost)
            return [*others, *served, *(gateway_id(offer.id) for offer in cheap), *small]
        named = (workspace.default if workspace else None), self._models.default
        chosen = [id for name in named if name for id in (name, *self._twins(name))]
        served += [gateway_id(name) for name in self._served]
        return [*chosen, *others, *served, *self._own(), *small]

    def _twins(self, id: str) -> list[str]:
        """The same model at the gateway: asked where no key of one's own is set."""
        entry = self._entry(id)
        if entry is None:
            return []
        return [
            gateway_id(name)
            for name, offer in self._served.items()
            if (offer.provider, offer.model) == (entry.provider, entry.model)
        ]

    def _own(self) -> list[str]:
        """The models of the user's own servers, then files of theirs: better than the built-in."""
        own = [
            _entry for _entry in self._entries.values() if self.providers[_entry.provider].is_local
        ]
        served = [item.id for item in own if item.provider != BUILTIN.id]
        return [*served, *(item.id for item in own if item.path is not None)]

    def _is_builtin(self, id: str) -> bool:
        return id.startswith(f"{BUILTIN.id}/")

    def _strategy(self, name: str) -> tuple[str, ...]:
        return next(ids for found, ids in self._catalogue.strategies.items() if found == name)

    def _entry(self, id: str) -> ModelEntry | None:
        """The user's entry, or one made of `provider/model`."""
        return self._entries.get(id) or self.plain_entry(id)

    def deploy(
        self, entry: ModelEntry, *, today: date, key_name: str | None = None
    ) -> Access | None:
        """A model as an entry describes it, with a key of its own; None: the key is not set."""
        provider = self.providers[entry.provider]
        if key_name is not None:
            provider = replace(provider, key_name=key_name, other_key_names=())
        return self._access_by(entry, provider, today)

    def _access(self, id: str, today: date) -> Access | None:
        entry = self._entry(id)
        return entry and self._access_by(entry, self.providers[entry.provider], today)

    def _access_by(self, entry: ModelEntry, provider: Provider, today: date) -> Access | None:
        if provider.id == GATEWAY.id:
            return self._access_by_gateway(entry)
        key_name = self._credentials.name_of(provider.key_names)
        key = self._credentials.find(key_name) if key_name else None
        if provider.id == BUILTIN.id and entry.path is None and not self._has_builtin:
            return None
        # A provider without a key name, such as a server of one's own, wants none.
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
            # Signed thoughts are only valid for the account and model that made them.
            origin=Origin(provider.protocol, fingerprint(provider.url, key), entry.model),
            traits=family.traits,
            effort=_effort(entry, family.effort),
            window=window,
            max_output=min(entry.max_output or family.max_output, window),
            price=self._price(entry, provider, today),
            instead=self._catalogue.instead_of(provider.id, entry.model, today),
            path=entry.path,
        )

    def _access_by_gateway(self, entry: ModelEntry) -> Access | None:
        """A model of the gateway; None: it does not serve that. The key is put in when asking."""
        offer = self._served.get(entry.model)
        if offer is None or self._gateway is None:
            return None
        family = self._family(offer)
        account = fingerprint(self._gateway.url, self._gateway.identity)
        return Access(
            id=entry.id,
            name=entry.name,
            model=offer.id,
            provider=self._gateway.provider(offer.protocol),
            key=None,
            # Not by the token, which is another one every few minutes.
            origin=Origin(offer.protocol, account, offer.id),
            # It may ask another provider instead, which has no such search.
            traits=replace(family.traits, tool_search=False),
            effort=_effort(entry, family.effort),
            window=offer.window,
            max_output=min(offer.max_output, offer.window),
            price=offer.known_price,
        )

    def _family(self, offer: GatewayOffer) -> Family:
        """What is known of whoever answers behind the gateway."""
        return self._catalogue.family(offer.provider, offer.model, protocol=offer.protocol)

    def _gateway_offer(self, entry: ModelEntry, offer: GatewayOffer) -> Offer:
        family = self._family(offer)
        return Offer(
            id=entry.id,
            name=entry.name,
            provider=GATEWAY.id,
            model=offer.id,
            missing_key=None,
            window=offer.window,
            max_output=min(offer.max_output, offer.window),
            price=offer.known_price,
            known=None,
            levels=tuple(_level(effort) for effort in family.traits.efforts),
            thinking=entry.thinking,
            usual_thinking=None if family.effort is None else _level(family.effort),
            has_tools=family.traits.tools,
        )

    def _offer(self, entry: ModelEntry, today: date) -> Offer:
        if entry.provider == GATEWAY.id:
            return self._gateway_offer(entry, self._served[entry.model])
        provider = self.providers[entry.provider]
        is_missing = self._credentials.name_of(provider.key_names) is None
        family = self._catalogue.family(provider.id, entry.model, protocol=provider.protocol)
        window = entry.context_window or family.window
        if self._twins(entry.id):
            is_missing = False  # the gateway answers for it
        return Offer(
            id=entry.id,
            name=entry.name,
            provider=provider.id,
            model=entry.model,
            missing_key=provider.key_name if is_missing else None,
            window=window,
            max_output=min(entry.max_output or family.max_output, window),
            price=self._price(entry, provider, today),
            known=self._catalogue.known(f"{provider.id}/{entry.model}"),
            levels=tuple(_level(effort) for effort in family.traits.efforts),
            thinking=entry.thinking,
            usual_thinking=None if family.effort is None else _level(family.effort),
            has_tools=family.traits.tools,
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


def gateway_id(name: str) -> str:
    """What a model of the gateway is called where models of all providers stand together."""
    return f"{GATEWAY.id}/{name}"


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
            found[id] = replace(made, name=entry.name or id, is_local=entry.api_key_env is None)
            continue
        url = entry.url or known.url
        changed = replace(known, name=entry.name or known.name, url=url)
        if entry.api_key_env is not None:
            # The user named one key: another that happens to be set must not be sent there.
            changed = replace(changed, key_name=entry.api_key_env, other_key_names=())
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


def _level(effort: Effort) -> ThinkingLevel:
    return "none" if effort == "off" else effort
