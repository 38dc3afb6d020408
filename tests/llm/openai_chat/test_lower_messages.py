"""Writing a history that any provider may have made."""

import json
from typing import Any

import pytest

from recto.llm.names import wire_id
from recto.llm.protocols.openai_chat import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Document,
    Image,
    Message,
    Native,
    Origin,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.llm.openai_chat.streams import ORIGIN, OTHER_ACCOUNT

CLAUDE = Origin("anthropic-messages", "account", "claude")
PNG = Image("image/png", b"png")
PNG_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}}
PDF = Document("application/pdf", b"pdf", "a.pdf")
READ = ToolCall("c1", "read", {"path": "a.md"})
MARK = {"mode": "explicit"}


def lowered(*messages: Message, traits: Traits | None = None, **more: Any) -> list[Any]:
    request = Request("llama", messages, 100, **more)
    return json.loads(PROTOCOL.lower(request, traits or Traits(), ORIGIN).body)["messages"]


def result(call_id: str, *content: Text | Image | Document, error: bool = False) -> ToolResult:
    return ToolResult(call_id, "read", content, error)


def wire_call(call_id: str, arguments: str = '{"path":"a.md"}', **more: Any) -> dict[str, Any]:
    function = {"name": "read", "arguments": arguments}
    return {"type": "function", "id": call_id, "function": function, **more}


