"""A person signs in to a server: in the browser, whose way back ends on a port of this computer."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from html import escape
from urllib.parse import parse_qs, urlsplit

import anyio
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.utils import union_scopes
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from recto.mcp.configuration import ServerConfig
from recto.mcp.failures import McpFailure
from recto.mcp.http import http_client, may_be_opened
from recto.mcp.signing_in.oauth import BY_METADATA, SteppingUpProvider
from recto.mcp.signing_in.sign_ins import KeptSignIn, McpSignIns

HOST = "127.0.0.1"
PATH = "/callback"
MAX_REQUEST = 16_384
MAX_WORDS = 300
READ_S = 10.0
PERSON_S = 600.0
DONE = "You are signed in. You can close this window and go back to Recto."
REFUSED = "Nobody was signed in. You can close this window and try again in Recto."
PAGE = "<!doctype html><html lang=en><meta charset=utf-8><title>Recto</title><p>{words}</p></html>"


class FlowStorage:
    """What the SDK's flow keeps while it runs; all of it is taken over at its end."""

    def __init__(self, client: OAuthClientInformationFull | None) -> None:
        self.client = client
        self.tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """None: a person signs in anew."""
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """The tokens that the flow brought."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """What the issuer knows us by, if it does."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """What the issuer knows us by from now on."""
        self.client = client_info


def known_client(
    config: ServerConfig, kept: KeptSignIn | None, back: str
) -> OAuthClientInformationFull | None:
    """What an issuer knows us by: by hand, or from the time before if the way back is the same."""
    if config.client_id is not None:
        return OAuthClientInformationFull(
            client_id=config.client_id,
            client_secret=config.client_secret,
            token_endpoint_auth_method=BY_METADATA if config.client_secret else "none",
            redirect_uris=[AnyUrl(back)],
        )
    if kept is None or back not in map(str, kept.client.get("redirect_uris") or ()):
        return None
    return OAuthClientInformationFull.model_validate(kept.client)


def port_of(kept: KeptSignIn) -> int:
    """The port of the way back that an issuer knows; 0 when there is none."""
    for uri in map(str, kept.client.get("redirect_uris") or ()):
        parts = urlsplit(uri)
        if parts.hostname == HOST and parts.port is not None:
            return parts.port
    return 0


class SignInFlow:
    """One sign-in, from the address that a person opens to the tokens."""

    def __init__(
        self,
        config: ServerConfig,
        sign_ins: McpSignIns,
        now_ms: Callable[[], int],
        scope: str = "",
    ) -> None:
        assert config.url is not None
        self._config = config
        self._url = config.url
        self._sign_ins = sign_ins
        self._now_ms = now_ms
        self._scope = scope
        self._opened = anyio.Event()
        self._came_back = anyio.Event()
        self._answer: AuthorizationCodeResult | None = None
        self._state = ""
        self.address = ""
        self.failure = ""

    async def wait_for_address(self) -> str:
        """The address to open. Raises McpFailure."""
        await self._opened.wait()
        if not self.address:
            raise McpFailure(
                f"{self._config.name} can't be signed in to: {self.failure or 'it did not ask'}.",
                "See its log in the settings.",
            )
        return self.address

    async def run(self) -> bool:
        """Sign in; whether somebody is signed in now."""
        try:
            with anyio.fail_after(PERSON_S):
                async with self._listening() as port:
                    return await self._sign_in(f"http://{HOST}:{port}{PATH}")
        except TimeoutError:
            self.failure = "nobody signed in in time"
        except McpFailure as failure:
            self.failure = failure.message
        except OAuthFlowError as error:
            # A registration or an answer of the issuer that does not hold; its words name no token.
            self.failure = str(error)[:MAX_WORDS]
        finally:
            self._opened.set()
        return False

    async def _sign_in(self, back: str) -> bool:
        kept = self._sign_ins.get(self._url)
        storage = FlowStorage(known_client(self._config, kept, back))
        provider = SteppingUpProvider(
            self._url,
            OAuthClientMetadata(redirect_uris=[AnyUrl(back)], client_name="Recto"),
            storage,
            self._open,
            self._wait,
            client_metadata_url=self._config.client_metadata_url,
        )
        if self._scope:
            # What was granted before stays granted when more is wanted.
            provider.more_scope = union_scopes(kept.scope if kept else None, self._scope)
        async with http_client(self._url, self._config.headers, provider) as client:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            headers = {"accept": "application/json, text/event-stream"}
            async with client.stream("POST", self._url, json=body, headers=headers):
                pass
        context = provider.context
        if storage.tokens is None or storage.client is None:
            self.failure = "it did not ask for a sign-in"
            return False
        metadata = context.oauth_metadata
        kept = KeptSignIn(
            url=self._url,
            issuer=str(metadata.issuer) if metadata else "",
            token_endpoint=str(metadata.token_endpoint)
            if metadata
            else f"{context.get_authorization_base_url(self._url)}/token",
            resource=context.get_resource_url()
            if context.should_include_resource_param(context.protocol_version)
            else "",
            client=storage.client.model_dump(mode="json", exclude_none=True),
            access_token=storage.tokens.access_token,
            refresh_token=storage.tokens.refresh_token or "",
            scope=storage.tokens.scope or "",
            ends_ms=None
            if storage.tokens.expires_in is None
            else self._now_ms() + storage.tokens.expires_in * 1000,
        )
        await self._sign_ins.put(kept)
        return True

    async def _open(self, address: str) -> None:
        if not may_be_opened(address):
            raise McpFailure("Its sign-in is at an address that can't be opened safely.", "")
        self._state = parse_qs(urlsplit(address).query).get("state", [""])[0]
        self.address = address
        self._opened.set()

    async def _wait(self) -> AuthorizationCodeResult:
        await self._came_back.wait()
        if self._answer is None:
            raise McpFailure("The sign-in was refused.", "")
        return self._answer

    @asynccontextmanager
    async def _listening(self) -> AsyncGenerator[int]:
        """A port of this computer that a browser comes back to, for the length of the block.

        The one of the time before, if it is free: the issuer knows us by it.
        """
        kept = self._sign_ins.get(self._url)
        try:
            port = 0 if kept is None else port_of(kept)
            server = await asyncio.start_server(self._visited, HOST, port, limit=MAX_REQUEST)
        except OSError:
            server = await asyncio.start_server(self._visited, HOST, 0, limit=MAX_REQUEST)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await server.wait_closed()

    async def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with anyio.fail_after(READ_S):
                head = await reader.readuntil(b"\r\n\r\n")
            words, status = self._take(head.decode("latin-1").split("\r\n", 1)[0])
            page = PAGE.format(words=escape(words)).encode()
            writer.write(
                f"HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\n"
                "content-security-policy: default-src 'none'\r\ncache-control: no-store\r\n"
                f"content-length: {len(page)}\r\nconnection: close\r\n\r\n".encode()
                + page
            )
            await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            return  # whoever it was has not come back from a sign-in
        finally:
            writer.close()

    def _take(self, line: str) -> tuple[str, str]:
        """What a browser brings; only the one that was sent away counts."""
        method, _, rest = line.partition(" ")
        parts = urlsplit(rest.partition(" ")[0])
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        is_ours = bool(self._state) and given.get("state") == self._state
        if method != "GET" or parts.path != PATH or not is_ours:
            return "There is nothing here.", "404 Not Found"
        if "code" in given:
            self._answer = AuthorizationCodeResult(
                code=given["code"], state=given["state"], iss=given.get("iss")
            )
        self._came_back.set()
        return (DONE if self._answer else REFUSED), "200 OK"


__all__ = ["SignInFlow"]
