"""Streamed answers as the four provider APIs write them, about two thousand pieces each.

Every answer is the same: words, then one tool call whose arguments come in pieces (whole at
Google, which sends them so), then usage. Each piece is what one network read would bring.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

WORDS = 1_700
ARGUMENTS = 290
PIECES_OF_TEXT = (" the", " gauge", " reads", " 1.42", " m", ",", " and", " señal", " über", ".\n")
INPUT_TOKENS, OUTPUT_TOKENS = 1_234, 2_345


@dataclass(frozen=True, slots=True)
class Recording:
    """One answer: its pieces, and what they say."""

    protocol: str
    pieces: tuple[bytes, ...]
    text: str
    arguments: dict[str, str]


def words() -> list[str]:
    """The pieces of text."""
    return [PIECES_OF_TEXT[number % len(PIECES_OF_TEXT)] for number in range(WORDS)]


def arguments() -> dict[str, str]:
    """What the tool is called with."""
    return {"path": "notes/tide.md", "text": " ".join(["level"] * (ARGUMENTS - 5))}


def argument_pieces() -> list[str]:
    """The arguments' JSON, cut where a model cuts it."""
    whole = json.dumps(arguments())
    size = -(-len(whole) // ARGUMENTS)
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def recordings() -> tuple[Recording, ...]:
    """All four."""
    made = {
        "anthropic-messages": anthropic_messages(),
        "openai-responses": openai_responses(),
        "openai-chat": openai_chat(),
        "gemini": gemini(),
    }
    text = "".join(words())
    return tuple(
        Recording(protocol, tuple(pieces), text, arguments()) for protocol, pieces in made.items()
    )


def named(data: dict[str, Any]) -> bytes:
    """An event whose name is its type."""
    return f"event: {data['type']}\n".encode() + plain(data)


def plain(data: dict[str, Any]) -> bytes:
    """An event without a name."""
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def anthropic_messages() -> Iterator[bytes]:
    """Anthropic Messages."""
    usage = {
        "input_tokens": INPUT_TOKENS,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 1,
        "service_tier": "standard",
    }
    message: dict[str, Any] = {
        "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-6",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    call: dict[str, Any] = {
        "type": "tool_use",
        "id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6",
        "name": "write",
        "input": {},
    }
    yield named({"type": "message_start", "message": message})
    yield named(block_start(0, {"type": "text", "text": ""}))
    yield named({"type": "ping"})
    for word in words():
        yield named(block_delta(0, {"type": "text_delta", "text": word}))
    yield named({"type": "content_block_stop", "index": 0})
    yield named(block_start(1, call))
    for piece in argument_pieces():
        yield named(block_delta(1, {"type": "input_json_delta", "partial_json": piece}))
    yield named({"type": "content_block_stop", "index": 1})
    delta = {"stop_reason": "tool_use", "stop_sequence": None}
    final = {**usage, "output_tokens": OUTPUT_TOKENS}
    yield named({"type": "message_delta", "delta": delta, "usage": final})
    yield named({"type": "message_stop"})


def block_start(index: int, block: dict[str, Any]) -> dict[str, Any]:
    """A content block begins."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def block_delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    """Some more of a content block."""
    return {"type": "content_block_delta", "index": index, "delta": delta}


def openai_responses() -> Iterator[bytes]:
    """OpenAI Responses."""
    message: dict[str, Any] = {
        "id": "msg_67c9",
        "type": "message",
        "role": "assistant",
        "content": [],
    }
    call = {"id": "fc_67c9", "type": "function_call", "call_id": "call_9x", "name": "write"}
    text_part: dict[str, Any] = {
        "type": "output_text",
        "text": "".join(words()),
        "annotations": [],
        "logprobs": [],
    }
    written = json.dumps(arguments())
    done_message = {**message, "status": "completed", "content": [text_part]}
    done_call = {**call, "status": "completed", "arguments": written}
    place = {"item_id": "msg_67c9", "output_index": 0, "content_index": 0}
    call_place = {"item_id": "fc_67c9", "output_index": 1}
    usage = {
        "input_tokens": INPUT_TOKENS,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": OUTPUT_TOKENS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
    }
    said: list[dict[str, Any]] = [
        {"type": "response.created", "response": response("in_progress", [], None)},
        {"type": "response.in_progress", "response": response("in_progress", [], None)},
        item("added", 0, {**message, "status": "in_progress"}),
        {"type": "response.content_part.added", **place, "part": {**text_part, "text": ""}},
        *(
            {"type": "response.output_text.delta", **place, "delta": word, "logprobs": []}
            for word in words()
        ),
        {"type": "response.output_text.done", **place, "text": text_part["text"], "logprobs": []},
        {"type": "response.content_part.done", **place, "part": text_part},
        item("done", 0, done_message),
        item("added", 1, {**call, "status": "in_progress", "arguments": ""}),
        *(
            {"type": "response.function_call_arguments.delta", **call_place, "delta": piece}
            for piece in argument_pieces()
        ),
        {"type": "response.function_call_arguments.done", **call_place, "arguments": written},
        item("done", 1, done_call),
        {
            "type": "response.completed",
            "response": response("completed", [done_message, done_call], usage),
        },
    ]
    for number, data in enumerate(said):
        yield named({**data, "sequence_number": number})


def item(what: str, index: int, made: dict[str, Any]) -> dict[str, Any]:
    """An output item begins or ends."""
    return {"type": f"response.output_item.{what}", "output_index": index, "item": made}


def response(
    status: str, output: list[dict[str, Any]], usage: dict[str, Any] | None
) -> dict[str, Any]:
    """The whole response, as its first and last events repeat it."""
    return {
        "id": "resp_67c9",
        "object": "response",
        "created_at": 1741476542,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "model": "gpt-5.4",
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": "medium", "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
        "metadata": {},
    }


def openai_chat() -> Iterator[bytes]:
    """OpenAI Chat Completions."""
    yield chat_chunk({"role": "assistant", "content": "", "refusal": None})
    for word in words():
        yield chat_chunk({"content": word})
    opening = {"name": "write", "arguments": ""}
    yield chat_chunk(
        {"tool_calls": [{"index": 0, "id": "call_9x", "type": "function", "function": opening}]}
    )
    for piece in argument_pieces():
        yield chat_chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chat_chunk({}, "tool_calls")
    usage = {
        "prompt_tokens": INPUT_TOKENS,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
    yield plain({**CHAT, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


CHAT: dict[str, Any] = {
    "id": "chatcmpl-B8ZDMvBBWhsa2Zk",
    "object": "chat.completion.chunk",
    "created": 1741476542,
    "model": "gpt-5.4-mini",
    "service_tier": "default",
    "system_fingerprint": "fp_06737a9306",
}


def chat_chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One chunk of a chat completion."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return plain({**CHAT, "choices": [choice], "usage": None})


def gemini() -> Iterator[bytes]:
    """Gemini generateContent, with its CRLF line ends."""
    for number, word in enumerate(words()):
        yield gemini_chunk([{"text": word}], number)
    call = {"functionCall": {"id": "call_9x", "name": "write", "args": arguments()}}
    yield gemini_chunk([call], OUTPUT_TOKENS)
    yield gemini_chunk([{"text": ""}], OUTPUT_TOKENS, "STOP")


def gemini_chunk(parts: list[dict[str, Any]], output: int, finish: str | None = None) -> bytes:
    """One partial response."""
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": INPUT_TOKENS,
        "candidatesTokenCount": output,
        "totalTokenCount": INPUT_TOKENS + output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": INPUT_TOKENS}],
    }
    said = {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": "gemini-3.1-flash",
        "responseId": "l0vzaKjyD5",
    }
    return plain(said).replace(b"\n", b"\r\n")