def calling(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def tool(call_id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def part(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_Q1_turns_of_one_role_in_a_row_are_one() -> None:
    messages = lowered(user("a"), user("b"), assistant("c"), assistant("d"))
    assert messages == [
        {"role": "user", "content": [part("a"), part("b")]},
        {"role": "assistant", "content": "c\n\nd"},
    ]


def test_Q4_results_come_before_the_users_words() -> None:
    messages = lowered(
        user("Read"), assistant("I will.", READ), user("And now?", result("c1", Text("# A")))
    )
    assert messages == [
        {"role": "user", "content": "Read"},
        {"role": "assistant", "content": "I will.", "tool_calls": [wire_call("c1")]},
        tool("c1", "# A"),
        {"role": "user", "content": "And now?"},
    ]


def test_Q5_a_result_of_no_call_is_said_in_words() -> None:
    messages = lowered(user("Hi"), assistant("Hello"), user(result("gone", Text("# A"))))
    assert messages[2:] == [{"role": "user", "content": "[result of read] # A"}]


def test_Q5_a_call_without_result_gets_one_that_says_so() -> None:
    lost = tool("c1", "Error: read gave no result.")
    assert lowered(assistant(READ), user("Well?")) == [
        calling(wire_call("c1")),
        lost,
        {"role": "user", "content": "Well?"},
    ]
    assert lowered(assistant(READ)) == [calling(wire_call("c1")), lost]


def test_a_second_result_of_a_call_is_said_in_words() -> None:
    messages = lowered(assistant(READ), user(result("c1", Text("a")), result("c1", Text("b"))))
    assert messages[1:] == [
        tool("c1", "a"),
        {"role": "user", "content": "[result of read] b"},
    ]


def test_Q7_empty_words_and_turns_are_left_out() -> None:
    empty = [user(), user("", " \n"), assistant(" "), assistant(Thinking("Hm"))]
    assert lowered(*empty, user("a", ""), assistant(""), user("b")) == [
        {"role": "user", "content": [part("a"), part("b")]}
    ]


@pytest.mark.parametrize("system", ["", " \n"], ids=["Q8-empty", "Q8-blank"])
def test_a_system_prompt_that_says_nothing_is_left_out(system: str) -> None:
    assert lowered(user("Hi"), system=system) == [{"role": "user", "content": "Hi"}]


def test_Q9_of_too_many_marks_the_oldest_messages_lose_theirs() -> None:
    turns = [user("0"), assistant("1"), user("2"), assistant("3"), user("4")]
    cache = CacheMarks(system=True, messages=(4, 0, 1, 2, 3))
    messages = lowered(*turns, system="S", cache=cache, traits=Traits(cache_marks=True))
    marked = [isinstance(message["content"], list) for message in messages]
    assert marked == [True, False, False, True, True, True]


def test_without_the_trait_there_are_no_marks() -> None:
    cache = CacheMarks(system=True, messages=(0,))
    messages = lowered(user("Hi"), system="S", cache=cache)
    assert messages == [{"role": "system", "content": "S"}, {"role": "user", "content": "Hi"}]


def test_a_mark_stands_at_the_end_of_its_message() -> None:
    turns = [user("a", PNG), assistant(READ), user(result("c1", Text("b")))]
    cache = CacheMarks(messages=(0, 1, 2))
    assert lowered(*turns, cache=cache, traits=Traits(cache_marks=True)) == [
        {"role": "user", "content": [part("a"), {**PNG_PART, "prompt_cache_breakpoint": MARK}]},
        calling(wire_call("c1")),
        {**tool("c1", ""), "content": [{**part("b"), "prompt_cache_breakpoint": MARK}]},
    ]


def test_Q13_an_id_too_long_is_cut_for_call_and_result() -> None:
    long = "call_" + "x" * 78
    messages = lowered(assistant(ToolCall(long, "read", {})), user(result(long, Text("a"))))
    cut = wire_id(long)
    assert messages == [calling(wire_call(cut, "{}")), tool(cut, "a")]


def test_C10_an_id_of_odd_characters_goes_back_as_it_came() -> None:
    odd = "functions.Bash:0"
    messages = lowered(assistant(ToolCall(odd, "read", {})), user(result(odd, Text("a"))))
    assert messages == [calling(wire_call(odd, "{}")), tool(odd, "a")]


def test_no_two_calls_share_an_id_even_if_they_came_so() -> None:
    twice = [assistant(ToolCall("c1", "read", {}), ToolCall("c1", "read", {}))]
    results = [user(result("c1", Text("a")), result("c1", Text("b")))]
    messages = lowered(*twice, *results, *twice, *results)
    ids = ["c1", "c1_2", "c1_3", "c1_4"]
    assert [call["id"] for item in (0, 3) for call in messages[item]["tool_calls"]] == ids
    assert [messages[at]["tool_call_id"] for at in (1, 2, 4, 5)] == ids


def test_Q24_pictures_of_a_result_follow_in_the_users_words() -> None:
    messages = lowered(assistant(READ), user(result("c1", Text("Seen:"), PNG), "Nice?"))
    assert messages[1:] == [
        tool("c1", "Seen:"),
        {"role": "user", "content": [part("[shown by read]"), PNG_PART, part("Nice?")]},
    ]


def test_a_result_of_nothing_but_a_picture_says_where_it_is() -> None:
    assert lowered(assistant(READ), user(result("c1", PNG)))[1] == tool("c1", "[shown below]")


def test_an_empty_result_says_so() -> None:
    assert lowered(assistant(READ), user(result("c1", Text(""))))[1] == tool("c1", "[no output]")


def test_Q30_a_failed_result_says_so() -> None:
    failed = result("c1", Text("no such file"), error=True)
    assert lowered(assistant(READ), user(failed))[1] == tool("c1", "Error: no such file")


SVG = Image("image/svg+xml", b"<svg/>")


@pytest.mark.parametrize(
    ("content", "traits", "sent"),
    [
        pytest.param(
            PNG, Traits(images=False), "[image left out: this model does not read images]", id="no"
        ),
        pytest.param(SVG, Traits(), "[image left out: image/svg+xml can't be sent]", id="Q23-svg"),
        pytest.param(
            Image("image/png"), Traits(), "[image left out: image/png can't be sent]", id="empty"
        ),
        pytest.param(
            PDF, Traits(), "[a.pdf left out: this model does not read such files]", id="no-files"
        ),
        pytest.param(Document("text/plain", b"# A", "a.md"), Traits(), "[a.md]\n# A", id="text"),
    ],
)
def test_what_a_model_can_not_read_is_a_note(
    content: Image | Document, traits: Traits, sent: str
) -> None:
    assert lowered(user(content), traits=traits) == [{"role": "user", "content": sent}]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        (Image("image/gif", b"png"), {"url": "data:image/gif;base64,cG5n"}),
        (Image("image/*", url="https://x.test/a.png"), {"url": "https://x.test/a.png"}),
    ],
)
def test_a_picture_goes_as_an_address(content: Image, sent: object) -> None:
    messages = lowered(user(content))
    assert messages[0]["content"] == [{"type": "image_url", "image_url": sent}]


def test_a_file_goes_with_its_name() -> None:
    assert lowered(user(PDF), traits=Traits(documents=True))[0]["content"] == [
        {
            "type": "file",
            "file": {"file_data": "data:application/pdf;base64,cGRm", "filename": "a.pdf"},
        }
    ]


def test_Q12_what_only_another_provider_can_read_is_left_out() -> None:
    data = ProviderData(CLAUDE, {"signature": "s"})
    call = ToolCall("c1", "read", {"path": "a.md"}, ProviderData(CLAUDE, {"extra_content": {}}))
    messages = lowered(
        assistant(Thinking("Hm", data), Native(data), Text("Yes", data), call),
        user(result("c1", Text("a"))),
    )
    assert messages[0] == {"role": "assistant", "content": "Yes", "tool_calls": [wire_call("c1")]}


def test_parts_in_the_wrong_role_are_left_out() -> None:
    assert lowered(assistant(PNG), user(READ), user("Hi")) == [{"role": "user", "content": "Hi"}]


ECHO = Traits(echoes_reasoning=True)


@pytest.mark.parametrize(
    ("thinking", "sent"),
    [
        (
            Thinking("Hm", ProviderData(ORIGIN, {"field": "reasoning_content"})),
            {"reasoning_content": "Hm"},
        ),
        (Thinking("Hm", ProviderData(ORIGIN, {"field": "reasoning"})), {"reasoning": "Hm"}),
        (Thinking("Hm", ProviderData(CLAUDE, {"signature": "s"})), {"reasoning_content": ""}),
        (Thinking("Hm", ProviderData(OTHER_ACCOUNT, {"field": "x"})), {"reasoning_content": ""}),
        (Thinking("Hm"), {"reasoning_content": ""}),
    ],
)
def test_a_server_that_wants_its_thoughts_back_gets_its_own(
    thinking: Thinking, sent: dict[str, str]
) -> None:
    messages = lowered(assistant(thinking, READ), user(result("c1", Text("a"))), traits=ECHO)
    assert messages[0] == calling(wire_call("c1"), **sent)


def test_thoughts_go_back_only_with_calls() -> None:
    thinking = Thinking("Hm", ProviderData(ORIGIN, {"field": "reasoning_content"}))
    messages = lowered(assistant(thinking, "Yes"), traits=ECHO)
    assert messages == [{"role": "assistant", "content": "Yes"}]


def test_C29_a_calls_signature_goes_back_to_the_model_that_made_it() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}

    def sent(origin: Origin) -> Any:
        call = ToolCall(
            "c1", "read", {"path": "a.md"}, ProviderData(origin, {"extra_content": extra})
        )
        return lowered(assistant(call), user(result("c1", Text("a"))))[0]

    assert sent(ORIGIN) == calling(wire_call("c1", extra_content=extra))
    assert sent(OTHER_ACCOUNT) == calling(wire_call("c1"))


def test_a_model_without_tools_reads_of_earlier_calls_in_words() -> None:
    messages = lowered(
        assistant("I will.", READ), user(result("c1", Text("# A"))), traits=Traits(tools=False)
    )
    assert messages == [
        {"role": "assistant", "content": 'I will.\n\n[called read with {"path":"a.md"}]'},
        {"role": "user", "content": "[result of read] # A"},
    ]


def test_half_a_character_in_arguments_is_replaced() -> None:
    call = ToolCall("c1", "read", {"path": ["a\ud83d", {"\ude00": 1}]})
    function = lowered(assistant(call))[0]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"path": ["a\ufffd", {"\ufffd": 1}]}
