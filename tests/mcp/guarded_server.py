"""An MCP server at an address that wants a sign-in, and the service that signs people in."""

import asyncio
import secrets
from typing import Any, Self

from aiohttp import web

Json = dict[str, Any]
LISTS: Json = {"ttlMs": 0, "cacheScope": "private"}
ECHO: Json = {"name": "echo", "description": "Echoes.", "inputSchema": {"type": "object"}}


class GuardedServer:
    """Counts what it is asked for; its tokens can be made to end."""

    def __init__(self) -> None:
        self.registered = 0
        self.renewed = 0
        self.lasts_s = 3600
        self.is_silent = False
        self.access: set[str] = set()
        self.refresh: set[str] = set()
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/.well-known/oauth-protected-resource/mcp", self._resource)
        app.router.add_get("/.well-known/oauth-authorization-server", self._metadata)
        app.router.add_post("/register", self._register)
        app.router.add_get("/authorize", self._authorize)
        app.router.add_post("/token", self._token)
        app.router.add_post("/mcp", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _resource(self, _: web.Request) -> web.Response:
        return web.json_response(
            {"resource": f"{self.url}/mcp", "authorization_servers": [self.url]}
        )

    async def _metadata(self, _: web.Request) -> web.Response:
        return web.json_response(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "registration_endpoint": f"{self.url}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
            }
        )

    async def _register(self, request: web.Request) -> web.Response:
        self.registered += 1
        told = await request.json()
        assert told["application_type"] == "native"
        return web.json_response({**told, "client_id": f"client-{self.registered}"}, status=201)

    async def _authorize(self, request: web.Request) -> web.Response:
        asked = request.query
        assert asked["code_challenge_method"] == "S256"
        assert asked["resource"] == f"{self.url}/mcp"
        back = f"{asked['redirect_uri']}?code=c&state={asked['state']}&iss={self.url}"
        raise web.HTTPFound(back)

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["resource"] == f"{self.url}/mcp"
        if self.is_silent:
            await asyncio.Event().wait()
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in self.refresh:
                return web.json_response({"error": "invalid_grant"}, status=400)
            # It holds only once.
            self.refresh.remove(str(form["refresh_token"]))
            self.renewed += 1
        access, refresh = secrets.token_hex(8), secrets.token_hex(8)
        self.access.add(access)
        self.refresh.add(refresh)
        body = {"access_token": access, "refresh_token": refresh, "token_type": "Bearer"}
        return web.json_response({**body, "expires_in": self.lasts_s})

    async def _answer(self, request: web.Request) -> web.Response:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self.access:
            where = f"{self.url}/.well-known/oauth-protected-resource/mcp"
            wants = {"www-authenticate": f'Bearer resource_metadata="{where}"'}
            return web.json_response({}, status=401, headers=wants)
        asked = await request.json()
        result = {"resultType": "complete", **self._result(asked)}
        return web.json_response({"jsonrpc": "2.0", "id": asked["id"], "result": result})

    def _result(self, asked: Json) -> Json:
        match asked["method"]:
            case "server/discover":
                able: Json = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
                return {**able, **LISTS}
            case "tools/list":
                return {"tools": [ECHO], **LISTS}
            case _:
                return {"content": [{"type": "text", "text": "heard"}]}
