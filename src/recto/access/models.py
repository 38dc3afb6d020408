"""The user's models, keys and limits as they are now: read once, read again after a change."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from recto.access.access import BUILTIN, KNOWN, Access, Offer, Resolver
from recto.access.catalogue import load_catalogue
from recto.access.credentials import Credentials, KeySource, load_credentials
from recto.access.limits import BudgetFile, Limits, limits_of, load_budget, save_limits
from recto.access.models_file import load_models, save_models
from recto.access.prices import load_prices
from recto.clock import Clock
from recto.config import Home, Secret, load_keys, save_keys
from recto.llm import Provider
from recto.messages import Failure

ListModels = Callable[[Provider, Secret | None], Awaitable[frozenset[str] | Failure]]
"""Asks a provider which models it has."""


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider, and where its key comes from; never the key."""

    provider: Provider
    key_source: KeySource | None


@dataclass(frozen=True, slots=True)
class ProviderCheck:
    """What a provider said when it was asked for its models."""

    provider: Provider
    failure: Failure | None
    count: int = 0
    gone: tuple[Offer, ...] = ()


class NoSuchModel(Exception):
    """A model that is not on offer was chosen."""

    def __init__(self, model_id: str) -> None:
        super().__init__(f"There is no model {model_id!r}. Choose one of the list.")
        self.message = f"There is no model {model_id!r}."
        self.remedy = "Choose one of the list."


class KeyNotHere(Exception):
    """A key that is not in keys.env can't be removed from it."""

    def __init__(self, name: str, remedy: str = "There is nothing to remove.") -> None:
        self.message = f"{name} is not in keys.env."
        self.remedy = remedy
        super().__init__(f"{self.message} {self.remedy}")


class KeyElsewhere(KeyNotHere):
    """The key comes from the environment, which Recto does not change."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "It is set in the environment of this program: unset it there.")


class Models:
    """Who can be asked, with which key, within which limits."""

    def __init__(
        self,
        home: Home,
        environment: Mapping[str, str],
        *,
        clock: Clock,
        zone: tzinfo,
        has_builtin: bool,
    ) -> None:
        self._home = home
        self._environment = environment
        self._clock = clock
        self._zone = zone
        self._has_builtin = has_builtin
        self._catalogue = load_catalogue()
        self._prices = load_prices()
        self.reload()

    def reload(self) -> None:
        """Read the files again. A mistake in one leaves everything as it was and is raised."""
        file = load_models(self._home, known_providers=KNOWN)
        credentials: Credentials = load_credentials(self._environment, self._home)
        budget = load_budget(self._home)
        self._file, self._credentials, self.budget = file, credentials, budget
        self.limits: Limits = limits_of(budget)
        self._resolver = Resolver(
            self._catalogue, self._prices, file, credentials, has_builtin=self._has_builtin
        )

    @property
    def default(self) -> str | None:
        """The model the user chose for new chats."""
        return self._file.default

    def resolve(self, wanted: str) -> Access | None:
        """The model of an id or a strategy, if it can be called now."""
        return self._resolver.resolve(wanted, today=self.today())

    def cheapest(self, provider_id: str) -> Access | None:
        """The cheapest model of one provider, for small questions that must not go elsewhere."""
        for model_id in self._catalogue.strategies["cheapest"]:
            access = self.resolve(self._catalogue.current(model_id, self.today()))
            if access is not None and access.provider.id == provider_id:
                return access
        return None

    def offers(self) -> tuple[Offer, ...]:
        """Every model that can be chosen, the built-in one last."""
        offered = self._resolver.offers(self.today())
        return tuple(
            offer for offer in offered if offer.provider != BUILTIN.id or self._has_builtin
        )

    def provider_name(self, provider_id: str) -> str:
        """A provider's name for people."""
        return self._resolver.providers[provider_id].name

    def providers(self) -> tuple[ProviderState, ...]:
        """Every provider that could be used, and whether its key is set."""
        return tuple(
            ProviderState(provider, self._source(provider.key_name))
            for provider in self._resolver.providers.values()
            if provider.id != BUILTIN.id
        )

    def choose(self, model_id: str | None) -> None:
        """Take this model for new chats; None leaves the choice to Recto."""
        if model_id is not None and model_id not in {offer.id for offer in self.offers()}:
            raise NoSuchModel(model_id)
        chosen = self._file.model_copy(update={"default": model_id})
        save_models(self._home, chosen, known_providers=KNOWN)
        self.reload()

    def set_key(self, name: str, key: Secret) -> None:
        """Keep a key; it is not shown again."""
        save_keys(self._home, {**load_keys(self._home), name: key})
        self.reload()

    def remove_key(self, name: str) -> None:
        """Forget a key."""
        keys = dict(load_keys(self._home))
        if keys.pop(name, None) is None:
            raise KeyElsewhere(name) if self._source(name) else KeyNotHere(name)
        save_keys(self._home, keys)
        self.reload()

    def set_budget(self, budget: BudgetFile) -> None:
        """Keep other limits."""
        save_limits(self._home, budget)
        self.reload()

    async def check(self, list_models: ListModels) -> tuple[ProviderCheck, ...]:
        """Ask every provider whose key is set which models it has, and find those that are gone."""
        asked = [
            state.provider
            for state in self.providers()
            if state.key_source is not None and state.provider.key_name
        ]
        return tuple([await self._check(provider, list_models) for provider in asked])

    async def _check(self, provider: Provider, list_models: ListModels) -> ProviderCheck:
        key = self._credentials.find(provider.key_name) if provider.key_name else None
        found = await list_models(provider, key)
        if isinstance(found, Failure):
            return ProviderCheck(provider, found)
        gone = tuple(
            offer
            for offer in self.offers()
            if offer.provider == provider.id and offer.model not in found
        )
        return ProviderCheck(provider, None, len(found), gone)

    def today(self) -> date:
        """The day where the user lives: prices and lifecycles go by it."""
        return datetime.fromtimestamp(self._clock.now_ms() / 1000, self._zone).date()

    def _source(self, key_name: str | None) -> KeySource | None:
        if not key_name:
            return None
        return self._credentials.status([key_name])[0].source
