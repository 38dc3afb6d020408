"""Servers as their files name them: mcp.json of the home, .recto/mcp.json of a folder, and others.

A file of a folder may come from somebody else: what it names starts only once it is approved.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from recto.config import Keys
from recto.mcp.failures import McpFailure, McpFileInvalid, McpNameTaken

HOME_FILE = "mcp.json"
FOLDER_FILE = ".recto/mcp.json"
FOREIGN_FILES = (".mcp.json", ".vscode/mcp.json")
"""Files of other programs, which are read if the user says so."""
MAX_BYTES = 1_000_000
MAX_NAME = 64
MOST_SERVERS = 200
REFERENCE = re.compile(r"\$\{([^}]*)\}")
FOLDER_WORD = "workspaceFolder"
SECRET_NAME = re.compile(r"token|key|secret|passw|authorization|cookie|credential", re.IGNORECASE)
SECRET_VALUE = re.compile(
    r"\b(sk-[\w-]{12,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[abp]-[\w-]{10,}"
    r"|AKIA[A-Z0-9]{12,}|Bearer\s+[\w.~+/-]{12,})"
)
SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A server as a file names it. References to keys are not replaced."""

    name: str
    source: str
    """The file that names it."""
    root: str | None
    """The folder that the file belongs to; None for the user's own file in the home."""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    client_metadata_url: str | None = None
    """Where a document says who we are, for a sign-in that wants one."""
    client_id: str | None = None
    """What the sign-in's issuer knows us by, where somebody registered Recto by hand."""
    client_secret: str | None = None
    problem: str = ""
    """Why it can't be used as it stands there."""
    warnings: tuple[str, ...] = ()

    @property
    def transport(self) -> str:
        """How it is reached."""
        return "stdio" if self.url is None else "http"


class NamedClient(msgspec.Struct):
    """What an issuer knows us by, as it is written."""

    client_id: str = msgspec.field(name="clientId")
    client_secret: str | None = msgspec.field(default=None, name="clientSecret")


class NamedServer(msgspec.Struct):
    """A server as it is written; words of other programs are passed over."""

    type: str = ""
    command: str = ""
    args: list[str] = []
    env: dict[str, str | int | float | bool] = {}
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = {}
    client_metadata_url: str | None = msgspec.field(default=None, name="clientMetadataUrl")
    oauth: NamedClient | None = None


def read_servers(data: bytes, source: str, root: str | None) -> tuple[ServerConfig, ...]:
    """The servers that a file names, each good or with its problem. Raises McpFileInvalid."""
    servers = read_object(data, source)
    return tuple(read_server(name, written, source, root) for name, written in servers.items())


def read_object(data: bytes, source: str) -> dict[str, Any]:
    """What stands below `mcpServers`. Raises McpFileInvalid."""
    if len(data) > MAX_BYTES:
        raise McpFileInvalid(source, f"it is over {MAX_BYTES // 1_000_000} MB")
    try:
        found = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise McpFileInvalid(source, str(error)) from error
    # VS Code has its own word for the same.
    servers = found.get("mcpServers", found.get("servers", {}))
    if not isinstance(servers, dict):
        raise McpFileInvalid(source, "mcpServers is not an object of servers by name")
    named = cast(dict[str, Any], servers)
    if len(named) > MOST_SERVERS:
        raise McpFileInvalid(source, f"it names over {MOST_SERVERS} servers")
    return named


def read_server(name: str, written: object, source: str, root: str | None) -> ServerConfig:
    """One server, good or with its problem."""
    bare = ServerConfig(name, source, root)
    try:
        found = msgspec.convert(written, NamedServer)
    except msgspec.ValidationError as error:
        return with_problem(bare, f"It is not written as it must be: {error}.")
    config = ServerConfig(
        name,
        source,
        root,
        command=found.command,
        args=tuple(found.args),
        env={key: written_value(value) for key, value in found.env.items()},
        cwd=found.cwd,
        url=found.url,
        headers=found.headers,
        client_metadata_url=found.client_metadata_url,
        client_id=found.oauth.client_id if found.oauth else None,
        client_secret=found.oauth.client_secret if found.oauth else None,
    )
    return checked(config, found.type)


