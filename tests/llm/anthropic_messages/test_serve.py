"""Foreign clients' requests as neutral ones."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Document,
    Effort,
    Image,
    Native,
    Origin,
    OutputSchema,
    Part,
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
from tests.llm.anthropic_messages.requests import EFFORTS, ORIGIN, requests, unhurried

HI: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}]
PLAIN = Request("claude-test", (user("Hi"),), 100, stream=False)


def served(**fields: Any) -> Request:
    body = {"model": "claude-test", "max_tokens": 100, "messages": HI, **fields}
    return PROTOCOL.serve(json.dumps(body).encode())


def served_parts(*blocks: dict[str, Any], role: str = "assistant") -> tuple[Part, ...]:
    return served(messages=[{"role": role, "content": list(blocks)}]).messages[0].parts


def own(**payload: Any) -> ProviderData:
    return ProviderData(ORIGIN, payload)


@unhurried
@given(requests())
def test_what_was_lowered_is_served_as_it_was(request: Request) -> None:
    levels: tuple[Effort, ...] = tuple(effort for effort in EFFORTS if effort)
    traits = Traits(
        thinking="adaptive",
        efforts=levels,
        off="disabled",
        documents=True,
        sampling=True,
        cache_marks=True,
    )
    wire = PROTOCOL.lower(request, traits, ORIGIN)
    assert PROTOCOL.serve(wire.body, path=wire.path) == request
    assert PROTOCOL.lower(request, traits, ORIGIN) == wire


def test_W20_Q6_unknown_and_private_fields_are_passed_over() -> None:
    block = {"type": "text", "text": "Hi", "_toolName": "x"}
    messages = [{"role": "user", "content": [block], "_private": 1}]
    assert served(messages=messages, surprise={"deep": 1}, metadata={"user_id": "u"}) == PLAIN


def test_W15_Q6_a_private_field_never_reaches_the_api() -> None:
    call: dict[str, Any] = {
        "type": "tool_use",
        "id": "t1",
        "name": "x",
        "input": {},
        "_googleThoughtSignature": "s",
    }
    request = served(messages=[*HI, {"role": "assistant", "content": [call]}])
    assert b"_google" not in PROTOCOL.lower(request, Traits(), ORIGIN).body


def test_Q8_the_system_prompt_is_words_or_blocks() -> None:
    assert served(system="Be short.") == replace(PLAIN, system="Be short.")
    blocks = [{"type": "text", "text": "Be"}, {"type": "text", "text": "short."}]
    assert served(system=blocks) == replace(PLAIN, system="Be\n\nshort.")


def test_Q29_words_of_the_system_in_the_middle_become_words_of_the_user() -> None:
    messages = [*HI, {"role": "system", "content": "Now be long."}]
    assert served(messages=messages).messages == (user("Hi"), user("Now be long."))


def test_cache_marks_are_found_wherever_they_stand() -> None:
    mark = {"type": "ephemeral", "ttl": "5m"}
    tool = {"name": "x", "input_schema": {"type": "object"}, "cache_control": mark}
    marked = [{"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": mark}]}]
    assert served(tools=[tool]).cache == CacheMarks(system=True)
    assert served(messages=marked).cache == CacheMarks(messages=(0,))
    assert served(cache_control=mark).cache == CacheMarks(messages=(0,))
    assert served(messages=marked, cache_control=mark).cache == CacheMarks(messages=(0,))
    longer = {**mark, "ttl": "1h"}
    assert served(messages=marked, cache_control=longer).cache == CacheMarks(
        messages=(0,), long_messages=(0,)
    )


def test_tools_that_run_at_the_api_are_refused_by_name() -> None:
    own = {"type": "custom", "name": "x", "description": "X.", "input_schema": {"type": "object"}}
    assert served(tools=[own]).tools == (ToolSpec("x", "X.", {"type": "object"}),)
    with pytest.raises(ValueError, match="^tools.1: web_search_20250305 runs at Anthropic alone"):
        served(tools=[own, {"type": "web_search_20250305", "name": "web_search"}])


@pytest.mark.parametrize(
    ("fields", "effort"),
    [
        ({}, None),
        ({"thinking": {"type": "disabled"}}, "off"),
        ({"thinking": {"type": "between_tools"}}, "off"),
        ({"thinking": {"type": "adaptive"}}, "high"),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}}, "max"),
        ({"output_config": {"effort": "low"}}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "minimal"),
        ({"thinking": {"type": "enabled", "budget_tokens": 8000}}, "medium"),
        ({"thinking": {"type": "enabled", "budget_tokens": 60_000}}, "max"),
    ],
)
def test_efforts(fields: dict[str, Any], effort: Effort | None) -> None:
    assert served(**fields).effort == effort


def test_choices_and_schemas() -> None:
    choice = {"type": "tool", "name": "x", "disable_parallel_tool_use": True}
    assert served(tool_choice=choice).tool_choice == ToolChoice("one", "x", single=True)
    form = {"type": "json_schema", "schema": {"type": "object"}}
    expected = OutputSchema("answer", {"type": "object"})
    assert served(output_config={"format": form}).output_schema == expected


def test_results_know_the_name_of_their_call_and_take_words_or_blocks() -> None:
    calls: list[dict[str, Any]] = [
        {"type": "tool_use", "id": item, "name": item * 2, "input": {}} for item in ("a", "b")
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "a", "content": "Words."},
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "is_error": True,
            "content": [
                {"type": "text", "text": "Words."},
                {"type": "search_result", "content": [{"type": "text", "text": "Found."}]},
                {"type": "tool_reference", "tool_name": "x"},
            ],
        },
        {"type": "tool_result", "tool_use_id": "c"},
    ]
    request = served(
        messages=[{"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    )
    referred = Text("[the tool x can be called now]")
    assert request.messages == (
        assistant(ToolCall("a", "aa", {}), ToolCall("b", "bb", {})),
        user(
            ToolResult("a", "aa", (Text("Words."),)),
            ToolResult("b", "bb", (Text("Words."), Text("Found."), referred), is_error=True),
            ToolResult("c", "", ()),
        ),
    )


def test_pictures_and_documents() -> None:
    sources = [
        ("image", {"type": "base64", "media_type": "image/png", "data": "cG5n"}),
        ("image", {"type": "url", "url": "https://example.org/a.png"}),
        ("document", {"type": "text", "media_type": "text/plain", "data": "Words."}),
    ]
    blocks = [{"type": kind, "source": source, "title": "a"} for kind, source in sources]
    assert served_parts(*blocks, role="user") == (
        Image("image/png", b"png"),
        Image("", url="https://example.org/a.png"),
        Document("text/plain", b"Words.", "a"),
    )


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("image", {"type": "file", "file_id": "f"}),
        ("document", {"type": "file", "file_id": "f"}),
        ("document", {"type": "url", "url": "https://example.org/a.pdf"}),
    ],
)
def test_what_lies_elsewhere_is_refused_with_words(kind: str, source: dict[str, str]) -> None:
    words = f"^messages.0.content.0: an? {kind} by {source['type']} can't be passed on"
    with pytest.raises(ValueError, match=words):
        served_parts({"type": kind, "source": source}, role="user")


def test_what_only_the_api_knows_is_kept_for_it() -> None:
    cited = [{"type": "char_location"}]
    search: dict[str, Any] = {
        "type": "server_tool_use",
        "id": "s1",
        "name": "web_search",
        "input": {},
    }
    call: dict[str, Any] = {
        "type": "tool_use",
        "id": "t1",
        "name": "x",
        "input": {},
        "caller": {"type": "direct"},
    }
    assert served_parts(
        {"type": "thinking", "thinking": "Hmm.", "signature": "s"},
        {"type": "thinking", "thinking": "Hmm.", "signature": ""},
        {"type": "redacted_thinking", "data": "r"},
        {"type": "text", "text": "Hi", "citations": cited},
        {**search, "cache_control": {"type": "ephemeral"}},
        call,
    ) == (
        Thinking("Hmm.", own(signature="s")),
        Thinking("Hmm."),
        Thinking("", own(redacted="r")),
        Text("Hi", own(citations=cited)),
        Native(own(block=search)),
        ToolCall("t1", "x", {}, own(caller={"type": "direct"})),
    )


def test_W16_a_damaged_carrier_is_dropped() -> None:
    for signature in ("gw1.", "gw1.%%%", "gw1.e30", "gw1.a"):
        assert served_parts({"type": "thinking", "thinking": "", "signature": signature}) == ()


def test_W16_a_carried_thought_never_reaches_the_api() -> None:
    gemini = ProviderData(Origin("gemini", "a", "m"), {"signature": "s"})
    request = Request("claude-test", (user("Hi"), assistant(Thinking("Hmm.", gemini), "Yes.")), 9)
    body = json.loads(PROTOCOL.lower(request, Traits(), ORIGIN).body)
    assert body["messages"][1]["content"] == [{"type": "text", "text": "Yes."}]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model": 7}, "Expected `str`, got `int` - at `$.model`"),
        ({"messages": []}, "messages: at least one message is required."),
        ({"tool_choice": {"type": "tool"}}, "tool_choice.name: a forced tool needs a name."),
        (
            {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
            "messages.0.content.0: Object missing required field `type`",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "image", "source": 1}]}]},
            "messages.0.content.0: Expected `object`, got `int`",
        ),
        (
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [{"type": "image", "source": {"type": "base64", "data": "?"}}],
                    }
                ]
            },
            "messages.0.content.0: Only base64 data is allowed",
        ),
    ],
)
def test_a_wrong_request_is_refused_with_words(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        served(**fields)


@unhurried
@given(st.binary() | st.text().map(str.encode))
def test_bytes_that_are_no_request_are_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match="no request of the Messages API"):
        PROTOCOL.serve(body)


def test_documents_to_be_cited_are_refused_with_words() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "x"}
    document = {"type": "document", "source": source, "citations": {"enabled": True}}
    with pytest.raises(ValueError, match=r"messages.0.content.0: citations are made at Anthropic"):
        served(messages=[{"role": "user", "content": [document]}])
    document["citations"] = {"enabled": False}
    assert served(messages=[{"role": "user", "content": [document]}]).messages[0].parts
