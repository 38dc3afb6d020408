"""What `recto gateway user`, `key` and `usage` do, whether the gateway runs or not.

On SQLite a running gateway is asked, because the records are its own; on PostgreSQL they are
changed directly, and every worker knows within a second.
"""

import argparse
import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any

from recto.app import START_FAILURES, ask_gateway
from recto.cli.failures import CommandFailed
from recto.cli.running_server import RequestRefused, read_lines, refusal
from recto.clock import SystemClock
from recto.config import ConfigFailure, find_running, load_settings, open_home

DAY_MS = 24 * 60 * 60 * 1000
NOT_FOUND = 404
PEOPLE, KEYS = "/api/v1/people", "/api/v1/admin/keys"


def add_user(options: argparse.Namespace) -> int:
    """Make an account; print the link to it."""
    limits = {"monthlyMicros": options.monthly, "balanceMicros": options.balance}
    role = "admin" if options.admin else "member"
    made = ask("POST", PEOPLE, {"name": options.name, "role": role, "limits": limits})
    if options.json:
        print(json.dumps(made, indent=2))
    else:
        print(made["link"])
    return 0


def list_users(options: argparse.Namespace) -> int:
    """Print everybody."""
    people = ask("GET", PEOPLE)
    if options.json:
        print(json.dumps(people, indent=2))
        return 0
    for person in people:
        state = "disabled" if person["isDisabled"] else "" if person["canSignIn"] else "invited"
        print(f"{person['name']:30}{person['role']:8}{state:10}{spent(person)}")
    return 0


def keep_calls(options: argparse.Namespace) -> int:
    """Have somebody's prompts and answers kept, or no more."""
    person = person_named(options.name)
    changed = ask("PUT", f"{PEOPLE}/{person['id']}/keeping", {"days": options.days})
    if options.json:
        print(json.dumps(changed, indent=2))
    elif options.off:
        print("Prompts and answers are not kept. What was kept is erased.")
    else:
        print(f"Prompts and answers are kept for {options.days} days. {options.name} sees that.")
    return 0


def add_key(options: argparse.Namespace) -> int:
    """Make a key; print it, and nothing else."""
    person = person_named(options.user)
    expires_ms = None
    if options.expires is not None:
        expires_ms = SystemClock().now_ms() + options.expires * DAY_MS
    body = {
        "name": options.name,
        "expiresMs": expires_ms,
        "limits": {
            "monthlyMicros": options.monthly,
            "models": options.models,
            "requestsPerMinute": options.rpm,
        },
    }
    made = ask("POST", f"{PEOPLE}/{person['id']}/keys", body)
    print(json.dumps(made, indent=2) if options.json else made["secret"])
    return 0


def list_keys(options: argparse.Namespace) -> int:
    """Print everybody's keys, without the keys."""
    keys = ask("GET", KEYS)
    if options.json:
        print(json.dumps(keys, indent=2))
        return 0
    names = {person["id"]: person["name"] for person in ask("GET", PEOPLE)}
    for key in keys:
        state = "revoked" if key["revokedMs"] is not None else ""
        owner = names[key["accountId"]]
        print(f"{key['id']}  {owner:20}{key['name']:20}{key['hint']:8}{state:9}{spent(key)}")
    return 0


def revoke_key(options: argparse.Namespace) -> int:
    """Have a key open nothing any more."""
    if not options.id.isalnum():
        raise CommandFailed("There is no such key. See the list with: recto gateway key list")
    ask("DELETE", f"{KEYS}/{options.id}")
    print(json.dumps({"id": options.id, "revoked": True}) if options.json else "It is revoked.")
    return 0


def usage(options: argparse.Namespace) -> int:
    """Print what everybody, or one person, has spent this month."""
    if options.user is None:
        return list_users(options)
    person = person_named(options.user)
    found = ask("GET", f"{PEOPLE}/{person['id']}/usage")
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"{found['month']}: {spent(person)}")
    for row in found["models"]:
        tokens = row["inputTokens"] + row["cacheReadTokens"] + row["cacheWriteTokens"]
        name = f"{row['provider']}/{row['model']}"
        print(
            f"  {name:40}{row['requests']:>6}{tokens:>12,} in{row['outputTokens']:>10,} out"
            f"{dollars(row['costMicros']):>12}"
        )
    return 0


def person_named(name: str) -> Mapping[str, Any]:
    """The account with a name."""
    for person in ask("GET", PEOPLE):
        if person["name"] == name:
            return person
    raise CommandFailed(f"There is no account {name}. See the list with: recto gateway user list")


def spent(thing: Mapping[str, Any]) -> str:
    """What an account or a key has spent, of what it may."""
    spending, limits = thing["spending"], thing["limits"]
    words = dollars(spending["monthMicros"])
    if limits["monthlyMicros"] is not None:
        words += f" of {dollars(limits['monthlyMicros'])} this month"
    if spending["balanceMicros"] is not None:
        words += f", {dollars(spending['balanceMicros'])} left"
    return words


def dollars(micros: int) -> str:
    """An amount with as many places as it needs, at least cents."""
    return f"${micros / 1_000_000:.2f}" if micros % 10_000 == 0 else f"${micros / 1_000_000:.4f}"


def ask(method: str, path: str, body: object = None) -> Any:
    """What the gateway answers its operator, running or not."""
    try:
        home = open_home(os.environ)
        settings = load_settings(home.settings_file)
        running = None if settings.storage.url else find_running(home)
        if running is None:
            status, answer = asyncio.run(ask_gateway(home, settings, method, path, body))
            if status >= 400:
                raise CommandFailed(refusal(answer))
            return answer
        with read_lines(running, method, path, body) as response:
            return json.loads(response.read() or b"null")
    except RequestRefused as refused:
        if refused.status == NOT_FOUND and path in (PEOPLE, KEYS):
            raise CommandFailed(
                "A workspace runs with this home, not a gateway. End it, or set RECTO_HOME."
            ) from refused
        raise
    except (ConfigFailure, *START_FAILURES) as failure:
        raise CommandFailed(str(failure)) from failure
