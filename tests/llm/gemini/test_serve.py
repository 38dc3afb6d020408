"""A Gemini client's requests as neutral ones, with Google's own client as the one who asks."""

import json
from typing import Any

import httpx
import pytest

from recto.llm.protocols.gemini import PROTOCOL
from recto.messages import (
    Document,
    Effort,
    Image,
    Native,
    Origin,
    OutputSchema,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)
from tests.llm.gemini.sdk import MODEL, ask, types

PATH = f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
HERE = Origin("gemini", "", MODEL)
HELLO: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "Hello."}]}]}


def serve(body: dict[str, Any], path: str = PATH) -> Request:
    return PROTOCOL.serve(json.dumps(body).encode(), path=path)


def asked(contents: Any, **config: Any) -> Request:
    """What Google's client asks, served."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"candidates": [{"finishReason": "STOP"}]})

    ask(answer, contents, **config)
    return PROTOCOL.serve(seen[0].content, path=seen[0].url.raw_path.decode())


def test_googles_client_is_understood() -> None:
    look = types.FunctionDeclaration(
        name="look",
        description="Looks.",
        parameters=types.Schema(
            type=types.Type.OBJECT,
            properties={"at": types.Schema(type=types.Type.STRING, nullable=True)},
            required=["at"],
        ),
    )
    mode = types.FunctionCallingConfig(
        mode=types.FunctionCallingConfigMode.ANY, allowed_function_names=["look"]
    )
    signed = types.Part(
        function_call=types.FunctionCall(id="c1", name="look", args={"at": "it"}),
        thought_signature=b"\xff\xfe",
    )
    response = types.FunctionResponse(id="c1", name="look", response={"output": "Seen."})
    request = asked(
        [
            types.Content(
                role="user",
                parts=[
                    types.Part(text="Look."),
                    types.Part.from_bytes(data=b"\xff\xfe\xfb", mime_type="image/png"),
                ],
            ),
            types.Content(role="model", parts=[signed]),
            types.Content(role="user", parts=[types.Part(function_response=response)]),
        ],
        system_instruction="Be kind.",
        tools=[types.Tool(function_declarations=[look])],
        tool_config=types.ToolConfig(function_calling_config=mode),
        thinking_config=types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW),
        max_output_tokens=100,
        temperature=0.5,
        stop_sequences=["END"],
    )
    schema = {
        "type": "object",
        "properties": {"at": {"type": ["string", "null"]}},
        "required": ["at"],
    }
    call = ToolCall("c1", "look", {"at": "it"}, ProviderData(HERE, {"signature": "__4="}))
    assert request == Request(
        MODEL,
        (
            user("Look.", Image("image/png", b"\xff\xfe\xfb")),
            assistant(call),
            user(ToolResult("c1", "look", (Text("Seen."),))),
        ),
        100,
        system="Be kind.",
        tools=(ToolSpec("look", "Looks.", schema),),
        tool_choice=ToolChoice("one", "look"),
        effort="low",
        temperature=0.5,
        stop=("END",),
        stream=False,
    )


def test_googles_client_can_ask_for_a_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    request = asked("Hi.", response_mime_type="application/json", response_json_schema=schema)
    assert request.output_schema == OutputSchema("answer", schema)
    assert request.messages == (user("Hi."),)


@pytest.mark.parametrize(
    ("path", "model", "stream"),
    [
        (PATH, MODEL, True),
        ("/models/gemma:generateContent", "gemma", False),
        ("models/odd%3Fmodel:generateContent", "odd?model", False),
    ],
)
def test_the_path_names_the_model(path: str, model: str, stream: bool) -> None:
    assert serve(HELLO, path) == Request(model, (user("Hello."),), 8192, stream=stream)


@pytest.mark.parametrize("path", ["", "/v1/messages", f"/models/{MODEL}:countTokens"])
def test_another_path_is_refused_with_words(path: str) -> None:
    with pytest.raises(ValueError, match="The address must be"):
        serve(HELLO, path)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"contents": 3}, r"Expected `array`, got `int` - at `\$.contents`"),
    ({"cachedContent": "cachedContents/1"}, "cachedContent is not kept here"),
    ({"generationConfig": {"candidateCount": 2}}, "Only one candidate"),
    ({"generationConfig": {"responseModalities": ["IMAGE"]}}, "Only words are answered"),
    ({"generationConfig": {"speechConfig": {"voice": "x"}}}, "Only words are answered"),
    ({"tools": [{"newestTool": {}}]}, "is not offered here"),
    ({"tools": [{"googleSearch": {}}]}, "The tool googleSearch is not offered here"),
    ({"contents": [{"parts": [{"executableCode": {}}]}]}, "A user can't say executableCode"),
    (
        {"contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": "a"}}]}]},
        "The data of a image/png is not base64",
    ),
]


@pytest.mark.parametrize(("body", "words"), REFUSED)
def test_what_can_not_be_served_is_refused_with_words(body: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        serve(body)


def test_fields_of_a_clients_own_are_passed_over() -> None:
    odd = {"contents": [{"parts": [{"text": "x", "_toolName": "y"}], "_x": 1}], "_private": 1}
    assert serve(odd) == serve({"contents": [{"parts": [{"text": "x"}]}]})


def test_what_is_no_JSON_is_refused_with_words() -> None:
    with pytest.raises(ValueError, match="The request is not what generateContent takes"):
        PROTOCOL.serve(b"<html>", path=PATH)


def test_calls_and_results_without_ids_are_matched_by_name_and_order() -> None:
    calls = [{"functionCall": {"name": name}} for name in ("look", "look", "stop")]
    answers = [
        {"functionResponse": {"name": "stop", "response": {"error": "No."}}},
        {"functionResponse": {"name": "look", "response": {"output": [1]}}},
        {"functionResponse": {"name": "look", "response": {"seen": True}}},
        {"functionResponse": {"name": "lost", "response": {"output": ""}}},
    ]
    contents = [
        *HELLO["contents"],
        {"role": "model", "parts": calls},
        {"role": "function", "parts": answers},
    ]
    assert serve({"contents": contents}).messages == (
        user("Hello."),
        assistant(
            ToolCall("gem_1_0", "look", {}),
            ToolCall("gem_1_1", "look", {}),
            ToolCall("gem_1_2", "stop", {}),
        ),
        user(
            ToolResult("gem_1_2", "stop", (Text("No."),), is_error=True),
            ToolResult("gem_1_0", "look", (Text("[1]"),)),
            ToolResult("gem_1_1", "look", (Text('{"seen": true}'),)),
            ToolResult("gem_1_lost", "lost", ()),
        ),
    )


def test_everything_a_model_and_a_user_can_say() -> None:
    model = [
        {"text": "Hm.", "thought": True},
        {"text": "", "thoughtSignature": "S"},
        {"functionCall": {"id": "c1", "name": "look"}, "thoughtSignature": DUMMY},
        {"thoughtSignature": "alone"},
        {"executable_code": {"code": "1"}},
    ]
    theirs: list[dict[str, Any]] = [
        {"file_data": {"file_uri": "gs://a/b.png", "mime_type": "image/png"}},
        {"inline_data": {"mime_type": "application/pdf", "data": "cGRm"}},
        {"inline_data": {"mime_type": "audio/mp3", "data": ""}},
    ]
    contents = [{"role": "model", "parts": model}, {"parts": theirs}]
    assert serve({"contents": contents, "continuation_token": "T"}).messages == (
        assistant(
            Thinking("Hm."),
            Text("", ProviderData(HERE, {"signature": "S"})),
            ToolCall("c1", "look", {}),
            Native(ProviderData(HERE, {"part": {"executableCode": {"code": "1"}}})),
        ),
        user(
            Image("image/png", url="gs://a/b.png"),
            Document("application/pdf", b"pdf", "document.pdf"),
            Document("audio/mp3", b"", "file"),
        ),
        assistant(Native(ProviderData(HERE, {"continuation": "T"}))),
    )


DUMMY = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


@pytest.mark.parametrize(
    ("config", "effort"),
    [
        ({}, None),
        ({"includeThoughts": True}, None),
        ({"thinkingLevel": "HIGH"}, "high"),
        ({"thinkingLevel": "THINKING_LEVEL_UNSPECIFIED"}, None),
        ({"thinkingBudget": -1}, None),
        ({"thinkingBudget": 0}, "off"),
        ({"thinkingBudget": 1000}, "low"),
        ({"thinkingBudget": 10**9}, "max"),
    ],
)
def test_thinking_is_an_effort(config: dict[str, Any], effort: Effort | None) -> None:
    assert serve(HELLO | {"generationConfig": {"thinkingConfig": config}}).effort == effort


@pytest.mark.parametrize(
    ("calling", "choice", "names"),
    [
        ({}, ToolChoice(), ["a", "b", "c"]),
        ({"mode": "VALIDATED"}, ToolChoice(), ["a", "b", "c"]),
        ({"mode": "NONE"}, ToolChoice("none"), ["a", "b", "c"]),
        ({"mode": "ANY"}, ToolChoice("any"), ["a", "b", "c"]),
        ({"mode": "ANY", "allowedFunctionNames": ["c", "a"]}, ToolChoice("any"), ["a", "c"]),
        ({"mode": "ANY", "allowedFunctionNames": ["b"]}, ToolChoice("one", "b"), ["a", "b", "c"]),
    ],
)
def test_tool_choice_is_served(
    calling: dict[str, Any], choice: ToolChoice, names: list[str]
) -> None:
    tools = [{"functionDeclarations": [{"name": name} for name in "abc"]}]
    config = {"functionCallingConfig": calling}
    request = serve(HELLO | {"tools": tools, "toolConfig": config})
    assert (request.tool_choice, [tool.name for tool in request.tools]) == (choice, names)


def test_JSON_without_a_schema_is_any_object() -> None:
    config = {"responseMimeType": "application/json"}
    request = serve(HELLO | {"generationConfig": config})
    assert request.output_schema == OutputSchema("answer", {"type": "object"})
