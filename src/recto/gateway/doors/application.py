"""The doors as one ASGI application, without a framework: each costs its own work and no more."""

import json
import logging

from recto.gateway.caller import Caller, Door, Refused
from recto.gateway.doors.answer_copy import ClientCopy
from recto.gateway.doors.attempts import Attempts, attempt, compact
from recto.gateway.doors.call import BYTES_A_TOKEN, GatewayCall, read_wanted
from recto.gateway.doors.client_stream import ClientStream
from recto.gateway.doors.embeddings import embed
from recto.gateway.doors.failures import (
    NO_STORE,
    STORE_AWAY,
    send_failure,
)
from recto.gateway.doors.head_start import HeadStart, HeadStarts
from recto.gateway.doors.health import DeploymentHealth
from recto.gateway.doors.http import (
    Application,
    AsgiSend,
    BodyTooLarge,
    ClientGone,
    ClientRequest,
    EarlyRequest,
    Receive,
    Scope,
    send_answer,
)
from recto.gateway.doors.model_lists import models_for, write_model, write_model_list
from recto.gateway.doors.observation import CallObserver
from recto.gateway.doors.refusals import (
    ToldAnswer,
    find_model,
    no_such_model,
    refuse,
    refuse_method,
    refuse_socket,
)
from recto.gateway.doors.routes import Route, find_route, spoken
from recto.gateway.doors.search import PATH as SEARCH_PATH
from recto.gateway.doors.search import send_problem, serve_search
from recto.gateway.doors.services import DoorServices
from recto.gateway.doors.token_counts import count_prompt
from recto.gateway.kept_calls import AnsweredCall
from recto.gateway.upstreams import Upstreams
from recto.messages import Failure
from recto.research import SearchFailed
from recto.storage import StorageFailure, finish_shielded

log = logging.getLogger(__name__)
NOT_STORED = "Responses are not stored here: send the whole conversation in `input`."
TOO_LATE = Failure(
    "overloaded", "The gateway was too busy to go on with this call. Try again.", retry_after_s=1
)
NO_INTERACTIONS = "The Interactions API is not served here: use generateContent."


class GatewayDoors:
    """Serves the doors; every other address is somebody else's."""

    def __init__(self, services: DoorServices, rest: Application | None = None) -> None:
        self._services = services
        self._rest = rest
        self._starts = HeadStarts(services)
        self._attempts = Attempts(services)

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

    @property
    def starts(self) -> HeadStarts:
        """The calls that were begun ahead of their tasks."""
        return self._starts

    def begin(self, ahead: EarlyRequest) -> bool:
        """Begin a call in the moment it comes; no: it takes the ordinary way alone."""
        return self._starts.begin(ahead)

    async def _serve(self, request: ClientRequest, route: Route, send: AsgiSend) -> None:
        ahead = None if request.line is None else request.line.ahead
        began = None if ahead is None else ahead.began
        observer = self._observer(request, route.protocol, route.action, began)
        send = observer.watched(send)
        told = ToldAnswer(send, ahead)
        try:
            work = None if ahead is None else ahead.work
            if ahead is None or not isinstance(work, HeadStart):
                await self._admit(request, route, told.send, observer)
            elif self._starts.take_up(work):
                await self._go_on(request, ahead, work, told.send, observer)
            elif not told.is_begun:
                await send_failure(send, route.protocol, TOO_LATE, 503)
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
            if ahead is not None and ahead.status:
                observer.told_ahead(ahead.status, ahead.first_byte)
            observer.ended()

    def _observer(
        self, request: ClientRequest, door: Door, action: str, began: float | None = None
    ) -> CallObserver:
        services = self._services
        parent = request.headers.get("traceparent")
        return CallObserver(
            services.listeners,
            services.clock,
            door=door,
            action=action,
            parent=parent,
            began=began,
        )

    async def _go_on(
        self,
        request: ClientRequest,
        ahead: EarlyRequest,
        start: HeadStart,
        send: AsgiSend,
        observer: CallObserver,
    ) -> None:
        """Go on with a call that was begun ahead: it was let in, and a deployment was asked."""
        services, observer.record.model = self._services, start.model.id
        stream = ClientStream(request, send, every_s=services.keep_alive_s, line=request.line)
        call = GatewayCall(
            request,
            start.route,
            start.caller,
            ahead.body,
            start.wanted,
            start.model,
            stream,
            services.ids.new,
            start.created,
            observer,
            start.start,
        )
        await stream.run(self._attempts.run(call, send, attempt, start.ways))

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
        model = find_model(self._services.models, caller, wanted.model)
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
                    await self._attempts.run(call, send, compact)
                case "embed":
                    await self._attempts.run(call, send, embed)
                case _:
                    await self._attempts.run(call, send, attempt)


def door_of(route: Route) -> Door:
    """The door that a caller must be allowed to enter by."""
    return route.protocol
