"""The Chat Completions API: OpenAI's own, and the habits of compatible servers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from tests.fakes.providers.chat_frames import Voice, completion_of, frames_of
from tests.fakes.providers.chat_shapes import REQUEST
from tests.fakes.providers.chat_traps import spring
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
from tests.fakes.providers.scripts import Step, calls, count, example, says, thinks
from tests.fakes.providers.serving import HttpServer
from tests.fakes.providers.shapes import inside, is_object, objects

Flavour = Literal["openai", "ollama", "vllm", "lmstudio", "deepseek"]
MODELS: tuple[str, ...] = ("qwen3:8b", "llama-4-8b")


@dataclass(frozen=True, slots=True)
class Habits:
    """What sets a server apart."""

    reasoning: Literal["none", "reasoning", "reasoning_content"] = "none"
    call_prefix: str = "call_"
    traps: frozenset[str] = frozenset()
    strict: bool = False
    """It refuses unknown fields."""
    open: bool = False
    """It asks for no key."""
    one_system: bool = False
    """Only the first message may be a system message."""
    named_choice: bool = True
    """One function can be forced by name."""
    wants_reasoning: bool = False
    """Calls of the current turn must come back with their reasoning_content."""
    errors: Literal["openai", "vllm", "string"] = "openai"


HABITS: dict[Flavour, Habits] = {
    "openai": Habits(strict=True),
    "ollama": Habits("reasoning", open=True, traps=frozenset({"whole_call"})),
    "vllm": Habits("reasoning", "chatcmpl-tool-", open=True, one_system=True, errors="vllm"),
    "lmstudio": Habits("reasoning_content", "", open=True, named_choice=False, errors="string"),
    "deepseek": Habits("reasoning_content", "call_00_", wants_reasoning=True),
}


class ChatServer(HttpServer):
    """Chat Completions. `refuses` names top-level fields this server does not know (400)."""

    def __init__(
        self,
        keys: Mapping[str, str] | None = None,
        *,
        flavour: Flavour = "openai",
        refuses: frozenset[str] = frozenset(),
        seed: int = 0,
    ) -> None:
        super().__init__(keys, seed=seed)
        self.flavour = flavour
        self.habits = HABITS[flavour]
        self.refuses = refuses
        self.max_body_bytes = 50 * 1024 * 1024
        self.models = list(GPT) if flavour == "openai" else list(MODELS)

    def authenticate(self, incoming: Incoming) -> str:
        return "local" if self.habits.open else account_of(incoming, self.keys)

    def route(self, exchange: Exchange) -> Reply:
        match exchange.incoming.method, exchange.incoming.path:
            case "POST", "/v1/chat/completions":
                return self._generate(exchange)
            case "POST", "/v1/embeddings":
                return self._embed(exchange)
            case "GET", "/v1/models":
                return json_reply(models_page(self.models))
            case method, path:
                raise self._told(error(f"Invalid URL ({method} {path})", status=404))

    def _embed(self, exchange: Exchange) -> Reply:
        """A vector for each text; the count is of all of them."""
        body = self.read_json(exchange)
        given: Any = body.get("input")
        is_list = isinstance(given, list)
        texts = cast("list[Any]", given) if is_list else [given]
        if not all(isinstance(text, str) for text in texts):
            raise self._told(error("Invalid value for 'input'.", status=400))
        rows = [
            {"object": "embedding", "index": at, "embedding": [0.5, float(len(text))]}
            for at, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 3 * len(texts), "total_tokens": 3 * len(texts)}
        return json_reply({"object": "list", "model": body["model"], "data": rows, "usage": usage})

    def _generate(self, exchange: Exchange) -> Reply:
        try:
            body = self._judge(exchange)
        except Refused as refused:
            raise self._told(refused) from None
        script = self.next_script(exchange, default_steps(body))
        fault = script.fault or Fault()
        if fault.status or fault.body is not None:
            return self.send(script, Answer())
        voice = Voice(
            self,
            body,
            usage=usage_of(script, body["messages"]),
            reasoning=self.habits.reasoning,
            call_prefix=self.habits.call_prefix,
            named=is_object(body.get("tool_choice")),
        )
        if not body.get("stream"):
            return self.send(script, Answer(whole=completion_of(script, voice)))
        frames = spring(frames_of(script, voice), fault.traps | self.habits.traps)
        return self.send(script, Answer(frames, streamed=True))

    def _judge(self, exchange: Exchange) -> dict[str, Any]:
        if len(exchange.incoming.body) > self.max_body_bytes:
            raise error("Request body is too large.", status=413)
        body = self.read_json(exchange)
        for name in sorted(self.refuses & set(body)):
            hint = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
            told = f"Unsupported parameter: '{name}' is not supported with this model."
            told += f" Use '{hint[name]}' instead." if name in hint else ""
            raise error(told, param=name, code="unsupported_parameter")
        told = {"missing", "type", "tag"} | (
            {"extra", "value"} if self.habits.strict else set[str]()
        )
        problem = next((item for item in REQUEST(body, ()) if item.kind in told), None)
        if problem:
            raise of_problem(problem)
        self._check_model(body)
        check_calls(objects(body["messages"]))
        for index, message in enumerate(objects(body["messages"])):
            _check_content(message, f"messages[{index}]")
        self._check_habits(body)
        _check_tools(body)
        return body

    def _check_model(self, body: dict[str, Any]) -> None:
        model = body["model"]
        if model not in self.models:
            told = f"The model `{model}` does not exist or you do not have access to it."
            raise error(told, status=404, code="model_not_found")
        if self.flavour != "openai":
            return
        row = GPT[model]
        effort = body.get("reasoning_effort")
        if effort == "max":
            check_effort(
                "max", Gpt(tuple(e for e in row.efforts if e != "max")), "reasoning_effort"
            )
        reasons = check_effort(effort, row, "reasoning_effort") != "none"
        sampling = ("temperature", "top_p", "logprobs", "top_logprobs", "stop")
        check_unreasoned(body, sampling, reasons=reasons)
        if row.efforts and body.get("max_tokens") is not None:
            told = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."  # noqa: E501 - the API's own words
            raise error(told, param="max_tokens", code="unsupported_parameter")
        if body.get("tools") and not _may_use_tools(row, effort):
            told = (
                f"Function tools with reasoning_effort are not supported for {model} in"
                " /v1/chat/completions. Please use /v1/responses instead."
            )
            raise error(told, param="reasoning_effort")
        if count(body["messages"]) > row.window:
            told = f"This model's maximum context length is {row.window} tokens. Please reduce the length of the messages."  # noqa: E501 - the API's own words
            raise error(told, param="messages", code="context_length_exceeded")

    def _check_habits(self, body: dict[str, Any]) -> None:
        messages = objects(body["messages"])
        if self.habits.one_system and any(m["role"] == "system" for m in messages[1:]):
            raise error("System message must be at the beginning.")
        if not self.habits.named_choice and is_object(body.get("tool_choice")):
            told = (
                "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"
            )
            raise error(told)
        if self.habits.wants_reasoning:
            asked = max((n for n, m in enumerate(messages) if m["role"] == "user"), default=0)
            for message in messages[asked:]:
                if message.get("tool_calls") and "reasoning_content" not in message:
                    raise error("Missing `reasoning_content` field in the assistant message")

    def _told(self, refused: Refused) -> Refused:
        """The same refusal in the words of the flavour."""
        status, body = refused.refusal.status, refused.refusal.body
        if self.habits.errors == "string":
            body = {"error": body["error"]["message"]}
        elif self.habits.errors == "vllm":
            kind = "NotFoundError" if status == 404 else "BadRequestError"
            body = {"error": {**body["error"], "type": kind, "code": status}}
        return Refused(Refusal(status, body))

    def failure(self, fault: Fault) -> Refusal:
        return self._told(Refused(failure_of(fault))).refusal

    def error_frames(self, fault: Fault) -> list[Frame]:
        message = fault.message or "A scripted error"
        told = {"message": message, "type": "server_error", "param": None}
        return [Frame({"error": {**told, "code": fault.error_event}})]

    def keepalive(self) -> Frame:
        return Frame(b": PROCESSING\n\n")

    def unreadable(self, words: str) -> Refused:
        return error(f"We could not parse the JSON body of your request. ({words})")


def default_steps(body: dict[str, Any]) -> list[Step]:
    """An echo; or what was forced: a tool, or JSON of a schema."""
    steps: list[Step] = [thinks("The user said ", "something.")]
    choice = body.get("tool_choice")
    name = choice["function"]["name"] if is_object(choice) and "function" in choice else None
    if name or choice == "required":
        functions = [tool["function"] for tool in body["tools"]]
        chosen = next(
            function for function in functions if function["name"] == (name or function["name"])
        )
        return [*steps, calls(chosen["name"], example(inside(chosen, "parameters")))]
    wanted = inside(body, "response_format").get("json_schema")
    if wanted:
        return [*steps, says(json_reply(example(wanted.get("schema"))).body.decode())]
    content = body["messages"][-1].get("content")
    parts = [part.get("text", "") for part in objects(content)]
    return [*steps, says("Echo: ", content if isinstance(content, str) else " ".join(parts))]


def check_calls(messages: list[dict[str, Any]]) -> None:
    """Refuse calls without results right after them, and results without calls."""
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                told = "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."  # noqa: E501 - the API's own words
                raise error(told, param=f"messages.[{index}].role")
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            raise _unanswered(waiting)
        waiting = [call["id"] for call in objects(message.get("tool_calls"))]
        if len(set(waiting)) < len(waiting):
            raise error(f"Duplicate value for 'tool_call_id' of '{waiting[0]}'", param="messages")
    if waiting:
        raise _unanswered(waiting)


def _unanswered(waiting: list[str]) -> Refused:
    told = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to"
        " each 'tool_call_id'. The following tool_call_ids did not have response messages: "
    )
    return error(told + ", ".join(waiting), param="messages")


def _check_content(message: dict[str, Any], where: str) -> None:
    said = [message.get(key) for key in ("content", "tool_calls", "refusal")]
    if message["role"] == "assistant" and said[0] is None and not any(said):
        told = f"Invalid value for '{where}.content': expected a string, got null."
        raise error(told, param=f"{where}.content", code="invalid_type")
    for at, part in enumerate(objects(message.get("content"))):
        if is_object(part.get("image_url")):
            check_image(part["image_url"]["url"], f"{where}.content[{at}].image_url.url")
        if is_object(part.get("file")) and "file_data" in part["file"]:
            check_file_data(part["file"]["file_data"], f"{where}.content[{at}].file.file_data")
            if "filename" not in part["file"]:
                told = f"Missing required parameter: '{where}.content[{at}].file.filename'."
                raise error(told, code="missing_required_parameter")


def _may_use_tools(row: Gpt, effort: str | None) -> bool:
    match row.chat_tools:
        case "free":
            return True
        case "unless_set":
            return effort in {None, "none"}
        case "explicit_none":
            return effort == "none"
        case "never":
            return False


def _check_tools(body: dict[str, Any]) -> None:
    tools = objects(body.get("tools"))
    for index, tool in enumerate(tools):
        check_function(tool["function"], f"tools[{index}].function")
    if not tools and body.get("tool_choice") not in (None, "none"):
        told = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."  # noqa: E501 - the API's own words
        raise error(told, param="tool_choice")
    if not tools and "parallel_tool_calls" in body:
        told = "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified."  # noqa: E501 - the API's own words
        raise error(told, param="parallel_tool_calls")
    choice = body.get("tool_choice")
    forced = inside(choice, "function").get("name")
    if forced and forced not in {tool["function"]["name"] for tool in tools}:
        raise error("Invalid value for 'tool_choice': no such function", param="tool_choice")
    wanted = inside(body, "response_format").get("json_schema")
    if wanted:
        strict = bool(wanted.get("strict"))
        schema = wanted.get("schema", {})
        check_schema(wanted["name"], schema, strict=strict, param="response_format")
