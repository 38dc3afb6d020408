"""The one map from failures to problem details; whatever is not on it is a bug and says so."""

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from recto import (
    access,
    assist,
    chats,
    config,
    documents,
    margin,
    projects,
    reviews,
    skills,
    tools,
    workspace,
)
from recto.server.problems import Problem, Refused, problem_response

log = logging.getLogger(__name__)

STATUS: Mapping[type[Exception], tuple[int, str]] = {
    workspace.OutsideWorkspace: (403, "Outside the folder"),
    workspace.Protected: (403, "Protected"),
    workspace.NotFound: (404, "Not found"),
    workspace.RootGone: (404, "The folder is gone"),
    workspace.AlreadyExists: (409, "Exists already"),
    workspace.Unwritable: (403, "Can't be written"),
    workspace.NoSpace: (507, "Disk full"),
    workspace.SearchUnavailable: (503, "Search is not available"),
    workspace.Unreadable: (403, "Can't be read"),
    workspace.NotAFile: (409, "Not a file"),
    workspace.NotAFolder: (409, "Not a folder"),
    workspace.Changed: (412, "Changed meanwhile"),
    workspace.TooLarge: (413, "Too large"),
    workspace.BinaryFile: (415, "Not text"),
    documents.Conflicting: (409, "Two versions stand"),
    documents.NoSuchHunk: (409, "The text changed"),
    workspace.WorkspaceFailure: (422, "Can't be done"),
    projects.NotFound: (404, "Not found"),
    projects.StaleVersion: (412, "Changed meanwhile"),
    projects.BadCursor: (422, "Wrong cursor"),
    projects.NotStorable: (422, "Can't be stored"),
    projects.NoSpace: (507, "Disk full"),
    projects.StoreUnavailable: (503, "The store does not answer"),
    projects.StorageFailure: (500, "The store failed"),
    projects.NotConfirmed: (409, "Not confirmed"),
    projects.NotPlaced: (422, "No such folder"),
    projects.PathRefused: (422, "Outside the folder"),
    projects.TooManyFiles: (422, "Too many files"),
    assist.NoModel: (422, "No model"),
    skills.NoSuchSkill: (404, "Not found"),
    skills.NotYours: (403, "Not changed here"),
    skills.NotWritten: (422, "Can't be kept"),
    skills.SkillFailure: (409, "Not possible now"),
    tools.NoSuchTool: (404, "No such tool"),
    tools.RulesInvalid: (422, "Not as it must be"),
    chats.Misplaced: (422, "No such place"),
    chats.ChatFailure: (409, "Not possible now"),
    chats.NoSuchApproval: (409, "Not possible now"),
    reviews.NoReview: (404, "Not found"),
    reviews.NotText: (415, "Not text"),
    reviews.ReviewFailure: (409, "Not possible now"),
    margin.PassageChanged: (409, "The text has changed"),
    margin.PassageTooLong: (413, "Too large"),
    margin.NotText: (415, "Not text"),
    margin.MarginFailure: (422, "No such passage"),
    access.NoSuchModel: (422, "No such model"),
    access.KeyElsewhere: (409, "Set elsewhere"),
    access.KeyNotHere: (404, "No such key"),
    config.PreferencesChanged: (412, "Changed meanwhile"),
    config.ConfigFailure: (422, "Not as it must be"),
}
KIND = {workspace.BinaryFile: "urn:recto:problem:binary-file"}


def add_error_answers(app: FastAPI) -> None:
    """Answer every failure as a problem."""
    for failure in STATUS:
        app.add_exception_handler(failure, on_failure)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_bug)


async def on_failure(request: Request, error: Exception) -> Response:
    """An expected failure: its own words, and the status of the nearest class on the map."""
    known = next(kind for kind in type(error).__mro__ if kind in STATUS)
    status, title = STATUS[known]
    detail, remedy = getattr(error, "message", str(error)), getattr(error, "remedy", None)
    if status >= 500:
        log.error("store failure", extra={"failure": str(error)})
    kind = KIND.get(known, "about:blank")
    return problem_response(Problem(status, title, detail, remedy=remedy, kind=kind))


async def on_invalid(request: Request, error: Exception) -> Response:
    """A request that is not as the API describes it: what, where."""
    assert isinstance(error, RequestValidationError)
    found: list[dict[str, object]] = [
        {"where": ".".join(map(str, detail["loc"])), "what": detail["msg"]}
        for detail in error.errors()
    ]
    words = "; ".join(f"{one['where']}: {one['what']}" for one in found)
    return problem_response(Problem(422, "Not understood", words, errors=found))


async def on_http(request: Request, error: Exception) -> Response:
    """What the framework refuses: unknown address, wrong method, unreadable body."""
    assert isinstance(error, HTTPException)
    if isinstance(error, Refused):
        return problem_response(error.problem)
    response = problem_response(
        Problem(error.status_code, error.detail, f"{request.method} {request.url.path}")
    )
    response.headers.update(error.headers or {})
    return response


async def on_bug(request: Request, error: Exception) -> Response:
    """A bug: logged with its traceback; the caller learns only that it happened."""
    log.exception("unexpected error", exc_info=error)
    return problem_response(
        Problem(
            500,
            "Something is wrong in Recto",
            "The request was not completed. What was saved before is kept.",
            remedy="Try again. The log in the Recto home says more.",
        )
    )
