"""What Recto keeps, and for how long."""

from recto.server.access import for_session
from recto.server.responses import NOT_SIGNED_IN
from recto.server.routes.router import Router
from recto.server.schemas.keeping import KeepingRules, KeptRecords
from recto.server.services import ServicesDependency

router = Router(tags=["server"])


@router.get("/api/v1/keeping", response_model=KeepingRules, responses=NOT_SIGNED_IN)
@for_session
async def keeping(services: ServicesDependency) -> KeepingRules:
    """The rules in force, in words."""
    return KeepingRules(rules=[KeptRecords.model_validate(rule) for rule in services.keeping])
