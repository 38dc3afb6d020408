"""Reviews: what AI changed and nobody has agreed to yet; accept and reject."""

from recto.reviews import Review as Found
from recto.reviews import Verdict
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.reviews import HunkChoice, OpenedReview, ReviewLeft, ReviewList
from recto.server.services import Services, ServicesDependency
from recto.server.views.review import present_opened, present_review

router = Router(prefix="/api/v1", tags=["reviews"])

MAY_FAIL = may_answer(400, 404, 409, 422)


@router.get("/projects/{project_id}/reviews", response_model=ReviewList, responses=MAY_FAIL)
@for_session
async def list_reviews(project_id: ResourceId, services: ServicesDependency) -> ReviewList:
    """The files with something to review, that with the oldest edit first."""
    return listed(await services.reviews.list(project_id))


@router.get("/reviews/{review_id}", response_model=OpenedReview, responses=MAY_FAIL)
@for_session
async def get_review(review_id: ResourceId, services: ServicesDependency) -> OpenedReview:
    """A review and its passages."""
    return present_opened(await services.reviews.get(review_id))


@router.post("/reviews/{review_id}/accept", response_model=ReviewLeft, responses=MAY_FAIL)
@for_session
async def accept(
    review_id: ResourceId, services: ServicesDependency, body: HunkChoice | None = None
) -> ReviewLeft:
    """Accept a review, or some of its passages; what is left of it."""
    return await decide(review_id, "accept", services, body)


@router.post("/reviews/{review_id}/reject", response_model=ReviewLeft, responses=MAY_FAIL)
@for_session
async def reject(
    review_id: ResourceId, services: ServicesDependency, body: HunkChoice | None = None
) -> ReviewLeft:
    """Reject a review, or some of its passages: exactly these go; what is left of it."""
    return await decide(review_id, "reject", services, body)


@router.post("/turns/{turn_id}/accept", response_model=ReviewList, responses=MAY_FAIL)
@for_session
async def accept_turn(turn_id: ResourceId, services: ServicesDependency) -> ReviewList:
    """Accept everything from one turn; what is left in its project."""
    project_id = await services.reviews.project_of(turn_id)
    return listed(await services.reviews.decide_all(project_id, "accept", turn_id))


@router.post("/turns/{turn_id}/reject", response_model=ReviewList, responses=MAY_FAIL)
@for_session
async def reject_turn(turn_id: ResourceId, services: ServicesDependency) -> ReviewList:
    """Reject everything from one turn; what is left in its project."""
    project_id = await services.reviews.project_of(turn_id)
    return listed(await services.reviews.decide_all(project_id, "reject", turn_id))


@router.post("/projects/{project_id}/reviews/accept", response_model=ReviewList, responses=MAY_FAIL)
@for_session
async def accept_all(project_id: ResourceId, services: ServicesDependency) -> ReviewList:
    """Accept everything in a project; what is left."""
    return listed(await services.reviews.decide_all(project_id, "accept"))


@router.post("/projects/{project_id}/reviews/reject", response_model=ReviewList, responses=MAY_FAIL)
@for_session
async def reject_all(project_id: ResourceId, services: ServicesDependency) -> ReviewList:
    """Reject everything in a project; what is left, each with why."""
    return listed(await services.reviews.decide_all(project_id, "reject"))


async def decide(
    review_id: str, verdict: Verdict, services: Services, body: HunkChoice | None
) -> ReviewLeft:
    """Say yes or no, and answer what is left."""
    chosen = None if body is None else body.hunks
    left = await services.reviews.decide(review_id, verdict, chosen)
    return ReviewLeft(review=None if left is None else present_review(left))


def listed(found: tuple[Found, ...]) -> ReviewList:
    """The answer with several reviews."""
    return ReviewList(items=[present_review(item) for item in found])
