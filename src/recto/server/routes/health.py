"""Whether the server is there, and what its API looks like."""

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from recto.server.access import for_session
from recto.server.description import describe_api
from recto.server.schemas import Health
from recto.server.services import Given

router = APIRouter(tags=["server"])


@router.get("/api/v1/health", response_model=Health)
@for_session
async def health(services: Given) -> Health:
    """The server is there, and which version it is."""
    return Health(version=services.version)


@router.get("/api/v1/openapi.json", include_in_schema=False)
@for_session
async def openapi(request: Request) -> JSONResponse:
    """The description of this API."""
    return JSONResponse(describe_api(request.app))
