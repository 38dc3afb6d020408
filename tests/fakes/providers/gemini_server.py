"""The Gemini API: generateContent, streamGenerateContent, countTokens, and the list of models."""

import re
from collections.abc import Mapping
from typing import Any

from tests.fakes.providers.faults import Fault
from tests.fakes.providers.gemini_frames import Voice, frames_of, response_of
from tests.fakes.providers.gemini_shapes import (
    COUNT,
    REQUEST,
    bad,
    camel,
    failure_of,
    of_problem,
    refused,
)
from tests.fakes.providers.gemini_turns import Signer, check_contents
from tests.fakes.providers.models import GEMINI, Gemini
from tests.fakes.providers.provider import (
    Answer,
    Exchange,
    Frame,
    Incoming,
    Refusal,
    Refused,
    Reply,
    json_bytes,
    json_reply,
    usage_of,
)
from tests.fakes.providers.schemas import (
    GEMINI_KNOWN,
    OPENAPI_KNOWN,
    not_a_schema,
    unknown_keyword,
    walk,
)
from tests.fakes.providers.scripts import Step, calls, count, example, says, thinks
from tests.fakes.providers.serving import HttpServer
from tests.fakes.providers.shapes import first_problem, inside, is_object, objects

ADDRESS = re.compile(r"/(v1|v1beta)/models(?:/([^/:]+))?(?::(\w+))?")
FUNCTION = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")


