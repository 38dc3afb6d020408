"""Problem details (RFC 9457): the one shape of every error the API answers."""

import json
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.responses import Response


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, in words, and what to do about it."""

    status: int
    title: str
    detail: str
    remedy: str | None = None
    kind: str = "about:blank"
    errors: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    def body(self) -> dict[str, object]:
        """The problem as JSON members; what is not known is left out."""
        members: dict[str, object] = {
            "type": self.kind,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.remedy is not None:
            members["remedy"] = self.remedy
        if self.errors:
            members["errors"] = self.errors
        return members


class Refused(HTTPException):
    """A request that may not go on. The framework passes it through wherever it is raised."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.status, problem.title)
        self.problem = problem


def problem_response(problem: Problem) -> Response:
    """A problem as a response."""
    headers = {"cache-control": "no-store"}
    if problem.status in (429, 503):
        headers["retry-after"] = "60"
    return Response(
        json.dumps(problem.body()),
        status_code=problem.status,
        media_type="application/problem+json",
        headers=headers,
    )
