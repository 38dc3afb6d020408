"""Requests as the API takes them: everything besides the messages."""

import json
from typing import Any

import pytest

from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.llm.traits import EFFORTS, Traits
from recto.messages import (
    CacheMarks,
    Effort,
    OutputSchema,
    Request,
    Text,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)
from tests.llm.anthropic_messages.streams import ORIGIN

LEVELS: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")
ADAPTIVE = Traits(thinking="adaptive", efforts=("off", *LEVELS), off="disabled")
MANUAL = Traits(thinking="manual", efforts=("off",), forced_tool_thinking=False)
UNFORCED = Traits(thinking="adaptive", efforts=LEVELS, forced_tool=False)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read_file", "Reads a file.", SCHEMA)
LIST = ToolSpec("list_files", "", {})
ONE = ToolChoice("one", "read_file", single=True)


def lowered(traits: Traits, **fields: Any) -> dict[str, Any]:
    """The body of a short request, without what all bodies have in common."""
    given: dict[str, Any] = {"messages": (user("Hi"),), "max_output": 100, "stream": False}
    wire = PROTOCOL.lower(Request("claude-test", **{**given, **fields}), traits, ORIGIN)
    body: dict[str, Any] = json.loads(wire.body)
    common: dict[str, Any] = {"model": "claude-test", "max_tokens": 100}
    common["messages"] = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    return {key: value for key, value in body.items() if common.get(key) != value}


def test_a_whole_request() -> None:
    request = Request(
        "claude-test",
        (
            user("Read a.md."),
            assistant("Yes.", ToolCall("toolu_1", "read_file", {"path": "a.md", "from": 1})),
            user(ToolResult("toolu_1", "read_file", (Text("# A"),)), "And?"),
        ),
        1000,
        system="Be short.",
        tools=(READ, LIST),
        tool_choice=ToolChoice("any", single=True),
        effort="medium",
        stop=("END", " "),
        cache=CacheMarks(system=True, messages=(2,)),
    )
    traits = Traits(thinking="adaptive", efforts=LEVELS, hides_thinking=True, cache_marks=True)
    wire = PROTOCOL.lower(request, traits, ORIGIN)
    assert (wire.path, wire.headers) == ("/v1/messages", {"anthropic-version": "2023-06-01"})
    mark = '"cache_control":{"type":"ephemeral"}'
    assert wire.body.decode() == (
        '{"model":"claude-test","max_tokens":1000,"tools":['
        '{"name":"read_file","input_schema":{"properties":{"path":{"type":"string"}},'
        '"required":["path"],"type":"object"},"description":"Reads a file."},'
        '{"name":"list_files","input_schema":{"properties":{},"type":"object"}}],'
        '"tool_choice":{"type":"any","disable_parallel_tool_use":true},'
        f'"system":[{{"type":"text","text":"Be short.",{mark}}}],'
        '"messages":[{"role":"user","content":[{"type":"text","text":"Read a.md."}]},'
        '{"role":"assistant","content":[{"type":"text","text":"Yes."},'
        '{"type":"tool_use","id":"toolu_1","name":"read_file",'
        '"input":{"from":1,"path":"a.md"}}]},'
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1",'
        '"content":[{"type":"text","text":"# A"}]},'
        f'{{"type":"text","text":"And?",{mark}}}]}}],'
        '"thinking":{"type":"adaptive","display":"summarized"},'
        '"output_config":{"effort":"medium"},"stop_sequences":["END"],"stream":true}'
    )


def test_Q8_the_system_prompt_is_a_block_and_an_empty_one_is_none() -> None:
    assert lowered(Traits(), system="Be short.") == {
        "system": [{"type": "text", "text": "Be short."}]
    }
    assert lowered(Traits(), system=" \n") == {}


def marks(body: dict[str, Any]) -> list[int]:
    """The turns that hold a cache mark; -1 stands for what comes before them."""
    before = ["cache_control" in item for item in [*body.get("tools", []), *body.get("system", [])]]
    turns = ["cache_control" in str(turn["content"]) for turn in body["messages"]]
    return [-1] * any(before) + [at for at, marked in enumerate(turns) if marked]


def test_Q9_there_are_at_most_four_marks_and_the_oldest_go_first() -> None:
    history = tuple(user("Hi") if at % 2 == 0 else assistant("Yes") for at in range(9))
    wanted = CacheMarks(system=True, messages=(0, 2, 4, 6, 8))
    request = {"messages": history, "system": "Be short.", "cache": wanted}
    assert marks(lowered(Traits(cache_marks=True), **request)) == [-1, 4, 6, 8]
    assert marks(lowered(Traits(cache_marks=False), **request)) == []
    request["cache"] = CacheMarks(messages=(0, 2, 4, 6, 8, 99))
    assert marks(lowered(Traits(cache_marks=True), **request)) == [4, 6, 8]


