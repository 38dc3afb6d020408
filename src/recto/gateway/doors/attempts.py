"""Asking the deployments of a model in turn, until one answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from recto.access import BOOKS_CLOSED, DeployedModel, Deployment
from recto.gateway.doors.call import BYTES_A_TOKEN, GatewayCall
from recto.gateway.doors.failures import FailedAttempt, for_client, send_failure
from recto.gateway.doors.health import SHORTEST_REST_S, moves_on
from recto.gateway.doors.http import JSON, AsgiSend, send_answer
from recto.gateway.doors.rate_headers import full_for_s
from recto.gateway.doors.relayed import can_relay, relay_call
from recto.gateway.doors.services import DoorServices
from recto.gateway.doors.translated import translate_call
from recto.messages import Failure, Finished, Message

Attempt = Callable[[DoorServices, GatewayCall, Deployment], Awaitable[FailedAttempt | None]]
"""Asks one deployment; None: the client has its answer."""
EMPTY = Message("assistant", ())


class Attempts:
    """Asks deployments."""

    def __init__(self, services: DoorServices) -> None:
        self._services = services

    async def run(
        self,
        call: GatewayCall,
        send: AsgiSend,
        attempt: Attempt,
        ways: Sequence[Deployment] | None = None,
    ) -> None:
        """Ask the deployments of a model in turn, until one answers or the request is at fault.

        With a start the first of `ways` has been asked.
        """
        health, failed = self._services.health, None
        for way in health.in_turn(call.model.deployments) if ways is None else ways:
            if ways is None or way is not ways[0]:
                full = await self._full(call, way)
                if full is not None or not await self._services.shared.may_try(way.id):
                    failed = failed or full
                    continue
            health.began(way.id)
            asked = call.observer.began(way)
            call.on_shown = partial(health.succeeded, way.id)
            call.on_headers = partial(self._heard, way.id)
            try:
                failed = await attempt(self._services, call, way)
            except BaseException:
                health.left(way.id)
                raise
            failure = call.broken if failed is None else failed.failure
            if failure is not None:
                health.failed(way.id, failure)
            call.observer.attempted(asked, failure, health.wait_s((way,)))
            if failed is None:
                return
            if not moves_on(failed.failure):
                break
        await fail(call, send, self._with_wait(call.model, failed or self._resting(call.model)))

    async def _full(self, call: GatewayCall, way: Deployment) -> FailedAttempt | None:
        """Whether a deployment's provider would refuse one more call in this minute."""
        if way.rate is None:
            return None
        tokens = len(call.body) // BYTES_A_TOKEN
        refusal = await self._services.rates.refusal([way.rate], tokens=tokens)
        if refusal is None:
            return None
        wait_s = refusal.retry_after_s
        if wait_s is not None and refusal.what == "requests":
            self._services.health.is_full(way.id, wait_s)
        words = f"{call.model.name} takes no more {refusal.what} in this minute."
        failure = Failure("rate_limit", words, may_retry=wait_s is not None, retry_after_s=wait_s)
        return FailedAttempt(failure)

    def _heard(self, deployment: str, headers: Mapping[str, str]) -> None:
        """A provider says in every answer how much it still takes."""
        wait_s = full_for_s(headers, self._services.clock.now_ms())
        if wait_s is not None:
            self._services.health.is_full(deployment, wait_s)

    def _with_wait(self, model: DeployedModel, failed: FailedAttempt) -> FailedAttempt:
        """A failure that passes, with when to come back: providers often leave that out."""
        failure = failed.failure
        if failure.kind not in ("overloaded", "rate_limit") or failure.retry_after_s is not None:
            return failed
        wait_s = max(SHORTEST_REST_S, self._services.health.wait_s(model.deployments))
        return replace(failed, failure=replace(failure, retry_after_s=wait_s))

    def _resting(self, model: DeployedModel) -> FailedAttempt:
        """Every deployment of a model has just failed."""
        wait_s = self._services.health.wait_s(model.deployments)
        words = f"{model.name} can't be reached just now."
        return FailedAttempt(Failure("overloaded", words, retry_after_s=wait_s))


async def compact(
    services: DoorServices, call: GatewayCall, way: Deployment
) -> FailedAttempt | None:
    """Ask a deployment for a summary, which only the client's own protocol has."""
    if can_relay(call, way):
        return await relay_call(services, call, way)
    words = "This model's provider compacts no conversations: use the client's own summary."
    return FailedAttempt(Failure("invalid_request", words))


async def attempt(
    services: DoorServices, call: GatewayCall, way: Deployment
) -> FailedAttempt | None:
    """Ask one deployment; None: the client has its answer."""
    if can_relay(call, way):
        return await relay_call(services, call, way)
    return await translate_call(services, call, way)


async def fail(call: GatewayCall, send: AsgiSend, failed: FailedAttempt) -> None:
    """Tell a client that there is no answer: with a status, or in a stream that has begun."""
    failure = for_client(failed.failure)
    if call.stream.is_begun:
        assert call.writer is not None
        end = Finished("error", EMPTY, None, failure)
        await call.stream.write(call.writer.write(end))
        await call.stream.end()
    elif failed.body is not None and failed.status >= 400 and failure is failed.failure:
        await send_answer(send, failed.status, failed.body, {**JSON, **failed.headers})
    else:
        is_ours = failure.code == BOOKS_CLOSED.code
        await send_failure(send, call.protocol, failure, 503 if is_ours else None)
