"""Signing in through another service: there and back."""

import hmac

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from recto.gateway.forms import message_page
from recto.gateway.openid import AWAITED_MS, CALLBACK, OpenIdRefused
from recto.gateway.people_gate import read_cookie
from recto.gateway.route_access import open_to_anyone
from recto.gateway.routes.session import set_cookies
from recto.gateway.services import GatewayDependency, GatewayServices

router = APIRouter(tags=["session"])

START = "/sign-in/provider"
NOT_SIGNED_IN = "You are not signed in"


@router.get(START, include_in_schema=False)
@open_to_anyone
async def visit_provider(services: GatewayDependency) -> Response:
    """Send a browser to the service; it remembers that it was sent."""
    if services.openid is None:
        return message_page(NOT_SIGNED_IN, "No other service signs people in here.", 404)
    try:
        visit = await services.openid.begin()
    except OpenIdRefused as refused:
        return message_page(NOT_SIGNED_IN, str(refused), 503)
    response = RedirectResponse(visit.url, status_code=303)
    # Lax, not strict: the browser comes back by a link from the service.
    response.set_cookie(
        sent_cookie(services),
        visit.state,
        max_age=AWAITED_MS // 1000,
        httponly=True,
        samesite="lax",
        secure=services.address.is_encrypted,
        path=START,
    )
    return response


@router.get(CALLBACK, include_in_schema=False)
@open_to_anyone
async def come_back(request: Request, services: GatewayDependency) -> Response:
    """A browser comes back from the service: the very one that was sent there."""
    if services.openid is None:
        return message_page(NOT_SIGNED_IN, "No other service signs people in here.", 404)
    state, code = (request.query_params.get(name, "") for name in ("state", "code"))
    sent = read_cookie(request.headers, sent_cookie(services)) or ""
    if not state or not hmac.compare_digest(state.encode(), sent.encode()):
        words = "This browser was not sent to sign in. Begin again."
        return message_page(NOT_SIGNED_IN, words, 403)
    if not code:
        return message_page(NOT_SIGNED_IN, "The service did not sign you in.", 403)
    try:
        account = await services.openid.finish(state=state, code=code)
    except OpenIdRefused as refused:
        return message_page(NOT_SIGNED_IN, str(refused), 403)
    tokens = await services.sign_ins.begin(account)
    # A page, not a redirect: a browser that comes from elsewhere would not send the cookies along.
    response = message_page("Signed in", "", content='<p><a href="/">Go on</a></p>')
    response.headers["refresh"] = "0; url=/"
    response.delete_cookie(sent_cookie(services), path=START)
    set_cookies(response, tokens, services)
    return response


def sent_cookie(services: GatewayServices) -> str:
    """The name of the cookie that says that a browser was sent to sign in."""
    return f"{services.address.cookie}_sent"
