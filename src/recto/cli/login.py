"""`recto login URL`: sign in to a gateway; its models join those of one's own keys."""

import argparse
import asyncio
import getpass
import os
import sys

from recto.access import GatewayAccount, GatewayRefused, gateway_address
from recto.app import ModelConnections
from recto.cli.failures import CommandFailed
from recto.clock import SystemClock
from recto.config import ConfigFailure, Home, Secret, open_home

EXAMPLES = """\
examples:
  recto login https://models.example.org          asks for your name and password
  recto login --name ann https://models.example.org < password-file
  recto login --key https://models.example.org    asks for a key of the gateway instead
  recto logout
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto login`."""
    parser = argparse.ArgumentParser(
        prog="recto login",
        description="Signs in to a gateway. Its models join those of your own keys.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", metavar="URL", help="where the gateway is, such as https://host")
    parser.add_argument("--name", help="your name there; asked for if left out")
    parser.add_argument(
        "--key", action="store_true", help="use a key (sk-recto-…), where you have no password"
    )
    parser.add_argument(
        "--plain-http", action="store_true", help="accept that others may read along"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    """Sign in."""
    try:
        url = gateway_address(options.url, allows_plain_http=options.plain_http)
        home = open_home(os.environ)
        if options.key:
            name, secret = "", typed("Key: ").strip()
        else:
            name = options.name or shown("Name: ")
            secret = typed("Password: ")
        account = asyncio.run(sign_in(home, url, name, Secret(secret)))
    except (ConfigFailure, GatewayRefused) as failure:
        raise CommandFailed(str(failure)) from failure
    whose = f" as {account.name}" if account.name else ""
    print(f"Signed in to {account.host}{whose}: {counted(len(account.models))}.")
    print("See them with: recto models")
    return 0


async def sign_in(home: Home, url: str, name: str, secret: Secret) -> GatewayAccount:
    """Ask the gateway; without a name, the secret is a key."""
    lines = ModelConnections(home, SystemClock())
    try:
        if not name:
            return await lines.gateway.use_key(url, secret)
        return await lines.gateway.sign_in(url, name, secret)
    finally:
        await lines.close()


def shown(prompt: str) -> str:
    """What somebody types and sees, or a line of a pipe."""
    found = input(prompt) if sys.stdin.isatty() else sys.stdin.readline()
    if not found.strip():
        raise CommandFailed("A name is needed. Give it with --name, or type it.")
    return found.strip()


def typed(prompt: str) -> str:
    """What somebody types unseen, or a line of a pipe."""
    found = getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()
    if not found.strip():
        raise CommandFailed(f"{prompt.removesuffix(': ')} is empty. Type it, or pipe it in.")
    return found.rstrip("\r\n")


def counted(models: int) -> str:
    """How many models there are, in words."""
    return "1 model" if models == 1 else f"{models} models"
