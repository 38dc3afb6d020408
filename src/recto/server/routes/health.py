"""Whether the server is there, and what its API looks like."""

from fastapi import Request
from starlette.responses import JSONResponse

from recto.server.access import for_session
from recto.server.description import describe_api
from recto.server.routes.router import Router
from recto.server.schemas.health import BackgroundTask, Health
from recto.server.services import ServicesDependency

router = Router(tags=["server"])


@router.get("/api/v1/health", response_model=Health)
@for_session
async def health(services: ServicesDependency) -> Health:
    """The server is there, which version it is, and how its background work is."""
    return Health(
        status="ok" if services.feed.is_answering else "waiting",
        version=services.version,
        tasks=[BackgroundTask.model_validate(item) for item in services.background()],
    )


@router.get("/api/v1/openapi.json", include_in_schema=False)
@for_session
async def openapi(request: Request) -> JSONResponse:
    """The description of this API."""
    return JSONResponse(describe_api(request.app))
