"""Apps of servers (`ui://` resources): what is kept of them, and the policy they are shown under.

The extension `io.modelcontextprotocol/ui`; whatever an app does, it does in a frame of its own.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, cast

import msgspec

EXTENSION = "io.modelcontextprotocol/ui"
MEDIA_TYPE = "text/html;profile=mcp-app"
SCHEME = "ui://"
MAX_PAGE = 4_000_000
MOST_ORIGINS = 50
# Nothing but a host may follow: what is written here ends up in a policy.
ORIGIN = re.compile(r"(https|wss)://(\*\.)?([a-z0-9-]+\.)+[a-z0-9-]+(:\d{1,5})?")


class AppPage(msgspec.Struct, frozen=True):
    """An app as it was when its tool answered."""

    uri: str
    page: str
    """The handle of its HTML."""
    connects: list[str] = []
    """The origins that it says it talks to."""
    loads: list[str] = []
    """The origins that it says it loads scripts, styles, pictures and fonts from."""
    has_border: bool = True

    @property
    def origins(self) -> list[str]:
        """Every origin that it wants to reach."""
        return list(dict.fromkeys([*self.connects, *self.loads]))


class ToolAnswer(msgspec.Struct, frozen=True):
    """What a server's tool was asked and answered, whole, for people's eyes."""

    server_id: str
    server: str
    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    app: AppPage | None = None
    problem: str = ""
    """Why its app can't be shown."""


def app_of(meta: Mapping[str, Any] | None) -> tuple[str, bool, bool]:
    """What a tool says of apps: the address of its own, and whether models and apps may call it."""
    told = as_mapping((meta or {}).get("ui"))
    uri = told.get("resourceUri") or (meta or {}).get("ui/resourceUri") or ""
    named = told.get("visibility")
    visible = cast(list[object], named) if isinstance(named, list) else ["model", "app"]
    address = uri if isinstance(uri, str) and uri.startswith(SCHEME) else ""
    return address, "model" in visible, "app" in visible


def page_of(uri: str, handle: str, meta: Mapping[str, Any] | None) -> AppPage:
    """An app with what its resource says of it."""
    told = as_mapping((meta or {}).get("ui"))
    policy = as_mapping(told.get("csp"))
    return AppPage(
        uri,
        handle,
        connects=origins_in(policy.get("connectDomains")),
        loads=origins_in(policy.get("resourceDomains")),
        has_border=told.get("prefersBorder") is not False,
    )


def origins_in(named: object) -> list[str]:
    """Those of the named origins that are one, and encrypted."""
    if not isinstance(named, list):
        return []
    texts = [item for item in cast(list[object], named) if isinstance(item, str)]
    found = [text.lower().rstrip("/") for text in texts]
    return [text for text in dict.fromkeys(found) if ORIGIN.fullmatch(text)][:MOST_ORIGINS]


def frame_policy(app: AppPage, agreed: Collection[str]) -> str:
    """The content security policy of an app's frame: nothing leaves but where a person agreed to.

    It has no origin of its own, so it reaches neither cookies nor the page around it.
    """
    connects = " ".join(item for item in app.connects if item in agreed) or "'none'"
    loads = "".join(f" {item}" for item in app.loads if item in agreed)
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-src 'none';"
        " object-src 'none'; worker-src 'none';"
        f" script-src 'unsafe-inline'{loads}; style-src 'unsafe-inline'{loads};"
        f" img-src data: blob:{loads}; media-src data: blob:{loads}; font-src data:{loads};"
        f" connect-src {connects};"
        " frame-ancestors 'self'; sandbox allow-scripts"
    )


def as_mapping(value: object) -> Mapping[str, Any]:
    """What a server wrote, if it is an object at all."""
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}
