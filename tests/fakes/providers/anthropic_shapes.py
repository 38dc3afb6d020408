"""The exact keys of an Anthropic Messages request."""

from collections.abc import Iterator
from typing import Any

from tests.fakes.providers.shapes import (
    Path,
    Problem,
    Shape,
    anything,
    boolean,
    dotted,
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

ID = r"^[a-zA-Z0-9_-]+$"
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")

CACHE = nullable(record({"type": literal("ephemeral")}, {"ttl": literal("5m", "1h")}))
TYPE = {"type": anything}

_base64_image = record({**TYPE, "media_type": literal(*IMAGES), "data": text()})
_url = record({**TYPE, "url": text(min_len=1)})
_file = record({**TYPE, "file_id": text(min_len=1)})

TEXT = record(
    {**TYPE, "text": text()}, {"cache_control": CACHE, "citations": nullable(items(free_object))}
)
IMAGE = record(
    {
        **TYPE,
        "source": tagged(
            "type", {"base64": _base64_image, "url": _url, "file": _file}, in_path=True
        ),
    },
    {
        "cache_control": CACHE,
        "transformations": record(None, {"oversized_image": literal("downsize", "error")}),
    },
)
DOCUMENT = record(
    {
        **TYPE,
        "source": tagged(
            "type",
            {
                "base64": record(
                    {**TYPE, "media_type": literal("application/pdf"), "data": text(min_len=1)}
                ),
                "text": record({**TYPE, "media_type": literal("text/plain"), "data": text()}),
                "url": _url,
                "file": _file,
                "content": record({**TYPE, "content": anything}),
            },
            in_path=True,
        ),
    },
    {
        "title": nullable(text()),
        "context": nullable(text()),
        "citations": nullable(record(None, {"enabled": boolean})),
        "cache_control": CACHE,
    },
)
SEARCH_RESULT = record(
    {
        **TYPE,
        "content": items(tagged("type", {"text": TEXT}, in_path=True)),
        "source": text(),
        "title": text(),
    },
    {"cache_control": CACHE, "citations": anything},
)
TOOL_USE = record(
    {**TYPE, "id": text(ID), "name": text(min_len=1, max_len=200), "input": free_object},
    {"cache_control": CACHE, "caller": free_object, "toolset_name": text()},
)
TOOL_RESULT = record(
    {**TYPE, "tool_use_id": text(ID)},
    {
        "content": either(
            string=text(),
            array=items(
                tagged(
                    "type",
                    {
                        "text": TEXT,
                        "image": IMAGE,
                        "document": DOCUMENT,
                        "search_result": SEARCH_RESULT,
                        "tool_reference": record({**TYPE, "tool_name": text()}),
                    },
                    in_path=True,
                ),
                min_len=1,
            ),
        ),
        "is_error": boolean,
        "cache_control": CACHE,
        "toolset_name": text(),
    },
)
THINKING = record({**TYPE, "thinking": text(), "signature": text()})
REDACTED = record({**TYPE, "data": text()})
SERVER_TOOL_USE = record(
    {**TYPE, "id": text(ID), "name": text(), "input": free_object},
    {"cache_control": CACHE, "caller": free_object},
)
SERVER_RESULT = record(
    {**TYPE, "tool_use_id": text(ID), "content": anything},
    {"cache_control": CACHE, "caller": free_object},
)
BLOCK = tagged(
    "type",
    {
        "text": TEXT,
        "image": IMAGE,
        "document": DOCUMENT,
        "search_result": SEARCH_RESULT,
        "tool_use": TOOL_USE,
        "tool_result": TOOL_RESULT,
        "thinking": THINKING,
        "redacted_thinking": REDACTED,
        "server_tool_use": SERVER_TOOL_USE,
        "web_search_tool_result": SERVER_RESULT,
        "web_fetch_tool_result": SERVER_RESULT,
        "code_execution_tool_result": SERVER_RESULT,
        "tool_search_tool_result": SERVER_RESULT,
        "container_upload": record({**TYPE, "file_id": text()}, {"cache_control": CACHE}),
    },
    in_path=True,
)
MESSAGE = record(
    {
        "role": literal("user", "assistant", "system"),
        "content": either(string=text(), array=items(BLOCK)),
    }
)
DEFINITION = record(
    {"name": text(r"^[a-zA-Z0-9_-]{1,128}$"), "input_schema": free_object},
    {
        "type": nullable(literal("custom")),
        "description": text(),
        "strict": boolean,
        "cache_control": CACHE,
        "eager_input_streaming": nullable(boolean),
        "defer_loading": boolean,
        "input_examples": items(free_object),
        "allowed_callers": items(text()),
    },
)
SEARCH = record(
    {
        "type": literal("tool_search_tool_bm25_20251119", "tool_search_tool_regex_20251119"),
        "name": literal("tool_search_tool_bm25", "tool_search_tool_regex"),
    },
    {"cache_control": CACHE},
)


def TOOL(value: Any, path: Path) -> Iterator[Problem]:
    """A definition, or the server's own search for tools."""
    is_search = is_object(value) and str(value.get("type")).startswith("tool_search_tool_")
    yield from (SEARCH if is_search else DEFINITION)(value, path)


PARALLEL = {"disable_parallel_tool_use": boolean}
CHOICE = tagged(
    "type",
    {
        "auto": record(TYPE, PARALLEL),
        "any": record(TYPE, PARALLEL),
        "tool": record({**TYPE, "name": text()}, PARALLEL),
        "none": record(TYPE),
    },
    in_path=True,
)
DISPLAY = {"display": nullable(literal("summarized", "omitted"))}
BINDING = {
    "block_binding": record({"prefix_mismatch_behavior": literal("drop_block", "error")}),
}
THINKING_CONFIG = tagged(
    "type",
    {
        "adaptive": record(TYPE, {**DISPLAY, **BINDING}),
        "enabled": record({**TYPE, "budget_tokens": integer(1024)}, {**DISPLAY, **BINDING}),
        "disabled": record(TYPE),
        "between_tools": record(TYPE, {**DISPLAY, **BINDING}),
    },
    in_path=True,
)
OUTPUT = record(
    None,
    {
        "effort": nullable(literal("low", "medium", "high", "xhigh", "max")),
        "format": nullable(record({"type": literal("json_schema"), "schema": free_object})),
    },
)
_shared: dict[str, Shape] = {
    "system": either(string=text(), array=items(tagged("type", {"text": TEXT}, in_path=True))),
    "tools": items(TOOL),
    "tool_choice": CHOICE,
    "thinking": THINKING_CONFIG,
    "output_config": OUTPUT,
    "cache_control": CACHE,
}
_prompt: dict[str, Shape] = {
    "model": text(min_len=1, max_len=256),
    "messages": items(MESSAGE, min_len=1, max_len=100_000),
}
REQUEST = record(
    {**_prompt, "max_tokens": integer(0)},
    {
        **_shared,
        "stream": boolean,
        "stop_sequences": items(text(min_len=1)),
        "metadata": record(None, {"user_id": nullable(text(max_len=256))}),
        "service_tier": literal("auto", "standard_only"),
        "speed": literal("standard", "fast"),
        "inference_geo": nullable(text()),
        "container": nullable(text()),
        "diagnostics": record({"previous_message_id": text(r"^msg_.*")}),
        "temperature": number(0, 1),
        "top_p": number(0, 1),
        "top_k": integer(0),
    },
)
COUNT = record(_prompt, _shared)


def words(problem: Problem) -> str:
    """A problem as this API tells it."""
    where = dotted(problem.path)
    match problem.kind:
        case "missing":
            return f"{where}: Field required"
        case "extra":
            return f"{where}: Extra inputs are not permitted"
        case "type":
            return f"{where}: Input should be a valid {problem.expected}"
        case "tag":
            tags = ", ".join(f"'{item}'" for item in problem.allowed)
            return f"{where}: Input tag '{problem.got}' found using 'type' does not match any of the expected tags: {tags}"  # noqa: E501 - the API's own words
        case "value":
            if problem.allowed:
                told = " or ".join(f"'{item}'" for item in problem.allowed)
                return f"{where}: Input should be {told}"
            if problem.expected.startswith("match"):
                return f"{where}: String should {problem.expected}"
            noun = "List should have" if problem.expected.endswith("items") else "Input should be"
            return f"{where}: {noun} {problem.expected}"
