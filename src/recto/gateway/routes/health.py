"""Whether the gateway lives, and whether it can take requests: for whoever watches over it."""

from fastapi import APIRouter
from starlette.responses import JSONResponse

from recto.gateway.route_access import open_to_anyone
from recto.gateway.services import GatewayDependency

router = APIRouter(tags=["health"])


@router.get("/healthz")
@open_to_anyone
async def health(services: GatewayDependency) -> JSONResponse:
    """The process answers, and says how its background work is."""
    tasks = [
        {"name": task.name, "state": task.state, "failures": task.failures}
        for task in services.tasks()
    ]
    return JSONResponse({"status": "ok", "tasks": tasks})


@router.get("/readyz")
@open_to_anyone
async def readiness(services: GatewayDependency) -> JSONResponse:
    """The database answers, and the process is not about to end."""
    if services.is_ready():
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "not ready"}, status_code=503, headers={"retry-after": "5"})
