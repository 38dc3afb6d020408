"""A place that files are fetched from: ranges, redirects, and answers that break or lie."""

from dataclasses import dataclass, field
from typing import Self

import anyio
from aiohttp import web


@dataclass
class FileServer:
    """`async with FileServer(data) as server: … server.url`."""

    data: bytes
    holds_at: int | None = None
    """The first answer waits there until `go_on` is set."""
    breaks: bool = False
    """Then it breaks off."""
    takes_ranges: bool = True
    redirects: bool = False
    asked: list[str] = field(default_factory=list[str])
    """The ranges that were asked for; empty for the whole file."""
    held: anyio.Event = field(default_factory=anyio.Event)
    go_on: anyio.Event = field(default_factory=anyio.Event)
    url: str = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/model.gguf", self._answer)
        app.router.add_get("/moved.gguf", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port: int = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/model.gguf"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.go_on.set()
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.redirects and request.path == "/model.gguf":
            raise web.HTTPFound("/moved.gguf?signed=a%2Fb")
        asked = request.headers.get("range", "")
        self.asked.append(asked)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.takes_ranges else 0
        if start > len(self.data):
            return web.Response(status=416)
        body = self.data[start:]
        response = web.StreamResponse(status=206 if start else 200)
        response.content_length = len(body)
        if start:
            end = len(self.data) - 1
            response.headers["content-range"] = f"bytes {start}-{end}/{len(self.data)}"
        await response.prepare(request)
        await self._write(request, response, body)
        return response

    async def _write(self, request: web.Request, response: web.StreamResponse, body: bytes) -> None:
        if self.holds_at is not None:
            await response.write(body[: self.holds_at])
            body = body[self.holds_at :]
            self.holds_at = None
            self.held.set()
            await self.go_on.wait()
            if self.breaks:
                assert request.transport is not None
                request.transport.close()
                return
        await response.write(body)