class GeminiServer(HttpServer):
    """Gemini's developer API, as strict as the real one."""

    line_end = "\r\n"
    request_id_header = "x-goog-request-id"
    call_ids: bool | None = None
    """Whether calls carry ids; None: on Gemini 3 and later."""

    def __init__(self, keys: Mapping[str, str] | None = None, *, seed: int = 0) -> None:
        super().__init__(keys, seed=seed)
        self.max_body_bytes = 20_971_520
        self._paused: dict[str, dict[str, Any]] = {}

    def authenticate(self, incoming: Incoming) -> str:
        if "key" in incoming.query:
            self.leaks.append(incoming.path)
        key = incoming.headers.get("x-goog-api-key")
        if not key:
            raise refused(
                403,
                "Method doesn't allow unregistered callers (callers without established identity)."
                " Please use API Key or other form of API consumer identity to call this API.",
            )
        if key not in self.keys:
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            info = {"@type": kind, "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
            told = "API key not valid. Please pass a valid API key."
            raise refused(400, told, info)
        return self.keys[key]

    def route(self, exchange: Exchange) -> Reply:
        incoming = exchange.incoming
        found = ADDRESS.fullmatch(incoming.path)
        if not found:
            raise refused(404, "Requested entity was not found.")
        _, model, verb = found.groups()
        match incoming.method, verb:
            case "GET", None:
                if model is None:
                    return json_reply({"models": [_card(name) for name in GEMINI]})
                _row(model)
                return json_reply(_card(model))
            case "POST", "countTokens":
                return self._count(exchange, model)
            case "POST", "generateContent" | "streamGenerateContent":
                return self._generate(exchange, model, streams=verb != "generateContent")
            case _:
                raise refused(404, "Requested entity was not found.")

    def _count(self, exchange: Exchange, model: str) -> Reply:
        body = self._read(exchange)
        problem = first_problem(COUNT, body)
        if problem:
            raise of_problem(problem)
        row = _row(model)
        inner = body.get("generateContentRequest") or body
        if "contents" not in inner:
            raise bad("* CountTokensRequest.contents: contents is not specified")
        check_contents(inner["contents"], row)
        told = count(inner["contents"], inner.get("systemInstruction") or "")
        return json_reply({"totalTokens": told})

    def _generate(self, exchange: Exchange, model: str, *, streams: bool) -> Reply:
        body = self._read(exchange)
        row = self._judge(exchange, body, model)
        script = self.next_script(exchange, default_steps(body))
        fault = script.fault or Fault()
        if fault.status or fault.body is not None:
            return self.send(script, Answer())
        thinking = inside(body, "generationConfig", "thinkingConfig")
        ids = row.needs_signatures if self.call_ids is None else self.call_ids
        voice = Voice(
            self,
            model,
            Signer(model, exchange.account, row),
            shows_thoughts=bool(thinking.get("includeThoughts")) and row.thinks,
            gives_ids=ids,
            usage=usage_of(script, body["contents"]),
            traps=fault.traps,
            token=self._pause(body) if script.stop == "CONTINUATION" else None,
        )
        if not streams:
            return self.send(script, Answer(whole=response_of(script, voice)))
        frames = frames_of(script, voice)
        if exchange.incoming.query.get("alt") == "sse":
            return self.send(script, Answer(frames, streamed=True))
        return self.send(script, Answer(whole=[frame.data for frame in frames]))

    def _pause(self, body: dict[str, Any]) -> str:
        """A token that continues the answer to this very request."""
        token = self.draw("continue-")
        self._paused[token] = _asked(body)
        return token

    def _read(self, exchange: Exchange) -> dict[str, Any]:
        if len(exchange.incoming.body) > self.max_body_bytes:
            told = f"Request payload size exceeds the limit: {self.max_body_bytes} bytes."
            raise bad(told)
        body: dict[str, Any] = camel(self.read_json(exchange))
        exchange.json = body
        return body

    def _judge(self, exchange: Exchange, body: dict[str, Any], model: str) -> Gemini:
        problem = first_problem(REQUEST, body)
        if problem:
            raise of_problem(problem)
        row = _row(model)
        token = body.get("continuationToken")
        if token is not None and self._paused.pop(token, None) != _asked(body):
            raise bad("The continuation token is not one of this request.")
        config = inside(body, "generationConfig")
        exchange.notes += _check_thinking(config.get("thinkingConfig"), row)
        exchange.notes += [
            f"{n} is ignored" for n in ("temperature", "topP", "topK") if n in config
        ]
        _check_tools(body, config, row)
        exchange.notes += check_contents(body["contents"], row)
        exchange.notes += Signer(model, exchange.account, row).check(body["contents"])
        if config.get("maxOutputTokens", 1) > row.max_output:
            raise bad(
                f"Unable to submit request because it has a maxOutputTokens value of"
                f" {config['maxOutputTokens']} but the supported range is from 1 (inclusive) to"
                f" {row.max_output + 1} (exclusive)."
            )
        tokens = count(body["contents"])
        if tokens > row.window:
            raise bad(
                f"The input token count ({tokens}) exceeds the maximum number of tokens allowed"
                f" ({row.window})."
            )
        return row

    def failure(self, fault: Fault) -> Refusal:
        return failure_of(fault)

    def error_frames(self, fault: Fault) -> list[Frame]:
        codes = {"UNAVAILABLE": 503, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500}
        error = {
            "code": codes.get(fault.error_event or "", 500),
            "message": fault.message or "A scripted error",
            "status": fault.error_event,
        }
        if fault.error_shape == "bare":
            return [Frame(json_bytes({"error": error}) + b"\r\n")]
        return [Frame({"error": error})]

    def keepalive(self) -> Frame:
        return Frame(b": keepalive\r\n\r\n")

    def unreadable(self, words: str) -> Refused:
        return bad(f"Invalid JSON payload received. {words}")


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    """What must stay the same while an answer is continued."""
    return {name: body.get(name) for name in ("contents", "systemInstruction", "tools")}


def default_steps(body: dict[str, Any]) -> list[Step]:
    """An echo; or what was forced: a function, or JSON of a schema."""
    steps: list[Step] = [thinks("The user said ", "something.")]
    choice = inside(body, "toolConfig", "functionCallingConfig")
    if choice.get("mode") == "ANY":
        wanted = choice.get("allowedFunctionNames") or [declared(body)[0]["name"]]
        function = next(item for item in declared(body) if item["name"] == wanted[0])
        schema = function.get("parametersJsonSchema") or inside(function, "parameters")
        return [*steps, calls(wanted[0], example(schema))]
    config = inside(body, "generationConfig")
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    if schema:
        return [*steps, says(json_bytes(example(schema)).decode())]
    heard = [part["text"] for part in objects(body["contents"][-1]["parts"]) if "text" in part]
    return [*steps, says("Echo: ", " ".join(heard) or "the result")]


def declared(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Every function of a request."""
    return [
        item
        for tool in objects(body.get("tools"))
        for item in objects(tool.get("functionDeclarations"))
    ]


def _row(model: str) -> Gemini:
    if model not in GEMINI:
        raise refused(
            404,
            f"models/{model} is not found for API version v1beta, or is not supported for"
            " generateContent. Call ListModels to see the list of available models.",
        )
    return GEMINI[model]


def _check_thinking(config: dict[str, Any] | None, row: Gemini) -> list[str]:
    if config is None:
        return []
    level, budget = config.get("thinkingLevel"), config.get("thinkingBudget")
    if not row.levels and row.budget is None:
        raise bad("Thinking is not supported by this model.")
    if level is not None and budget is not None:
        raise bad("You can only set only one of thinking budget and thinking level.")
    if level is not None and level not in row.levels:
        told = "is not supported for this model." if row.levels else "levels are not supported."
        raise bad(f"Thinking level {level} {told}")
    if budget is None or budget == -1:
        return []
    if row.budget is None:
        return ["thinkingBudget on a model with levels"]
    low, high = row.budget
    if (budget == 0 and not row.can_be_off) or (budget and not low <= budget <= high):
        raise bad(
            f"The thinking budget {budget} is invalid. Please choose a value between {low} and"
            f" {high}."
        )
    return []


def _check_tools(body: dict[str, Any], config: dict[str, Any], row: Gemini) -> None:
    functions = declared(body)
    names = [function["name"] for function in functions]
    if len(set(names)) < len(names):
        raise bad("Duplicate function declaration found.")
    for index, function in enumerate(functions):
        _check_function(function, f"tools[0].function_declarations[{index}]")
    choice = inside(body, "toolConfig").get("functionCallingConfig")
    if choice is not None and not functions:
        raise bad("Function calling config is set without function_declarations.")
    allowed = inside(choice).get("allowedFunctionNames")
    if allowed and inside(choice).get("mode") not in {"ANY", "VALIDATED"}:
        raise bad("Allowed function names should only be set when the mode is ANY or VALIDATED.")
    if allowed and not set(allowed) <= set(names):
        raise bad("Allowed function names must be declared functions.")
    schemas = [key for key in ("responseSchema", "responseJsonSchema") if key in config]
    if len(schemas) > 1:
        raise bad("Only one of response_schema and response_json_schema may be set.")
    if "responseJsonSchema" in config and not_a_schema(config["responseJsonSchema"]):
        raise bad("* GenerateContentRequest.generation_config.response_json_schema: invalid schema")
    if schemas and config.get("responseMimeType") != "application/json":
        raise bad("Response schema is only allowed with response_mime_type application/json.")
    if schemas and functions and not row.needs_signatures:
        told = "Function calling with a response mime type: 'application/json' is unsupported"
        raise bad(told)
    if body.get("cachedContent") and ({"systemInstruction", "tools", "toolConfig"} & set(body)):
        raise bad("CachedContent can not be used with system_instruction, tools or tool_config.")
    instruction = body.get("systemInstruction")
    if instruction is not None and not objects(instruction.get("parts")):
        raise bad("* GenerateContentRequest.system_instruction.parts: must not be empty.")


def _check_function(function: dict[str, Any], where: str) -> None:
    if not FUNCTION.fullmatch(function["name"]):
        raise bad(
            f"* GenerateContentRequest.{where}.name: Invalid function name. Must start with a"
            " letter or an underscore."
        )
    parameters = function.get("parameters")
    schema = function.get("parametersJsonSchema")
    if parameters is not None and schema is not None:
        raise bad(f"{where}: only one of parameters and parameters_json_schema may be set.")
    if parameters is not None:
        _check_openapi(parameters, where)
    elif schema is not None:
        if not is_object(schema) or not_a_schema(schema):
            raise bad(f"{where}.parameters_json_schema: not a valid JSON schema")
        unknown = unknown_keyword(schema, GEMINI_KNOWN)
        if unknown:
            raise bad(f"{where}.parameters_json_schema: unsupported keyword '{unknown[1]}'")


def _check_openapi(parameters: dict[str, Any], where: str) -> None:
    unknown = unknown_keyword(parameters, OPENAPI_KNOWN)
    if unknown:
        at = f"{where}.parameters" + (f".{unknown[0]}" if unknown[0] else "")
        raise bad(
            f"Invalid JSON payload received. Unknown name \"{unknown[1]}\" at '{at}': Cannot find"
            " field."
        )
    for path, item in walk(parameters):
        if str(item.get("type", "")).upper() == "OBJECT" and not item.get("properties"):
            at = f"{where}.parameters{path}.properties"
            raise bad(f"* GenerateContentRequest.{at}: should be non-empty for OBJECT type")
        if any(not isinstance(value, str) for value in item.get("enum", [])):
            raise bad(f"Invalid value at '{where}.parameters{path}.enum' (TYPE_STRING)")


def _card(model: str) -> dict[str, Any]:
    row = GEMINI[model]
    return {
        "name": f"models/{model}",
        "version": "001",
        "displayName": model.replace("-", " ").title(),
        "description": "A model of the strict server.",
        "inputTokenLimit": row.window,
        "outputTokenLimit": row.max_output,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
        "thinking": row.thinks,
        "temperature": 1,
        "maxTemperature": 2,
        "topP": 0.95,
        "topK": 64,
    }
