"""`recto mcp`: the MCP servers that lend the AI more tools."""

import argparse
import asyncio
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recto.app import open_mcp
from recto.cli import mcp_serve
from recto.cli.failures import CommandFailed
from recto.cli.open import existing_folder
from recto.cli.terminal import choose, exact, is_somebody_there, note
from recto.config import ConfigFailure, Home, find_running, open_home
from recto.context import TokenCalibration, TokenCounter
from recto.mcp import (
    McpFailure,
    McpServer,
    ServerConfig,
    declaration_of,
    start_digest,
    start_lines,
    unusable,
)
from recto.tools import RulesInvalid
from recto.workspace import WorkspaceFailure

EXPECTED = (ConfigFailure, McpFailure, RulesInvalid, WorkspaceFailure)
EXAMPLES = """\
examples:
  recto mcp                    list the servers of the home and of this folder
  recto mcp add memory -- npx -y @modelcontextprotocol/server-memory
  recto mcp add tracker --url https://mcp.example.com/mcp --header 'X-Key: ${TRACKER_KEY}'
  recto mcp check              connect to each, and print its tools with their tokens
  recto mcp remove memory
  recto mcp serve              offer this folder's tools to another program

Servers are kept in mcp.json of the Recto home. A folder names its own in .recto/mcp.json; each of
those starts only once you have approved its exact command or address. ${NAME} is taken from your
keys (recto keys set NAME).
"""


