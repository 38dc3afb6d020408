"""What Recto needs of this computer, and how it is."""

from recto.server.access import for_session
from recto.server.responses import NOT_SIGNED_IN
from recto.server.routes.router import Router
from recto.server.schemas.doctor import DoctorCheck, DoctorReport
from recto.server.services import ServicesDependency

router = Router(tags=["server"])


@router.get("/api/v1/doctor", response_model=DoctorReport, responses=NOT_SIGNED_IN)
@for_session
async def doctor(services: ServicesDependency) -> DoctorReport:
    """The same checks as `recto doctor`."""
    checks = await services.examine()
    return DoctorReport(checks=[DoctorCheck.model_validate(check) for check in checks])
