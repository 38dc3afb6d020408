"""The exact keys of an OpenAI Chat Completions request."""

from tests.fakes.providers.openai_errors import NAME
from tests.fakes.providers.shapes import (
    anything,
    boolean,
    either,
    free_object,
    integer,
    items,
    literal,
    nullable,
    number,
    record,
    tagged,
    text,
)

TYPE = {"type": anything}
ROLE = {"role": anything}
MARK = {"prompt_cache_breakpoint": record({"mode": literal("explicit")}, {"ttl": literal("30m")})}

TEXT = record({**TYPE, "text": text()}, MARK)
IMAGE = record(
    {
        **TYPE,
        "image_url": record(
            {"url": text()}, {"detail": literal("auto", "low", "high", "original")}
        ),
    },
    MARK,
)
FILE = record(
    {
        **TYPE,
        "file": record(None, {"file_data": text(), "filename": text(), "file_id": text()}),
    },
    MARK,
)
AUDIO = record({**TYPE, "input_audio": record({"data": text(), "format": literal("wav", "mp3")})})
TEXTS = either(string=text(), array=items(tagged("type", {"text": TEXT}), min_len=1))
ASKED = either(
    string=text(),
    array=items(
        tagged("type", {"text": TEXT, "image_url": IMAGE, "file": FILE, "input_audio": AUDIO}),
        min_len=1,
    ),
)
SAID = nullable(
    either(
        string=text(),
        array=items(
            tagged("type", {"text": TEXT, "refusal": record({**TYPE, "refusal": text()})}),
            min_len=1,
        ),
    )
)
CALL = record(
    {
        "id": text(min_len=1, max_len=64),
        "type": literal("function"),
        "function": record({"name": text(NAME, max_len=64), "arguments": text()}),
    }
)
MESSAGE = tagged(
    "role",
    {
        "system": record({**ROLE, "content": TEXTS}, {"name": text()}),
        "developer": record({**ROLE, "content": TEXTS}, {"name": text()}),
        "user": record({**ROLE, "content": ASKED}, {"name": text()}),
        "assistant": record(
            ROLE,
            {
                "content": SAID,
                "refusal": nullable(text()),
                "name": text(),
                "tool_calls": items(CALL, min_len=1, max_len=128),
            },
        ),
        "tool": record({**ROLE, "tool_call_id": text(), "content": TEXTS}),
    },
)
TOOL = record(
    {
        "type": literal("function"),
        "function": record(
            {"name": text(NAME, min_len=1, max_len=64)},
            {"description": text(), "parameters": free_object, "strict": nullable(boolean)},
        ),
    }
)
CHOICE = either(
    string=literal("none", "auto", "required"),
    mapping=tagged(
        "type",
        {
            "function": record({**TYPE, "function": record({"name": text()})}),
            "allowed_tools": record({**TYPE, "allowed_tools": free_object}),
        },
    ),
)
FORMAT = tagged(
    "type",
    {
        "text": record(TYPE),
        "json_object": record(TYPE),
        "json_schema": record(
            {
                **TYPE,
                "json_schema": record(
                    {"name": text(NAME, max_len=64)},
                    {"schema": free_object, "strict": nullable(boolean), "description": text()},
                ),
            }
        ),
    },
)
REQUEST = record(
    {"model": text(min_len=1), "messages": items(MESSAGE, min_len=1)},
    {
        "tools": items(TOOL, min_len=1, max_len=128),
        "tool_choice": CHOICE,
        "parallel_tool_calls": boolean,
        "max_completion_tokens": nullable(integer(1)),
        "max_tokens": nullable(integer(1)),
        "reasoning_effort": nullable(
            literal("none", "minimal", "low", "medium", "high", "xhigh", "max")
        ),
        "response_format": FORMAT,
        "stream": nullable(boolean),
        "stream_options": nullable(
            record(None, {"include_usage": boolean, "include_obfuscation": boolean})
        ),
        "logprobs": nullable(boolean),
        "top_logprobs": nullable(integer(0, 20)),
        "stop": nullable(either(string=text(), array=items(text(), max_len=4))),
        "seed": nullable(integer()),
        "n": nullable(integer(1, 128)),
        "temperature": nullable(number(0, 2)),
        "top_p": nullable(number(0, 1)),
        "presence_penalty": nullable(number(-2, 2)),
        "frequency_penalty": nullable(number(-2, 2)),
        "logit_bias": nullable(free_object),
        "prediction": nullable(free_object),
        "modalities": nullable(items(literal("text", "audio"))),
        "verbosity": nullable(literal("low", "medium", "high")),
        "service_tier": nullable(literal("auto", "default", "flex", "priority")),
        "store": nullable(boolean),
        "metadata": nullable(free_object),
        "prompt_cache_key": text(max_len=64),
        "prompt_cache_options": record(
            None, {"mode": literal("implicit", "explicit"), "ttl": literal("30m")}
        ),
        "safety_identifier": text(max_len=128),
        "user": text(),
    },
)
