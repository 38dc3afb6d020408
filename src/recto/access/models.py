"""The user's models, keys and limits as they are now: read once, read again after a change."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from pathlib import Path

from recto.access.access import BUILTIN, GATEWAY, KNOWN, Access, Offer, Resolver
from recto.access.catalogue import load_catalogue
from recto.access.credentials import Credentials, KeySource, load_credentials
from recto.access.gateway_account import GatewayAccount, GatewayAccountFile
from recto.access.limits import BudgetFile, SpendingLimits, limits_of, load_budget, save_limits
from recto.access.local_models import LocalFile, local_files, name_of, with_file, without_file
from recto.access.models_file import (
    FILE,
    WORKSPACE_FILE,
    WORKSPACE_FILE_MAX_BYTES,
    ModelsFile,
    ThinkingLevel,
    WorkspaceModels,
    load_models,
    read_workspace_models,
    save_models,
)
from recto.access.own_servers import OwnServer, own_servers, with_server, without_server
from recto.access.prices import load_prices
from recto.clock import Clock
from recto.config import ConfigFailure, Home, Secret, load_keys, save_keys
from recto.llm import Provider
from recto.messages import Failure
from recto.workspace import PathNotFound, Workspace

ListModels = Callable[[Provider, Secret | None], Awaitable[frozenset[str] | Failure]]
"""Asks a provider which models it has."""
TryKey = Callable[[Provider, Secret], Awaitable[Failure | None]]
"""Asks a provider whether it takes a key; None: it does."""


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider, and where its key comes from; never the key."""

    provider: Provider
    key_source: KeySource | None
    key_name: str | None
    """The name that its key is set under, or is to be set under."""


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
        super().__init__(f"There is no model {model_id!r}. Choose one from the list.")
        self.message = f"There is no model {model_id!r}."
        self.remedy = "Choose one from the list."