class McpParser(argparse.ArgumentParser):
    """Whatever stands behind `--` is a command with arguments of its own."""

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str]
    ) -> argparse.Namespace:
        """The options, and the command."""
        given = list(args)
        at = given.index("--") if "--" in given else len(given)
        options = super().parse_args(given[:at])
        options.command = given[at + 1 :]
        return options


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto mcp`."""
    parser = McpParser(
        prog="recto mcp",
        description="Programs and addresses that lend the AI more tools (Model Context Protocol),"
        " and Recto's own tools for other programs.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(
        dest="action", metavar="{list,add,remove,check,serve}", parser_class=argparse.ArgumentParser
    )
    listed = actions.add_parser("list", help="the servers that count in a folder")
    added = actions.add_parser(
        "add",
        help="add a server to the home, for every folder",
        usage="recto mcp add NAME [--env NAME=VALUE] -- COMMAND…\n"
        "       recto mcp add NAME --url ADDRESS [--header 'NAME: VALUE']",
    )
    added.add_argument("name", metavar="NAME")
    added.add_argument("--url", metavar="ADDRESS", help="of a server that speaks streamable HTTP")
    added.add_argument(
        "--env", action="append", default=[], metavar="NAME=VALUE", help="for the command"
    )
    added.add_argument(
        "--header", action="append", default=[], metavar="NAME: VALUE", help="for the address"
    )
    removed = actions.add_parser("remove", help="take a server out of the home")
    removed.add_argument("name", metavar="NAME")
    checked = actions.add_parser("check", help="connect, and print the tools with their tokens")
    checked.add_argument("name", nargs="?", metavar="NAME", help="default: every server")
    mcp_serve.add_options(actions.add_parser("serve", help="offer a folder to another program"))
    for action in (listed, checked):
        action.add_argument("--json", action="store_true", help="print JSON")
        action.add_argument("--folder", default=".", help="default: here")
    parser.set_defaults(json=False, folder=".")
    return parser


def run(options: argparse.Namespace) -> int:
    """List, add, remove, check or serve."""
    if options.action == "serve":
        return mcp_serve.serve(options)
    try:
        home = open_home(os.environ)
        folder = existing_folder(getattr(options, "folder", "."))
        match options.action:
            case "add":
                return asyncio.run(add(home, folder, options))
            case "remove":
                return asyncio.run(remove(home, folder, options.name))
            case "check":
                return asyncio.run(check(home, folder, options.name, as_json=options.json))
            case _:
                return asyncio.run(list_servers(home, folder, as_json=options.json))
    except EXPECTED as failure:
        raise CommandFailed(str(failure)) from failure


async def list_servers(home: Home, folder: Path, *, as_json: bool) -> int:
    """Print the servers that count in a folder; nothing is started."""
    async with open_mcp(home, folder) as (servers, workspace):
        configs, files = await servers.named(workspace)
    if as_json:
        print(json.dumps([described(config) for config in configs]))
        return 0
    for file in files:
        if file.problem:
            note(file.problem)
        elif file.exists and not file.is_read:
            note(f"{file.path} is there and not read; the settings of Recto can change that.")
    if not configs:
        print("No MCP servers yet. Add one with: recto mcp add NAME -- COMMAND")
    for config in configs:
        line, *more = start_lines(config)
        print(f"{exact(config.name):20}{line}  ({exact(config.source)})")
        for words in (*more, *config.warnings, config.problem):
            if words:
                print(f"{'':20}{exact(words)}")
    return 0


def described(config: ServerConfig) -> dict[str, Any]:
    """A server as JSON."""
    return {
        "name": config.name,
        "source": config.source,
        "transport": config.transport,
        "lines": list(start_lines(config)),
        "warnings": list(config.warnings),
        "problem": config.problem or None,
    }


async def add(home: Home, folder: Path, options: argparse.Namespace) -> int:
    """Name a server in the home's file."""
    command: Sequence[str] = options.command
    server: dict[str, Any] = {"command": command[0], "args": list(command[1:])} if command else {}
    if options.url is not None:
        server["url"] = options.url
    # What would be passed over in silence is refused.
    if options.env and options.url is not None:
        raise CommandFailed("--env is for a command. An address takes --header.")
    if options.header and command:
        raise CommandFailed("--header is for an address. A command takes --env.")
    if options.env:
        server["env"] = pairs(options.env, "=", "--env")
    if options.header:
        server["headers"] = pairs(options.header, ":", "--header")
    async with open_mcp(home, folder) as (servers, workspace):
        await servers.add(options.name, server)
        configs, _ = await servers.named(workspace)
    for config in configs:
        if config.name == options.name:
            for warning in config.warnings:
                note(warning)
    tried = shlex.join(["recto", "mcp", "check", options.name])
    print(f"{options.name} is in {home.mcp_file}. Try it with: {tried}")
    return 0


def pairs(given: Sequence[str], between: str, option: str) -> Mapping[str, str]:
    """Names and values as they are typed."""
    found = [text.partition(between) for text in given]
    if any(not name.strip() or not mark for name, mark, _ in found):
        raise CommandFailed(f"{option} takes a name and a value with {between!r} between them.")
    return {name.strip(): value.strip() for name, _, value in found}


async def remove(home: Home, folder: Path, name: str) -> int:
    """Take a server out of the home's file."""
    async with open_mcp(home, folder) as (servers, workspace):
        configs, _ = await servers.named(workspace)
        if all(config.name != name or config.root is not None for config in configs):
            raise CommandFailed(f"The home has no server {name}. See the list with: recto mcp")
        await servers.remove(name)
    print(f"{name} is removed.")
    return 0


async def check(home: Home, folder: Path, name: str | None, *, as_json: bool) -> int:
    """Connect to servers and print their tools; 1 when one does not answer."""
    async with open_mcp(home, folder) as (servers, workspace):
        look = await servers.look("", workspace)
        chosen = [item for item in look.servers if name in (None, item.name)]
        if name is not None and not chosen:
            raise CommandFailed(f"There is no server {name} here. See the list with: recto mcp")
        for server in chosen:
            if server.state.kind == "unapproved" and is_agreed_to(server, home):
                await servers.decide(server, start_digest(server.config), approved=True)
        for server in chosen:
            await server.settled()
        found = [checked(server) for server in chosen]
    if as_json:
        print(json.dumps(found))
    else:
        for item in found:
            print_checked(item)
    return 0 if all(item["state"] == "ready" for item in found) else 1


def is_agreed_to(server: McpServer, home: Home) -> bool:
    """Ask about a folder's server that was never approved as it is now."""
    note(f"{exact(server.name)} of {exact(server.config.source)} wants to run with your rights:")
    for line in start_lines(server.config):
        note(f"  {line}")
    if not is_somebody_there() or find_running(home) is not None:
        note("It is not approved. Approve it in the settings of Recto, under MCP servers.")
        return False
    choices = {"deny": "deny", "approve": "approve"}
    return choose("Approve it? (d)eny, (a)pprove:", choices, "deny") == "approve"


def checked(server: McpServer) -> dict[str, Any]:
    """A server that was tried, as JSON."""
    counter = TokenCounter(TokenCalibration())
    tools: list[dict[str, Any]] = []
    for tool in server.definitions:
        declared = declaration_of(server, tool)
        text = f"{declared.name}\n{declared.description}\n{json.dumps(declared.parameters)}"
        changed = server.changed_from(tool) is not None
        tools.append(
            {
                "name": declared.name,
                "title": declared.title,
                "tokens": counter.text(text),
                "off": "it has changed and must be seen again"
                if changed
                else unusable(tool) or None,
            }
        )
    state = server.state
    return {
        "name": server.name,
        "state": state.kind,
        "words": state.words,
        "revision": server.revision,
        "tools": tools,
        "log": list(server.log.lines[-10:]),
    }


def print_checked(item: Mapping[str, Any]) -> None:
    """A server that was tried, for people."""
    tools: Sequence[Mapping[str, Any]] = item["tools"]
    total = sum(tool["tokens"] for tool in tools if tool["off"] is None)
    if item["state"] != "ready":
        print(f"{exact(item['name'])}: {item['state'].replace('_', ' ')}. {exact(item['words'])}")
        for line in item["log"]:
            print(f"  {exact(line)}")
        return
    count = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    print(f"{exact(item['name'])}: {count}, {total:,} tokens, revision {item['revision']}")
    for tool in tools:
        off = f"  off: {exact(tool['off'])}" if tool["off"] else ""
        print(f"  {tool['name']:40}{tool['tokens']:>7,}  {exact(tool['title'])}{off}")
