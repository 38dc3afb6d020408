"""Counts a prompt: by its provider where that speaks the protocol, else by our own count."""

import json
from typing import Any

from recto.access import Deployment
from recto.gateway.doors.call import GatewayCall
from recto.gateway.doors.failures import for_client, send_failure
from recto.gateway.doors.http import AsgiSend, send_answer
from recto.gateway.doors.relayed import can_relay, passed_headers, upstream_path
from recto.gateway.doors.routes import Route
from recto.gateway.doors.services import DoorServices
from recto.gateway.doors.splice import splice
from recto.gateway.doors.translated import count_body, read_request
from recto.llm import WireRequest
from recto.messages import Failure, StreamEvent


async def count_prompt(services: DoorServices, call: GatewayCall, send: AsgiSend) -> None:
    """Count a prompt: by its provider where that speaks the protocol, else by our own count."""
    way = call.model.deployments[0]
    if can_relay(call, way) and await _count_elsewhere(services, call, way, send):
        return
    try:
        counted = count_body(call)
        request = read_request(counted.body, counted.route, counted.wanted, way.access.model)
    except ValueError as error:
        failure = Failure("invalid_request", str(error))
        await send_failure(send, call.protocol, failure, 400)
        return
    count = services.counter.request(request, way.access.id)
    await send_answer(send, 200, json.dumps(write_count(call.route, count)).encode())


async def _count_elsewhere(
    services: DoorServices, call: GatewayCall, way: Deployment, send: AsgiSend
) -> bool:
    """Have the provider count; False: it has no address for that."""
    wire = WireRequest(
        upstream_path(call.route, call.request, way.access),
        counted_body(call, way.access.model),
        passed_headers(call.request.headers),
    )
    pieces = services.relay(way.access, wire, see_nothing, is_streamed=False)
    found = [piece async for piece in pieces]
    failure = next((piece.failure for piece in found if piece.failure), None)
    if failure is not None and failure.kind == "not_found":
        return False
    if failure is not None and (for_client(failure) is not failure or not found[0].status):
        await send_failure(send, call.protocol, for_client(failure))
    else:
        await send_answer(send, found[0].status, b"".join(piece.data for piece in found))
    return True


def see_nothing(event: StreamEvent) -> None:
    """A count of tokens costs nothing."""


def counted_body(call: GatewayCall, model: str) -> bytes:
    """The body of a count, with the provider's name of the model."""
    if call.route.model is not None or call.wanted.model == model:
        return call.body
    return splice(call.body, ("model",), model) or call.body


def write_count(route: Route, count: int) -> dict[str, Any]:
    """A count in the client's own shape."""
    match route.protocol:
        case "gemini":
            return {"totalTokens": count}
        case "openai-responses":
            return {"object": "response.input_tokens", "input_tokens": count}
        case _:
            return {"input_tokens": count}
