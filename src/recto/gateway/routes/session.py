"""Signing in and out, and accepting an invitation: by JSON, or by a plain form without scripts."""

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from recto.gateway.forms import invitation_form, message_page, sign_in_form
from recto.gateway.people import InvitationOver, PasswordRefused
from recto.gateway.people_gate import read_cookie
from recto.gateway.problems import ApiProblem, ApiRefused
from recto.gateway.route_access import for_members, open_to_anyone
from recto.gateway.schemas import InvitationBody, PersonView, RefreshBody, SignInBody, TokensView
from recto.gateway.services import GatewayDependency, GatewayServices, OwnAccount, Visitor
from recto.gateway.sign_ins import SessionTokens, SignInRefused

router = APIRouter(tags=["session"])

SESSION_PATH = "/api/v1/session"
WRONG = ApiProblem(401, "Not signed in", "The name or the password is wrong.")
TOO_OFTEN = ApiProblem(429, "Too many attempts", "Wait a minute, then try again.")
NOT_RENEWED = ApiProblem(401, "Not signed in", "This sign-in is over.", remedy="Sign in again.")


@router.post("/api/v1/invitations/accept", response_model=TokensView)
@open_to_anyone
async def accept(body: InvitationBody, services: GatewayDependency) -> Response:
    """Choose the password that an invitation is for, and be signed in."""
    account = await services.people.accept(body.code, body.password)
    return signed_in(await services.sign_ins.begin(account), services, as_cookie=body.as_cookie)


@router.post(SESSION_PATH, response_model=TokensView)
@open_to_anyone
async def sign_in(body: SignInBody, services: GatewayDependency) -> Response:
    """Trade a password for tokens."""
    found = await services.sign_ins.sign_in(body.name, body.password)
    if isinstance(found, SignInRefused):
        raise ApiRefused(TOO_OFTEN if found.is_too_often else WRONG)
    return signed_in(found, services, as_cookie=body.as_cookie)


@router.post(f"{SESSION_PATH}/refresh", response_model=TokensView)
@open_to_anyone
async def refresh(request: Request, body: RefreshBody, services: GatewayDependency) -> Response:
    """Trade a refresh token for the next tokens; it holds once."""
    cookie = read_cookie(request.headers, refresh_cookie(services))
    token = body.refresh_token or cookie
    found = None if token is None else await services.sign_ins.refresh(token)
    if found is None:
        raise ApiRefused(NOT_RENEWED)
    return signed_in(found, services, as_cookie=body.refresh_token is None)


@router.get(SESSION_PATH, response_model=PersonView)
@for_members
async def who_am_i(account: OwnAccount, services: GatewayDependency) -> PersonView:
    """Who is signed in, with their limits."""
    spending = await services.usage.of_accounts((account,))
    return PersonView.of(account, spending[account.id])


@router.delete(SESSION_PATH, status_code=204)
@for_members
async def sign_out(request: Request, services: GatewayDependency) -> Response:
    """Sign out: none of the tokens of this sign-in holds any more."""
    visitor: Visitor = request.state.visitor
    if visitor.sign_in_id is not None:
        await services.sign_ins.end(visitor.sign_in_id)
    response = Response(status_code=204)
    response.delete_cookie(services.address.cookie, path="/")
    response.delete_cookie(refresh_cookie(services), path=SESSION_PATH)
    return response


@router.get("/invitation/{code}", include_in_schema=False)
@open_to_anyone
async def show_invitation(code: str, services: GatewayDependency) -> HTMLResponse:
    """The form in which somebody chooses their password."""
    try:
        account = await services.people.invited(code)
    except InvitationOver as over:
        return message_page("This invitation is over", str(over), 410)
    return invitation_form(account.name)


@router.post("/invitation/{code}", include_in_schema=False)
@open_to_anyone
async def accept_by_form(code: str, request: Request, services: GatewayDependency) -> Response:
    """Choose the password, and be signed in here."""
    password = (await form_fields(request)).get("password", "")
    try:
        account = await services.people.accept(code, password)
    except InvitationOver as over:
        return message_page("This invitation is over", str(over), 410)
    except PasswordRefused as refused:
        return invitation_form((await services.people.invited(code)).name, problem=str(refused))
    return welcome(await services.sign_ins.begin(account), services)


@router.get("/sign-in", include_in_schema=False)
@open_to_anyone
async def show_sign_in(services: GatewayDependency) -> HTMLResponse:
    """The form in which somebody signs in."""
    return sign_in_form(has_provider=services.openid is not None)


@router.post("/sign-in", include_in_schema=False)
@open_to_anyone
async def sign_in_by_form(request: Request, services: GatewayDependency) -> Response:
    """Sign in here."""
    fields = await form_fields(request)
    found = await services.sign_ins.sign_in(fields.get("name", ""), fields.get("password", ""))
    if isinstance(found, SignInRefused):
        problem = TOO_OFTEN if found.is_too_often else WRONG
        return sign_in_form(has_provider=services.openid is not None, problem=problem)
    return welcome(found, services)


async def form_fields(request: Request) -> dict[str, str]:
    """What stands in a form, each field once."""
    sent = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=10)
    return {name: values[0] for name, values in sent.items()}


def signed_in(tokens: SessionTokens, services: GatewayServices, *, as_cookie: bool) -> Response:
    """The tokens, in the answer or as cookies."""
    body = TokensView.of(tokens, as_cookie=as_cookie).model_dump(by_alias=True)
    response = JSONResponse(body)
    if as_cookie:
        set_cookies(response, tokens, services)
    return response


def welcome(tokens: SessionTokens, services: GatewayServices) -> Response:
    """Go to the pages, signed in."""
    response = RedirectResponse("/", status_code=303)
    set_cookies(response, tokens, services)
    return response


def set_cookies(response: Response, tokens: SessionTokens, services: GatewayServices) -> None:
    """Have the browser keep the tokens where no script reads them."""
    now_ms = services.clock.now_ms()
    kept = (
        (services.address.cookie, tokens.access, tokens.access_ends_ms, "/"),
        (refresh_cookie(services), tokens.refresh, tokens.refresh_ends_ms, SESSION_PATH),
    )
    for name, value, ends_ms, path in kept:
        response.set_cookie(
            name,
            value,
            max_age=max(0, (ends_ms - now_ms) // 1000),
            httponly=True,
            samesite="strict",
            secure=services.address.is_encrypted,
            path=path,
        )


def refresh_cookie(services: GatewayServices) -> str:
    """The name of the cookie that only the session's own routes get."""
    return f"{services.address.cookie}_refresh"
