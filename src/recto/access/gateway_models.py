"""A gateway's models.json: the workspace's, and for each model the deployments that serve it."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

from pydantic import Field

from recto.access.access import BUILTIN, KNOWN, Access, Resolver
from recto.access.catalogue import Catalogue
from recto.access.credentials import Credentials
from recto.access.json_file import JsonSection, load_json, mistake
from recto.access.models_file import FILE, ModelEntry, ModelsFile, ProviderEntry, Words, check
from recto.access.prices import Prices
from recto.config import Home
from recto.storage import RateLimit


class DeploymentEntry(JsonSection):
    """One way to a model: who runs it, under which name, with which key."""

    provider: Words
    model: Words | None = None
    """What this provider calls it; as the entry around says, if left out."""
    api_key_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")] | None = None
    weight: Annotated[int, Field(ge=1, le=1000)] = 1
    """How often it is taken, compared with others of the same order."""
    order: Annotated[int, Field(ge=0, le=100)] = 0
    """Those of a higher order are asked only when those below can't be."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    """What its provider allows; other deployments are asked before it refuses."""
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None


class DeployedModelEntry(ModelEntry):
    """One model that is offered, and who serves it: its own provider unless others are named."""

    deployments: list[DeploymentEntry] = []


class GatewayModelsFile(JsonSection):
    """The file in the gateway's home."""

    default: Words | None = None
    models: list[DeployedModelEntry] = []
    providers: dict[str, ProviderEntry] = {}

    def plain(self) -> ModelsFile:
        """The same without deployments."""
        return ModelsFile(default=self.default, models=list(self.models), providers=self.providers)


@dataclass(frozen=True, slots=True)
class Deployment:
    """One way to a model, as it can be called now."""

    id: str
    """The same as long as the file says the same of it."""
    access: Access
    weight: int = 1
    order: int = 0
    rate: RateLimit | None = None
    """What its provider allows in a minute, if that is known."""


@dataclass(frozen=True, slots=True)
class DeployedModel:
    """A model that a gateway serves, and the ways to it."""

    id: str
    name: str
    deployments: tuple[Deployment, ...]

    @property
    def first(self) -> Access:
        """What its first deployment is: all of them serve the same model."""
        return self.deployments[0].access


def load_gateway_file(home: Home) -> GatewayModelsFile:
    """Read the home's file; a missing one is empty. Raises ConfigFailure."""
    file = home.folder / FILE
    found = load_json(file, GatewayModelsFile)
    if found == GatewayModelsFile():
        return found
    text = file.read_text(encoding="utf-8")
    check(found.plain(), text, str(file), KNOWN)
    providers = {*KNOWN, *found.providers}
    for place, model in enumerate(found.models):
        for number, deployment in enumerate(model.deployments):
            if deployment.provider not in providers:
                where = ("models", place, "deployments", number, "provider")
                words = f"there is no provider {deployment.provider!r}"
                remedy = f"Known: {', '.join(sorted(providers))}. Or add it under providers."
                raise mistake(text, str(file), where, words, remedy)
    return found


def deployed_models(
    file: GatewayModelsFile,
    catalogue: Catalogue,
    prices: Prices,
    credentials: Credentials,
    today: date,
) -> tuple[DeployedModel, ...]:
    """Every model that can be called: those of the file, then those the catalogue knows."""
    resolver = Resolver(catalogue, prices, file.plain(), credentials, has_builtin=False)
    found = [_of_entry(entry, resolver, today) for entry in file.models]
    named = {entry.id for entry in file.models}
    for offer in resolver.offers(today):
        if offer.id in named or offer.provider == BUILTIN.id or offer.missing_key is not None:
            continue
        access = resolver.resolve(offer.id, today=today)
        # How hard to think is for the client to say, and else for the provider.
        ways = () if access is None else (Deployment(offer.id, replace(access, effort=None)),)
        found.append(DeployedModel(offer.id, offer.name, ways))
    return tuple(model for model in found if model.deployments)


def _rate(id: str, way: DeploymentEntry) -> RateLimit | None:
    if way.requests_per_minute is None and way.tokens_per_minute is None:
        return None
    return RateLimit(f"deployment:{id}", way.requests_per_minute, way.tokens_per_minute)


def _of_entry(entry: DeployedModelEntry, resolver: Resolver, today: date) -> DeployedModel:
    ways: list[Deployment] = []
    for number, way in enumerate(entry.deployments or [DeploymentEntry(provider=entry.provider)]):
        changed = entry.model_copy(
            update={"provider": way.provider, "model": way.model or entry.model}
        )
        access = resolver.deploy(changed, today=today, key_name=way.api_key_env)
        if access is not None and access.provider.id != BUILTIN.id:
            if entry.thinking is None:
                access = replace(access, effort=None)
            id = f"{entry.id}#{number}"
            ways.append(Deployment(id, access, way.weight, way.order, _rate(id, way)))
    return DeployedModel(entry.id, entry.name, tuple(ways))