class NoSuchLevel(Exception):
    """A model was to think in a way it can't."""

    def __init__(self, name: str, levels: Sequence[ThinkingLevel]) -> None:
        self.message = f"{name} does not think at this level."
        self.remedy = (
            f"Choose one of these: {', '.join(levels)}." if levels else "It has none to choose."
        )
        super().__init__(f"{self.message} {self.remedy}")


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
        self._sign_in = GatewayAccountFile(home)
        self.reload()

    def reload(self) -> None:
        """Read the files again. A mistake in one leaves everything as it was and is raised."""
        file = load_models(self._home, known_providers=KNOWN)
        credentials: Credentials = load_credentials(self._environment, self._home)
        budget = load_budget(self._home)
        gateway = self._sign_in.read()
        # All were read without a mistake: now they change together.
        self._file, self._credentials, self.budget = file, credentials, budget
        self.limits: SpendingLimits = limits_of(budget)
        self._resolve_with(gateway)

    def _resolve_with(self, gateway: GatewayAccount | None) -> None:
        self._gateway = gateway
        self._current = Resolver(
            self._catalogue,
            self._prices,
            self._file,
            self._credentials,
            has_builtin=self._has_builtin,
            gateway=gateway,
        )

    @property
    def _resolver(self) -> Resolver:
        # Another process may have signed in or out, or fetched the list anew.
        gateway = self._sign_in.read()
        if gateway is not self._gateway:
            self._resolve_with(gateway)
        return self._current

    @property
    def default(self) -> str | None:
        """The model the user chose for new chats."""
        return self._file.default

    def resolve(self, wanted: str, folder: WorkspaceModels | None = None) -> Access | None:
        """The model of an id or a strategy, if it can be called now, as a folder chooses."""
        access = self._resolver.resolve(wanted, today=self.today(), workspace=folder)
        if access is None or access.path is None:
            return access
        return replace(access, path=str(self._home.folder / access.path))

    async def in_folder(self, workspace: Workspace) -> WorkspaceModels:
        """What a folder's own file chooses and renames. Raises ConfigFailure, WorkspaceFailure."""
        try:
            data = await workspace.read_bytes(WORKSPACE_FILE, max_bytes=WORKSPACE_FILE_MAX_BYTES)
        except PathNotFound:
            return WorkspaceModels()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            words = f"{WORKSPACE_FILE} can't be read: {error}."
            raise ConfigFailure(words, "Save it as UTF-8.") from error
        known = [offer.id for offer in self.offers()]
        return read_workspace_models(text, known=known, home_file=self._home.folder / FILE)

    def cheapest(self, provider_id: str) -> Access | None:
        """The cheapest model of one provider, for small questions that must not go elsewhere."""
        for model_id in self._catalogue.strategies["cheapest"]:
            access = self.resolve(self._catalogue.current(model_id, self.today()))
            if access is not None and access.provider.id == provider_id:
                return access
        return None

    def offers(self, folder: WorkspaceModels | None = None) -> tuple[Offer, ...]:
        """Every model that can be chosen, the built-in one last, as a folder calls them."""
        names = {model.id: model.name for model in folder.models} if folder else {}
        offered = self._resolver.offers(self.today())
        files = {local_file.id for local_file in self.local_files()}
        return tuple(
            replace(offer, name=names.get(offer.id) or offer.name)
            for offer in offered
            if offer.provider != BUILTIN.id or self._has_builtin or offer.id in files
        )

    def name_of(self, model_id: str) -> str:
        """A model's name for people, also of one that can't be chosen any more."""
        offered = {offer.id: offer.name for offer in self.offers()}
        known = self._catalogue.known(model_id)
        if model_id in offered or known is None:
            return offered.get(model_id, model_id.partition("/")[2] or model_id)
        return known.name

    def good_transforms(self, access: Access) -> frozenset[str] | None:
        """The quick transforms that a model does well enough; None: it was not measured."""
        known = self._catalogue.known(f"{access.provider.id}/{access.model}")
        return None if known is None else known.transforms

    def provider_name(self, provider_id: str) -> str:
        """A provider's name for people."""
        return self._resolver.providers[provider_id].name

    def providers(self) -> tuple[ProviderState, ...]:
        """Every provider that could be used, and whether its key is set.

        The gateway is among them while somebody is signed in to it.
        """
        return tuple(
            self._state(provider)
            for provider in self._resolver.providers.values()
            if provider.id != BUILTIN.id and (provider.id != GATEWAY.id or provider.url)
        )

    def _state(self, provider: Provider) -> ProviderState:
        name = self._credentials.name_of(provider.key_names) or provider.key_name
        return ProviderState(provider, self._source(name), name)

    def choose(self, model_id: str | None) -> None:
        """Take this model for new chats; None leaves the choice to Recto."""
        if model_id is not None and model_id not in {offer.id for offer in self.offers()}:
            raise NoSuchModel(model_id)
        self._save(self._file.model_copy(update={"default": model_id}))

    def servers(self) -> tuple[OwnServer, ...]:
        """The user's own servers."""
        sources: dict[str, KeySource | None] = {
            provider.provider.id: provider.key_source for provider in self.providers()
        }
        return own_servers(self._file, self._resolver.providers, sources)

    def key_for(self, url: str, key_name: str) -> Secret | None:
        """A key that is set, for the server that it belongs to and no other address."""
        for server in self.servers():
            # Else a page could have a key sent to any address by asking to look there.
            if server.key_name == key_name and server.url == url.rstrip("/"):
                return self._credentials.find(key_name)
        return None

    def save_server(self, server: OwnServer) -> None:
        """Add a server, or change it. Raises ServerRefused, ConfigFailure."""
        self._save(with_server(self._file, server))

    def remove_server(self, server_id: str) -> None:
        """Forget a server and its models. Raises NoSuchServer."""
        self._save(without_server(self._file, server_id))

    def local_files(self) -> tuple[LocalFile, ...]:
        """The model files of this computer that are offered."""
        return local_files(self._home, self._file)

    def add_file(self, *, model: str, name: str, path: str) -> None:
        """Offer a model file."""
        self._save(with_file(self._file, model=model, name=name, path=path))

    def add_own_file(self, path: Path) -> LocalFile:
        """Offer a file that lies anywhere, under a name that no other file has."""
        taken = {local_file.id: local_file.path for local_file in self.local_files()}
        model = name_of(path)
        while taken.get(f"{BUILTIN.id}/{model}", path) != path:
            model = f"{model}-2"
        self.add_file(model=model, name=path.stem, path=str(path))
        return LocalFile(f"{BUILTIN.id}/{model}", path.stem, path)

    def remove_file(self, model_id: str) -> None:
        """Offer a model file no longer."""
        self._save(without_file(self._file, model_id))

    def set_thinking(self, model_id: str, level: ThinkingLevel | None) -> None:
        """How hard a model thinks from now on; None is as it does by itself.

        Raises NoSuchModel, NoSuchLevel.
        """
        offer = next((item for item in self.offers() if item.id == model_id), None)
        if offer is None:
            raise NoSuchModel(model_id)
        if level is not None and level not in offer.levels:
            raise NoSuchLevel(offer.name, offer.levels)
        plain = self._resolver.plain_entry(model_id)
        entries = {entry.id: entry for entry in self._file.models}
        entry = entries.get(model_id) or plain
        assert entry is not None  # it is on offer
        entries[model_id] = entry.model_copy(update={"thinking": level})
        # An entry that says nothing of its own would only go stale in the file.
        kept = [item for item in entries.values() if item != plain]
        file = self._file.model_copy(update={"models": kept})
        save_models(self._home, file, known_providers=KNOWN)
        self.reload()

    def key(self, name: str) -> Secret | None:
        """A key of any service by its name, as it is set now."""
        return self._credentials.find(name)

    def key_source(self, name: str) -> KeySource | None:
        """Where a key is set, if it is."""
        return self._credentials.status([name])[0].source

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
        """Ask everybody who can be asked which models they have, and find those that are gone.

        Asked are providers whose key is set and the user's own servers; this computer's models are
        looked at on the disk.
        """
        own = {server.id for server in self.servers()}
        providers = [
            state.provider
            for state in self.providers()
            if state.key_source is not None
            or (state.provider.id in {*own, GATEWAY.id} and self._is_open(state))
        ]
        found = [await self._check(provider, list_models) for provider in providers]
        return (*found, self._check_here())

    async def test_key(self, name: str, try_key: TryKey) -> tuple[ProviderCheck, ...]:
        """Ask every provider that takes a key whether it takes this one."""
        key = self._credentials.find(name)
        if key is None:
            raise KeyNotHere(name, "Set it first.")
        taking = [item.provider for item in self.providers() if name in item.provider.key_names]
        answers = [(provider, await try_key(provider, key)) for provider in taking]
        return tuple(ProviderCheck(provider, answer) for provider, answer in answers)

    async def _check(self, provider: Provider, list_models: ListModels) -> ProviderCheck:
        name = self._credentials.name_of(provider.key_names)
        key = self._credentials.find(name) if name else None
        found = await list_models(provider, key)
        if isinstance(found, Failure):
            return ProviderCheck(provider, found)
        # Ollama calls a model by its tag, and leaves out the usual one where it is asked.
        known = found | {name.removesuffix(":latest") for name in found}
        gone = tuple(
            offer
            for offer in self.offers()
            if offer.provider == provider.id and offer.model not in known
        )
        return ProviderCheck(provider, None, len(found), gone)

    def _check_here(self) -> ProviderCheck:
        """The models of this computer: the built-in one, and those of files."""
        lacking = {
            local_file.id for local_file in self.local_files() if not local_file.path.is_file()
        }
        offers = [offer for offer in self.offers() if offer.provider == BUILTIN.id]
        gone = tuple(offer for offer in offers if offer.id in lacking)
        return ProviderCheck(BUILTIN, None, len(offers) - len(gone), gone)

    def _is_open(self, state: ProviderState) -> bool:
        """Whether a provider can be asked: its key is set, or it wants none."""
        return state.provider.key_name is None or state.key_source is not None

    def _save(self, file: ModelsFile) -> None:
        save_models(self._home, file, known_providers=KNOWN)
        self.reload()

    def today(self) -> date:
        """The day where the user lives: prices and lifecycles go by it."""
        return datetime.fromtimestamp(self._clock.now_ms() / 1000, self._zone).date()

    def _source(self, key_name: str | None) -> KeySource | None:
        if not key_name:
            return None
        return self._credentials.status([key_name])[0].source
