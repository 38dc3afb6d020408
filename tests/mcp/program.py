"""An MCP server without the SDK, good or hostile; each of its tools is one way to behave.

Usage: program.py OPTIONS, a JSON object: `modern` speaks revision 2026-07-28, `tools` names those
that are offered, `words` is their description, `file` is where it notes what it did, `garbled`
answers the newest revision's first question with nonsense, `silent` answers nothing at all, `able`
is where it notes what its client says it can do, `restless` says something else at each start,
`quiet` tells of no changes, `storms` of one after each list. A tool
may have a longer name, behind a `!`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Never

Json = dict[str, Any]
OPTIONS: Json = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
    "awAAAABJRU5ErkJggg=="
)
STATE: Json = {"words": OPTIONS.get("words", "Says what it was told.")}
NOON = "2026-11-18T12:00:00Z"
FORM: Json = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
}
PAINT: Json = {
    "type": "object",
    "properties": {
        "coats": {"type": "integer", "minimum": 1},
        "shade": {"type": "string", "default": "light"},
    },
}


def send(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def receive() -> Json:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def answer(request: Json, result: Json) -> None:
    send({"id": request["id"], "result": {"resultType": "complete", **result}})


def text(words: str, **more: Any) -> Json:
    return {"content": [{"type": "text", "text": words}], **more}


def note(words: str) -> None:
    with open(OPTIONS["file"], "a", encoding="utf-8") as file:
        file.write(words + "\n")


def tools() -> list[Json]:
    schema: Json = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer", "minimum": 1},
            **STATE.get("more", {}),
        },
    }
    found: list[Json] = [
        {"name": name, "description": STATE["words"], "inputSchema": schema}
        for name in OPTIONS.get("tools", ["echo"])
    ]
    if STATE.get("turned"):
        found.reverse()
    for tool in found:
        if tool["name"] in ("structured", "misfit"):
            tool["outputSchema"] = {
                "type": "object",
                "properties": {"sum": {"type": "integer"}},
                "required": ["sum"],
            }
        if tool["name"] == "echo":
            tool["annotations"] = {"readOnlyHint": True}
        if tool["name"] in ("panel", "refresh"):
            seen_by = ["app"] if tool["name"] == "refresh" else ["model"]
            tool["_meta"] = {"ui": {"resourceUri": "ui://panel", "visibility": seen_by}}
    return found


def call(request: Json) -> None:
    params = request["params"]
    if "file" in OPTIONS:
        note(f"called {params['name']}")
    found = TOOLS.get(params["name"].partition("!")[0])
    if found is None:
        send({"id": request["id"], "error": {"code": -32602, "message": "No such tool."}})
    else:
        found(request, params.get("arguments") or {})


def echo(request: Json, arguments: Json) -> None:
    sys.stderr.write("echoing\n")
    sys.stderr.flush()
    answer(request, text(arguments.get("text", "")))


def environment(request: Json, _: Json) -> None:
    answer(request, text(json.dumps({"cwd": os.getcwd(), **os.environ})))


def kinds(request: Json, _: Json) -> None:
    resource = {"uri": "memo://two", "mimeType": "text/plain", "text": "embedded words"}
    content = [
        {"type": "text", "text": "plain words"},
        {"type": "image", "data": PICTURE, "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "memo://one", "name": "one", "size": 12},
        {"type": "resource", "resource": resource},
    ]
    answer(request, {"content": content})


def structured(request: Json, _: Json) -> None:
    answer(request, {"content": [], "structuredContent": {"sum": 3}})


def panel(request: Json, arguments: Json) -> None:
    answer(request, text("A panel.", structuredContent={"of": arguments}))


def misfit(request: Json, _: Json) -> None:
    answer(request, {"content": [], "structuredContent": {"sum": "three"}})


def failing(request: Json, _: Json) -> None:
    answer(request, text("It did not work.", isError=True))


def slow(request: Json, arguments: Json) -> None:
    work_on(request, arguments)
    while receive().get("method") != "notifications/cancelled":
        pass
    note("cancelled")


def work_on(request: Json, _: Json) -> None:
    """Says how far it is, and no more; what else it is asked meanwhile it answers."""
    token = request["params"]["_meta"]["progressToken"]
    progress = {"progressToken": token, "progress": 1, "total": 2, "message": "halfway"}
    send({"method": "notifications/progress", "params": progress})


def hang(*_: Json) -> None:
    pass


def die(*_: Json) -> Never:
    sys.exit(3)


def flood(*_: Json) -> Never:
    while True:
        sys.stdout.write("no message\n" * 1000)


def endless(*_: Json) -> Never:
    while True:
        sys.stdout.write("x" * 65536)


def big(request: Json, _: Json) -> None:
    answer(request, text("x" * 50_000_000))


def broken(request: Json, _: Json) -> None:
    sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {request["id"]}, "result": {{"content": [\n')
    sys.stdout.flush()


def family(request: Json, _: Json) -> None:
    """Starts a program that wants to live on."""
    argv = [sys.executable, "-c", "import time; time.sleep(600)"]
    child = subprocess.Popen(argv, start_new_session=True)
    answer(request, text(str(child.pid)))


def change(request: Json, arguments: Json) -> None:
    """Has other words; with a count, an argument more, and its tools in another order."""
    STATE["words"] = arguments.get("text", "Something else.")
    if "count" in arguments:
        STATE["more"] = {f"more{arguments['count']}": {"type": "string"}}
    STATE["turned"] = not STATE.get("turned")
    if not OPTIONS.get("quiet"):
        send({"method": "notifications/tools/list_changed"})
    answer(request, text("changed"))


def first(request: Json, _: Json) -> None:
    """Wants an address opened before the call is made."""
    if "opened" in STATE:
        answer(request, text("It is open."))
        return
    wanted = {
        "mode": "url",
        "message": "Sign here first.",
        "url": OPTIONS.get("address", "https://sign.example/first"),
        "elicitationId": "first",
    }
    data = {"elicitations": [wanted]}
    error = {"code": -32042, "message": "An address must be opened.", "data": data}
    send({"id": request["id"], "error": error})


def rewrite(request: Json, arguments: Json) -> None:
    """Has its memos say something else, and tells whoever follows them."""
    STATE["edition"] = arguments["text"]
    told: Json = {"uri": "memo://one"}
    if "listening" in STATE:
        told["_meta"] = {"io.modelcontextprotocol/subscriptionId": STATE["listening"]}
    if "followed" in STATE:
        send({"method": "notifications/resources/updated", "params": told})
    answer(request, text("rewritten"))


def subscribe(request: Json) -> None:
    STATE["followed"] = request["params"]["uri"]
    answer(request, {})


def listen(request: Json) -> None:
    STATE["listening"] = request["id"]
    wanted = request["params"]["notifications"]
    if wanted.get("resourceSubscriptions"):
        STATE["followed"] = wanted["resourceSubscriptions"][0]
    meta = {"io.modelcontextprotocol/subscriptionId": request["id"]}
    told = {"notifications": wanted, "_meta": meta}
    send({"method": "notifications/subscriptions/acknowledged", "params": told})


def ask(request: Json, _: Json) -> None:
    """Wants something of a person: in the middle of the call, or before it is made again."""
    params = request["params"]
    form = PAINT if params["name"] == "paint" else FORM
    asked: Json = {"message": "Which colour?", "requestedSchema": form}
    if params["name"] == "visit":
        where = OPTIONS.get("address", "https://sign.example/now")
        asked = {"mode": "url", "message": "Sign here.", "url": where}
        if not OPTIONS.get("modern"):
            asked["elicitationId"] = "one"
    if not OPTIONS.get("modern"):
        send({"id": "question", "method": "elicitation/create", "params": asked})
        reply = receive()
        if "error" in reply:
            answer(request, text(reply["error"]["message"], isError=True))
            return
        found = reply["result"]
    elif "inputResponses" in params:
        found = params["inputResponses"]["colour"]
    else:
        wanted = {"method": "elicitation/create", "params": {"mode": "form", **asked}}
        result = {"resultType": "input_required", "inputRequests": {"colour": wanted}}
        send({"id": request["id"], "result": result})
        return
    answer(request, text(json.dumps({"action": found["action"], "content": found.get("content")})))


def task(request: Json, _: Json) -> None:
    """Goes on by itself, until it is asked for; but only where the request says that it may."""
    meta = request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    if "io.modelcontextprotocol/tasks" not in meta["extensions"]:
        answer(request, text("No tasks here.", isError=True))
        return
    name = request["params"]["name"]
    made = {"taskId": name, "status": "working", "createdAt": NOON, "lastUpdatedAt": NOON}
    result = {"resultType": "task", **made, "ttlMs": None, "pollIntervalMs": 50}
    send({"id": request["id"], "result": result})


def get_task(request: Json) -> None:
    name = request["params"]["taskId"]
    found: Json = {"taskId": name, "createdAt": NOON, "lastUpdatedAt": NOON, "ttlMs": None}
    if name == "unending":
        answer(request, {**found, "status": "working", "statusMessage": "at it"})
    elif name == "wrecked":
        error = {"code": -32603, "message": "It broke."}
        answer(request, {**found, "status": "failed", "error": error})
    elif "answer" in STATE:
        answer(request, {**found, "status": "completed", "result": text(STATE["answer"])})
    else:
        wanted = {"mode": "form", "message": "Which colour?", "requestedSchema": FORM}
        asked = {"colour": {"method": "elicitation/create", "params": wanted}}
        answer(request, {**found, "status": "input_required", "inputRequests": asked})


def update_task(request: Json) -> None:
    STATE["answer"] = json.dumps(request["params"]["inputResponses"]["colour"])
    answer(request, {})


def cancel_task(request: Json) -> None:
    note(f"cancelled task {request['params']['taskId']}")
    answer(request, {})


TOOLS: dict[str, Callable[[Json, Json], None]] = {
    "ask": ask,
    "big": big,
    "broken": broken,
    "change": change,
    "die": die,
    "echo": echo,
    "endless": endless,
    "environment": environment,
    "failing": failing,
    "family": family,
    "first": first,
    "flood": flood,
    "hang": hang,
    "kinds": kinds,
    "misfit": misfit,
    "paint": ask,
    "panel": panel,
    "refresh": echo,
    "rewrite": rewrite,
    "slow": slow,
    "structured": structured,
    "task": task,
    "unending": task,
    "visit": ask,
    "work_on": work_on,
    "wrecked": task,
}


def discover(request: Json) -> None:
    if "file" in OPTIONS:
        note("asked what it can do")
    if OPTIONS.get("garbled"):
        send({"id": request["id"], "result": {"supportedVersions": 7}})
        return
    if not OPTIONS.get("modern"):
        send({"id": request["id"], "error": {"code": -32601, "message": "Unknown method."}})
        return
    answer(
        request,
        {
            "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities(),
            "instructions": instructions(),
            "ttlMs": 0,
            "cacheScope": "private",
        },
    )


def instructions() -> str | None:
    return f"I am number {os.getpid()}." if OPTIONS.get("restless") else OPTIONS.get("instructions")


def capabilities() -> Json:
    resources = {"subscribe": True} if OPTIONS.get("follows") else {}
    return {
        "tools": {"listChanged": not OPTIONS.get("quiet")},
        "resources": resources,
        "prompts": {},
        "completions": {},
    }


def initialize(request: Json) -> None:
    STATE["initialized"] = "yes"
    info = {"name": "program", "version": "1", "icons": OPTIONS.get("icons", [])}
    answer(
        request,
        {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities(),
            "serverInfo": info,
            "instructions": instructions(),
        },
    )


LISTS: Json = {"ttlMs": 0, "cacheScope": "private"}
PROMPT: Json = {
    "name": "greet",
    "description": "Greets somebody.",
    "arguments": [{"name": "who", "required": True}],
}


def list_tools(request: Json) -> None:
    if "old_if" in OPTIONS and not OPTIONS["modern"] and "initialized" not in STATE:
        send({"id": request["id"], "error": {"code": -32600, "message": "Initialize first."}})
        return
    if "file" in OPTIONS:
        note("listed its tools")
    answer(request, {"tools": tools(), **LISTS})
    if OPTIONS.get("storms"):
        send({"method": "notifications/tools/list_changed"})


def list_resources(request: Json) -> None:
    memo = {"uri": "memo://one", "name": "one", "mimeType": "text/plain"}
    answer(request, {"resources": [memo], **LISTS})


def list_templates(request: Json) -> None:
    template = {"uriTemplate": "memo://{name}", "name": "memos"}
    answer(request, {"resourceTemplates": [template], **LISTS})


def read_resource(request: Json) -> None:
    uri = request["params"]["uri"]
    if uri == "memo://asking" and "inputResponses" not in request["params"]:
        asked = {"mode": "form", "message": "Which colour?", "requestedSchema": FORM}
        wanted = {"colour": {"method": "elicitation/create", "params": asked}}
        result = {"resultType": "input_required", "inputRequests": wanted}
        send({"id": request["id"], "result": result})
        return
    words = f"The words of {uri}{STATE.get('edition', '')}."
    content: Json = {"uri": uri, "mimeType": "text/plain", "text": words}
    if uri.startswith("memo://opened"):
        STATE["opened"] = "yes"
        if uri == "memo://opened/and-told":
            told = {"elicitationId": "first"}
            send({"method": "notifications/elicitation/complete", "params": told})
    if uri == "memo://asking":
        content["text"] = json.dumps(request["params"]["inputResponses"])
    if uri == "ui://panel":
        app = {"mimeType": "text/html;profile=mcp-app", "text": OPTIONS.get("app", "<p>Panel</p>")}
        content |= {**app, "_meta": {"ui": {"csp": OPTIONS.get("csp", {})}}}
    answer(request, {"contents": [content], **LISTS})


def get_prompt(request: Json) -> None:
    who = request["params"]["arguments"]["who"]
    message = {"role": "user", "content": {"type": "text", "text": f"Greet {who}."}}
    answer(request, {"messages": [message]})


def complete(request: Json) -> None:
    start = request["params"]["argument"]["value"]
    values = [name for name in ("Ada", "Alan", "Grace") if name.startswith(start)]
    answer(request, {"completion": {"values": values, "hasMore": False}})


def note_abilities(message: Json) -> None:
    """What the client says it can do: at the beginning, or with each request."""
    params = message.get("params", {})
    meta = params.get("_meta", {})
    told = meta.get("io.modelcontextprotocol/clientCapabilities", params.get("capabilities"))
    if "able" in OPTIONS and told is not None:
        with open(OPTIONS["able"], "a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")


METHODS: dict[str, Callable[[Json], None]] = {
    "server/discover": discover,
    "initialize": initialize,
    "tools/list": list_tools,
    "tools/call": call,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "resources/subscribe": subscribe,
    "subscriptions/listen": listen,
    "prompts/list": lambda request: answer(request, {"prompts": [PROMPT], **LISTS}),
    "prompts/get": get_prompt,
    "completion/complete": complete,
    "tasks/cancel": cancel_task,
    "tasks/get": get_task,
    "tasks/update": update_task,
}


if os.path.exists(OPTIONS.get("old_if", "")):
    OPTIONS["modern"] = False


if __name__ == "__main__":
    if "file" in OPTIONS:
        note(f"started {os.getpid()}")
    while True:
        message = receive()
        note_abilities(message)
        if OPTIONS.get("silent"):
            continue
        if message.get("method") in METHODS:
            METHODS[message["method"]](message)
        elif "method" in message and "id" in message:
            send({"id": message["id"], "error": {"code": -32601, "message": "Unknown method."}})
