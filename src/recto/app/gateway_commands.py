"""One request to a gateway that does not run: everything is opened, asked, and closed again."""

import json
from typing import Any

from starlette.types import ASGIApp, Message

from recto.app.gateway_doors import open_doors
from recto.app.gateway_services import GatewaySetup, address_of, open_gateway
from recto.config import Home, Settings
from recto.gateway import build_gateway_application


async def ask_gateway(
    home: Home, settings: Settings, method: str, path: str, body: object
) -> tuple[int, Any]:
    """The status and the JSON that the gateway of this home would answer its operator."""
    address = address_of(settings.gateway.host, settings.gateway.port, settings)
    setup = GatewaySetup(home, settings, address, open_doors, home.folder / "gateway.log")
    async with open_gateway(setup) as parts:
        application = build_gateway_application(parts.services, None)
        token = parts.services.operator.reveal()
        host = sorted(address.origins)[0].partition("://")[2]
        return await ask_application(application, method, path, body, token=token, host=host)


async def ask_application(
    application: ASGIApp, method: str, path: str, body: object, *, token: str, host: str
) -> tuple[int, Any]:
    """Ask an application of this process."""
    headers = {"host": host, "authorization": f"Bearer {token}", "content-type": "application/json"}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": None,
        "server": None,
        "state": {},
    }
    sent = json.dumps(body).encode() if body is not None else b""
    answer = bytearray()
    status = 0

    async def receive() -> Message:
        return {"type": "http.request", "body": sent, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        answer.extend(message.get("body", b""))

    await application(scope, receive, send)
    return status, json.loads(bytes(answer)) if answer else None