def test_Q9_without_a_system_prompt_the_tools_are_marked() -> None:
    body = lowered(Traits(cache_marks=True), tools=(LIST, READ), cache=CacheMarks(system=True))
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True]


SHORT = {"type": "ephemeral"}
LONG = {"type": "ephemeral", "ttl": "1h"}


@pytest.mark.parametrize(
    ("long_system", "long_messages", "lives"),
    [
        pytest.param(False, (), [SHORT, SHORT, SHORT], id="Q10-all-short"),
        pytest.param(True, (), [LONG, SHORT, SHORT], id="Q10-the-system-longer"),
        pytest.param(False, (0,), [LONG, LONG, SHORT], id="Q10-raised"),
        pytest.param(False, (2,), [LONG, LONG, LONG], id="Q10-all-raised"),
        pytest.param(False, (1, 9), [SHORT, SHORT, SHORT], id="Q10-no-such-mark"),
    ],
)
def test_Q10_a_mark_raises_those_before_it_to_its_own_life(
    long_system: bool, long_messages: tuple[int, ...], lives: list[object]
) -> None:
    body = lowered(
        Traits(cache_marks=True),
        system="Be short.",
        messages=(user("Hi"), assistant("Yes"), user("Well?")),
        cache=CacheMarks(True, (0, 2), long_system, long_messages),
    )
    blocks = [*body["system"], *(turn["content"][0] for turn in body["messages"][::2])]
    assert [block["cache_control"] for block in blocks] == lives


def test_Q15_a_temperature_is_sent_only_where_one_is_accepted() -> None:
    assert lowered(Traits(sampling=False), temperature=0.5) == {}
    assert lowered(Traits(sampling=True), temperature=0.5) == {"temperature": 0.5}
    assert lowered(Traits(sampling=True), temperature=1.7) == {"temperature": 1.0}


def test_Q16_a_forced_tool_and_a_budget_exclude_each_other() -> None:
    body = lowered(MANUAL, tools=(READ,), tool_choice=ONE, effort="medium")
    assert "thinking" not in body
    assert body["tool_choice"] == {
        "type": "tool",
        "name": "read_file",
        "disable_parallel_tool_use": True,
    }


def test_Q17_a_tool_that_can_not_be_forced_becomes_the_schema_of_the_answer() -> None:
    strict = {**SCHEMA, "additionalProperties": False}
    assert lowered(UNFORCED, tools=(LIST, READ), tool_choice=ONE, effort="low") == {
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": strict}},
        # Without them, thoughts that were bound to them would be refused.
        "tools": lowered(UNFORCED, tools=(LIST, READ))["tools"],
        "tool_choice": {"type": "none"},
    }


@pytest.mark.parametrize(
    ("tools", "choice", "traits"),
    [
        ((READ, LIST), ToolChoice("any"), UNFORCED),
        ((READ,), ToolChoice("one", "read_file"), Traits(forced_tool=False, structured=False)),
        ((READ,), ToolChoice("one", "no_such_tool"), Traits()),
        ((READ,), ToolChoice("auto"), Traits()),
    ],
)
def test_Q17_where_there_is_no_such_way_the_model_decides(
    tools: tuple[ToolSpec, ...], choice: ToolChoice, traits: Traits
) -> None:
    body = lowered(traits, tools=tools, tool_choice=choice)
    assert "tool_choice" not in body
    assert len(body["tools"]) == len(tools)


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (ToolChoice("auto", single=True), {"type": "auto", "disable_parallel_tool_use": True}),
        (ToolChoice("none", single=True), {"type": "none"}),
        (ToolChoice("any"), {"type": "any"}),
        (ToolChoice("one", "read_file"), {"type": "tool", "name": "read_file"}),
    ],
)
def test_tool_choices(choice: ToolChoice, sent: dict[str, Any]) -> None:
    assert lowered(Traits(), tools=(READ,), tool_choice=choice)["tool_choice"] == sent
    assert lowered(Traits(), tool_choice=choice) == {}


def test_tools_of_the_same_name_are_told_once() -> None:
    assert lowered(Traits(), tools=(LIST, ToolSpec("list_files", "Twice.", {}))) == {
        "tools": [{"name": "list_files", "input_schema": {"type": "object", "properties": {}}}]
    }


def test_calls_in_the_history_have_definitions_even_without_tools() -> None:
    history = (
        user("Hi"),
        assistant(ToolCall("t1", "read_file", {})),
        user(ToolResult("t1", "read_file", (Text("# A"),))),
    )
    body = lowered(Traits(), messages=history)
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    assert body["tools"] == [{"name": "read_file", "input_schema": schema}]
    assert body["tool_choice"] == {"type": "none"}


