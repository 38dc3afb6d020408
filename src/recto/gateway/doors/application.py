"""The doors as one ASGI application, without a framework: each costs its own work and no more."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from recto.access import BOOKS_CLOSED, DeployedModel, Deployment
from recto.gateway.caller import Caller, Door, Refused
from recto.gateway.doors.answer_copy import ClientCopy
from recto.gateway.doors.call import GatewayCall, Wanted, read_wanted
from recto.gateway.doors.client_stream import ClientStream
from recto.gateway.doors.embeddings import embed
from recto.gateway.doors.failures import (
    NO_STORE,
    STORE_AWAY,
    FailedAttempt,
    for_client,
    send_failure,
)
from recto.gateway.doors.health import DeploymentHealth, moves_on
from recto.gateway.doors.http import (
    JSON,
    Application,
    AsgiSend,
    BodyTooLarge,
    ClientGone,
    ClientRequest,
    Receive,
    Scope,
    send_answer,
)
from recto.gateway.doors.model_lists import models_for, write_model, write_model_list
from recto.gateway.doors.observation import CallObserver
from recto.gateway.doors.rate_headers import full_for_s
from recto.gateway.doors.refusals import (
    ToldAnswer,
    no_such_model,
    refuse,
    refuse_method,
    refuse_socket,
)
from recto.gateway.doors.relayed import can_relay, relay_call
from recto.gateway.doors.routes import Route, find_route, spoken
from recto.gateway.doors.search import PATH as SEARCH_PATH
from recto.gateway.doors.search import send_problem, serve_search
from recto.gateway.doors.services import DoorServices
from recto.gateway.doors.token_counts import count_prompt
from recto.gateway.doors.translated import translate_call
from recto.gateway.kept_calls import AnsweredCall
from recto.gateway.upstreams import Upstreams
from recto.messages import Failure, Finished, Message
from recto.research import SearchFailed
from recto.storage import StorageFailure, finish_shielded

log = logging.getLogger(__name__)
NOT_STORED = "Responses are not stored here: send the whole conversation in `input`."
NO_INTERACTIONS = "The Interactions API is not served here: use generateContent."
BYTES_A_TOKEN = 4
EMPTY = Message("assistant", ())


class GatewayDoors:
    """Serves the doors; every other address is somebody else's."""

    def __init__(self, services: DoorServices, rest: Application | None = None) -> None:
        self._services = services
        self._rest = rest

    @property
    def health(self) -> DeploymentHealth:
        """What real calls have told of the deployments."""
        return self._services.health

    @property
    def upstreams(self) -> Upstreams:
        """The models and their deployments, for the pages."""
        services = self._services
        return Upstreams(services.models, services.health, services.clock.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: AsgiSend) -> None:
        """Answer one request."""
        if scope["type"] == "websocket" and scope["path"] == "/v1/responses":
            await refuse_socket(scope, send)
            return
        if scope["type"] != "http":
            if self._rest is not None:
                await self._rest(scope, receive, send)
            return
        line = self._services.line_of(scope)
        request = ClientRequest.of(scope, receive, line)
        if request.path == SEARCH_PATH:
            await self._search(request, send)
            return
        route = find_route(request.path, request.headers)
        if route is None and self._rest is not None:
            await self._rest(scope, receive, send)
        elif route is None:
            failure = Failure("not_found", f"There is nothing at {request.path}.")
            await send_failure(send, spoken(request.headers), failure, 404)
        else:
            await self._serve(request, route, send)

    async def _serve(self, request: ClientRequest, route: Route, send: AsgiSend) -> None:
        observer = self._observer(request, route.protocol, route.action)
        send = observer.watched(send)
        told = ToldAnswer(send)
        try:
            await self._admit(request, route, told.send, observer)
        except ClientGone:
            log.info("a client left", extra={"door": route.protocol})
        except STORE_AWAY:
            log.warning("a call failed for want of the database", exc_info=True)
            if not told.is_begun:
                await send_failure(send, route.protocol, NO_STORE, 503)
        except Exception:
            log.exception("a call failed at the door of %s", route.protocol)
            if not told.is_begun:
                failure = Failure("upstream", "The gateway failed. It is in its log.")
                await send_failure(send, route.protocol, failure, 500)
        finally:
            observer.ended()

    def _observer(self, request: ClientRequest, door: Door, action: str) -> CallObserver:
        services = self._services
        parent = request.headers.get("traceparent")
        return CallObserver(
            services.listeners, services.clock, door=door, action=action, parent=parent
        )

    async def _search(self, request: ClientRequest, send: AsgiSend) -> None:
        observer = self._observer(request, "search", "search")
        send = observer.watched(send)
        try:
            await serve_search(self._services, request, send, observer)
        except ClientGone:
            log.info("a client left", extra={"door": "search"})
        except STORE_AWAY:
            log.warning("a search failed for want of the database", exc_info=True)
            await send_problem(send, SearchFailed(NO_STORE.message, 503, retry_after_s=5))
        except Exception:
            log.exception("a search failed")
            await send_problem(send, SearchFailed("The gateway failed. It is in its log.", 500))
        finally:
            observer.ended()

    async def _admit(
        self, request: ClientRequest, route: Route, send: AsgiSend, observer: CallObserver
    ) -> None:
        """Find out who calls and what they ask for."""
        if request.method != route.method and route.action != "stored":
            await refuse_method(request, route, send)
            return
        caller = await self._services.callers.authenticate(request.credential, door_of(route))
        if isinstance(caller, Refused):
            observer.refused(caller)
            await refuse(send, route, caller)
            return
        request.is_known()
        if route.action == "models":
            await self._list_models(route, caller, send)
        elif route.action in ("stored", "interact"):
            words = NOT_STORED if route.action == "stored" else NO_INTERACTIONS
            await send_failure(send, route.protocol, Failure("not_found", words), 404)
        else:
            await self._read(request, route, caller, send, observer)

    async def _list_models(self, route: Route, caller: Caller, send: AsgiSend) -> None:
        models = models_for(caller, self._services.models.models)
        if route.model is None:
            found = write_model_list(route.protocol, models)
        else:
            by_name = dict(models)
            model = by_name.get(route.model)
            if model is None:
                await send_failure(send, route.protocol, no_such_model(route.model), 404)
                return
            found = write_model(route.protocol, route.model, model)
        await send_answer(send, 200, json.dumps(found).encode())

    async def _read(
        self,
        request: ClientRequest,
        route: Route,
        caller: Caller,
        send: AsgiSend,
        observer: CallObserver,
    ) -> None:
        try:
            body = await request.read_body()
            wanted = read_wanted(body, route)
        except BodyTooLarge:
            failure = Failure("invalid_request", "The request is larger than 32 MB.")
            await send_failure(send, route.protocol, failure, 413)
            return
        except ValueError as error:
            failure = Failure("invalid_request", str(error))
            await send_failure(send, route.protocol, failure, 400)
            return
        model = self._model(caller, wanted)
        if isinstance(model, Refused):
            observer.refused(model)
            await refuse(send, route, model)
            return
        observer.record.model = model.id
        copy = ClientCopy(send, request.line) if caller.keeps_calls else None
        line = request.line
        if copy is not None:
            send, line = copy.send, copy.line
        stream = ClientStream(request, send, every_s=self._services.keep_alive_s, line=line)
        call = GatewayCall(
            request,
            route,
            caller,
            body,
            wanted,
            model,
            stream,
            self._services.ids.new,
            self._services.clock.now_ms() // 1000,
            observer,
        )
        try:
            await stream.run(self._enter(call, send))
        finally:
            if copy is not None and observer.record.attempts:
                await finish_shielded(self._keep(call, copy))

    async def _keep(self, call: GatewayCall, copy: ClientCopy) -> None:
        """Keep what was asked and answered, for an account that says so."""
        answered = AnsweredCall(
            call.caller,
            call.protocol,
            call.route.path.replace("{model}", call.wanted.model),
            call.wanted.model,
            copy.status,
            call.observer.record.began_ms,
            call.body,
            copy.data,
            copy.is_cut,
        )
        try:
            await self._services.keeping.keep(answered)
        except StorageFailure as failure:
            # Its client has the answer, whole: the connection must not break for this.
            log.error("a call that should be kept is not: %s", failure)

    def _model(self, caller: Caller, wanted: Wanted) -> DeployedModel | Refused:
        """The model that is served for the name that is asked for."""
        name = wanted.model
        if caller.models is not None and name not in caller.models:
            words = f"This key may not ask for the model {name}."
            return Refused(Failure("auth", words, status=403), 403)
        found = self._services.models.find(caller.model_map.get(name, name))
        return found or Refused(no_such_model(name), 404)

    async def _enter(self, call: GatewayCall, send: AsgiSend) -> None:
        """Answer within the caller's limits."""
        tokens = len(call.body) // BYTES_A_TOKEN
        observer = call.observer
        observer.waits(is_waiting=True)
        async with self._services.callers.enter(call.caller, tokens=tokens) as refused:
            observer.waits(is_waiting=False)
            if refused is not None:
                observer.refused(refused)
                await refuse(send, call.route, refused)
                return
            match call.route.action:
                case "count":
                    await count_prompt(self._services, call, send)
                case "compact":
                    await self._try_each(call, send, self._compact)
                case "embed":
                    await self._try_each(call, send, embed)
                case _:
                    await self._try_each(call, send, attempt)

    async def _try_each(
        self,
        call: GatewayCall,
        send: AsgiSend,
        attempt: Callable[[DoorServices, GatewayCall, Deployment], Awaitable[FailedAttempt | None]],
    ) -> None:
        """Ask the deployments of a model in turn, until one answers or the request is at fault."""
        health, failed = self._services.health, None
        for way in health.in_turn(call.model.deployments):
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
        await fail(call, send, failed or self._resting(call.model))

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

    def _resting(self, model: DeployedModel) -> FailedAttempt:
        """Every deployment of a model has just failed."""
        wait_s = self._services.health.wait_s(model.deployments)
        words = f"{model.name} can't be reached just now."
        return FailedAttempt(Failure("overloaded", words, retry_after_s=wait_s))

    async def _compact(
        self, services: DoorServices, call: GatewayCall, way: Deployment
    ) -> FailedAttempt | None:
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


def door_of(route: Route) -> Door:
    """The door that a caller must be allowed to enter by."""
    return route.protocol
