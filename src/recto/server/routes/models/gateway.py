"""Leaving the gateway that the user is signed in to. Signing in happens on the command line."""

from starlette.responses import Response

from recto.server.access import for_session
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/gateway", tags=["models"])


@router.delete("", status_code=204, responses=may_answer(404))
@for_session
async def leave_gateway(services: ServicesDependency) -> Response:
    """Sign out of the gateway, here and there."""
    if await services.gateway.sign_out() is None:
        raise RequestProblem(Problem(404, "Not signed in", "There is no gateway to sign out of."))
    await services.feed.announce("models")
    return Response(status_code=204)
