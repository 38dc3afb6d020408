"""Models, their providers and the keys. Keys go in and never come out."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from recto.access import Offer, ProviderCheck, WorkspaceModels
from recto.config import ConfigFailure, Secret
from recto.research import OPENALEX_KEY, Exa
from recto.server.access import for_session
from recto.server.responses import NOT_SIGNED_IN, may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.models import (
    GoneModel,
    KeyName,
    Model,
    ModelCheck,
    ModelChoice,
    ModelList,
    ModelPrice,
    ModelThinking,
    NewKey,
    Provider,
    ProviderList,
)
from recto.server.schemas.models import ProviderCheck as ProviderCheckBody
from recto.server.services import Services, ServicesDependency
from recto.workspace import WorkspaceFailure

router = Router(prefix="/api/v1", tags=["models"])

SEARCH_SERVICES = (
    ("OpenAlex", OPENALEX_KEY, "https://openalex.org"),
    ("Exa", Exa.key_name, "https://exa.ai"),
)


ForProject = Annotated[ResourceId | None, Query(alias="projectId")]


@router.get("/models", response_model=ModelList, responses=may_answer(404, 422))
@for_session
async def list_models(services: ServicesDependency, project_id: ForProject = None) -> ModelList:
    """The models that can be chosen, for a project as its folder names them."""
    return await present_models(services, project_id)


@router.put("/models/default", response_model=ModelList, responses=may_answer(400, 404, 422))
@for_session
async def choose_model(
    body: ModelChoice, services: ServicesDependency, project_id: ForProject = None
) -> ModelList:
    """Take a model for new chats."""
    services.models.choose(body.id)
    await services.feed.announce("models")
    return await present_models(services, project_id)


@router.put("/models/thinking", response_model=ModelList, responses=may_answer(400, 404, 422))
@for_session
async def choose_thinking(
    body: ModelThinking, services: ServicesDependency, project_id: ForProject = None
) -> ModelList:
    """Say how hard a model thinks."""
    services.models.set_thinking(body.id, body.thinking)
    await services.feed.announce("models")
    return await present_models(services, project_id)


@router.post("/models/check", response_model=ModelCheck, responses=NOT_SIGNED_IN)
@for_session
async def check_models(services: ServicesDependency) -> ModelCheck:
    """Ask every provider that can be asked which models it has: with keys, and your servers."""
    found = await services.models.check(services.list_models)
    return ModelCheck(items=[present_check(item) for item in found])


@router.get("/providers", response_model=ProviderList, responses=NOT_SIGNED_IN)
@for_session
async def list_providers(services: ServicesDependency) -> ProviderList:
    """The providers, and which keys are set."""
    return ProviderList(
        items=[
            Provider(
                id=state.provider.id,
                name=state.provider.name,
                key_name=state.key_name,
                key_source=state.key_source,
                url=state.provider.url,
                is_local=state.provider.is_local,
            )
            for state in services.models.providers()
        ],
        search_services=[
            Provider(
                id=key_name.lower(),
                name=name,
                key_name=key_name,
                key_source=services.models.key_source(key_name),
                url=url,
                is_local=False,
            )
            for name, key_name, url in SEARCH_SERVICES
        ],
    )


@router.put("/keys/{name}", status_code=204, responses=may_answer(400, 422))
@for_session
async def set_key(name: KeyName, body: NewKey, services: ServicesDependency) -> Response:
    """Keep a key. It can be replaced and removed, never read."""
    services.models.set_key(name, Secret(body.value.get_secret_value().strip()))
    await services.feed.announce("models")
    return Response(status_code=204)


@router.post("/keys/{name}/test", response_model=ModelCheck, responses=may_answer(404, 422))
@for_session
async def test_key(name: KeyName, services: ServicesDependency) -> ModelCheck:
    """Ask the providers that take a key whether they take this one."""
    found = await services.models.test_key(name, services.try_key)
    return ModelCheck(items=[present_check(item, counted=False) for item in found])


@router.delete("/keys/{name}", status_code=204, responses=may_answer(404, 409, 422))
@for_session
async def remove_key(name: KeyName, services: ServicesDependency) -> Response:
    """Forget a key."""
    services.models.remove_key(name)
    await services.feed.announce("models")
    return Response(status_code=204)


async def present_models(services: Services, project_id: str | None) -> ModelList:
    """The list as the page sees it."""
    folder, problem = WorkspaceModels(), None
    if project_id is not None:
        workspace = await services.workspaces.get(project_id)
        try:
            folder = await services.models.in_folder(workspace)
        except (ConfigFailure, WorkspaceFailure) as failure:
            problem = str(failure)
    current = services.models.resolve("chat", folder)
    return ModelList(
        default=services.models.default,
        current=current.id if current else None,
        items=[present_offer(offer, services) for offer in services.models.offers(folder)],
        folder_default=folder.default,
        folder_problem=problem,
    )


def present_offer(offer: Offer, services: Services) -> Model:
    """One model."""
    known, price = offer.known, offer.price
    rates = price.rates if price else None
    return Model(
        id=offer.id,
        name=offer.name,
        provider=offer.provider,
        provider_name=services.models.provider_name(offer.provider),
        model=offer.model,
        missing_key=offer.missing_key,
        window=offer.window,
        max_output=offer.max_output,
        price=None
        if rates is None
        else ModelPrice(
            input=float(rates.input),
            output=float(rates.output),
            cache_read=float(rates.cache_read),
            cache_write=float(rates.cache_write),
        ),
        is_free=rates is not None and rates.prompt == 0 and rates.output == 0,
        note=known.note if known else "",
        retires=known.retires if known else None,
        successor=known.successor if known else None,
        thinking_levels=list(offer.levels),
        thinking=offer.thinking,
        usual_thinking=offer.usual_thinking,
        has_tools=offer.has_tools,
        transforms=None if not known or known.transforms is None else sorted(known.transforms),
    )


def present_check(check: ProviderCheck, *, counted: bool = True) -> ProviderCheckBody:
    """What a provider said, in words."""
    failure = check.failure
    models = f"{check.count} model{'' if check.count == 1 else 's'}"
    detail = failure.message if failure else models if counted else "The key works."
    return ProviderCheckBody(
        provider=check.provider.id,
        provider_name=check.provider.name,
        ok=failure is None,
        detail=detail,
        gone=[
            GoneModel(id=offer.id, successor=offer.known.successor if offer.known else None)
            for offer in check.gone
        ],
    )