SNAPPED: dict[Effort, str | None] = {
    "off": None,
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "max",
}


@pytest.mark.parametrize("effort", EFFORTS)
def test_Q18_efforts_of_adaptive_models(effort: Effort) -> None:
    body = lowered(ADAPTIVE, effort=effort)
    if effort == "off":
        assert body == {"thinking": {"type": "disabled"}}
    else:
        assert body == {
            "thinking": {"type": "adaptive"},
            "output_config": {"effort": SNAPPED[effort]},
        }


def test_Q18_an_effort_beyond_the_model_is_its_highest_and_one_between_is_raised() -> None:
    some = Traits(thinking="adaptive", efforts=("low", "medium", "high", "max"))
    assert lowered(some, effort="xhigh")["output_config"] == {"effort": "max"}
    fewer = Traits(thinking="adaptive", efforts=("low", "medium", "high"))
    assert lowered(fewer, effort="max")["output_config"] == {"effort": "high"}


@pytest.mark.parametrize(
    ("traits", "sent"),
    [
        (Traits(thinking="adaptive", efforts=("off", "low"), off="omit"), {}),
        (
            Traits(thinking="adaptive", efforts=("off", "low"), off="between_tools"),
            {"thinking": {"type": "between_tools"}},
        ),
        (
            Traits(thinking="adaptive", efforts=("low", "high")),
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
        ),
        (MANUAL, {}),
        (Traits(thinking="none"), {}),
    ],
)
def test_Q18_each_model_is_told_its_own_way_not_to_think(
    traits: Traits, sent: dict[str, Any]
) -> None:
    assert lowered(traits, effort="off") == sent


def test_no_effort_leaves_thinking_to_the_model() -> None:
    assert lowered(ADAPTIVE) == lowered(MANUAL) == {}
    assert lowered(Traits(thinking="none"), effort="high") == {}
    assert lowered(Traits(thinking="effort", efforts=LEVELS), effort="high") == {}


@pytest.mark.parametrize(
    ("effort", "budget"),
    [("minimal", 1024), ("low", 2048), ("medium", 10_000), ("high", 16_384), ("max", 32_768)],
)
def test_Q19_the_output_limit_leaves_room_after_the_budget(effort: Effort, budget: int) -> None:
    assert lowered(MANUAL, effort=effort, max_output=60_000) == {
        "max_tokens": 60_000,
        "thinking": {"type": "enabled", "budget_tokens": budget},
    }


@pytest.mark.parametrize(
    ("max_output", "budget"), [(36_864, 32_768), (10_000, 5904), (4000, 2000), (2048, 1024)]
)
def test_the_output_limit_is_never_raised_for_thoughts(max_output: int, budget: int) -> None:
    assert lowered(MANUAL, effort="max", max_output=max_output) == {
        "max_tokens": max_output,
        "thinking": {"type": "enabled", "budget_tokens": budget},
    }


def test_without_room_for_thoughts_there_are_none() -> None:
    assert lowered(MANUAL, effort="max", max_output=2046) == {"max_tokens": 2046}


def test_a_budget_is_left_out_in_the_middle_of_calls_that_another_model_began() -> None:
    history = (
        user("Hi"),
        assistant(ToolCall("t1", "read_file", {})),
        user(ToolResult("t1", "read_file", (Text("# A"),))),
    )
    asked: dict[str, Any] = {"tools": (READ,), "effort": "medium", "max_output": 20_000}
    assert "thinking" not in lowered(MANUAL, messages=history, **asked)
    assert "thinking" in lowered(MANUAL, messages=history[:1], **asked)


def test_the_schema_of_the_answer_is_sent_where_answers_can_be_held_to_one() -> None:
    wanted = OutputSchema("suggestions", {"type": "array", "items": SCHEMA, "maxItems": 5})
    strict = {
        "type": "array",
        "items": {**SCHEMA, "additionalProperties": False},
        "description": "{maxItems: 5}",
    }
    assert lowered(Traits(), output_schema=wanted) == {
        "output_config": {"format": {"type": "json_schema", "schema": strict}}
    }
    assert lowered(Traits(structured=False), output_schema=wanted) == {}


def test_halves_of_characters_are_replaced() -> None:
    history = (user("a\ud83d"), assistant(ToolCall("t1", "x", {"k\udc00": ["\ud83d\ude00", 1]})))
    body = lowered(Traits(), messages=history)
    assert body["messages"][0]["content"] == [{"type": "text", "text": "a\ufffd"}]
    assert body["messages"][1]["content"][0]["input"] == {"k\ufffd": ["😀", 1]}
