"""Problem details (RFC 9457): the one shape of every error the API answers."""

import json
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.responses import Response

OPENAI_PATHS = "/api/ai/"
"""Below this, other programs ask in OpenAI's format, and read errors in it."""
OPENAI_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


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


class RequestProblem(HTTPException):
    """A request that may not go on. The framework passes it through wherever it is raised."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.status, problem.title)
        self.problem = problem


def problem_response(problem: Problem, path: str = "") -> Response:
    """A problem as a response to a request for this path."""
    headers = {"cache-control": "no-store"}
    if problem.status in (429, 503):
        headers["retry-after"] = "60"
    in_openai_form = path.startswith(OPENAI_PATHS)
    return Response(
        json.dumps(openai_error(problem) if in_openai_form else problem.body()),
        status_code=problem.status,
        media_type="application/json" if in_openai_form else "application/problem+json",
        headers=headers,
    )


def openai_error(problem: Problem) -> dict[str, object]:
    """A problem as OpenAI's clients read it."""
    words = f"{problem.title}: {problem.detail}"
    return {
        "error": {
            "message": words if problem.remedy is None else f"{words} {problem.remedy}",
            "type": "server_error" if problem.status >= 500 else "invalid_request_error",
            "param": None,
            "code": OPENAI_CODES.get(problem.status),
        }
    }
