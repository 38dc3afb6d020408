"""Tools of a client that are no plain functions, as any model can call them, and back."""

import json
from typing import Any

import pytest

from recto.llm import write_answer
from recto.llm.protocols.openai_responses import PROTOCOL
from recto.messages import (
    Finished,
    Message,
    Request,
    StreamEvent,
    Text,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
)

PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Edits files.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: LINE"},
}
SEARCH = {
    "type": "tool_search",
    "execution": "client",
    "description": "Finds tools.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
}


def function(name: str) -> dict[str, Any]:
    return {"type": "function", "name": name, "parameters": {"type": "object"}, "strict": False}


AGENTS = {"type": "namespace", "name": "agents", "tools": [function("wait"), PATCH]}
TOOLS = [function("read"), PATCH, AGENTS, SEARCH, {"type": "web_search"}]


def served(**body: Any) -> Request:
    return PROTOCOL.serve(json.dumps({"model": "m", "input": "Hi", **body}).encode())


def names(request: Request) -> list[str]:
    return [tool.name for tool in request.tools]


def test_every_tool_that_a_client_runs_becomes_a_function() -> None:
    request = served(tools=TOOLS)
    assert names(request) == [
        *("read", "apply_patch", "agents__wait", "agents__apply_patch", "tool_search")
    ]
    patch = request.tools[1]
    assert patch.parameters["required"] == ["input"]
    assert patch.description.startswith("Edits files.")
    assert "lark grammar:\nstart: LINE" in patch.description


def test_tools_may_stand_in_the_conversation() -> None:
    added = {"type": "additional_tools", "role": "developer", "tools": [AGENTS]}
    found = {"type": "tool_search_output", "call_id": "c1", "tools": [function("late")]}
    search = {"type": "tool_search_call", "call_id": "c1", "arguments": {"query": "late"}}
    said = {"role": "user", "content": "Hi"}
    request = served(tools=[SEARCH], input=[added, said, search, found])
    assert names(request) == ["tool_search", "agents__wait", "agents__apply_patch", "late"]
    [asked, called, answered] = request.messages
    assert asked.parts == (Text("Hi"),)
    assert called.parts == (ToolCall("c1", "tool_search", {"query": "late"}),)
    words = Text("These tools can be called now: late.")
    assert answered.parts == (ToolResult("c1", "tool_search", (words,)),)


def test_calls_of_every_kind_are_read_back() -> None:
    request = served(
        tools=TOOLS,
        input=[
            {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "+a"},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": "Done"},
            {
                "type": "function_call",
                "call_id": "c2",
                "namespace": "agents",
                "name": "wait",
                "arguments": "{}",
            },
            {"type": "function_call_output", "call_id": "c2", "output": "Later"},
        ],
    )
    assert [part for message in request.messages for part in message.parts] == [
        ToolCall("c1", "apply_patch", {"input": "+a"}),
        ToolResult("c1", "apply_patch", (Text("Done"),)),
        ToolCall("c2", "agents__wait", {}),
        ToolResult("c2", "agents__wait", (Text("Later"),)),
    ]


def written(name: str, raw: str) -> dict[str, Any]:
    """The item that a call becomes for a client that offered these tools."""
    call = ToolCall("c1", name, json.loads(raw))
    events: list[StreamEvent] = [
        ToolCallStarted(0, "c1", name),
        ToolCallDelta(0, raw),
        ToolCallEnded(0, call.arguments, raw),
        Finished("tool_use", Message("assistant", (call,))),
    ]
    body = json.dumps({"model": "m", "input": "Hi", "tools": TOOLS}).encode()
    answer = write_answer("openai-responses", body, events, answer_id="a", model="m", created=1)
    [item] = json.loads(answer)["output"]
    return item


@pytest.mark.parametrize(
    ("name", "raw", "shape"),
    [
        ("read", '{"path": "a"}', {"type": "function_call", "name": "read"}),
        (
            "apply_patch",
            '{"input": "+a\\n"}',
            {"type": "custom_tool_call", "name": "apply_patch", "input": "+a\n"},
        ),
        (
            "apply_patch",
            '{"patch": "+a"}',
            {"type": "custom_tool_call", "input": '{"patch": "+a"}'},
        ),
        (
            "agents__wait",
            "{}",
            {"type": "function_call", "name": "wait", "namespace": "agents", "arguments": "{}"},
        ),
        (
            "agents__apply_patch",
            '{"input": "x"}',
            {"type": "custom_tool_call", "namespace": "agents", "input": "x"},
        ),
        (
            "tool_search",
            '{"query": "q"}',
            {"type": "tool_search_call", "execution": "client", "arguments": {"query": "q"}},
        ),
    ],
)
def test_a_call_goes_back_in_the_clients_own_shape(
    name: str, raw: str, shape: dict[str, Any]
) -> None:
    item = written(name, raw)
    assert shape.items() <= item.items()
    assert (item["call_id"], item["status"]) == ("c1", "completed")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"tools": [{"type": "file_search"}]}, "`file_search` runs at OpenAI alone"),
        ({"tools": [{"type": "tool_search"}]}, "`tool_search` runs at OpenAI alone"),
        ({"tool_choice": {"type": "web_search"}}, "`tool_choice` asks for `web_search`"),
        ({"tools": "all"}, "can't be read"),
        ({"tools": [{"type": "custom"}]}, "A tool can't be read"),
    ],
)
def test_what_only_openai_runs_is_refused_where_it_is_counted_on(
    body: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        served(**body)


def test_one_free_form_tool_can_be_demanded() -> None:
    request = served(tools=TOOLS, tool_choice={"type": "custom", "name": "apply_patch"})
    assert (request.tool_choice.mode, request.tool_choice.name) == ("one", "apply_patch")
