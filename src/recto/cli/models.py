"""`recto models`: which models can be asked, whether they are still there, and more to fetch."""

import argparse
import asyncio
import json
import os

from recto.access import Models, NoSuchModel, Offer, ProviderCheck
from recto.app import ModelConnections
from recto.cli.failures import CommandFailed
from recto.cli.get_model import get_model
from recto.clock import LocalZone, SystemClock
from recto.config import ConfigFailure, Home, open_home
from recto.llm import find_missing_requirement

EXAMPLES = """\
examples:
  recto models                list every model, the one in use marked
  recto models check          ask the providers, with your keys, what they have
  recto models use anthropic/claude-sonnet-4-6
  recto models get            list models that run on this computer
  recto models get qwen2.5-1.5b
  recto models get ./file.gguf
"""


def build_parser() -> argparse.ArgumentParser:
    """The options of `recto models`."""
    parser = argparse.ArgumentParser(
        prog="recto models",
        description="Lists the models Recto can ask.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    actions = parser.add_subparsers(dest="action", metavar="{check,use,get}")
    actions.add_parser("check", help="ask each provider whose key is set, and your servers")
    use = actions.add_parser("use", help="take a model for new chats")
    use.add_argument("id", metavar="ID")
    get = actions.add_parser("get", help="fetch a model that runs on this computer")
    get.add_argument("name", metavar="NAME", nargs="?", help="of the list, or the path of a GGUF")
    return parser


def run(options: argparse.Namespace) -> int:
    """List, check or choose."""
    try:
        home = open_home(os.environ)
        models = Models(
            home,
            os.environ,
            clock=SystemClock(),
            zone=LocalZone(),
            has_builtin=find_missing_requirement() is None,
        )
        match options.action:
            case "check":
                return check(home, models, options.json)
            case "use":
                models.choose(options.id)
                print(f"{options.id} is used for new chats.")
            case "get":
                return get_model(home, models, options.name)
            case _:
                list_models(models, options.json)
    except (ConfigFailure, NoSuchModel) as failure:
        raise CommandFailed(str(failure)) from failure
    return 0


def list_models(models: Models, as_json: bool) -> None:
    """Print every model."""
    current = models.resolve("chat")
    chosen = current.id if current else None
    rows = [described(offer, offer.id == chosen) for offer in models.offers()]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        mark = "*" if row["current"] else " "
        print(f"{mark} {row['id']:44}{row['price']:26}{row['state']}")


def described(offer: Offer, is_current: bool) -> dict[str, object]:
    """A model in words."""
    rates = offer.price.rates if offer.price else None
    if rates is None:
        price = "price unknown"
    elif rates.prompt == 0 and rates.output == 0:
        price = "free"
    else:
        price = f"${rates.input:f} in, ${rates.output:f} out"
    state = f"needs {offer.missing_key}" if offer.missing_key else "ready"
    return {
        "id": offer.id,
        "name": offer.name,
        "window": offer.window,
        "price": price,
        "state": state,
        "current": is_current,
    }


def check(home: Home, models: Models, as_json: bool) -> int:
    """Ask the providers; exit with 1 if a model is gone or a provider can't be asked."""
    found = asyncio.run(ask_all(home, models))
    if as_json:
        print(json.dumps([check_row(item) for item in found], indent=2))
    else:
        for item in found:
            print_check(item)
    return 1 if any(item.failure or item.gone for item in found) else 0


async def ask_all(home: Home, models: Models) -> tuple[ProviderCheck, ...]:
    """Every provider's own word."""
    lines = ModelConnections(home, SystemClock())
    try:
        return await models.check(lines.list_models)
    finally:
        await lines.close()


def check_row(one: ProviderCheck) -> dict[str, object]:
    """One provider's answer."""
    return {
        "provider": one.provider.id,
        "ok": one.failure is None,
        "detail": one.failure.message if one.failure else counted(one.count),
        "gone": [offer.id for offer in one.gone],
    }


def counted(models: int) -> str:
    """How many models there are, in words."""
    return "1 model" if models == 1 else f"{models} models"


def print_check(one: ProviderCheck) -> None:
    """One provider's answer, and what came after models that are gone."""
    words = one.failure.message if one.failure else counted(one.count)
    print(f"{'PROBLEM' if one.failure else 'ok':9}{one.provider.name:14}{words}")
    for offer in one.gone:
        successor = offer.known.successor if offer.known else None
        hint = f" Take {one.provider.id}/{successor} instead." if successor else ""
        print(f"{'':9}{offer.id} is gone.{hint}")
