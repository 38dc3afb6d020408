"""Being signed in to a gateway: signing in and out, and tokens that are renewed before they end.

A refresh token holds once, and using it twice ends the whole sign-in. So whoever renews holds the
lock of the file, looks whether somebody else has just done it, and is not interrupted.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, cast

from pydantic import ValidationError

from recto.access.access import is_loopback
from recto.access.gateway_account import GatewayAccount, GatewayAccountFile, GatewayOffer
from recto.clock import Clock
from recto.config import Home, Secret
from recto.llm import AddressRefused, Provider, check_address
from recto.messages import Failure
from recto.storage import finish_shielded

SESSION = "/api/v1/session"
MODELS = "/v1/models"
SEARCH = "/api/v1/search"
RENEW_BEFORE_MS = 60_000
"""A token that ends within a minute might end on its way."""

AskServer = Callable[
    [Provider, Secret | None, Literal["GET", "POST", "DELETE"], str, object], Awaitable[Any]
]
"""Asks a server for JSON; a Failure says why there is none."""


class GatewayRefused(Exception):
    """Nobody was signed in; says why and what to do."""


class GatewaySession:
    """The sign-in of this home. Every process that has it renews the same tokens."""

    def __init__(self, home: Home, clock: Clock, ask: AskServer) -> None:
        self._file = GatewayAccountFile(home)
        self._clock = clock
        self._ask = ask

    def account(self) -> GatewayAccount | None:
        """Who is signed in where. Raises ConfigFailure."""
        return self._file.read()

    async def sign_in(self, url: str, name: str, password: Secret) -> GatewayAccount:
        """Trade a password for tokens, and keep them. Raises GatewayRefused."""
        plain = GatewayAccount(url=url, name=name)
        body = {"name": name, "password": password.reveal()}
        found = await self._ask(plain.provider(), None, "POST", SESSION, body)
        if isinstance(found, Failure):
            raise GatewayRefused(found.message)
        return await finish_shielded(self._begin(with_tokens(plain, found)))

    async def use_key(self, url: str, key: Secret) -> GatewayAccount:
        """Use the gateway with a key in place of a sign-in. Raises GatewayRefused."""
        return await self._begin(GatewayAccount(url=url, key=key.reveal()))

    async def sign_out(self) -> GatewayAccount | None:
        """Forget the sign-in, at the gateway too if it answers; whose it was."""
        return await finish_shielded(self._sign_out())

    async def token(self, *, refused: Secret | None = None) -> Secret | Failure:
        """What a call proves itself with; renewed if it is about to end, or was refused."""
        account = self.account()
        if account is None:
            return NOT_SIGNED_IN
        held = self._held(account, refused)
        # Cut off between the gateway's answer and our file, the next token would be lost.
        return held or await finish_shielded(self._renew(refused))

    async def search(self, body: Mapping[str, Any]) -> list[dict[str, Any]] | Failure | None:
        """What the gateway finds; None when nobody is signed in to one. Raises ConfigFailure."""
        account = self.account()
        if account is None:
            return None
        token = await self.token()
        if isinstance(token, Failure):
            return token
        found = await self._ask(account.provider(), token, "POST", SEARCH, body)
        if isinstance(found, Failure):
            return found
        rows = cast("dict[str, Any]", found).get("results") if isinstance(found, dict) else None
        if not isinstance(rows, list):
            return Failure("upstream", "The gateway did not answer as it must.")
        return [row for row in cast("list[Any]", rows) if isinstance(row, dict)]

    def _held(self, account: GatewayAccount, refused: Secret | None) -> Secret | None:
        """The token that there is, if it can still be used."""
        if account.key is not None:
            return Secret(account.key)
        held = Secret(account.access_token)
        is_fresh = account.access_ends_ms - RENEW_BEFORE_MS > self._clock.now_ms()
        return held if is_fresh and held != refused else None

    async def _renew(self, refused: Secret | None) -> Secret | Failure:
        async with self._file.locked():
            account = self.account()
            if account is None:
                return NOT_SIGNED_IN
            # Another process may have renewed it while this one waited for the lock.
            if (held := self._held(account, refused)) is not None:
                return held
            body = {"refreshToken": account.refresh_token}
            found = await self._ask(account.provider(), None, "POST", f"{SESSION}/refresh", body)
            if isinstance(found, Failure):
                return over(account) if found.status == 401 else found
            try:
                renewed = with_tokens(account, found)
            except GatewayRefused as refusal:
                return Failure("upstream", str(refusal), provider=account.provider().id)
            self._file.save(renewed)
            offers = await self._offers(renewed)
            if not isinstance(offers, Failure):
                self._file.save(renewed.model_copy(update={"models": offers}))
            return Secret(renewed.access_token)

    async def _begin(self, account: GatewayAccount) -> GatewayAccount:
        offers = await self._offers(account)
        if isinstance(offers, Failure):
            raise GatewayRefused(offers.message)
        async with self._file.locked():
            whole = account.model_copy(update={"models": offers})
            self._file.save(whole)
        return whole

    async def _sign_out(self) -> GatewayAccount | None:
        async with self._file.locked():
            account = self.account()
            if account is None:
                return None
            self._file.save(None)
        if account.key is None:
            token = Secret(account.access_token)
            ended = await self._ask(account.provider(), token, "DELETE", SESSION, None)
            if isinstance(ended, Failure) and account.refresh_token:
                # The access token may be over: the next one can end the sign-in, too.
                await self._end_by_refresh(account)
        return account

    async def _end_by_refresh(self, account: GatewayAccount) -> None:
        body = {"refreshToken": account.refresh_token}
        found = await self._ask(account.provider(), None, "POST", f"{SESSION}/refresh", body)
        if not isinstance(found, Failure):
            token = Secret(with_tokens(account, found).access_token)
            await self._ask(account.provider(), token, "DELETE", SESSION, None)

    async def _offers(self, account: GatewayAccount) -> list[GatewayOffer] | Failure:
        token = Secret(account.key or account.access_token)
        found = await self._ask(account.provider(), token, "GET", MODELS, None)
        return found if isinstance(found, Failure) else read_offers(found)


def gateway_address(text: str, *, allows_plain_http: bool) -> str:
    """The address of a gateway as somebody types it. Raises GatewayRefused."""
    url = text.rstrip("/")
    url = url.removesuffix("/v1")
    try:
        check_address(url)
    except AddressRefused as refused:
        raise GatewayRefused(str(refused)) from refused
    scheme, _, place = url.partition("://")
    if "/" in place:
        raise GatewayRefused("A gateway has no path. Write only https://host.")
    if scheme == "http" and not is_loopback(url) and not allows_plain_http:
        raise GatewayRefused(
            f"{url} is not encrypted: anyone between could read your password. Write https://, or"
            " accept it with --plain-http."
        )
    return url.lower()


def with_tokens(account: GatewayAccount, found: Any) -> GatewayAccount:
    """An account with the tokens of an answer. Raises GatewayRefused."""
    try:
        given = {
            "access_token": str(found["accessToken"]),
            "access_ends_ms": int(found["accessEndsMs"]),
            "refresh_token": str(found["refreshToken"]),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise GatewayRefused(f"{account.host} does not answer like a Recto gateway.") from error
    return account.model_copy(update=given)


def read_offers(found: Any) -> list[GatewayOffer] | Failure:
    """The gateway's list of models. Other servers' lists say too little to be used."""
    try:
        rows = cast("list[dict[str, Any]]", found["data"])
        offers = [
            GatewayOffer.model_validate({"id": row["id"], **row["recto"]}, extra="ignore")
            for row in rows
        ]
        for offer in offers:
            _ = offer.known_price
    except (KeyError, TypeError, ValueError, ValidationError):
        return Failure("upstream", "Its list of models is not that of a Recto gateway.")
    return offers


def over(account: GatewayAccount) -> Failure:
    """The sign-in was ended: by its time, by an admin, or because its token was used twice."""
    words = (
        f"Your sign-in to the gateway {account.host} is over."
        f" Sign in again: recto login {account.url}"
    )
    return Failure("auth", words, provider=account.provider().id, status=401)


def key_refused(account: GatewayAccount) -> Failure:
    """The key was revoked or has ended."""
    words = (
        f"The gateway {account.host} does not take your key any more."
        f" Get another and use it: recto login --key {account.url}"
    )
    return Failure("auth", words, provider=account.provider().id, status=401)


def decode(body: bytes) -> Any:
    """The JSON of an answer; one without words is None."""
    if not body:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return Failure("upstream", "The gateway's answer is not JSON.")


NOT_SIGNED_IN = Failure("auth", "You are not signed in to a gateway. Sign in: recto login URL")
