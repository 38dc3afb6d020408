"""The Anthropic Messages API: /v1/messages, its token count, and the list of models."""

from dataclasses import dataclass
from typing import Any

from tests.fakes.providers.anthropic_frames import Voice, frames_of, message_of
from tests.fakes.providers.anthropic_shapes import COUNT, REQUEST, words
from tests.fakes.providers.anthropic_thinking import (
    BINDING_BETA,
    Signer,
    Thinking,
    check_manual_loop,
    check_thinking,
    request_digest,
)
from tests.fakes.providers.anthropic_traps import spring
from tests.fakes.providers.anthropic_turns import (
    Turn,
    bad,
    check_cache,
    check_turns,
    refused,
    turns_of,
)
from tests.fakes.providers.faults import Fault
from tests.fakes.providers.models import CLAUDE, Claude
from tests.fakes.providers.provider import (
    Answer,
    Exchange,
    Frame,
    Incoming,
    Refusal,
    Refused,
    Reply,
    json_reply,
    usage_of,
)
from tests.fakes.providers.schemas import breaks_anthropic_strict, not_a_schema, strict_cost
from tests.fakes.providers.scripts import Step, calls, count, example, says, thinks
from tests.fakes.providers.serving import HttpServer
from tests.fakes.providers.shapes import Shape, first_problem, inside, objects

