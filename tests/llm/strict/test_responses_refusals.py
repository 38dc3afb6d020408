"""What OpenAI refuses on Responses, each with its own words."""

from typing import Any

import pytest

from tests.fakes.providers import Exchange, ResponsesServer, calls, says, thinks
from tests.llm.strict.asking import HEADERS, PNG, WEATHER, Case, ask, told

TOOL: dict[str, Any] = {
    "type": "function",
    "name": "weather",
    "parameters": WEATHER,
    "strict": True,
}
USER = {"role": "user", "content": "hi"}


def body(*items: Any, model: str = "gpt-5.6-sol", **fields: Any) -> dict[str, Any]:
    return {"model": model, "input": list(items or [USER]), **fields}


def call(call_id: str, **fields: Any) -> dict[str, Any]:
    told = {"type": "function_call", "call_id": call_id, "name": "weather", "arguments": "{}"}
    return {**told, **fields}


def output(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "rain"}


def part(**fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": [fields]}


def send(server: ResponsesServer, request: Any, key: str = "test-key") -> Exchange:
    return ask(server, "/v1/responses", request, {"authorization": f"Bearer {key}"})


CASES = [
    Case("no JSON", b"{", "could not parse the JSON body"),
    Case("unknown field", body(stop=["a"]), "Unknown parameter: 'stop'.", code="unknown_parameter"),
    Case(
        "unknown inner field",
        body({**USER, "_private": 1}),
        "Unknown parameter: 'input[0]._private'.",
        code="unknown_parameter",
    ),
    Case("no model", {"input": "hi"}, "'model'", code="missing_required_parameter"),
    Case("empty input", body() | {"input": []}, "'input'", code="empty_array"),
    Case("unknown model", body(model="gpt-2"), "does not exist", code="model_not_found"),
    Case("unknown role", body({"role": "tool", "content": ""}), "'tool'", code="invalid_value"),
    Case(
        "input_text of the assistant",
        body({"role": "assistant", "content": [{"type": "input_text", "text": "a"}]}),
        "Invalid value: 'input_text'",
        code="invalid_value",
    ),
    Case(
        "long call_id",
        body(USER, call("c" * 83), output("c" * 83)),
        "string too long",
        code="string_above_max_length",
    ),
    Case(
        "foreign item id",
        body(USER, call("c", id="toolu_1"), output("c")),
        "Invalid 'input[1].id'",
        code="invalid_value",
    ),
    Case("call without output", body(USER, call("c")), "No tool output found for function call c."),
    Case("output without call", body(USER, output("c")), "No tool call found"),
    Case("output before call", body(USER, output("c"), call("c")), "No tool call found"),
    Case("two outputs", body(USER, call("c"), output("c"), output("c")), "No tool call found"),
    Case(
        "same item twice",
        body(USER, call("a", id="fc_1"), output("a"), call("b", id="fc_1"), output("b")),
        "Duplicate item found with id fc_1",
    ),
    Case(
        "effort not of this model",
        body(reasoning={"effort": "minimal"}),
        "does not support 'minimal'",
        code="unsupported_value",
    ),
    Case(
        "effort without reasoning",
        body(model="gpt-4.1", reasoning={"effort": "low"}),
        "not supported with this model",
        code="unsupported_parameter",
    ),
    Case("off where impossible", body(model="gpt-6-astra", reasoning={"effort": "none"}), "'none'"),
    Case("temperature", body(temperature=0.5), "'temperature'", code="unsupported_parameter"),
    Case(
        "encrypted content without reasoning",
        body(model="gpt-4.1", include=["reasoning.encrypted_content"]),
        "Encrypted content is not supported",
    ),
    Case("small output", body(max_output_tokens=5), "16", code="integer_below_min_value"),
    Case(
        "reasoning without its content",
        body({"type": "reasoning", "id": "rs_1", "summary": []}, USER, store=False),
        "Item with id 'rs_1' not found",
        404,
    ),
    Case(
        "made-up encrypted content",
        body({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "a"}, USER),
        "could not be verified",
        code="invalid_encrypted_content",
    ),
    Case(
        "optional property under strict",
        body(tools=[TOOL | {"parameters": WEATHER | {"required": []}}]),
        "Missing 'city'",
        code="invalid_function_parameters",
    ),
    Case("forced without tools", body(tool_choice="required"), "'tools' parameter"),
    Case(
        "unknown choice",
        body(tools=[TOOL], tool_choice={"type": "function", "name": "b"}),
        "Tool choice 'b' not found",
    ),
    Case(
        "cache mark on an older model",
        body(
            part(type="input_text", text="a", prompt_cache_breakpoint={"mode": "explicit"}),
            model="gpt-5.4",
        ),
        "prompt_cache_breakpoint",
    ),
    Case("bare base64 image", body(part(type="input_image", image_url=PNG)), "valid URL"),
    Case(
        "svg image",
        body(part(type="input_image", image_url=f"data:image/svg+xml;base64,{PNG}")),
        "unsupported image",
    ),
    Case(
        "file without a name",
        body(part(type="input_file", file_data=f"data:application/pdf;base64,{PNG}")),
        "filename",
        code="missing_required_parameter",
    ),
    Case("unknown previous", body(previous_response_id="resp_1"), "not found"),
    Case("no key", body(), "You didn't provide an API key", 401, None, {"a": "b"}),
    Case(
        "bad key",
        body(),
        "Incorrect API key provided",
        401,
        "invalid_api_key",
        {"authorization": "Bearer nope-nope"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_request_is_refused_in_the_words_of_the_api(case: Case) -> None:
    headers = case.headers or HEADERS["openai"]
    exchange = ask(ResponsesServer(), "/v1/responses", case.body, headers)
    error = told(exchange)["error"]
    assert exchange.reply.status == case.status, error
    assert case.words in error["message"]
    assert case.code in {None, error["code"]}


def reasoned(
    server: ResponsesServer, *, model: str = "gpt-5.6-sol", **fields: Any
) -> tuple[Exchange, list[Any]]:
    """An answer with reasoning and a call, and the items that go on from it."""
    server.answer(thinks("Hm."), says("Let me see."), calls("weather", {"city": "Ulm"}))
    fields = {"store": False, "include": ["reasoning.encrypted_content"], **fields}
    exchange = send(server, body(model=model, tools=[TOOL], **fields))
    items = told(exchange)["output"]
    return exchange, [USER, *items, output(items[-1]["call_id"])]


def test_reasoning_comes_back_unchanged_and_is_accepted() -> None:
    server = ResponsesServer()
    _, items = reasoned(server)
    exchange = send(server, body(*items, tools=[TOOL], store=False))
    assert (exchange.refusal, exchange.notes) == (None, [])


def test_items_without_ids_are_accepted() -> None:
    server = ResponsesServer()
    _, items = reasoned(server)
    bare = [{k: v for k, v in item.items() if k != "id"} for item in items if "summary" not in item]
    assert send(server, body(*bare, tools=[TOOL])).refusal is None


@pytest.mark.parametrize(
    ("change", "model", "key"),
    [
        ({"encrypted_content": "AAAA"}, "gpt-5.6-sol", "test-key"),
        ({"id": "rs_other"}, "gpt-5.6-sol", "test-key"),
        ({}, "gpt-6-sol", "test-key"),
        ({}, "gpt-5.6-sol", "other-key"),
    ],
    ids=["changed", "moved", "another model", "another account"],
)
def test_reasoning_that_does_not_hold_is_refused(
    change: dict[str, str], model: str, key: str
) -> None:
    server = ResponsesServer({"test-key": "one", "other-key": "two"})
    _, items = reasoned(server)
    items[1] |= change
    exchange = send(server, body(*items, tools=[TOOL], model=model), key)
    assert told(exchange)["error"]["code"] == "invalid_encrypted_content"


def test_stored_reasoning_needs_only_its_id() -> None:
    server = ResponsesServer()
    _, items = reasoned(server, store=True)
    del items[1]["encrypted_content"]
    assert send(server, body(*items, tools=[TOOL])).refusal is None


def test_encrypted_content_is_told_only_when_asked_for_or_stored() -> None:
    exchange, _ = reasoned(ResponsesServer(), include=[])
    assert "encrypted_content" not in told(exchange)["output"][0]


def test_a_stored_response_can_be_gone_on_with() -> None:
    server = ResponsesServer()
    exchange, items = reasoned(server, store=True)
    previous = told(exchange)["id"]
    later = send(server, body(items[-1], tools=[TOOL], previous_response_id=previous))
    assert later.refusal is None


def test_a_server_may_read_the_reasoning_of_its_other_models() -> None:
    server = ResponsesServer()
    server.reads_other_models = True
    _, items = reasoned(server)
    assert send(server, body(*items, tools=[TOOL], model="gpt-6-sol")).refusal is None


def test_a_server_may_want_what_reasoning_led_to() -> None:
    server = ResponsesServer()
    server.pairs_reasoning = True
    _, items = reasoned(server)
    exchange = send(server, body(USER, items[1], USER))
    assert "without its required following item" in told(exchange)["error"]["message"]
