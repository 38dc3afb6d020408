"""What the people's pages and scripts are told when something can't be done (RFC 9457)."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from recto.config import words_for
from recto.gateway.kept_calls import NoSuchKeptCall
from recto.gateway.people import (
    InvitationOver,
    LastAdmin,
    NameTaken,
    NoSuchAccount,
    NoSuchKey,
    PasswordRefused,
    PeopleFailure,
)
from recto.storage import DatabaseFull, NotStorable, StorageFailure, Unavailable

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ApiProblem:
    """What went wrong, in words, and what to do about it."""

    status: int
    title: str
    detail: str
    remedy: str | None = None

    def response(self) -> Response:
        """The problem as an answer."""
        members: dict[str, object] = {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.remedy is not None:
            members["remedy"] = self.remedy
        headers = {"cache-control": "no-store"}
        if self.status in (429, 503):
            headers["retry-after"] = "60"
        return Response(
            json.dumps(members),
            status_code=self.status,
            media_type="application/problem+json",
            headers=headers,
        )


class ApiRefused(HTTPException):
    """A request that may not go on. The framework passes it through wherever it is raised."""

    def __init__(self, problem: ApiProblem) -> None:
        super().__init__(problem.status, problem.title)
        self.problem = problem


STATUS: Mapping[type[PeopleFailure | StorageFailure], tuple[int, str]] = {
    NameTaken: (409, "Exists already"),
    NoSuchAccount: (404, "Not found"),
    NoSuchKey: (404, "Not found"),
    NoSuchKeptCall: (404, "Not found"),
    LastAdmin: (409, "Not possible now"),
    InvitationOver: (410, "Over"),
    PasswordRefused: (422, "Not accepted"),
    PeopleFailure: (409, "Not possible now"),
    NotStorable: (422, "Can't be stored"),
    DatabaseFull: (507, "Disk full"),
    Unavailable: (503, "The store does not answer"),
    StorageFailure: (500, "The store failed"),
}


def problem_of(failure: PeopleFailure | StorageFailure) -> ApiProblem:
    """A failure as it is told; the nearest kind that the table knows."""
    kind = next(kind for kind in type(failure).__mro__ if kind in STATUS)
    status, title = STATUS[kind]
    return ApiProblem(status, title, failure.message, failure.remedy)


def add_problem_answers(api: FastAPI) -> None:
    """Have every failure of a route answered as a problem. What was sent is never repeated."""

    async def refused(_: Request, error: ApiRefused) -> Response:
        return error.problem.response()

    async def other(_: Request, error: HTTPException) -> Response:
        return ApiProblem(error.status_code, "Not possible", str(error.detail)).response()

    async def invalid(_: Request, error: RequestValidationError) -> Response:
        found = [
            f"{'.'.join(str(part) for part in detail['loc'][1:])} {words_for(detail)}".strip()
            for detail in error.errors()
        ]
        return ApiProblem(422, "Not understood", f"{'; '.join(found)}.").response()

    async def failed(_: Request, error: PeopleFailure | StorageFailure) -> Response:
        problem = problem_of(error)
        if problem.status >= 500:
            log.error("a request failed", exc_info=error)
        return problem.response()

    async def broken(_: Request, error: Exception) -> Response:
        log.error("a request failed", exc_info=error)
        return ApiProblem(500, "Recto failed", "This is a bug. The log says more.").response()

    handlers: Mapping[type[Exception], object] = {
        ApiRefused: refused,
        HTTPException: other,
        RequestValidationError: invalid,
        PeopleFailure: failed,
        StorageFailure: failed,
        Exception: broken,
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)  # pyright: ignore[reportArgumentType] - each takes its own kind
