"""What Chat Completions servers refuse: OpenAI's own, and the compatible ones."""

import json
from typing import Any

import pytest

from tests.fakes.providers import ChatServer
from tests.fakes.providers.chat_server import Flavour
from tests.llm.strict.asking import HEADERS, WEATHER, Case, ask, told

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "weather", "parameters": WEATHER},
}
USER = {"role": "user", "content": "hi"}
PATH = "/v1/chat/completions"


def body(*messages: Any, model: str = "gpt-4.1", **fields: Any) -> dict[str, Any]:
    return {"model": model, "messages": list(messages or [USER]), **fields}


def calling(*ids: str, **fields: Any) -> dict[str, Any]:
    function = {"name": "weather", "arguments": "{}"}
    calls = [{"id": item, "type": "function", "function": function} for item in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **fields}


def result(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "rain"}


CASES = [
    Case("no JSON", b"[]", "could not parse the JSON body"),
    Case("unknown field", body(top_k=1), "'top_k'", code="unknown_parameter"),
    Case(
        "reasoning of others",
        body(USER, {"role": "assistant", "content": "a", "reasoning_content": "b"}, USER),
        "'messages[1].reasoning_content'",
        code="unknown_parameter",
    ),
    Case("unknown model", body(model="gpt-2"), "`gpt-2` does not", 404, "model_not_found"),
    Case("no messages", body() | {"messages": []}, "'messages'", code="empty_array"),
    Case("call without result", body(USER, calling("a"), USER), "response messages: a"),
    Case(
        "one result missing",
        body(USER, calling("a", "b"), result("a")),
        "did not have response messages: b",
    ),
    Case("result without call", body(USER, result("a")), "must be a response to a preceding"),
    Case(
        "two results",
        body(USER, calling("a"), result("a"), result("a")),
        "must be a response to a preceding",
    ),
    Case("same id twice", body(USER, calling("a", "a"), result("a"), result("a")), "Duplicate"),
    Case(
        "long id",
        body(USER, calling("a" * 65), result("a" * 65)),
        "string too long",
        code="string_above_max_length",
    ),
    Case("no calls", body(USER, calling()), "tool_calls", code="empty_array"),
    Case(
        "null content",
        body(USER, {"role": "assistant", "content": None}, USER),
        "expected a string, got null",
    ),
    Case(
        "args as object",
        body(
            USER,
            calling("a")
            | {
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "b", "arguments": {}}}
                ]
            },
            result("a"),
        ),
        "arguments",
        code="invalid_type",
    ),
    Case(
        "image in a result",
        body(
            USER,
            calling("a"),
            result("a") | {"content": [{"type": "image_url", "image_url": {"url": "https://a"}}]},
        ),
        "'image_url'",
        code="invalid_value",
    ),
    Case("max_tokens on gpt-5", body(model="gpt-5", max_tokens=9), "max_completion_tokens"),
    Case("temperature on gpt-5", body(model="gpt-5", temperature=0), "'temperature'"),
    Case("effort max", body(model="gpt-5.6-sol", reasoning_effort="max"), "'max'"),
    Case(
        "tools with effort on 5.4",
        body(model="gpt-5.4", tools=[TOOL], reasoning_effort="low"),
        "/v1/responses",
    ),
    Case("tools on 5.6", body(model="gpt-5.6-sol", tools=[TOOL]), "/v1/responses"),
    Case("tools on astra", body(model="gpt-6-astra", tools=[TOOL]), "/v1/responses"),
    Case("five stops", body(stop=["a"] * 5), "'stop'"),
    Case("choice without tools", body(tool_choice="auto"), "only allowed when 'tools'"),
    Case("parallel without tools", body(parallel_tool_calls=False), "only allowed when 'tools'"),
    Case("bad key", body(), "Incorrect", 401, "invalid_api_key", {"authorization": "Bearer none"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_request_is_refused_in_the_words_of_the_api(case: Case) -> None:
    exchange = ask(ChatServer(), PATH, case.body, case.headers or HEADERS["openai"])
    error = told(exchange)["error"]
    assert exchange.reply.status == case.status, error
    assert case.words in error["message"]
    assert case.code in {None, error["code"]}


@pytest.mark.parametrize(
    ("model", "effort"), [("gpt-5.4", None), ("gpt-5.6-sol", "none"), ("gpt-5", "low")]
)
def test_tools_are_accepted_where_the_effort_allows(model: str, effort: str | None) -> None:
    request = body(model=model, tools=[TOOL], reasoning_effort=effort)
    assert ask(ChatServer(), PATH, request, HEADERS["openai"]).refusal is None


def compat(flavour: Flavour, request: dict[str, Any]) -> tuple[int, Any]:
    server = ChatServer(flavour=flavour)
    exchange = ask(server, PATH, request | {"model": "qwen3:8b"}, HEADERS["openai"])
    return exchange.reply.status, told(exchange)


def test_compatible_servers_ignore_fields_they_do_not_know() -> None:
    assert compat("ollama", body(top_k=1, keep_alive="5m"))[0] == 200


def test_vllm_wants_one_system_message_and_tells_errors_its_own_way() -> None:
    system = {"role": "system", "content": "a"}
    assert compat("vllm", body(system, USER, system)) == (
        400,
        {
            "error": {
                "message": "System message must be at the beginning.",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            }
        },
    )


def test_lm_studio_knows_no_named_choice_and_tells_errors_as_a_string() -> None:
    choice = {"type": "function", "function": {"name": "weather"}}
    status, told = compat("lmstudio", body(tools=[TOOL], tool_choice=choice))
    assert (status, told["error"].partition(".")[0]) == (400, "Invalid tool_choice type: 'object'")


def test_deepseek_wants_the_reasoning_of_the_current_turn_back() -> None:
    assert compat("deepseek", body(USER, calling("a"), result("a")))[0] == 400
    assert compat("deepseek", body(USER, calling("a", reasoning_content=""), result("a")))[0] == 200


def test_a_server_refuses_the_fields_it_is_told_to() -> None:
    server = ChatServer(flavour="vllm", refuses=frozenset({"stream_options"}))
    request = body(model="qwen3:8b", stream=True, stream_options={"include_usage": True})
    exchange = ask(server, PATH, request, {})
    assert (exchange.reply.status, told(exchange)["error"]["param"]) == (400, "stream_options")


@pytest.mark.parametrize(
    ("flavour", "field"),
    [("ollama", "reasoning"), ("vllm", "reasoning"), ("lmstudio", "reasoning_content")],
)
def test_compatible_servers_show_their_reasoning(flavour: Flavour, field: str) -> None:
    _, answer = compat(flavour, body())
    assert json.dumps(answer).count(f'"{field}"') == 1
