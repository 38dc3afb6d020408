"""Models, their providers and the keys. Keys go in and never come out."""

from fastapi import APIRouter
from starlette.responses import Response

from recto.access import Offer, ProviderCheck
from recto.config import Secret
from recto.server.access import for_session
from recto.server.model_schemas import (
    GoneModel,
    KeyName,
    Model,
    ModelCheck,
    ModelChoice,
    ModelList,
    ModelPrice,
    NewKey,
    Provider,
    ProviderList,
)
from recto.server.model_schemas import ProviderCheck as ProviderCheckBody
from recto.server.responses import NOT_SIGNED_IN, may_answer
from recto.server.services import Given, Services

router = APIRouter(prefix="/api/v1", tags=["models"])


@router.get("/models", response_model=ModelList, responses=NOT_SIGNED_IN)
@for_session
async def list_models(services: Given) -> ModelList:
    """The models that can be chosen."""
    return present_models(services)


@router.put("/models/default", response_model=ModelList, responses=may_answer(400, 422))
@for_session
async def choose_model(body: ModelChoice, services: Given) -> ModelList:
    """Take a model for new chats."""
    services.models.choose(body.id)
    await services.feed.announce("models")
    return present_models(services)


@router.post("/models/check", response_model=ModelCheck, responses=NOT_SIGNED_IN)
@for_session
async def check_models(services: Given) -> ModelCheck:
    """Ask every provider whose key is set which models it has."""
    found = await services.models.check(services.list_models)
    return ModelCheck(items=[present_check(one) for one in found])


@router.get("/providers", response_model=ProviderList, responses=NOT_SIGNED_IN)
@for_session
async def list_providers(services: Given) -> ProviderList:
    """The providers, and which keys are set."""
    return ProviderList(
        items=[
            Provider(
                id=state.provider.id,
                name=state.provider.name,
                key_name=state.provider.key_name,
                key_source=state.key_source,
                url=state.provider.url,
                is_local=state.provider.is_local,
            )
            for state in services.models.providers()
        ]
    )


@router.put("/keys/{name}", status_code=204, responses=may_answer(400, 422))
@for_session
async def set_key(name: KeyName, body: NewKey, services: Given) -> Response:
    """Keep a key. It can be replaced and removed, never read."""
    services.models.set_key(name, Secret(body.value.get_secret_value().strip()))
    await services.feed.announce("models")
    return Response(status_code=204)


@router.delete("/keys/{name}", status_code=204, responses=may_answer(404, 409, 422))
@for_session
async def remove_key(name: KeyName, services: Given) -> Response:
    """Forget a key."""
    services.models.remove_key(name)
    await services.feed.announce("models")
    return Response(status_code=204)


def present_models(services: Services) -> ModelList:
    """The list as the page sees it."""
    current = services.models.resolve("chat")
    return ModelList(
        default=services.models.default,
        current=current.id if current else None,
        items=[present_offer(offer, services) for offer in services.models.offers()],
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
    )


def present_check(check: ProviderCheck) -> ProviderCheckBody:
    """What a provider said, in words."""
    failure = check.failure
    detail = failure.message if failure else f"{check.count} models"
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
