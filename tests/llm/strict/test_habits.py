"""What the other protocols can do wrong by habit: error shapes, traps, streams without alt=sse."""

import json
from typing import Any

import pytest

from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    Fault,
    GeminiServer,
    ResponsesServer,
    Script,
    calls,
    says,
    thinks,
)
from tests.fakes.providers.anthropic_traps import TRAPS as ANTHROPIC_TRAPS
from tests.fakes.providers.chat_traps import TRAPS
from tests.fakes.providers.responses_traps import TRAPS as RESPONSES_TRAPS
from tests.fakes.providers.shapes import inside, objects
from tests.llm.strict.asking import HEADERS, ask, told

CHAT = {"model": "qwen3:8b", "messages": [{"role": "user", "content": "hi"}], "stream": True}
CHAT_STEPS = (thinks("Hm."), says("Hi", "."), calls("a", {"b": 1}), calls("c", {"d": 2}))


def frames(body: bytes) -> list[Any]:
    """The data of every frame."""
    lines = [line.strip() for line in body.split(b"\n") if line.startswith(b"data: ")]
    return [
        item if item == b"[DONE]" else json.loads(item)
        for item in (line.removeprefix(b"data: ") for line in lines)
    ]


def chat(*traps: str) -> list[Any]:
    """The frames of a compatible server with these habits."""
    server = ChatServer(flavour="vllm")
    server.script(Script(CHAT_STEPS, fault=Fault(traps=frozenset(traps))))
    request = CHAT | {"stream_options": {"include_usage": True}}
    return frames(ask(server, "/v1/chat/completions", request, {}).reply.body)


def fragments(told: list[Any]) -> list[Any]:
    """Every piece of a call."""
    choices = [choice for frame in told for choice in objects(inside(frame).get("choices"))]
    return [
        item for choice in choices for item in objects(inside(choice, "delta").get("tool_calls"))
    ]


@pytest.mark.parametrize("trap", [*TRAPS, "no_done"])
def test_every_trap_changes_the_stream(trap: str) -> None:
    assert chat(trap) != chat()


def test_an_unknown_trap_is_a_mistake_of_the_test() -> None:
    with pytest.raises(ValueError, match="No such traps"):
        chat("nope")


def test_calls_may_come_whole_without_an_index_and_with_odd_ids() -> None:
    assert fragments(chat("whole_call", "no_index", "odd_ids")) == [
        {
            "id": "functions.a:0",
            "type": "function",
            "function": {"name": "a", "arguments": '{"b": 1}'},
        },
        {
            "id": "functions.c:1",
            "type": "function",
            "function": {"name": "c", "arguments": '{"d": 2}'},
        },
    ]


def test_usage_on_every_chunk_grows_to_the_final_number() -> None:
    told = chat("usage_every_chunk")
    counts = [frame["usage"]["completion_tokens"] for frame in told if frame != b"[DONE]"]
    assert counts == sorted(counts)
    assert counts[-1] == chat()[-2]["usage"]["completion_tokens"]


def test_reasoning_may_come_between_tags() -> None:
    words = [
        choice["delta"].get("content") or ""
        for frame in chat("think_tags")
        if frame != b"[DONE]"
        for choice in frame["choices"]
    ]
    assert "".join(words) == "<think>Hm.</think>Hi."


def test_a_thought_in_several_pieces_stands_between_one_pair_of_tags() -> None:
    server = ChatServer(flavour="vllm")
    fault = Fault(traps=frozenset({"think_tags", "both_reasonings"}))
    server.script(Script((thinks("H", "m", "."), says("Hi.")), fault=fault))
    deltas = [
        choice["delta"]
        for frame in frames(ask(server, "/v1/chat/completions", CHAT, {}).reply.body)
        if frame != b"[DONE]"
        for choice in frame["choices"]
    ]
    told = [delta.get("content") for delta in deltas if delta.get("content")]
    assert told == ["<thi", "nk>", "H", "m", ".", "</th", "ink>", "Hi."]
    assert not any("reasoning" in key for delta in deltas for key in delta)


@pytest.mark.parametrize("trap", ["id_repeated", "name_repeated"])
def test_whole_calls_keep_their_arguments_when_every_piece_says_whose_it_is(trap: str) -> None:
    told = fragments(chat(trap, "id_repeated", "whole_call"))
    assert [item["function"]["arguments"] for item in told] == ['{"b": 1}', '{"d": 2}']


