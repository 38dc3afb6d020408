"""`recto models`: which models can be asked; `recto models check`: whether they are still there."""

import argparse
import asyncio
import json
import os

from recto.access import Models, NoSuchModel, Offer, ProviderCheck
from recto.app import Lines
from recto.cli.failures import Failed
from recto.clock import LocalZone, SystemClock
from recto.config import ConfigFailure, open_home
from recto.llm import find_lack

EXAMPLES = """\
examples:
  recto models                list every model, the one in use marked
  recto models check          ask the providers, with your keys, what they have
  recto models use anthropic/claude-sonnet-4-6
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
    actions = parser.add_subparsers(dest="action", metavar="{check,use}")
    actions.add_parser("check", help="ask each provider whose key is set")
    use = actions.add_parser("use", help="take a model for new chats")
    use.add_argument("id", metavar="ID")
    return parser


def run(options: argparse.Namespace) -> int:
    """List, check or choose."""
    try:
        models = Models(
            open_home(os.environ),
            os.environ,
            clock=SystemClock(),
            zone=LocalZone(),
            has_builtin=find_lack() is None,
        )
        match options.action:
            case "check":
                return check(models, options.json)
            case "use":
                models.choose(options.id)
                print(f"{options.id} is used for new chats.")
            case _:
                list_models(models, options.json)
    except (ConfigFailure, NoSuchModel) as failure:
        raise Failed(str(failure)) from failure
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


def check(models: Models, as_json: bool) -> int:
    """Ask the providers; exit with 1 if a model is gone or a provider can't be asked."""
    found = asyncio.run(ask_all(models))
    if as_json:
        print(json.dumps([check_row(one) for one in found], indent=2))
    elif not found:
        print("No key is set, so nobody can be asked. Set one with: recto keys set NAME")
    else:
        for one in found:
            print_check(one)
    return 1 if any(one.failure or one.gone for one in found) else 0


async def ask_all(models: Models) -> tuple[ProviderCheck, ...]:
    """Every provider's own word."""
    lines = Lines()
    try:
        return await models.check(lines.list_models)
    finally:
        await lines.close()


def check_row(one: ProviderCheck) -> dict[str, object]:
    """One provider's answer."""
    return {
        "provider": one.provider.id,
        "ok": one.failure is None,
        "detail": one.failure.message if one.failure else f"{one.count} models",
        "gone": [offer.id for offer in one.gone],
    }


def print_check(one: ProviderCheck) -> None:
    """One provider's answer, and what came after models that are gone."""
    words = one.failure.message if one.failure else f"{one.count} models"
    print(f"{'PROBLEM' if one.failure else 'ok':9}{one.provider.name:14}{words}")
    for offer in one.gone:
        successor = offer.known.successor if offer.known else None
        hint = f" Take {one.provider.id}/{successor} instead." if successor else ""
        print(f"{'':9}{offer.id} is gone.{hint}")
