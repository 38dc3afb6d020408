"""The door for searches: Recto's own, in plain JSON, paid from the same ledger as models."""

import json

from pydantic import ValidationError

from recto.access import BudgetRefusal, Purpose, TokenBounds, flat_price
from recto.config import ConfigFailure, words_for
from recto.gateway.caller import Caller, Refused
from recto.gateway.doors.client_stream import ClientStream
from recto.gateway.doors.http import AsgiSend, BodyTooLarge, ClientRequest, send_answer
from recto.gateway.doors.observation import CallObserver
from recto.gateway.doors.services import DoorServices
from recto.gateway.search.actions import SEARCH, AnySearch, PricedSearch
from recto.messages import Usage
from recto.research import SearchFailed
from recto.storage import finish_shielded

PATH = "/api/v1/search"
FEATURE = "search"
MOST_BODY_BYTES = 64 * 1024
PROBLEM = {"content-type": "application/problem+json", "cache-control": "no-store"}
NO_TOKENS = TokenBounds(0, 0, 0)
NOTHING = flat_price(0, source="not answered")


async def serve_search(
    services: DoorServices, request: ClientRequest, send: AsgiSend, observer: CallObserver
) -> None:
    """Answer one search, or say in words why not."""
    try:
        if request.method != "POST":
            raise SearchFailed(f"{PATH} takes only POST.", 405)
        caller = await services.callers.authenticate(request.credential, "search")
        if isinstance(caller, Refused):
            observer.refused(caller)
            raise refusal(caller)
        request.is_known()
        asked = read_search(await read_body(request))
        observer.record.action = asked.action
        stream = ClientStream(request, send)
        found = await stream.run(search(services, caller, asked, observer))
    except SearchFailed as failed:
        await send_problem(send, failed)
    else:
        await send_answer(send, 200, json.dumps(found).encode())


async def search(
    services: DoorServices, caller: Caller, asked: AnySearch, observer: CallObserver
) -> object:
    """Search within the caller's limits. Raises SearchFailed."""
    observer.waits(is_waiting=True)
    async with services.callers.enter(caller, tokens=0) as refused:
        observer.waits(is_waiting=False)
        if refused is not None:
            observer.refused(refused)
            raise refusal(refused)
        try:
            prepared = services.search.prepare(asked)
        except ConfigFailure as failure:
            raise SearchFailed(
                "The gateway's keys can't be read. Its log says more.", 503
            ) from failure
        return await paid(services, caller, asked.action, prepared, observer)


async def paid(
    services: DoorServices,
    caller: Caller,
    action: str,
    prepared: PricedSearch,
    observer: CallObserver,
) -> object:
    """Set the price aside, search, and book it; what failed costs nothing."""
    # Without a scope no limit would be looked at.
    if not caller.scopes:
        raise ValueError("A search must count in some scope.")
    purpose = Purpose(
        FEATURE,
        prepared.service,
        action,
        scopes=caller.scopes,
        account_id=caller.account_id,
        key_id=caller.key_id,
    )
    hold = await services.budget.reserve(purpose, NO_TOKENS, prepared.price)
    if isinstance(hold, BudgetRefusal):
        observer.record.refusal = "budget"
        raise SearchFailed(hold.failure.message, 402)
    outcome = "cancelled"
    try:
        found = await prepared.run()
        outcome = "finished"
    except Exception:
        outcome = "failed"
        raise
    finally:
        # Whoever leaves has had the search made all the same.
        booked = hold._replace(price=NOTHING) if outcome == "failed" else hold
        settling = services.budget.settle(booked, Usage(), outcome=outcome, body={})
        row = await finish_shielded(settling)
        for listener in services.listeners:
            listener.booked(row)
    return found


async def read_body(request: ClientRequest) -> bytes:
    """A small body. Raises SearchFailed, ClientGone."""
    try:
        body = await request.read_body()
    except BodyTooLarge:
        body = b" " * (MOST_BODY_BYTES + 1)
    if len(body) > MOST_BODY_BYTES:
        raise SearchFailed("The request is larger than 64 KB.", 413)
    return body


def read_search(body: bytes) -> AnySearch:
    """What is asked for. Raises SearchFailed with words."""
    try:
        return SEARCH.validate_json(body)
    except ValidationError as error:
        found = [
            f"{'.'.join(str(part) for part in detail['loc'][1:])} {words_for(detail)}".strip()
            for detail in error.errors()
        ]
        raise SearchFailed(f"{'; '.join(found)}.", 422) from error


def refusal(refused: Refused) -> SearchFailed:
    """Why a call may not begin."""
    wait = refused.retry_after_s
    seconds = None if wait is None else max(1, round(wait))
    return SearchFailed(refused.failure.message, refused.status, retry_after_s=seconds)


async def send_problem(send: AsgiSend, failed: SearchFailed) -> None:
    """Say why there is no result."""
    wait = failed.retry_after_s
    headers = {} if wait is None else {"retry-after": str(wait)}
    body = {
        "type": "about:blank",
        "title": "No search",
        "status": failed.status,
        "detail": failed.message,
    }
    await send_answer(send, failed.status, json.dumps(body).encode(), {**PROBLEM, **headers})
