"""Twenty made-up servers with 25 tools each, and 65 tasks, each for one of the tools."""

import random
from typing import Any

Json = dict[str, Any]
VERBS = ("list", "find", "create", "change", "delete")
SERVERS = {
    "accounts": ("invoice", "payment", "refund", "supplier", "ledger"),
    "archive": ("manuscript", "letter", "photograph", "map", "recording"),
    "calendar": ("meeting", "reminder", "holiday", "room", "attendee"),
    "cluster": ("node", "volume", "deployment", "secret", "gateway"),
    "contacts": ("person", "company", "address", "birthday", "label"),
    "courses": ("lesson", "exam", "grade", "student", "teacher"),
    "design": ("canvas", "layer", "palette", "font", "component"),
    "garden": ("plant", "bed", "harvest", "seed", "tool"),
    "health": ("appointment", "prescription", "vaccine", "symptom", "doctor"),
    "kitchen": ("recipe", "ingredient", "menu", "pantry", "diet"),
    "library": ("book", "loan", "author", "shelf", "fine"),
    "mail": ("message", "draft", "folder", "filter", "signature"),
    "music": ("song", "album", "playlist", "concert", "lyric"),
    "payroll": ("salary", "bonus", "contract", "leave", "timesheet"),
    "repository": ("branch", "commit", "review", "release", "tag"),
    "shop": ("order", "basket", "coupon", "product", "parcel"),
    "survey": ("question", "answer", "panel", "quota", "report"),
    "tickets": ("bug", "epic", "sprint", "milestone", "board"),
    "travel": ("flight", "hotel", "train", "visa", "itinerary"),
    "weather": ("forecast", "station", "warning", "tide", "pollen"),
}
TASKS = 65


def tools_of(server: str) -> list[Json]:
    """The tools of a server as it lists them, with as many words as real ones have."""
    return [tool(server, verb, thing) for thing in SERVERS[server] for verb in VERBS]


def tool(server: str, verb: str, thing: str) -> Json:
    """One tool."""
    fields: Json = {
        f"{thing}_id": {"type": "string", "description": f"Which {thing} is meant, by its id."},
        "text": {"type": "string", "description": f"Words that say more about the {thing}."},
        "limit": {"type": "integer", "minimum": 1, "description": "How many at most."},
        "is_dry_run": {"type": "boolean", "description": "Only say what would be done."},
    }
    words = (
        f"{verb.capitalize()}s a {thing} in the {server}. Use it when the user wants to {verb} a"
        f" {thing}, or asks what becomes of one. It answers with the {thing} as it is afterwards,"
        " its id, who changed it last and when. It fails if the user may not do that."
    )
    schema = {"type": "object", "properties": fields, "required": [f"{thing}_id"]}
    return {"name": f"{verb}_{thing}", "description": words, "inputSchema": schema}


def tasks() -> list[tuple[str, str]]:
    """What is wanted, in two words, and the tool that does it."""
    chance = random.Random(18)
    every = [
        (f"{verb} {thing}", f"{server}__{verb}_{thing}")
        for server, things in SERVERS.items()
        for thing in things
        for verb in VERBS
    ]
    return chance.sample(every, TASKS)
