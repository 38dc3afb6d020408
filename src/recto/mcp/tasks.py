"""Long work that comes back as a task (`io.modelcontextprotocol/tasks`): followed to its end.

The server decides which call becomes a task; for whoever called, nothing is different.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import anyio
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Request,
    RequestParams,
    Result,
)
from pydantic import ConfigDict, Field

from recto.mcp.calls import CURRENT
from recto.tools import ToolFailure

POLL_S = 1.0
SHORTEST_POLL_S, LONGEST_POLL_S = 0.05, 30.0
CANCEL_S = 5.0
MAX_WORDS = 300
Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
Ask = Callable[[ElicitRequestParams], Awaitable[ElicitResult | ErrorData]]
"""Asks the person whose call it is."""


class CreatedTask(Result):
    """A call that goes on by itself."""

    result_type: Literal["task"] = Field(alias="resultType")
    task_id: str = Field(alias="taskId", min_length=1)
    status: Status
    poll_interval_ms: int | None = Field(alias="pollIntervalMs", default=None, ge=1)


class FollowedTask(Result):
    """A task as it is when it is asked for."""

    status: Status
    status_message: str | None = Field(alias="statusMessage", default=None)
    poll_interval_ms: int | None = Field(alias="pollIntervalMs", default=None, ge=1)
    input_requests: dict[str, ElicitRequest] = Field(alias="inputRequests", default={})
    result: dict[str, Any] | None = None
    error: ErrorData | None = None


class Acknowledged(Result):
    """An answer without anything in it."""

    model_config = ConfigDict(extra="ignore")


class TaskParams(RequestParams):
    """Which task, and what it waits for."""

    task_id: str = Field(alias="taskId")
    input_responses: dict[str, dict[str, Any]] | None = Field(alias="inputResponses", default=None)


class TaskRequest(Request[TaskParams, Literal["tasks/get", "tasks/update", "tasks/cancel"]]):
    """A request about a task."""

    name_param = "taskId"


class TasksExtension(ClientExtension):
    """Tells servers that we follow tasks, and does."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def claims(self) -> Sequence[ResultClaim[Any]]:
        """A tool's call may come back as a task."""
        return (ResultClaim(result_type="task", model=CreatedTask, resolve=self._resolve),)

    async def _resolve(self, created: CreatedTask, context: ClaimContext) -> CallToolResult:
        session = context.session
        try:
            return await follow(session, created, self._ask)
        except anyio.get_cancelled_exc_class():
            # Stop, or its time is up: the server should not go on for nobody.
            with anyio.move_on_after(CANCEL_S, shield=True):
                await send(session, "tasks/cancel", TaskParams(taskId=created.task_id))
            raise


async def follow(session: ClientSession, created: CreatedTask, ask: Ask) -> CallToolResult:
    """Look after a task until it ends. Raises MCPError, ToolFailure."""
    call = CURRENT.get()
    poll_ms, told, answered = created.poll_interval_ms, "", set[str]()
    while True:
        found = await session.send_request(
            TaskRequest(method="tasks/get", params=TaskParams(taskId=created.task_id)),
            FollowedTask,
        )
        words = " ".join((found.status_message or "").split())[:MAX_WORDS]
        if call is not None:
            await call.alive(words if words != told else "")
        told = words
        match found.status:
            case "completed":
                return CallToolResult.model_validate(found.result or {}, by_name=False)
            case "failed":
                error = found.error or ErrorData(code=0, message=words or "The task failed.")
                raise MCPError(error.code, error.message, error.data)
            case "cancelled":
                raise ToolFailure(f"The server ended the task. {words}".rstrip())
            case "input_required":
                # The same question can still stand there after it was answered.
                asked = {k: v for k, v in found.input_requests.items() if k not in answered}
                if asked:
                    await answer(session, created.task_id, asked, ask)
                    answered |= asked.keys()
            case "working":
                pass
        poll_ms = found.poll_interval_ms or poll_ms
        pause_s = POLL_S if poll_ms is None else poll_ms / 1000
        await anyio.sleep(min(max(pause_s, SHORTEST_POLL_S), LONGEST_POLL_S))


async def answer(
    session: ClientSession, task_id: str, asked: Mapping[str, ElicitRequest], ask: Ask
) -> None:
    """Answer what a task waits for, one question after the other. Raises MCPError."""
    responses: dict[str, dict[str, Any]] = {}
    for key, request in asked.items():
        reply = await ask(request.params)
        if isinstance(reply, ErrorData):
            raise MCPError(reply.code, reply.message)
        responses[key] = reply.model_dump(by_alias=True, mode="json", exclude_none=True)
    await send(session, "tasks/update", TaskParams(taskId=task_id, inputResponses=responses))


async def send(
    session: ClientSession, method: Literal["tasks/update", "tasks/cancel"], params: TaskParams
) -> None:
    """Tell a server something of a task."""
    await session.send_request(TaskRequest(method=method, params=params), Acknowledged)
