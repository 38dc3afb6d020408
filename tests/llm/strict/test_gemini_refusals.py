"""What Gemini refuses, each with its own words."""

import base64
from typing import Any

import pytest

from tests.fakes.providers import Exchange, GeminiServer, calls, says
from tests.llm.strict.asking import HEADERS, PNG, WEATHER, Case, ask, told

FLASH = "gemini-3.6-flash"
TOOLS: list[Any] = [
    {"functionDeclarations": [{"name": "weather", "parametersJsonSchema": WEATHER}]}
]
DUMMY = "skip_thought_signature_validator"


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def call(name: str = "weather", **fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {"city": "Ulm"}}, **fields}


def result(name: str = "weather", **fields: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": "rain"}, **fields}}


HI = user({"text": "hi"})
SIGNED = call(thoughtSignature=DUMMY)


def body(*contents: Any, config: Any = None, **fields: Any) -> dict[str, Any]:
    told = {"contents": list(contents or [HI]), **fields}
    return told if config is None else {**told, "generationConfig": config}


def send(
    request: Any,
    name: str = FLASH,
    server: GeminiServer | None = None,
    headers: dict[str, str] | None = None,
) -> Exchange:
    path = f"/v1beta/models/{name}:generateContent"
    return ask(server or GeminiServer(), path, request, headers or HEADERS["gemini"])


def thinking(**fields: Any) -> dict[str, Any]:
    return body(config={"thinkingConfig": fields})


CASES = [
    Case("no JSON", b"{", "Invalid JSON payload received"),
    Case("unknown field", body(model="a"), 'Unknown name "model": Cannot find field.'),
    Case(
        "unknown inner field",
        body(user({"text": "hi", "_private": 1})),
        "Unknown name \"_private\" at 'contents[0].parts[0]'",
    ),
    Case("no contents", body() | {"contents": []}, "contents is not specified"),
    Case("unknown role", body({"role": "assistant", "parts": [{"text": "a"}]}), "valid role"),
    Case("no parts", body(user()), "parts must not be empty"),
    Case("empty text alone", body(user({"text": ""})), "not empty"),
    Case("empty part", body(user({})), "required oneof field 'data'"),
    Case("signature alone", body(HI, model({"thoughtSignature": DUMMY}), HI), "required oneof"),
    Case("two kinds of data", body(user({"text": "a", **call()})), "already set"),
    Case("model first", body(model({"text": "a"}), HI), "begin with a user role"),
    Case("model last", body(HI, model({"text": "a"})), "end with a user role"),
    Case("call of the user", body(user(call())), "in a model turn"),
    Case("call without result", body(HI, model(SIGNED), HI), "number of function response parts"),
    Case(
        "too few results",
        body(HI, model(SIGNED, call()), user(result())),
        "number of function response parts",
    ),
    Case("result without call", body(user(result())), "immediately after a function call"),
    Case(
        "results in two contents",
        body(HI, model(SIGNED, call()), user(result()), user(result())),
        "number of function response parts",
    ),
    Case(
        "call after model text",
        body(HI, model({"text": "a"}), model(SIGNED), user(result())),
        "immediately after a user turn",
    ),
    Case("other name", body(HI, model(SIGNED), user(result("b"))), "names match"),
    Case("other id", body(HI, model(SIGNED), user(result(id="x"))), "does not match any"),
    Case(
        "result that is no object",
        body(HI, model(SIGNED), user({"functionResponse": {"name": "a", "response": "rain"}})),
        "Invalid value at 'contents[2].parts[0].functionResponse.response'",
    ),
    Case("no signature", body(HI, model(call()), user(result())), "missing a thought_signature"),
    Case(
        "no signature on the second step",
        body(HI, model(SIGNED), user(result()), model(call()), user(result())),
        "missing a thought_signature",
    ),
    Case(
        "made-up signature",
        body(HI, model(call(thoughtSignature="AAAA")), user(result())),
        "Corrupted thought signature",
    ),
    Case("gif", body(user({"inlineData": {"mimeType": "image/gif", "data": PNG}})), "MIME type"),
    Case("minimal on 3.8", thinking(thinkingLevel="MINIMAL"), "not supported"),
    Case("level and budget", thinking(thinkingLevel="LOW", thinkingBudget=1), "only one"),
    Case("six stops", body(config={"stopSequences": ["a"] * 6}), "stopSequences"),
    Case("too much output", body(config={"maxOutputTokens": 10**6}), "maxOutputTokens"),
    Case("schema without type", body(config={"responseJsonSchema": WEATHER}), "response_mime_type"),
    Case(
        "config without tools", body(toolConfig={"functionCallingConfig": {"mode": "ANY"}}), "set"
    ),
    Case(
        "names with AUTO",
        body(
            tools=TOOLS,
            toolConfig={
                "functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["weather"]}
            },
        ),
        "ANY or VALIDATED",
    ),
    Case(
        "both kinds of schema",
        body(
            tools=[
                {
                    "functionDeclarations": [
                        {"name": "a", "parameters": WEATHER, "parametersJsonSchema": WEATHER}
                    ]
                }
            ]
        ),
        "only one of parameters",
    ),
    Case(
        "const",
        body(
            tools=[
                {
                    "functionDeclarations": [
                        {"name": "a", "parametersJsonSchema": {"type": "object", "const": {}}}
                    ]
                }
            ]
        ),
        "unsupported keyword 'const'",
    ),
    Case(
        "additionalProperties in OpenAPI",
        body(tools=[{"functionDeclarations": [{"name": "a", "parameters": WEATHER}]}]),
        'Unknown name "additionalProperties"',
    ),
    Case("odd name", body(tools=[{"functionDeclarations": [{"name": "1a"}]}]), "function name"),
    Case("no key", body(), "unregistered callers", 403, headers={"a": "b"}),
    Case("bad key", body(), "API key not valid", headers={"x-goog-api-key": "no"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_request_is_refused_in_the_words_of_the_api(case: Case) -> None:
    name = "gemini-3.8-flash" if "3.8" in case.name else FLASH
    exchange = send(case.body, name, headers=case.headers)
    error = told(exchange)["error"]
    assert (exchange.reply.status, error["code"]) == (case.status, case.status), error
    assert case.words in error["message"]


@pytest.mark.parametrize(
    ("name", "config", "accepted"),
    [
        ("gemini-2.5-pro", {"thinkingBudget": 0}, False),
        ("gemini-2.5-pro", {"thinkingBudget": 128}, True),
        ("gemini-2.5-flash", {"thinkingBudget": 0}, True),
        ("gemini-2.5-flash-lite", {"thinkingBudget": 100}, False),
        ("gemini-2.5-flash", {"thinkingLevel": "LOW"}, False),
        ("gemini-2.0-flash", {"includeThoughts": True}, False),
        (FLASH, {"thinkingLevel": "MINIMAL"}, True),
    ],
)
def test_each_model_takes_its_own_thinking_settings(
    name: str, config: dict[str, Any], accepted: bool
) -> None:
    assert (send(thinking(**config), name).refusal is None) == accepted


def test_an_unknown_model_is_not_found() -> None:
    exchange = send(body(), "gemini-1")
    assert (exchange.reply.status, told(exchange)["error"]["status"]) == (404, "NOT_FOUND")


def test_a_key_in_the_address_is_a_leak() -> None:
    server = GeminiServer()
    path = f"/v1beta/models/{FLASH}:generateContent"
    exchange = ask(server, path, body(), {}, {"key": "test-key"})
    assert (exchange.reply.status, server.leaks) == (403, [path])


def test_both_spellings_are_read() -> None:
    assert send(body(system_instruction=user({"text": "a"}))).refusal is None


@pytest.mark.parametrize("dummy", [DUMMY, base64.b64encode(DUMMY.encode()).decode()])
def test_the_dummy_signature_is_accepted(dummy: str) -> None:
    request = body(HI, model(call(thoughtSignature=dummy)), user(result()))
    assert send(request).refusal is None


def called(server: GeminiServer, name: str = FLASH) -> list[Any]:
    """A conversation that goes on from two calls and their results."""
    server.answer(says("One moment."), calls("weather", {"city": "Ulm"}), calls("weather"))
    answer = told(send(body(tools=TOOLS), name, server))["candidates"][0]["content"]
    ids = [part["functionCall"]["id"] for part in answer["parts"] if "functionCall" in part]
    return [HI, answer, user(*(result(id=item) for item in ids))]


def test_signatures_come_back_unchanged_and_are_accepted() -> None:
    server = GeminiServer()
    exchange = send(body(*called(server), tools=TOOLS), server=server)
    assert (exchange.refusal, exchange.notes) == (None, [])


@pytest.mark.parametrize("change", ["args", "model"])
def test_a_signature_that_does_not_hold_is_refused(change: str) -> None:
    server = GeminiServer()
    contents = called(server)
    if change == "args":
        contents[1]["parts"][1]["functionCall"]["args"] = {"city": "Rom"}
    name = "gemini-3.5-flash" if change == "model" else FLASH
    exchange = send(body(*contents, tools=TOOLS), name, server)
    assert told(exchange)["error"]["message"] == "Corrupted thought signature."


def test_only_the_current_turn_needs_signatures() -> None:
    request = body(HI, model(call()), user(result()), model({"text": "Rain."}), HI)
    assert send(request).refusal is None


def test_what_is_let_pass_is_noted() -> None:
    server = GeminiServer()
    contents = called(server)
    contents[2]["parts"].append({"text": "and?"})
    assert send(body(*contents, tools=TOOLS), server=server).notes == [
        "contents[2]: function responses beside other parts"
    ]


@pytest.mark.parametrize(
    ("name", "forced", "given"),
    [(FLASH, None, True), ("gemini-2.5-pro", None, False), (FLASH, False, False)],
)
def test_calls_carry_ids_on_newer_models(name: str, forced: bool | None, given: bool) -> None:
    server = GeminiServer()
    server.call_ids = forced
    server.answer(calls("weather"))
    parts = told(send(body(tools=TOOLS), name, server))["candidates"][0]["content"]["parts"]
    assert ("id" in parts[0]["functionCall"]) == given