def written_value(value: str | float | bool) -> str:
    """A value of the environment as a program reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def checked(config: ServerConfig, kind: str) -> ServerConfig:
    """The server with what is wrong with it, and what should be otherwise."""
    return with_problem(config, problem_of(config, kind), tuple(plain_secrets(config)))


def with_problem(
    config: ServerConfig, problem: str, warnings: tuple[str, ...] = ()
) -> ServerConfig:
    """The same server with its problem."""
    return replace(config, problem=problem, warnings=warnings)


def problem_of(config: ServerConfig, kind: str) -> str:
    """What is wrong with a server as it is written; empty when nothing is."""
    texts = [config.command, *config.args, config.cwd or "", config.url or ""]
    texts += [*config.env, *config.env.values(), *config.headers, *config.headers.values()]
    if not config.name.strip() or len(config.name) > MAX_NAME:
        return f"Its name must have 1 to {MAX_NAME} characters."
    if any("\0" in text for text in texts):
        return "It has a null character, which no program can be given."
    if bool(config.command) == (config.url is not None):
        return "It needs either a command or a url."
    if kind == "sse":
        return "It is of the older kind “sse”. Ask for its address for streamable HTTP."
    return "" if config.url is None else problem_of_address(config.url)


def problem_of_address(url: str) -> str:
    """What is wrong with an address; empty when nothing is."""
    try:
        address = urlsplit(url)
        usable = address.scheme in ("http", "https") and bool(address.hostname)
        named = address.username is not None or address.password is not None
        _ = address.port
    except ValueError:
        return "Its url is not an address."
    if not usable:
        return "Its url must begin with https:// or http:// and name a host."
    return "Put no name or password into its url; use headers." if named else ""


def plain_secrets(config: ServerConfig) -> Iterator[str]:
    """What to say about secrets that stand in the file as they are."""
    oauth = {} if config.client_secret is None else {"clientSecret": config.client_secret}
    for place, values in (("env", config.env), ("headers", config.headers), ("oauth", oauth)):
        for name, value in values.items():
            if is_secret(name, value):
                key = re.sub(r"\W", "_", name).upper()
                yield (
                    f"{place}.{name} holds a secret in plain text. Keep it with"
                    f" `recto keys set {key}` and write ${{{key}}} here."
                )
    if any(SECRET_VALUE.search(text) for text in (*config.args, config.url or "")):
        yield (
            "Its command or address holds a secret in plain text, which other programs can see."
            " Keep it with `recto keys set NAME` and hand it over by env or headers."
        )


def is_secret(name: str, value: str) -> bool:
    """Whether a value looks like something that nobody else should read."""
    if REFERENCE.search(value):
        return False
    named = SECRET_NAME.search(name) is not None and len(value) >= SHORTEST_SECRET
    return named or SECRET_VALUE.search(value) is not None


def resolved(config: ServerConfig, keys: Keys) -> ServerConfig:
    """The server with its references replaced by what they name. Raises McpFailure."""

    def put(text: str) -> str:
        return REFERENCE.sub(lambda found: value_of(found[1], config, keys), text)

    return replace(
        config,
        command=put(config.command),
        args=tuple(map(put, config.args)),
        env={name: put(value) for name, value in config.env.items()},
        cwd=None if config.cwd is None else put(config.cwd),
        url=None if config.url is None else put(config.url),
        headers={name: put(value) for name, value in config.headers.items()},
        client_id=None if config.client_id is None else put(config.client_id),
        client_secret=None if config.client_secret is None else put(config.client_secret),
    )


def value_of(name: str, config: ServerConfig, keys: Keys) -> str:
    """What a reference stands for. Raises McpFailure."""
    if name == FOLDER_WORD and config.root is not None:
        return config.root
    if name not in keys:
        raise McpFailure(f"There is no key {name}.", f"Set it with: recto keys set {name}")
    return keys[name].reveal()


def with_server(data: bytes, name: str, server: Mapping[str, Any] | None) -> bytes:
    """The home's file with a server added, or (None) taken out.

    Raises McpFileInvalid, McpNameTaken.
    """
    read_object(data or b"{}", HOME_FILE)
    whole: dict[str, Any] = msgspec.json.decode(data or b"{}")
    servers = {**whole.get("mcpServers", {})}
    if server is None:
        servers.pop(name, None)
    elif name in servers:
        raise McpNameTaken(name)
    else:
        servers[name] = dict(server)
    whole["mcpServers"] = servers
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"
