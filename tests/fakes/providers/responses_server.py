"""The OpenAI Responses API: /v1/responses and the list of models."""

from collections.abc import Mapping
from typing import Any

from tests.fakes.providers.faults import Fault
from tests.fakes.providers.models import GPT, Gpt
from tests.fakes.providers.openai_errors import (
    account_of,
    check_effort,
    check_file_data,
    check_function,
    check_image,
    check_schema,
    check_unreasoned,
    error,
    failure_of,
    models_page,
    of_problem,
)
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
from tests.fakes.providers.responses_frames import Voice, frames_of, response_of
from tests.fakes.providers.responses_shapes import REQUEST
from tests.fakes.providers.responses_traps import spring
from tests.fakes.providers.scripts import Step, calls, count, cut, example, says, thinks
from tests.fakes.providers.serving import HttpServer
from tests.fakes.providers.shapes import bracketed, first_problem, inside, is_object, objects
from tests.fakes.providers.signatures import Claim, digest, issue, open_token

ENCRYPTED = "reasoning.encrypted_content"


class ResponsesServer(HttpServer):
    """OpenAI Responses, as strict as the real one."""

    reads_other_models = False
    """Whether encrypted reasoning of another model of the same account is accepted."""
    pairs_reasoning = False
    """Whether a reasoning item must be followed by what it led to, as older models want."""

    def __init__(self, keys: Mapping[str, str] | None = None, *, seed: int = 0) -> None:
        super().__init__(keys, seed=seed)
        self._stored: set[str] = set()
        self._responses: dict[str, set[str]] = {}
        self.max_body_bytes = 50 * 1024 * 1024

    def authenticate(self, incoming: Incoming) -> str:
        return account_of(incoming, self.keys)

    def route(self, exchange: Exchange) -> Reply:
        match exchange.incoming.method, exchange.incoming.path:
            case "POST", "/v1/responses":
                return self._generate(exchange)
            case "POST", "/v1/responses/compact":
                kept = {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"}
                usage = {"input_tokens": 40, "output_tokens": 9, "total_tokens": 49}
                answer = {"id": "resp_c", "object": "response.compaction", "output": [kept]}
                self.read_json(exchange)
                return json_reply({**answer, "usage": usage})
            case "GET", "/v1/models":
                return json_reply(models_page(list(GPT)))
            case method, path:
                raise error(f"Invalid URL ({method} {path})", status=404)

    def _generate(self, exchange: Exchange) -> Reply:
        body, row, effort = self._judge(exchange)
        script = self.next_script(exchange, default_steps(body))
        fault = script.fault or Fault()
        if fault.status or fault.body is not None:
            return self.send(script, Answer())
        stores = body.get("store") is not False
        sealed = stores or ENCRYPTED in (body.get("include") or [])

        def seal(item_id: str) -> str:
            claim = Claim("openai", "reasoning", body["model"], exchange.account, digest(item_id))
            return issue(claim)

        voice = Voice(
            self,
            body,
            reasons=effort != "none",
            phases=row.phases,
            seal=seal if sealed else None,
            usage=usage_of(script, body["input"]),
        )
        response = response_of(script, voice)
        if stores:
            self._store(response)
        if body.get("stream"):
            frames = spring(frames_of(script, voice, response), fault.traps)
            return self.send(script, Answer(frames, streamed=True))
        return self.send(script, Answer(whole=response))

    def _store(self, response: dict[str, Any]) -> None:
        self._stored |= {item["id"] for item in response["output"]}
        self._responses[response["id"]] = {
            item["call_id"] for item in response["output"] if item["type"] == "function_call"
        }

    def _judge(self, exchange: Exchange) -> tuple[dict[str, Any], Gpt, str]:
        if len(exchange.incoming.body) > self.max_body_bytes:
            raise error("Request body is too large.", status=413)
        body = self.read_json(exchange)
        problem = first_problem(REQUEST, body)
        if problem:
            raise of_problem(problem)
        row = GPT.get(body["model"])
        if row is None:
            told = f"The requested model '{body['model']}' does not exist."
            raise error(told, param="model", code="model_not_found")
        effort = check_effort(inside(body, "reasoning").get("effort"), row, "reasoning.effort")
        _check_settings(body, row, reasons=effort != "none")
        _check_tools(body, exchange)
        self._check_previous(body)
        if not isinstance(body["input"], str):
            self._check_items(body, row, exchange)
        if count(body["input"]) > row.window:
            told = "Your input exceeds the context window of this model. Please adjust your input and try again."  # noqa: E501 - the API's own words
            raise error(told, param="input", code="context_length_exceeded")
        return body, row, effort

    def _check_previous(self, body: dict[str, Any]) -> None:
        previous = body.get("previous_response_id")
        if previous is not None and previous not in self._responses:
            told = f"Previous response with id '{previous}' not found."
            raise error(told, param="previous_response_id", code="previous_response_not_found")

    def _check_items(self, body: dict[str, Any], row: Gpt, exchange: Exchange) -> None:
        items = objects(body["input"])
        seen: set[str] = set()
        for index, item in enumerate(items):
            identity = item.get("id")
            if identity in seen:
                told = f"Duplicate item found with id {identity}. Remove duplicate items from your input and try again."  # noqa: E501 - the API's own words
                raise error(told, param="input")
            seen |= {identity} if identity else set()
            _check_parts(item, index, row)
            if item.get("type") == "reasoning":
                self._check_reasoning(item, exchange, items[index + 1 : index + 2])
            if item.get("type") == "item_reference" and identity not in self._stored:
                raise _not_found(str(identity))
        known = self._responses.get(body.get("previous_response_id") or "", set[str]())
        _check_pairs(items, known, exchange)

    def _check_reasoning(
        self, item: dict[str, Any], exchange: Exchange, following: list[dict[str, Any]]
    ) -> None:
        identity = item["id"]
        produced = any(
            one.get("role") == "assistant" or one.get("type") in {"function_call", "reasoning"}
            for one in following
        )
        if self.pairs_reasoning and not produced:
            told = f"Item '{identity}' of type 'reasoning' was provided without its required following item."  # noqa: E501 - the API's own words
            raise error(told, param="input")
        if not item.get("encrypted_content"):
            if identity not in self._stored:
                raise _not_found(identity)
            return
        claim = open_token(item["encrypted_content"])
        told = f"The encrypted content for item {identity} could not be verified."
        if claim is None or claim.provider != "openai" or claim.account != exchange.account:
            raise error(told, code="invalid_encrypted_content")
        if claim.content != digest(identity):
            told += " Reason: Encrypted content item_id did not match the target item id."
            raise error(told, code="invalid_encrypted_content")
        if claim.model != exchange.json["model"] and not self.reads_other_models:
            raise error(told, code="invalid_encrypted_content")

    def failure(self, fault: Fault) -> Refusal:
        return failure_of(fault)

    def error_frames(self, fault: Fault) -> list[Frame]:
        code = fault.error_event
        message = fault.message if fault.message is not None else "A scripted error"
        told = {"type": code, "code": code, "message": message, "param": None}
        nested: dict[str, Any] = {"type": "error", "sequence_number": 99, "error": told}
        flat: dict[str, Any] = {**told, "type": "error", "sequence_number": 99}
        failed: dict[str, Any] = {
            "type": "response.failed",
            "sequence_number": 100,
            "response": {
                "id": self.draw("resp_"),
                "object": "response",
                "status": "failed",
                "output": [],
                "error": {"code": code, "message": message},
                "usage": None,
            },
        }
        frames: dict[str, list[dict[str, Any]]] = {
            "flat": [flat],
            "nested": [nested],
            "bare": [nested],
            "failed": [failed],
            "nested+failed": [nested, failed],
        }
        return [Frame(item, item["type"]) for item in frames[fault.error_shape]]

    def keepalive(self) -> Frame:
        return Frame({"type": "keepalive", "sequence_number": 0}, "keepalive")

    def unreadable(self, words: str) -> Refused:
        return error(f"We could not parse the JSON body of your request. ({words})")


def default_steps(body: dict[str, Any]) -> list[Step]:
    """An echo; or what was forced: a tool, or JSON of a schema."""
    steps: list[Step] = [thinks("The user said ", "something.")]
    choice = body.get("tool_choice")
    name = choice.get("name") if is_object(choice) else None
    if name or choice == "required":
        tool = next(t for t in body["tools"] if t["name"] == (name or t["name"]))
        return [*steps, calls(tool["name"], example(inside(tool, "parameters")))]
    wanted = inside(body, "text", "format")
    if wanted.get("type") == "json_schema":
        told = json_reply(example(wanted["schema"])).body.decode()
        return [*steps, says(*cut(told, 8))]
    return [*steps, says("Echo: ", _heard(body["input"]))]


def _heard(given: Any) -> str:
    if isinstance(given, str):
        return given
    last = objects(given)[-1]
    content = last.get("content")
    if isinstance(content, str):
        return content
    return " ".join(str(part["text"]) for part in objects(content) if "text" in part) or "that"


def _not_found(identity: str) -> Refused:
    told = (
        f"Item with id '{identity}' not found. Items are not persisted when `store` is set to"
        " false. Try again with `store` set to true, or remove this item from your input."
    )
    return error(told, status=404, param="input")


def _check_settings(body: dict[str, Any], row: Gpt, *, reasons: bool) -> None:
    check_unreasoned(body, ("temperature", "top_p", "top_logprobs"), reasons=reasons)
    if ENCRYPTED in (body.get("include") or []) and not row.efforts:
        raise error("Encrypted content is not supported with this model.", param="include")
    if inside(body, "reasoning").get("summary") and not row.efforts:
        told = "Unsupported parameter: 'reasoning.summary' is not supported with this model."
        raise error(told, param="reasoning.summary", code="unsupported_parameter")
    wanted = inside(body, "text", "format")
    if wanted.get("type") == "json_schema":
        strict = bool(wanted.get("strict"))
        check_schema(wanted["name"], wanted["schema"], strict=strict, param="text.format.schema")


def _check_tools(body: dict[str, Any], exchange: Exchange) -> None:
    tools = objects(body.get("tools"))
    functions: list[dict[str, Any]] = []
    for index, tool in enumerate(tools):
        inside_it = objects(tool.get("tools"))
        for function in inside_it or [tool] * (tool["type"] == "function"):
            check_function(function, f"tools[{index}]")
            functions.append(function)
            if "strict" not in function:
                exchange.notes.append(f"tools[{index}]: strict left out")
    is_searched = any(tool["type"] == "tool_search" for tool in tools)
    if not is_searched and any(function.get("defer_loading") for function in functions):
        raise error("Deferred tools require the tool_search tool.", param="tools")
    choice = body.get("tool_choice")
    if not tools and choice not in (None, "auto", "none"):
        told = "Tool choice must be specified with 'tools' parameter."
        raise error(told, param="tool_choice", code="invalid_value")
    forced = choice.get("name") if is_object(choice) else None
    if forced and forced not in {function["name"] for function in functions}:
        told = f"Tool choice '{forced}' not found in 'tools' parameter."
        raise error(told, param="tool_choice", code="invalid_value")


def _check_parts(item: dict[str, Any], index: int, row: Gpt) -> None:
    for key in ("content", "output"):
        for at, part in enumerate(objects(item.get(key))):
            where = bracketed(("input", index, key, at))
            if part.get("image_url"):
                check_image(part["image_url"], f"{where}.image_url")
            if "file_data" in part:
                check_file_data(part["file_data"], f"{where}.file_data")
                if "filename" not in part:
                    told = f"Missing required parameter: '{where}.filename'."
                    raise error(told, param=where, code="missing_required_parameter")
            if "prompt_cache_breakpoint" in part and not row.breakpoints:
                told = f"Unknown parameter: '{where}.prompt_cache_breakpoint'."
                raise error(told, param=where, code="unknown_parameter")


def _check_pairs(items: list[dict[str, Any]], known: set[str], exchange: Exchange) -> None:
    asked = set(known)
    answered: set[str] = set()
    for item in items:
        call_id = item.get("call_id", "")
        if item.get("type") == "function_call":
            if call_id in asked:
                exchange.notes.append(f"call_id {call_id} comes twice")
            asked.add(call_id)
        elif item.get("type") == "function_call_output":
            if call_id not in asked or call_id in answered:
                told = f"No tool call found for function call output with call_id {call_id}."
                raise error(told, param="input")
            answered.add(call_id)
    missing = sorted(asked - answered)
    if missing:
        raise error(f"No tool output found for function call {missing[0]}.", param="input")
