"""`recto logout`: sign out of the gateway."""

import argparse
import asyncio
import os

from recto.access import GatewayAccount
from recto.app import ModelConnections
from recto.cli.failures import CommandFailed
from recto.clock import SystemClock
from recto.config import ConfigFailure, Home, open_home


def build_parser() -> argparse.ArgumentParser:
    """`recto logout` has no options."""
    return argparse.ArgumentParser(
        prog="recto logout", description="Signs out of the gateway that `recto login` signed in to."
    )


def run(options: argparse.Namespace) -> int:
    """Sign out, here and at the gateway."""
    try:
        account = asyncio.run(sign_out(open_home(os.environ)))
    except ConfigFailure as failure:
        raise CommandFailed(str(failure)) from failure
    if account is None:
        raise CommandFailed("You are not signed in to a gateway.")
    print(f"Signed out of {account.host}.")
    return 0


async def sign_out(home: Home) -> GatewayAccount | None:
    """Forget the sign-in; whose it was."""
    lines = ModelConnections(home, SystemClock())
    try:
        return await lines.gateway.sign_out()
    finally:
        await lines.close()
