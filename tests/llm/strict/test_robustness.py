"""Whatever comes, a strict server answers or refuses; it never breaks."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    Provider,
    ResponsesServer,
)
from tests.fakes.providers.shapes import is_array, is_object
from tests.llm.strict.asking import HEADERS, PNG, WEATHER, ask

ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 4000,
    "system": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}],
    "thinking": {"type": "disabled"},
    "tools": [{"name": "weather", "input_schema": WEATHER, "strict": True}],
    "tool_choice": {"type": "auto"},
    "output_config": {"format": {"type": "json_schema", "schema": WEATHER}},
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "a"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": PNG},
                },
            ],
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "weather", "input": {}}],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "b"}],
                }
            ],
        },
    ],
}
RESPONSES: dict[str, Any] = {
    "model": "gpt-5.6-sol",
    "reasoning": {"effort": "low", "summary": "auto"},
    "include": ["reasoning.encrypted_content"],
    "text": {"format": {"type": "json_schema", "name": "a", "schema": WEATHER, "strict": True}},
    "tools": [{"type": "function", "name": "weather", "parameters": WEATHER, "strict": True}],
    "tool_choice": {"type": "function", "name": "weather"},
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "b"}]},
        {"type": "function_call", "call_id": "a", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "b"},
    ],
}
CHAT: dict[str, Any] = {
    "model": "gpt-4.1",
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "a", "schema": WEATHER, "strict": True},
    },
    "tools": [{"type": "function", "function": {"name": "weather", "parameters": WEATHER}}],
    "tool_choice": {"type": "function", "function": {"name": "weather"}},
    "stream_options": {"include_usage": True},
    "messages": [
        {"role": "system", "content": "a"},
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "weather", "arguments": "{}"},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "b"},
    ],
}
GEMINI: dict[str, Any] = {
    "systemInstruction": {"parts": [{"text": "a"}]},
    "generationConfig": {
        "maxOutputTokens": 99,
        "responseMimeType": "application/json",
        "responseJsonSchema": WEATHER,
        "thinkingConfig": {"thinkingLevel": "LOW"},
    },
    "tools": [{"functionDeclarations": [{"name": "weather", "parametersJsonSchema": WEATHER}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
    "contents": [
        {"role": "user", "parts": [{"text": "a"}]},
        {
            "role": "model",
            "parts": [
                {
                    "functionCall": {"name": "weather", "args": {}, "id": "a"},
                    "thoughtSignature": "skip_thought_signature_validator",
                }
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "weather", "id": "a", "response": {}}}],
        },
    ],
}
SERVERS: dict[str, tuple[Provider, str, dict[str, Any], dict[str, str]]] = {
    "anthropic": (AnthropicServer(), "/v1/messages", ANTHROPIC, HEADERS["anthropic"]),
    "responses": (ResponsesServer(), "/v1/responses", RESPONSES, HEADERS["openai"]),
    "chat": (ChatServer(), "/v1/chat/completions", CHAT, HEADERS["openai"]),
    "compat": (
        ChatServer(flavour="deepseek"),
        "/v1/chat/completions",
        {**CHAT, "model": "qwen3:8b"},
        HEADERS["openai"],
    ),
    "gemini": (
        GeminiServer(),
        "/v1beta/models/gemini-3.6-flash:generateContent",
        GEMINI,
        HEADERS["gemini"],
    ),
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "user", "object"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every key or index inside JSON, with what it stands in."""
    pairs: list[tuple[Any, Any]] = []
    if is_object(value):
        pairs = [(value, key) for key in value]
    elif is_array(value):
        pairs = [(value, index) for index in range(len(value))]
    return pairs + [inner for holder, key in pairs for inner in places(holder[key])]


@pytest.mark.parametrize("name", [name for name in SERVERS if name != "compat"])
def test_the_whole_example_is_accepted(name: str) -> None:
    server, path, body, headers = SERVERS[name]
    exchange = ask(server, path, body, headers)
    assert exchange.refusal is None


@pytest.mark.parametrize("name", SERVERS)
@settings(max_examples=examples(30), deadline=None)
@given(data=st.data())
def test_a_changed_request_is_answered_or_refused(name: str, data: st.DataObject) -> None:
    server, path, body, headers = SERVERS[name]
    changed = copy.deepcopy(body)
    found = places(changed)
    holder, key = found[data.draw(st.integers(0, len(found) - 1))]
    if data.draw(st.booleans()):
        holder[key] = data.draw(VALUES)
    elif is_object(holder):
        del holder[key]
    else:
        holder.append(holder[key])
    exchange = ask(server, path, changed, headers)
    assert (exchange.reply.status == 200) == (exchange.refusal is None)
    server.forget()
