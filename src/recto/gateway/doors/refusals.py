"""What a client is told whose call does not begin."""

from dataclasses import replace
from typing import Any

from recto.access import DeployedModel
from recto.gateway.caller import Caller, Refused
from recto.gateway.doors.failures import send_failure
from recto.gateway.doors.http import (
    JSON,
    AsgiSend,
    ClientRequest,
    EarlyRequest,
    Scope,
    send_answer,
)
from recto.gateway.doors.models import GatewayModels
from recto.gateway.doors.routes import Route
from recto.messages import Failure

UPGRADE = b'{"error":{"message":"There is no WebSocket here: send a POST request."}}'


class ToldAnswer:
    """Knows whether an answer has begun."""

    def __init__(self, send: AsgiSend, ahead: EarlyRequest | None = None) -> None:
        self._send = send
        self._ahead = ahead
        self._is_sent = False

    @property
    def is_begun(self) -> bool:
        """Whether anything was sent, also ahead of everything."""
        return self._is_sent or (self._ahead is not None and self._ahead.status > 0)

    async def send(self, message: Any) -> None:
        """Send it."""
        self._is_sent = True
        await self._send(message)


async def refuse(send: AsgiSend, route: Route, refused: Refused) -> None:
    """Tell a client that its call may not begin."""
    failure = replace(refused.failure, retry_after_s=refused.retry_after_s)
    await send_failure(send, route.protocol, failure, refused.status)


async def refuse_method(request: ClientRequest, route: Route, send: AsgiSend) -> None:
    """Tell a client that an address takes another method; of a WebSocket, that there is none."""
    if request.path == "/v1/responses" and "upgrade" in request.headers:
        await send_answer(send, 426, UPGRADE, {**JSON, "upgrade": "HTTP/1.1"})
        return
    words = f"{request.path} takes only {route.method}."
    await send_failure(send, route.protocol, Failure("invalid_request", words), 405)


async def refuse_socket(scope: Scope, send: AsgiSend) -> None:
    """Answer the wish for a WebSocket at once: clients then send requests."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close"})
        return
    headers = [(b"content-type", b"application/json"), (b"upgrade", b"HTTP/1.1")]
    await send({"type": "websocket.http.response.start", "status": 426, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": UPGRADE})


def find_model(models: GatewayModels, caller: Caller, name: str) -> DeployedModel | Refused:
    """The model that is served for the name that is asked for."""
    if caller.models is not None and name not in caller.models:
        words = f"This key may not ask for the model {name}."
        return Refused(Failure("auth", words, status=403), 403)
    found = models.find(caller.model_map.get(name, name))
    return found or Refused(no_such_model(name), 404)


def no_such_model(name: str) -> Failure:
    """The failure to find a model."""
    return Failure("not_found", f"There is no model {name} here. GET /v1/models lists them.")
