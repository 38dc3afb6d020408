"""Embeddings: passed on to providers that have OpenAI's address for them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import msgspec

from recto.access import Deployment, TokenBounds
from recto.gateway.doors.call import GatewayCall
from recto.gateway.doors.failures import FailedAttempt
from recto.gateway.doors.relayed import (
    most_prompt_tokens,
    passed_back,
    passed_headers,
    upstream_path,
)
from recto.gateway.doors.services import DoorServices, purpose_of
from recto.gateway.doors.splice import splice
from recto.llm import RelayedPiece, WireRequest
from recto.messages import Failure, Finished, Message, StreamEvent, Usage

SPEAKING = frozenset({"openai-chat", "openai-responses"})


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0


class _Answer(msgspec.Struct):
    usage: _Usage | None = None


async def embed(services: DoorServices, call: GatewayCall, way: Deployment) -> FailedAttempt | None:
    """Ask one deployment for embeddings; None: the client has them."""
    access = way.access
    if access.provider.protocol not in SPEAKING:
        words = f"{call.wanted.model} is of a provider without embeddings at this address."
        return FailedAttempt(Failure("invalid_request", words))
    body = call.body
    if call.wanted.model != access.model:
        body = splice(body, ("model",), access.model) or body
    path = upstream_path(call.route, call.request, access)
    wire = WireRequest(path, body, passed_headers(call.request.headers))
    bounds = TokenBounds(most_prompt_tokens(body), 0, len(body) // 4)

    async def send(output: int, see: Callable[[StreamEvent], None]) -> AsyncGenerator[RelayedPiece]:
        pieces: list[RelayedPiece] = []
        async with aclosing(services.relay(access, wire, see_nothing, is_streamed=False)) as told:
            pieces = [piece async for piece in told]
        failure = next((piece.failure for piece in pieces if piece.failure), None)
        whole = b"".join(piece.data for piece in pieces)
        used = None if failure else read_usage(whole)
        see(Finished("error" if failure else "end_turn", EMPTY, used, failure))
        yield RelayedPiece(pieces[0].status, pieces[0].headers, whole, failure)

    relayed = services.gate.relay(purpose_of(call.caller, way), access, bounds, send)
    async with aclosing(relayed) as pieces:
        found = [piece async for piece in pieces]
    (piece,) = found
    if piece.failure is not None:
        return FailedAttempt(
            piece.failure, piece.status, piece.data or None, passed_back(piece.headers)
        )
    call.show()
    await call.stream.begin(piece.status, passed_back(piece.headers))
    await call.stream.write(piece.data)
    await call.stream.end()
    return None


def see_nothing(event: StreamEvent) -> None:
    """No answer of a model is in it."""


def read_usage(body: bytes) -> Usage | None:
    """What was counted; None: nothing was."""
    try:
        found = msgspec.json.decode(body, type=_Answer).usage
    except msgspec.DecodeError:
        return None
    return None if found is None else Usage(input=found.prompt_tokens)


EMPTY = Message("assistant", ())
