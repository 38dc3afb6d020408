"""Calls that are sent to their providers in the moment their bytes come, ahead of their tasks.

What a call needs before its provider has it is little, if all goes well: a key that is known, money
in the leases, a connection that is free. That little is done at once, and so is writing the first
words of the answer. All else, and every call that does not go so well, is the task's: it takes up
what was begun, and whatever comes of it is told, retried and booked there.
"""

import logging
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass

import anyio

from recto.access import DeployedModel, Deployment, Purpose
from recto.gateway.caller import Caller, Refused
from recto.gateway.doors.call import BYTES_A_TOKEN, Wanted, read_wanted
from recto.gateway.doors.http import ClientRequest, EarlyRequest, Scope
from recto.gateway.doors.kept_thoughts import calls_to_restore
from recto.gateway.doors.refusals import find_model
from recto.gateway.doors.relayed import (
    RelayStart,
    WayBack,
    changed_body,
    cutter_of,
    is_untouched,
    passed_headers,
    relay_bounds,
    upstream_path,
)
from recto.gateway.doors.routes import Route, find_route
from recto.gateway.doors.services import DoorServices, purpose_of
from recto.gateway.doors.translated import TranslatedStart, is_array, prepared, read_request
from recto.gateway.doors.untranslated import refuse_untranslatable
from recto.llm import RequestsAtOnce, RequestUnderWay, client_writer

log = logging.getLogger(__name__)
MOST_WAYS = 16
"""So many deployments are remembered for each head."""
LOST_S = 10.0
"""Whoever does not go on with a call that was begun within this time never will."""


class HeadOfCall:
    """What the head of a call says, read once for all calls that have the same."""

    def __init__(self, request: ClientRequest, route: Route) -> None:
        self.request = request
        self.route = route
        self.credential = request.credential
        self._ways: dict[str, tuple[Deployment, RequestsAtOnce]] = {}
        self._purpose: tuple[Caller, Deployment, Purpose] | None = None

    def purpose(self, caller: Caller, way: Deployment) -> Purpose:
        """What a call is for; the same as that of the last one, as a rule."""
        known = self._purpose
        if known is None or known[0] is not caller or known[1] is not way:
            known = self._purpose = caller, way, purpose_of(caller, way)
        return known[2]

    def at_once(self, services: DoorServices, way: Deployment) -> RequestsAtOnce | None:
        """A way to pass calls on to a deployment without waiting."""
        known = self._ways.get(way.id)
        if known is not None and known[0] is way:
            return known[1]
        path = upstream_path(self.route, self.request, way.access)
        found = services.at_once(way.access, path, passed_headers(self.request.headers))
        if found is not None:
            if len(self._ways) >= MOST_WAYS:
                self._ways.clear()
            self._ways[way.id] = way, found
        return found


@dataclass(slots=True)
class HeadStart:
    """One call that was begun ahead of its task."""

    route: Route
    caller: Caller
    wanted: Wanted
    model: DeployedModel
    ways: list[Deployment]
    """Those that may be asked; the first one was."""
    start: RelayStart | TranslatedStart
    created: int
    """In seconds since 1970."""
    is_lost: bool = False
    """Nobody went on with it in time: it was ended and booked."""


async def nothing_to_receive() -> dict[str, str]:
    """The head of a request has no body."""
    return {"type": "http.disconnect"}


def read_head(scope: Scope) -> HeadOfCall | None:
    """What a head says; None: its calls are begun by their tasks alone."""
    request = ClientRequest.of(scope, nothing_to_receive)
    route = find_route(request.path, request.headers)
    if route is None or route.action != "answer" or request.method != route.method:
        return None
    return HeadOfCall(request, route)


