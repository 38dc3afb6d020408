"""Many small reads of one page in one answer, each sent as soon as it is there."""

import json
from collections.abc import Sequence
from http import HTTPStatus

import anyio
from anyio.abc import ObjectSendStream
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEPT_HEADERS = frozenset({"content-type", "etag"})


class ManyAnswers(Response):
    """A line of JSON for each address: what it answers when it is asked by itself."""

    media_type = "application/x-ndjson"

    def __init__(self, app: ASGIApp, addresses: Sequence[str]) -> None:
        super().__init__()
        self._app = app
        self._addresses = addresses
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask all at once. Whoever leaves ends what still runs."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        # Whoever asks for something else meanwhile need not wait for it to come.
        expected = line_of({"expected": list(self._addresses)})
        await send({"type": "http.response.body", "body": expected, "more_body": True})
        lines, found = anyio.create_memory_object_stream[bytes](len(self._addresses))
        async with anyio.create_task_group() as tasks, found:
            async with lines:
                for address in self._addresses:
                    tasks.start_soon(answer_one, self._app, scope, address, lines.clone())
            async for line in found:
                await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def answer_one(
    app: ASGIApp, scope: Scope, address: str, lines: ObjectSendStream[bytes]
) -> None:
    """Ask for one address on behalf of whoever asked for all, and write down what it answers."""
    path, _, query = address.partition("?")
    asked = {
        name: scope[name]
        for name in ("type", "asgi", "http_version", "scheme", "server", "client", "headers")
        if name in scope
    }
    asked |= {"state": dict(scope.get("state", {})), "root_path": "", "method": "GET"}
    asked |= {"path": path, "raw_path": path.encode(), "query_string": query.encode()}
    answered, headers, parts = list[int](), dict[str, str](), list[bytes]()
    bodies = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        for body in bodies:
            return body
        # Whether anybody still waits is known to the one that asks for all.
        await anyio.sleep_forever()
        return {"type": "http.disconnect"}

    async def note(message: Message) -> None:
        if message["type"] == "http.response.start":
            answered.append(message["status"])
            for name, value in message["headers"]:
                if name.decode().lower() in KEPT_HEADERS:
                    headers[name.decode().lower()] = value.decode()
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))

    async with lines:
        try:
            await app(asked, receive, note)
        except Exception:
            # The application has logged it and answered, and only then raises: others go on.
            if HTTPStatus.INTERNAL_SERVER_ERROR not in answered:
                raise
        body = json.loads(b"".join(parts) or b"null")
        answer = {"address": address, "status": answered[0], "headers": headers, "body": body}
        await lines.send(line_of(answer))


def line_of(value: object) -> bytes:
    """One line of the answer."""
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
