"""The exact keys of an OpenAI Responses request."""

from collections.abc import Iterator
from typing import Any

from tests.fakes.providers.openai_errors import NAME
from tests.fakes.providers.shapes import (
    Path,
    Problem,
    anything,
    boolean,
    either,
    free_object,
    integer,
    is_object,
    items,
    literal,
    nullable,
    number,
    record,
    tagged,
    text,
)

TYPE = {"type": anything}
MARK = {
    "prompt_cache_breakpoint": record({"mode": literal("explicit")}, {"ttl": literal("30m", "12h")})
}
STATUS = {"status": nullable(literal("in_progress", "completed", "incomplete"))}


def identity(prefix: str) -> dict[str, Any]:
    """The id of an item, which tells its kind."""
    return {"id": nullable(text(rf"^{prefix}_[A-Za-z0-9_-]+$", max_len=64))}


INPUT_TEXT = record({**TYPE, "text": text()}, MARK)
INPUT_IMAGE = record(
    TYPE,
    {
        "image_url": nullable(text()),
        "file_id": nullable(text()),
        "detail": literal("auto", "low", "high", "original"),
        **MARK,
    },
)
INPUT_FILE = record(
    TYPE,
    {
        "file_data": text(),
        "filename": text(),
        "file_url": text(),
        "file_id": nullable(text()),
        "detail": literal("auto", "low", "high"),
        **MARK,
    },
)
INPUT_PART = tagged(
    "type", {"input_text": INPUT_TEXT, "input_image": INPUT_IMAGE, "input_file": INPUT_FILE}
)
OUTPUT_PART = tagged(
    "type",
    {
        "output_text": record(
            {**TYPE, "text": text()}, {"annotations": items(free_object), "logprobs": anything}
        ),
        "refusal": record({**TYPE, "refusal": text()}),
    },
)
_phase = {"phase": nullable(literal("commentary", "final_answer"))}
_message = {"type": literal("message"), **identity("msg"), **STATUS}
GIVEN = record(
    {"role": anything, "content": either(string=text(), array=items(INPUT_PART))}, _message
)
SAID = record(
    {"role": anything, "content": either(string=text(), array=items(OUTPUT_PART))},
    {**_message, **_phase},
)
CALL_ID = text(min_len=1, max_len=64)
FUNCTION_CALL = record(
    {**TYPE, "call_id": CALL_ID, "name": text(NAME, max_len=64), "arguments": text()},
    {**identity("fc"), **STATUS, "namespace": text()},
)
FUNCTION_OUTPUT = record(
    {**TYPE, "call_id": CALL_ID, "output": either(string=text(), array=items(INPUT_PART))},
    {**identity("fc"), **STATUS},
)
REASONING = record(
    {
        **TYPE,
        "id": text(r"^rs_[A-Za-z0-9_-]+$", max_len=64),
        "summary": items(record({"type": literal("summary_text"), "text": text()})),
    },
    {
        "encrypted_content": nullable(text()),
        "content": nullable(items(record({"type": literal("reasoning_text"), "text": text()}))),
        **STATUS,
    },
)
_item = tagged(
    "type",
    {
        "function_call": FUNCTION_CALL,
        "function_call_output": FUNCTION_OUTPUT,
        "reasoning": REASONING,
        "tool_search_call": record(
            {**TYPE, "arguments": anything},
            {"call_id": nullable(text()), "execution": text(), **identity("tsc"), **STATUS},
        ),
        "tool_search_output": record(
            {**TYPE, "tools": items(free_object)},
            {"call_id": nullable(text()), "execution": text(), **identity("tso"), **STATUS},
        ),
        "item_reference": record({**TYPE, "id": text(min_len=1)}),
        "configuration_update": record({**TYPE, "reasoning": record({"effort": text()})}),
    },
)


def item(value: Any, path: Path) -> Iterator[Problem]:
    """One input item; without a type it is a message."""
    if not is_object(value) or value.get("type", "message") != "message":
        yield from _item(value, path)
        return
    role = value.get("role")
    yield from literal("user", "assistant", "system", "developer")(role, (*path, "role"))
    yield from (SAID if role == "assistant" else GIVEN)(value, path)


FUNCTION = record(
    {"type": literal("function"), "name": text(NAME, min_len=1, max_len=64)},
    {
        "description": nullable(text()),
        "parameters": nullable(free_object),
        "strict": nullable(boolean),
        "defer_loading": nullable(boolean),
    },
)
TOOL = tagged(
    "type",
    {
        "function": FUNCTION,
        "tool_search": record(TYPE, {"execution": literal("server", "client")}),
        "namespace": record(
            {
                **TYPE,
                "name": text(NAME, min_len=1, max_len=64),
                "description": text(min_len=1),
                "tools": items(FUNCTION, min_len=1),
            }
        ),
    },
)
CHOICE = either(
    string=literal("auto", "none", "required"),
    mapping=tagged(
        "type",
        {
            "function": record({**TYPE, "name": text()}),
            "allowed_tools": record(
                {**TYPE, "mode": literal("auto", "required"), "tools": items(free_object)}
            ),
        },
    ),
)
FORMAT = tagged(
    "type",
    {
        "text": record(TYPE),
        "json_object": record(TYPE),
        "json_schema": record(
            {**TYPE, "name": text(NAME, max_len=64), "schema": free_object},
            {"strict": nullable(boolean), "description": text()},
        ),
    },
)
REQUEST = record(
    {"model": text(min_len=1), "input": either(string=text(), array=items(item, min_len=1))},
    {
        "instructions": nullable(text()),
        "tools": items(TOOL, max_len=128),
        "tool_choice": CHOICE,
        "parallel_tool_calls": nullable(boolean),
        "reasoning": nullable(
            record(
                None,
                {
                    "effort": nullable(
                        literal("none", "minimal", "low", "medium", "high", "xhigh", "max")
                    ),
                    "summary": nullable(literal("auto", "concise", "detailed")),
                    "context": literal("auto", "current_turn", "all_turns"),
                    "mode": literal("standard", "pro"),
                },
            )
        ),
        "include": nullable(
            items(literal("reasoning.encrypted_content", "message.output_text.logprobs"))
        ),
        "store": nullable(boolean),
        "stream": nullable(boolean),
        "stream_options": nullable(record(None, {"include_obfuscation": boolean})),
        "previous_response_id": nullable(text()),
        "max_output_tokens": nullable(integer(16)),
        "text": record(None, {"format": FORMAT, "verbosity": literal("low", "medium", "high")}),
        "temperature": nullable(number(0, 2)),
        "top_p": nullable(number(0, 1)),
        "top_logprobs": nullable(integer(0, 20)),
        "prompt_cache_key": text(max_len=64),
        "prompt_cache_options": record(
            None,
            {
                "mode": literal("implicit", "explicit"),
                "ttl": literal("30m", "12h"),
                "prewarm": boolean,
                "comparison_response_id": text(),
            },
        ),
        "prompt_cache_retention": nullable(literal("in-memory", "24h")),
        "safety_identifier": text(max_len=128),
        "metadata": nullable(free_object),
        "service_tier": nullable(
            literal("auto", "default", "flex", "priority", "fast", "ultrafast")
        ),
        "truncation": nullable(literal("auto", "disabled")),
        "background": nullable(boolean),
        "user": text(),
    },
)
