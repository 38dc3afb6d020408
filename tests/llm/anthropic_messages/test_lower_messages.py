"""Histories as turns that the API never refuses."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.anthropic_messages import PROTOCOL
from recto.llm.protocols.anthropic_messages.body import Block, Body
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Document,
    Image,
    Message,
    Origin,
    Part,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)
from tests.llm.anthropic_messages import requests
from tests.llm.anthropic_messages.streams import ORIGIN

GEMINI = Origin("gemini", "account", "gemini-test")
OPENAI = Origin("openai-responses", "account", "gpt-test")


def turns(*messages: Message, traits: Traits | None = None) -> list[Any]:
    """The role and content of each turn."""
    request = Request(ORIGIN.model, messages, 100)
    body = json.loads(PROTOCOL.lower(request, traits or Traits(), ORIGIN).body)
    return [(turn["role"], turn["content"]) for turn in body["messages"]]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "read_file") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


def result(call_id: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    inside = {"content": list(content)} if content else {}
    return {"type": "tool_result", "tool_use_id": call_id, **inside, **more}


def called(call_id: str) -> ToolCall:
    return ToolCall(call_id, "read_file", {})


def answered(call_id: str, *content: Text | Image | Document, is_error: bool = False) -> ToolResult:
    return ToolResult(call_id, "read_file", content, is_error)


def test_Q1_turns_of_the_same_role_are_merged() -> None:
    assert turns(user("a"), user("b"), assistant("c"), assistant("d"), user("e")) == [
        ("user", [text("a"), text("b")]),
        ("assistant", [text("c"), text("d")]),
        ("user", [text("e")]),
    ]


def test_Q2_results_come_before_words() -> None:
    history = (
        user("a"),
        assistant(called("t1"), called("t2")),
        user("b", answered("t2")),
        user(answered("t1"), "c"),
    )
    assert turns(*history)[2] == ("user", [result("t2"), result("t1"), text("b"), text("c")])


def test_Q5_a_result_without_its_call_becomes_words() -> None:
    assert turns(user("a", answered("t9", Text("# A")))) == [
        ("user", [text("a"), text("[Result of read_file, whose call was left out:]"), text("# A")])
    ]


def test_Q5_a_call_without_its_result_gets_one_that_says_so() -> None:
    missing = result("t1", text("No result: this call was not run."), is_error=True)
    assert turns(user("a"), assistant(called("t1")), user("b"), assistant("c"), user("d")) == [
        ("user", [text("a")]),
        ("assistant", [call("t1")]),
        ("user", [missing, text("b")]),
        ("assistant", [text("c")]),
        ("user", [text("d")]),
    ]
    assert turns(user("a"), assistant(called("t1")))[2] == ("user", [missing])


def test_Q7_empty_words_are_left_out_and_so_are_turns_of_nothing_else() -> None:
    history = (user("a", " "), assistant("", "\n"), user("b"), assistant("c"), user(" "), user("d"))
    assert turns(*history) == [
        ("user", [text("a"), text("b")]),
        ("assistant", [text("c")]),
        ("user", [text("d")]),
    ]


def test_A33_an_empty_turn_is_not_sent() -> None:
    assert turns(user("a"), assistant(), user("b")) == [("user", [text("a"), text("b")])]


def test_Q12_from_gemini_to_claude() -> None:
    signed = ProviderData(GEMINI, {"signature": "x"})
    history = (
        user("a"),
        assistant(Thinking("Hmm.", signed), ToolCall("gem:1", "fs.read", {}, signed)),
        user(ToolResult("gem:1", "fs.read", (Text("# A"),))),
    )
    assert turns(*history)[1:] == [
        ("assistant", [call("gem_1_94d43014f39f", "esc-fs-2eread")]),
        ("user", [result("gem_1_94d43014f39f", text("# A"))]),
    ]


def test_Q13_from_openai_to_claude_with_a_long_id() -> None:
    long = "call_" + "x" * 80
    (_, asked), (_, replied) = turns(user("a"), assistant(called(long)), user(answered(long)))[1:]
    assert asked[0]["id"] == replied[0]["tool_use_id"]
    assert asked[0]["id"].startswith("call_xxx")
    assert len(asked[0]["id"]) == 64


@pytest.mark.parametrize(
    "origin",
    [
        GEMINI,
        OPENAI,
        Origin("anthropic-messages", "another", ORIGIN.model),
        Origin("anthropic-messages", ORIGIN.account, "another"),
    ],
)
def test_Q12_thoughts_of_another_origin_are_left_out(origin: Origin) -> None:
    foreign = Thinking("Hmm.", ProviderData(origin, {"signature": "x"}))
    assert turns(user("a"), assistant(foreign, "b"), user("c"))[1] == ("assistant", [text("b")])


def test_A34_calls_of_the_same_id_are_told_apart_and_so_are_their_results() -> None:
    history = (
        user("a"),
        assistant(called("t1"), called("t1")),
        user(answered("t1", Text("1")), answered("t1", Text("2"))),
        assistant(called("t1")),
        user(answered("t1", Text("3"))),
    )
    assert turns(*history)[1:] == [
        ("assistant", [call("t1"), call("t1_2")]),
        ("user", [result("t1", text("1")), result("t1_2", text("2"))]),
        ("assistant", [call("t1_3")]),
        ("user", [result("t1_3", text("3"))]),
    ]


def test_W24_words_after_a_call_are_moved_before_it() -> None:
    signed = Thinking("", ProviderData(ORIGIN, {"signature": "x"}))
    history = (user("a"), assistant("b", called("t1"), signed, called("t2"), "c", signed))
    thinking = {"type": "thinking", "thinking": "", "signature": "x"}
    assert turns(*history)[1] == (
        "assistant",
        [text("b"), text("c"), call("t1"), thinking, call("t2")],
    )


def test_thoughts_alone_are_no_turn() -> None:
    signed = Thinking("Hmm.", ProviderData(ORIGIN, {"signature": "x"}))
    assert turns(user("a"), assistant(signed), user("b")) == [("user", [text("a"), text("b")])]


def test_a_history_that_begins_or_ends_with_the_model_is_framed_by_the_user() -> None:
    assert turns(assistant("b")) == [
        ("user", [text("[The beginning of the conversation was left out.]")]),
        ("assistant", [text("b")]),
        ("user", [text("Continue.")]),
    ]


PNG = Image("image/png", b"png")
PDF = Document("application/pdf", b"%PDF", "a.pdf")
CSV = Document("text/csv", b"a,b", "a.csv")
PNG_BLOCK = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"},
}
READS = Traits(documents=True)
BLIND = Traits(images=False)


@pytest.mark.parametrize(
    ("part", "traits", "block"),
    [
        (PNG, READS, PNG_BLOCK),
        (PNG, BLIND, text("[image left out: this model does not read images]")),
        pytest.param(
            Image("image/svg+xml", b"<svg/>"),
            READS,
            text("[image left out: this model does not read image/svg+xml]"),
            id="Q23-svg",
        ),
        pytest.param(
            Image("image/gif", b"gif"),
            READS,
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/gif", "data": "Z2lm"},
            },
            id="Q23-gif",
        ),
        (
            Image("", url="https://example.org/a.png"),
            READS,
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        ),
        (Image("image/png"), READS, text("[image left out: it is empty]")),
        (
            PDF,
            READS,
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="},
                "title": "a.pdf",
            },
        ),
        (PDF, BLIND, text("[document left out: this model does not read application/pdf]")),
        (
            CSV,
            READS,
            {
                "type": "document",
                "source": {"type": "text", "data": "a,b", "media_type": "text/plain"},
                "title": "a.csv",
            },
        ),
        (CSV, BLIND, text("a.csv:\na,b")),
        (Document("text/csv", b" ", "a.csv"), READS, text("[document left out: a.csv is empty]")),
    ],
)
def test_pictures_and_documents(part: Part, traits: Traits, block: dict[str, Any]) -> None:
    assert turns(user(part), traits=traits) == [("user", [block])]


def test_Q24_a_picture_stands_in_its_result_or_right_after_all_of_them() -> None:
    history = (
        user("a"),
        assistant(called("t1"), called("t2")),
        user(answered("t1", Text("See:"), PNG), answered("t2")),
    )
    inside = [result("t1", text("See:"), PNG_BLOCK), result("t2")]
    after = [result("t1", text("See:")), result("t2"), PNG_BLOCK]
    assert turns(*history)[2] == ("user", inside)
    assert turns(*history, traits=Traits(result_images=False))[2] == ("user", after)


def test_Q25_the_same_conversation_gives_the_same_bytes_and_more_of_it_the_same_beginning() -> None:
    def body(*more: Message, order: int = 1) -> bytes:
        keys = ["type", "properties"][::order]
        whole: dict[str, Any] = {"type": "object", "properties": {}}
        schema = {key: whole[key] for key in keys}
        given = {"b": 1, "a": {"d": 1, "c": 2}}
        arguments = dict(list(given.items())[::order])
        history = (user("a"), assistant(ToolCall("t1", "x", arguments)), user(answered("t1")))
        request = Request("m", (*history, *more), 100, tools=(ToolSpec("x", "", schema),))
        return PROTOCOL.lower(request, Traits(), ORIGIN).body

    assert body() == body(order=-1)
    shared = body().removesuffix(b'],"stream":true}')
    assert body(assistant("b"), user("c")).startswith(shared)


def test_Q30_an_error_is_told_as_one() -> None:
    history = (user("a"), assistant(called("t1")), user(answered("t1", Text("No."), is_error=True)))
    assert turns(*history)[2] == ("user", [result("t1", text("No."), is_error=True)])


def test_sources_of_words_go_back_to_the_same_account() -> None:
    cited = [{"type": "char_location", "cited_text": "x"}]
    for origin, sent in ((ORIGIN, {**text("b"), "citations": cited}), (OPENAI, text("b"))):
        part = Text("b", ProviderData(origin, {"citations": cited}))
        assert turns(user("a"), assistant(part), user("c"))[1] == ("assistant", [sent])


def test_a_thought_is_never_last_once_the_words_stand_before_the_calls() -> None:
    thought = Thinking("hm", ProviderData(ORIGIN, {"signature": "s"}))
    history = (user("a"), assistant(called("t1"), thought, "b"), user(answered("t1")))
    assert turns(*history)[1] == ("assistant", [text("b"), call("t1")])


@requests.unhurried
@given(requests.any_history, st.sets(st.integers(0, 8)).map(tuple), st.booleans())
def test_whatever_the_history_the_body_is_one_that_the_api_takes(
    history: tuple[Message, ...], marks: tuple[int, ...], can: bool
) -> None:
    traits = Traits(cache_marks=True, images=can, documents=can, result_images=can)
    request = Request(requests.MODEL, history, 100, cache=CacheMarks(True, marks))
    wire = PROTOCOL.lower(request, traits, requests.ORIGIN)
    body = msgspec.json.decode(wire.body, type=Body)
    assert wire.body.count(b'"cache_control":{') <= 4
    assert body.messages
    used: list[str] = []
    open_calls: set[str] = set()
    for number, turn in enumerate(body.messages):
        assert turn.role == ("user", "assistant")[number % 2]
        assert turn.content
        kinds: list[str] = [block["type"] for block in turn.content]
        assert kinds[-1] not in ("thinking", "redacted_thinking")
        results = {block["tool_use_id"] for block in turn.content if block["type"] == "tool_result"}
        assert results == open_calls
        assert kinds[: len(results)] == ["tool_result"] * len(results)
        calls = [block["id"] for block in turn.content if block["type"] == "tool_use"]
        used += calls
        open_calls = set(calls)
        for block in turn.content:
            assert block.get("text", "x").strip()
            if block["type"] not in ("server_tool_use", "web_tool_result", "surprise"):
                msgspec.convert(block, Block)
    assert not open_calls
    assert len(used) == len(set(used))