VERSIONS = ("2023-06-01", "2026-10-21")
BETAS = frozenset(
    {BINDING_BETA, "interleaved-thinking-2025-05-14", "files-api-2025-04-14"}
    | {"context-management-2025-06-27", "structured-outputs-2025-11-13"}
)
TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that was accepted."""

    body: dict[str, Any]
    row: Claude
    turns: list[Turn]
    thinking: Thinking
    signer: Signer


class AnthropicServer(HttpServer):
    """Anthropic, as strict as the real one."""

    request_id_header = "request-id"

    def authenticate(self, incoming: Incoming) -> str:
        key = incoming.headers.get("x-api-key")
        bearer = incoming.headers.get("authorization", "").removeprefix("Bearer ")
        if not key and not bearer:
            raise refused(401, "authentication_error", "x-api-key header is required")
        account = self.keys.get(key or bearer)
        if account is None:
            told = "invalid x-api-key" if key else "Invalid bearer token"
            raise refused(401, "authentication_error", told)
        return account

    def route(self, exchange: Exchange) -> Reply:
        incoming = exchange.incoming
        version = incoming.headers.get("anthropic-version")
        if version is None:
            raise bad("anthropic-version: header is required")
        if version not in VERSIONS:
            raise bad(f'anthropic-version: "{version}" is not a valid version')
        match incoming.method, incoming.path.removeprefix("/v1/").split("/"):
            case "POST", ["messages"]:
                return self._generate(exchange)
            case "POST", ["messages", "count_tokens"]:
                ask = self._judge(exchange, COUNT)
                return json_reply({"input_tokens": prompt_tokens(ask.body)})
            case "GET", ["models"]:
                return json_reply(_models_page())
            case "GET", ["models", model]:
                return json_reply(_model_card(model, _row(model)))
            case _:
                raise refused(404, "not_found_error", "Not Found")

    def _generate(self, exchange: Exchange) -> Reply:
        ask = self._judge(exchange, REQUEST)
        script = self.next_script(exchange, default_steps(ask))
        fault = script.fault or Fault()
        if fault.status or fault.body is not None:
            return self.send(script, Answer())
        prefix = request_digest(ask.body)
        voice = Voice(
            self,
            ask.body["model"],
            thinks=ask.thinking.mode != "off",
            shows=ask.thinking.shown,
            sign=lambda kind, content: ask.signer.sign(kind, content, prefix),
            usage=usage_of(script, ask.body["messages"]),
        )
        if ask.body.get("stream"):
            frames = spring(frames_of(script, voice), fault.traps)
            return self.send(script, Answer(frames, streamed=True))
        return self.send(script, Answer(whole=message_of(script, voice)))

    def _judge(self, exchange: Exchange, shape: Shape) -> Ask:
        if len(exchange.incoming.body) > self.max_body_bytes:
            raise refused(413, "request_too_large", "Request exceeds the maximum size")
        headers = exchange.incoming.headers
        betas = frozenset(item for item in headers.get("anthropic-beta", "").split(",") if item)
        if unknown := sorted(beta for beta in betas if beta.strip() not in BETAS):
            raise bad(f"Unexpected value(s) `{unknown[0]}` for the `anthropic-beta` header.")
        body = self.read_json(exchange)
        problem = first_problem(shape, body)
        if problem:
            raise bad(words(problem))
        row = _row(body["model"])
        version = headers["anthropic-version"]
        _check_sampling(body, row, version)
        thinking = check_thinking(body, row, betas)
        _check_tools(body)
        _check_system(body)
        turns = check_turns(body["messages"], row, version)
        check_manual_loop(turns, thinking)
        check_cache(body)
        signer = Signer(body["model"], exchange.account, row)
        exchange.notes += signer.check(body, turns, thinking)
        if body.get("max_tokens", 0) > row.max_output:
            raise bad(
                f"max_tokens: {body['max_tokens']} > {row.max_output}, which is the maximum allowed"
                f" number of output tokens for {body['model']}"
            )
        if prompt_tokens(body) > row.window:
            raise bad(f"prompt is too long: {prompt_tokens(body)} tokens > {row.window} maximum")
        return Ask(body, row, turns, thinking, signer)

    def failure(self, fault: Fault) -> Refusal:
        status = fault.status or 500
        error: dict[str, Any] = {
            "type": TYPES.get(status, "api_error"),
            "message": fault.message or f"A scripted error {status}",
        }
        if fault.code:
            error["details"] = {"error_code": fault.code}
        body = {"type": "error", "error": error, "request_id": self.draw("req_")}
        return Refusal(status, body, fault.headers)

    def error_frames(self, fault: Fault) -> list[Frame]:
        error = {"type": fault.error_event, "message": fault.message or "A scripted error"}
        return [Frame({"type": "error", "error": error}, "error")]

    def keepalive(self) -> Frame:
        return Frame({"type": "ping"}, "ping")

    def unreadable(self, words: str) -> Refused:
        return bad(f"The request body is not valid JSON: {words}")


def default_steps(ask: Ask) -> list[Step]:
    """An echo; or what was forced: a tool, or JSON of a schema."""
    steps: list[Step] = [thinks("The user said ", "something.")]
    choice = inside(ask.body, "tool_choice")
    if choice.get("type") in {"any", "tool"}:
        tool = next(t for t in ask.body["tools"] if t["name"] == choice.get("name", t["name"]))
        return [*steps, calls(tool["name"], example(tool["input_schema"]))]
    wanted = inside(ask.body, "output_config").get("format")
    if wanted:
        return [*steps, says(json_text(example(wanted["schema"])))]
    heard = [block["text"] for block in ask.turns[-1].of("text")]
    return [*steps, says("Echo: ", " ".join(heard) or "the result")]


def json_text(value: Any) -> str:
    """JSON as words."""
    return json_reply(value).body.decode()


def prompt_tokens(body: dict[str, Any]) -> int:
    """The simple count of a prompt."""
    return count(body["messages"], body.get("system") or "", body.get("tools") or [])


def _row(model: str) -> Claude:
    if model not in CLAUDE:
        raise refused(404, "not_found_error", f"model: {model}")
    return CLAUDE[model]


def _check_sampling(body: dict[str, Any], row: Claude, version: str) -> None:
    sent = [name for name in ("temperature", "top_p", "top_k") if name in body]
    if not sent:
        return
    if version != "2023-06-01":
        raise bad(f"{sent[0]}: Extra inputs are not permitted")
    if not row.sampling:
        raise bad(f"`{sent[0]}` is not supported on this model.")
    if "temperature" in sent and "top_p" in sent:
        raise bad("`temperature` and `top_p` cannot both be specified for this model.")
    thinks_on = inside(body, "thinking").get("type") in {"enabled", "adaptive"}
    if thinks_on and body.get("temperature", 1) != 1:
        raise bad("`temperature` may only be set to 1 when thinking is enabled.")


def _check_tools(body: dict[str, Any]) -> None:
    tools = objects(body.get("tools"))
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        raise bad("tools: Tool names must be unique.")
    definitions = [(index, tool) for index, tool in enumerate(tools) if "input_schema" in tool]
    _check_search(body, tools, names)
    for index, tool in definitions:
        schema = tool["input_schema"]
        where = f"tools.{index}.custom.input_schema"
        if schema.get("type") != "object":
            told = "Field required" if "type" not in schema else "Input should be 'object'"
            raise bad(f"{where}.type: {told}")
        if not_a_schema(schema):
            raise bad(f"{where}: JSON schema is invalid. It must match JSON Schema draft 2020-12")
    choice = body.get("tool_choice")
    if choice and not tools:
        raise bad("tool_choice: `tool_choice` may only be specified while providing `tools`")
    if choice and choice["type"] == "tool" and choice["name"] not in names:
        raise bad(f"Tool '{choice['name']}' not found in provided tools")
    _check_strict(body, tools)


def _check_search(body: dict[str, Any], tools: list[dict[str, Any]], names: list[str]) -> None:
    """Refuse definitions that nobody could ever find, and finds that are not there any more."""
    if tools and all(tool.get("defer_loading") for tool in tools):
        raise bad("tools: At least one tool must have defer_loading=false.")
    for turn in turns_of(body["messages"]):
        for block in turn.of("tool_search_tool_result"):
            for item in objects(inside(block, "content").get("tool_references")):
                if item["tool_name"] not in names:
                    told = f"Tool reference '{item['tool_name']}' not found in available tools"
                    raise bad(f"messages.{turn.index}: {told}")


def _check_strict(body: dict[str, Any], tools: list[dict[str, Any]]) -> None:
    strict = [tool["input_schema"] for tool in tools if tool.get("strict")]
    if len(strict) > 20:
        raise bad("Too many strict tools: at most 20 are supported")
    wanted = inside(body, "output_config").get("format")
    for schema in [*strict, *([wanted["schema"]] if wanted else [])]:
        broken = not_a_schema(schema) or breaks_anthropic_strict(schema)
        if broken:
            raise bad(f"output_config.format.schema: {broken}" if wanted else f"tools: {broken}")
    costs = [strict_cost(schema) for schema in strict]
    if sum(c[0] for c in costs) > 24 or sum(c[1] for c in costs) > 16:
        raise bad("Schema is too complex. Reduce the number of optional or union parameters.")


def _check_system(body: dict[str, Any]) -> None:
    for block in objects(body.get("system")):
        if not block["text"].strip():
            raise bad("system: text content blocks must be non-empty")


def _model_card(model: str, row: Claude) -> dict[str, Any]:
    def yes(value: bool) -> dict[str, bool]:
        return {"supported": value}

    thinking = {
        "adaptive": yes(row.adaptive),
        "enabled": yes(row.manual),
        "disabled": yes(row.off == "disabled"),
        "between_tools": yes(row.off == "between_tools"),
    }
    efforts = {level: yes(level in row.efforts) for level in ("low", "medium", "high")}
    efforts |= {level: yes(level in row.efforts) for level in ("xhigh", "max")}
    return {
        "type": "model",
        "id": model,
        "display_name": model.replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": row.window,
        "max_tokens": row.max_output,
        "capabilities": {
            "thinking": {**yes(True), "types": thinking},
            "effort": {**yes(bool(row.efforts)), **efforts},
            "structured_outputs": yes(True),
            "image_input": yes(True),
            "pdf_input": yes(True),
        },
    }


def _models_page() -> dict[str, Any]:
    data = [_model_card(model, row) for model, row in CLAUDE.items()]
    return {
        "data": data,
        "has_more": False,
        "first_id": data[0]["id"],
        "last_id": data[-1]["id"],
    }