class HeadStarts:
    """Begins calls ahead of their tasks."""

    def __init__(self, services: DoorServices) -> None:
        self._services = services
        self._waiting: dict[int, HeadStart] = {}
        """Those that nobody has gone on with yet, in the order in which they began."""

    def take_up(self, work: HeadStart) -> bool:
        """Go on with a call that was begun; no: that comes too late, it is ended and booked."""
        self._waiting.pop(id(work), None)
        return not work.is_lost

    async def keep_tidy(self) -> None:
        """End and book what nobody goes on with, for ever."""
        while True:
            await anyio.sleep(LOST_S)
            await self.end_lost(self._services.clock.monotonic() - LOST_S)

    async def end_lost(self, before: float = float("inf")) -> None:
        """End and book what began before a moment and nobody goes on with.

        Its money would stay held for as long as the worker lives, and its provider answer nobody.
        """
        for work in [one for one in self._waiting.values() if one.start.at < before]:
            self.take_up(work)
            work.is_lost = True
            log.error("a call that was begun ahead had no task to go on with it")
            answer = work.start.answer(self._services, is_streamed=work.wanted.is_streamed)
            # What has come is read without a wait, and counts; then the connection is cut.
            with anyio.move_on_after(0):
                async with aclosing(answer):
                    async for _ in answer:
                        pass

    def begin(self, ahead: EarlyRequest) -> bool:
        """Begin a call; no: nothing was done, and its task does all."""
        if ahead.head.known is None:
            ahead.head.known = read_head(dict(ahead.head.scope)) or False
        head: HeadOfCall | bool = ahead.head.known
        if isinstance(head, bool):
            return False
        callers, health = self._services.callers, self._services.health
        caller = callers.recall(head.credential, head.route.protocol)
        if caller is None or caller.keeps_calls:
            return False
        tokens = len(ahead.body) // BYTES_A_TOKEN
        try:
            wanted = read_wanted(ahead.body, head.route)
        except ValueError:
            return False
        model = find_model(self._services.models, caller, wanted.model)
        if isinstance(model, Refused) or not callers.enters_at_once(caller, tokens=tokens):
            return False
        ways = health.in_turn(model.deployments)
        if not ways or ways[0].rate is not None or health.is_trial(ways[0].id):
            return False
        created = self._services.clock.now_ms() // 1000
        if ways[0].access.provider.protocol == head.route.protocol:
            start = self._relay(head, caller, wanted, ahead.body, ways[0])
        else:
            start = self._translate(head, caller, wanted, ahead.body, ways[0], created)
        if start is None:
            return False
        callers.count(caller, tokens=tokens)
        work = HeadStart(head.route, caller, wanted, model, ways, start, created)
        self._waiting[id(work)] = work
        ahead.work, ahead.began = work, start.at
        start.under_way.on_begin(lambda: self._answer(ahead, work))
        return True

    def _relay(
        self, head: HeadOfCall, caller: Caller, wanted: Wanted, body: bytes, way: Deployment
    ) -> RelayStart | None:
        access, route = way.access, head.route
        if not is_untouched(body):
            return None
        lines = head.at_once(self._services, way)
        if lines is None:
            return None
        cutter = cutter_of(route.protocol, wanted, access)
        bounds = relay_bounds(body, wanted, access)
        wish = cutter is not None
        sent = changed_body(body, route, wanted, access, bounds.output, wants_usage=wish)
        if sent is None or not lines.may_ask(len(sent)):
            return None
        begun = self._services.gate.reserve_now(head.purpose(caller, way), access, bounds)
        if begun is None:
            return None
        return RelayStart(way, bounds, begun, lines.ask(sent), WayBack(cutter))

    def _translate(
        self,
        head: HeadOfCall,
        caller: Caller,
        wanted: Wanted,
        body: bytes,
        way: Deployment,
        created: int,
    ) -> TranslatedStart | None:
        access, protocol, services = way.access, head.route.protocol, self._services
        try:
            request = read_request(body, head.route, wanted, access.model)
            refuse_untranslatable(request, access)
        except ValueError:
            return None  # the task tells why
        if calls_to_restore(access, request):
            return None  # what is kept for them lies in the database
        ready = prepared(request, access)
        begun = services.gate.begin(head.purpose(caller, way), access, ready, services.ready)
        if begun is None:
            return None
        writer = None
        if wanted.is_streamed and not is_array(protocol, head.request):
            writer = client_writer(
                protocol,
                body,
                answer_id=services.ids.new(),
                model=wanted.model,
                created=created,
            )
        return TranslatedStart(way, ready, begun, protocol, writer)

    def _answer(self, ahead: EarlyRequest, work: HeadStart) -> None:
        """Write the first words of an answer that plainly begins with some."""
        start, asked = work.start, work.start.under_way
        is_wanted = work.wanted.is_streamed and not work.is_lost
        if is_wanted and is_plain(asked) and ahead.may_write:
            shown = start.first(asked.waiting())
            if shown:
                ahead.first_byte = self._services.clock.monotonic()
                ahead.write_first(asked.status, head_lines(start.headers), shown)
        ahead.go_on()


def is_plain(asked: RequestUnderWay) -> bool:
    """Whether it is answered well, with bytes that need no unpacking."""
    return 200 <= asked.status < 300 and "content-encoding" not in asked.headers


def head_lines(headers: Mapping[str, str]) -> bytes:
    """The lines of an answer's head."""
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    return "".join(lines).encode("latin-1")
