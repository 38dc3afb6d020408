"""A small MCP server to try: tidal constituents, with the standard library alone.

It reads requests from standard input, one JSON object a line, and answers on standard output
(Model Context Protocol, revision 2026-07-28).
"""

import json
import sys

# Speeds in degrees per hour.
SPEED = {
    "M2": 28.9841042,
    "S2": 30.0,
    "N2": 28.4397295,
    "K2": 30.0821373,
    "K1": 15.0410686,
    "O1": 13.9430356,
}
NAME = {"type": "string", "enum": list(SPEED)}
LISTS = {"ttlMs": 60_000, "cacheScope": "private"}
TOOLS = [
    {
        "name": "constituents",
        "title": "Tidal constituents",
        "description": "Lists tidal constituents with their speeds in degrees per hour.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "separation",
        "title": "Days to separate",
        "description": "Says how many days of record it takes to tell two constituents apart.",
        "inputSchema": {
            "type": "object",
            "properties": {"first": NAME, "second": NAME},
            "required": ["first", "second"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"days": {"type": "number"}},
            "required": ["days"],
        },
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "label_station",
        "title": "Label of a station",
        "description": "Makes a label for a tide gauge. It asks you for the station.",
        "inputSchema": {"type": "object", "properties": {}},
    },
]
STATION = {
    "type": "object",
    "properties": {
        "station": {"type": "string", "title": "Station", "default": "Brest"},
        "datum": {"type": "string", "title": "Datum", "enum": ["Chart datum", "Mean sea level"]},
    },
    "required": ["station"],
}

ARGUMENT = {"required": True, "description": "A constituent, such as M2"}
PROMPT = {
    "name": "record_length",
    "title": "Record length",
    "description": "Asks how long a record must be to tell two constituents apart.",
    "arguments": [{"name": "first", **ARGUMENT}, {"name": "second", **ARGUMENT}],
}
RESOURCE = {"uri": "tides://constituents", "name": "constituents", "mimeType": "text/plain"}
TEMPLATE = {"uriTemplate": "tides://constituents/{name}", "name": "one constituent"}


class WrongArguments(Exception):
    """What a tool was given does not fit."""


def text(words, **more):
    """A result in words."""
    return {"content": [{"type": "text", "text": words}], **more}


def constituents(params):
    """All constituents."""
    return text("\n".join(f"{name}: {speed}" for name, speed in SPEED.items()))


def separation(params):
    """The days that separate two constituents."""
    given = params.get("arguments") or {}
    first, second = given.get("first"), given.get("second")
    if first not in SPEED or second not in SPEED or first == second:
        raise WrongArguments("first and second must be two different constituents")
    days = {"days": round(15 / abs(SPEED[first] - SPEED[second]), 2)}
    return text(json.dumps(days), structuredContent=days)


def label_station(params):
    """A label for the station that a person names."""
    answers = params.get("inputResponses")
    if answers is None:
        asked = {"mode": "form", "message": "Which station is it?", "requestedSchema": STATION}
        wanted = {"station": {"method": "elicitation/create", "params": asked}}
        return {"resultType": "input_required", "inputRequests": wanted}
    answer = answers["station"]
    if answer["action"] != "accept":
        return text("No station was named.")
    content = answer["content"]
    return text(f"{content['station']} ({content.get('datum', 'Chart datum')})")


def prompt(params):
    """The words of the one prompt."""
    given = params.get("arguments") or {}
    if params.get("name") != PROMPT["name"] or not given.keys() >= {"first", "second"}:
        raise WrongArguments("record_length wants first and second")
    words = f"How long must a record be to tell {given['first']} from {given['second']}?"
    return {"messages": [{"role": "user", "content": {"type": "text", "text": words}}]}


def read(params):
    """All constituents, or one."""
    uri = params.get("uri", "")
    _, _, name = uri.partition("tides://constituents/")
    if uri != RESOURCE["uri"] and name not in SPEED:
        raise WrongArguments("there is no such resource")
    words = "\n".join(f"{key}: {SPEED[key]} degrees per hour" for key in SPEED if name in ("", key))
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": words}], **LISTS}


def complete(params):
    """The constituents that begin as what is written."""
    begin = params["argument"]["value"].upper()
    return {"completion": {"values": [name for name in SPEED if name.startswith(begin)]}}


CALLS = {"constituents": constituents, "separation": separation, "label_station": label_station}


def discover(params):
    """What this server can do."""
    return {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}, "prompts": {}, "resources": {}, "completions": {}},
        "instructions": "Levels are in metres, times in UTC.",
        **LISTS,
    }


def call(params):
    """One of the tools."""
    if params.get("name") not in CALLS:
        raise WrongArguments("there is no such tool")
    return CALLS[params["name"]](params)


METHODS = {
    "server/discover": discover,
    "tools/list": lambda params: {"tools": TOOLS, **LISTS},
    "tools/call": call,
    "prompts/list": lambda params: {"prompts": [PROMPT], **LISTS},
    "prompts/get": prompt,
    "resources/list": lambda params: {"resources": [RESOURCE], **LISTS},
    "resources/templates/list": lambda params: {"resourceTemplates": [TEMPLATE], **LISTS},
    "resources/read": read,
    "completion/complete": complete,
}


def answer(request):
    """What a request gets."""
    method = METHODS.get(request.get("method"))
    if method is None:
        return {"error": {"code": -32601, "message": "There is no such method."}}
    try:
        return {"result": {"resultType": "complete", **method(request.get("params") or {})}}
    except WrongArguments as wrong:
        return {"error": {"code": -32602, "message": str(wrong)}}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}), flush=True)