def anthropic(*traps: str) -> list[Any]:
    """The frames of an Anthropic stream with these oddities."""
    server = AnthropicServer()
    steps = (thinks("Hm."), says("a", "b"), calls("c", {"d": 1}))
    server.script(Script(steps, fault=Fault(traps=frozenset(traps))))
    message = {"role": "user", "content": "hi"}
    request = {"model": "claude-opus-5", "max_tokens": 99, "messages": [message], "stream": True}
    return frames(ask(server, "/v1/messages", request, HEADERS["anthropic"]).reply.body)


@pytest.mark.parametrize("trap", ANTHROPIC_TRAPS)
def test_every_oddity_changes_the_stream_of_anthropic(trap: str) -> None:
    assert anthropic(trap) != anthropic()


def test_blocks_of_anthropic_may_be_complete_at_their_start() -> None:
    told = anthropic("text_in_start", "input_in_start")
    blocks = [frame["content_block"] for frame in told if "content_block" in frame]
    assert [blocks[1]["text"], blocks[2]["input"]] == ["a", {"d": 1}]
    assert [frame["delta"]["type"] for frame in told if "index" in frame and "delta" in frame] == [
        "signature_delta",
        "text_delta",
    ]


@pytest.mark.parametrize("trap", RESPONSES_TRAPS)
def test_every_habit_changes_the_stream_of_responses(trap: str) -> None:
    def streamed(*traps: str) -> bytes:
        server = ResponsesServer()
        server.script(Fault(traps=frozenset(traps)))
        request = {"model": "gpt-5.4", "input": "hi", "stream": True}
        return ask(server, "/v1/responses", request, HEADERS["openai"]).reply.body

    assert streamed(trap) != streamed()


@pytest.mark.parametrize(
    ("shape", "types"),
    [
        ("flat", ["error"]),
        ("nested", ["error"]),
        ("failed", ["response.failed"]),
        ("nested+failed", ["error", "response.failed"]),
    ],
)
def test_responses_tells_errors_in_several_shapes(shape: Any, types: list[str]) -> None:
    server = ResponsesServer()
    server.script(Fault(error_event="server_error", error_shape=shape, error_at=2))
    request = {"model": "gpt-5.4", "input": "hi", "stream": True}
    answer = ask(server, "/v1/responses", request, HEADERS["openai"])
    assert [frame["type"] for frame in frames(answer.reply.body)][2:] == types


GEMINI = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
STREAM = "/v1beta/models/gemini-3.6-flash:streamGenerateContent"


def gemini(script: Script, query: dict[str, str] | None = None) -> bytes:
    server = GeminiServer()
    server.script(script)
    sse = {"alt": "sse"} if query is None else query
    return ask(server, STREAM, GEMINI, HEADERS["gemini"], sse).reply.body


def test_gemini_without_alt_sse_is_one_array() -> None:
    chunks = json.loads(gemini(Script((says("a", "b"),)), {}))
    assert [chunk["candidates"][0]["content"]["parts"][0]["text"] for chunk in chunks] == [
        "a",
        "b",
        "",
    ]


def test_gemini_ends_lines_with_crlf() -> None:
    assert gemini(Script((says("a"),))).count(b"\r\n\r\n") == 2


def test_gemini_may_send_calls_together_and_without_ids_or_args() -> None:
    traps = frozenset({"calls_together", "no_ids", "args_missing", "no_parts", "usage_only"})
    body = gemini(Script((calls("a"), calls("b", {"c": 1})), fault=Fault(traps=traps)))
    first, usage, last = frames(body)
    parts = first["candidates"][0]["content"]["parts"]
    assert [part["functionCall"] for part in parts] == [
        {"name": "a"},
        {"name": "b", "args": {"c": 1}},
    ]
    assert ["thoughtSignature" in part for part in parts] == [True, False]
    assert "candidates" not in usage
    assert last["candidates"][0]["content"] == {"role": "model"}


def test_gemini_may_malform_a_call_or_tell_an_error_bare() -> None:
    broken = calls("a", {"b": "cccccccc"})
    half = type(broken)("a", broken.pieces[:1])
    last = frames(gemini(Script((half,))))[-1]["candidates"][0]
    assert last["finishReason"] == "MALFORMED_FUNCTION_CALL"
    fault = Fault(error_event="UNAVAILABLE", error_shape="bare", error_at=1)
    assert gemini(Script(fault=fault)).rpartition(b"\r\n\r\n")[2].startswith(b'{"error"')


def test_gemini_may_wrap_an_error_in_an_array() -> None:
    server = GeminiServer()
    server.script(Fault(status=429, retry_delay="0.5s", traps=frozenset({"array"})))
    answer = told(ask(server, STREAM, GEMINI, HEADERS["gemini"]))
    assert answer[0]["error"]["details"][0]["retryDelay"] == "0.5s"
