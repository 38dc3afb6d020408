"""The one map from failures to problem details; whatever is not on it is a bug and says so."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

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
    mcp,
    notebooks,
    projects,
    publishing,
    references,
    research,
    reviews,
    skills,
    tools,
    workspace,
)
from recto.server.problems import Problem, RequestProblem, problem_response

log = logging.getLogger(__name__)

STATUS: Mapping[type[Exception], tuple[int, str]] = {
    workspace.OutsideWorkspace: (403, "Outside the folder"),
    workspace.PathProtected: (403, "Protected"),
    workspace.PathNotFound: (404, "Not found"),
    workspace.RootGone: (404, "The folder is gone"),
    workspace.PathExists: (409, "Exists already"),
    workspace.PathUnwritable: (403, "Can't be written"),
    workspace.DiskFull: (507, "Disk full"),
    workspace.SearchUnavailable: (503, "Search is not available"),
    workspace.PathUnreadable: (403, "Can't be read"),
    workspace.NotAFile: (409, "Not a file"),
    workspace.NotAFolder: (409, "Not a folder"),
    workspace.PathChanged: (412, "Changed meanwhile"),
    workspace.TooLarge: (413, "Too large"),
    workspace.BinaryFile: (415, "Not text"),
    workspace.GitRefused: (409, "Git did not do it"),
    documents.UnresolvedConflict: (409, "Two versions stand"),
    documents.NoSuchHunk: (409, "The text changed"),
    documents.StillOpen: (409, "Still open"),
    projects.EditedElsewhere: (409, "Edited elsewhere"),
    workspace.WorkspaceFailure: (422, "Can't be done"),
    projects.RecordNotFound: (404, "Not found"),
    projects.StaleVersion: (412, "Changed meanwhile"),
    projects.BadCursor: (422, "Wrong cursor"),
    projects.NotStorable: (422, "Can't be stored"),
    projects.DatabaseFull: (507, "Disk full"),
    projects.StoreUnavailable: (503, "The store does not answer"),
    projects.StorageFailure: (500, "The store failed"),
    projects.LookAgain: (409, "Look again"),
    projects.NothingToTakeBack: (404, "Not found"),
    projects.NotConfirmed: (409, "Not confirmed"),
    projects.NotPlaced: (422, "No such folder"),
    projects.PathRefused: (422, "Outside the folder"),
    projects.TooManyFiles: (422, "Too many files"),
    assist.NoModelAvailable: (422, "No model"),
    skills.NoSuchSkill: (404, "Not found"),
    skills.NotYours: (403, "Not changed here"),
    skills.NotWritten: (422, "Can't be kept"),
    skills.SkillFailure: (409, "Not possible now"),
    publishing.PublishFailed: (422, "Not published"),
    notebooks.NoSuchCell: (404, "No such cell"),
    notebooks.NoSuchKernel: (422, "No such kernel"),
    notebooks.NotebookBroken: (415, "Not a notebook"),
    notebooks.NotebookFailure: (409, "Not possible now"),
    references.ReferenceNotFound: (404, "No such reference"),
    references.LibraryReadOnly: (409, "Not changed here"),
    references.ReferenceFailure: (422, "Can't be kept"),
    projects.ReachOutOff: (409, "Turned off"),
    research.SearchFailed: (422, "The service did not answer"),
    research.WorkNotFound: (422, "Not found"),
    mcp.NoSuchMcpServer: (404, "Not found"),
    mcp.NoSuchMcpTool: (404, "Not found"),
    mcp.McpChanged: (409, "Changed meanwhile"),
    mcp.McpNameTaken: (409, "Taken"),
    mcp.ServerUnavailable: (503, "The server does not answer"),
    mcp.McpFailure: (422, "Not as it must be"),
    tools.NoSuchTool: (404, "No such tool"),
    tools.RulesInvalid: (422, "Not as it must be"),
    chats.InvalidPlacement: (422, "No such place"),
    chats.ChatFailure: (409, "Not possible now"),
    chats.NoSuchApproval: (409, "Not possible now"),
    reviews.NoReview: (404, "Not found"),
    reviews.VersionNotText: (415, "Not text"),
    reviews.ReviewFailure: (409, "Not possible now"),
    margin.PassageChanged: (409, "The text has changed"),
    margin.PassageTooLong: (413, "Too large"),
    margin.PassageNotText: (415, "Not text"),
    margin.MarginFailure: (422, "No such passage"),
    access.NoSuchModel: (422, "No such model"),
    access.NoSuchLevel: (422, "No such level"),
    access.KeyElsewhere: (409, "Set elsewhere"),
    access.KeyNotHere: (404, "No such key"),
    access.NoSuchServer: (404, "No such server"),
    access.ServerRefused: (422, "Can't be kept"),
    access.NoSuchFile: (404, "No such model"),
    access.FileRefused: (422, "Not a model"),
    config.PreferencesChanged: (412, "Changed meanwhile"),
    config.ConfigFailure: (422, "Not as it must be"),
}
KIND = {
    workspace.BinaryFile: "urn:recto:problem:binary-file",
    projects.EditedElsewhere: "urn:recto:problem:edited-elsewhere",
}


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
    problem = Problem(status, title, detail, remedy=remedy, kind=kind)
    return problem_response(problem, request.url.path)


async def on_invalid(request: Request, error: Exception) -> Response:
    """A request that is not as the API describes it: what, where."""
    assert isinstance(error, RequestValidationError)
    found: list[dict[str, object]] = [
        {"where": place_of(detail), "what": config.words_for(detail)} for detail in error.errors()
    ]
    words = "; ".join(f"{item['where']} {item['what']}" for item in found) + "."
    problem = Problem(422, "Not understood", words, errors=found)
    return problem_response(problem, request.url.path)


def place_of(detail: Mapping[str, Any]) -> str:
    """Where in a request something is wrong: the names in the body, or the part and the name."""
    location: Sequence[str | int] = detail["loc"]
    if detail["type"] == "json_invalid":
        # Its place is a character, which reads like the name of a field.
        return "The body"
    names = location[1:] if location[0] == "body" and len(location) > 1 else location
    return ".".join(map(str, names))


async def on_http(request: Request, error: Exception) -> Response:
    """What the framework refuses: unknown address, wrong method, unreadable body."""
    assert isinstance(error, HTTPException)
    if isinstance(error, RequestProblem):
        return problem_response(error.problem, request.url.path)
    problem = Problem(error.status_code, error.detail, f"{request.method} {request.url.path}")
    response = problem_response(problem, request.url.path)
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
        ),
        request.url.path,
    )
