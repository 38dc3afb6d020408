"""Messages as input items; the ids are those of the conformance table."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.llm.protocols.openai_responses import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    Document,
    Image,
    Message,
    Native,
    Origin,
    Part,
    ProviderData,
    Request,
    ResultContent,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.llm.openai_responses.streams import ORIGIN, sealed

PLAIN = Traits(documents=True)


def items(*messages: Message, traits: Traits = PLAIN, origin: Origin = ORIGIN) -> list[Any]:
    """The items of a conversation."""
    wire = PROTOCOL.lower(Request("gpt-6-sol", messages, 1000), traits, origin)
    return json.loads(wire.body)["input"]


def said(*parts: dict[str, Any] | str) -> dict[str, Any]:
    """A message of the user."""
    content = [
        {"type": "input_text", "text": part} if isinstance(part, str) else part for part in parts
    ]
    return {"type": "message", "role": "user", "content": content}


def answered(text: str, **more: str) -> dict[str, Any]:
    """A message of the model."""
    return {"type": "message", "role": "assistant", "content": text, **more}


def called(call_id: str, arguments: str = "{}") -> dict[str, Any]:
    """A call."""
    return {"type": "function_call", "call_id": call_id, "name": "look", "arguments": arguments}


def output(call_id: str, content: Any) -> dict[str, Any]:
    """What a tool answered."""
    return {"type": "function_call_output", "call_id": call_id, "output": content}


def result(call_id: str, *content: ResultContent | str, is_error: bool = False) -> ToolResult:
    """What a tool answered, in neutral terms."""
    parts = tuple(Text(part) if isinstance(part, str) else part for part in content)
    return ToolResult(call_id, "look", parts, is_error)


NO_RESULT = "[no result: this call was not run to its end]"


def test_Q1_messages_of_one_role_in_a_row_are_one() -> None:
    assert items(user("a"), user("b"), assistant("c"), assistant("d"), user("e")) == [
        said("a", "b"),
        answered("c"),
        answered("d"),
        said("e"),
    ]


def test_Q2_results_come_before_what_the_user_says() -> None:
    messages = (
        assistant("Look.", ToolCall("c1", "look", {"b": 1, "a": "ü"}), ToolCall("c2", "look", {})),
        user("And?", result("c2", "two"), result("c1", "one")),
    )

    assert items(user("Hi"), *messages) == [
        said("Hi"),
        answered("Look."),
        called("c1", '{"a":"ü","b":1}'),
        called("c2"),
        output("c2", "two"),
        output("c1", "one"),
        said("And?"),
    ]


def test_Q5_a_call_without_a_result_gets_one_and_a_result_without_a_call_becomes_words() -> None:
    messages = (
        assistant(ToolCall("c1", "look", {})),
        user(result("gone", "old news"), "Go on."),
        assistant(ToolCall("c2", "look", {})),
    )

    assert items(*messages) == [
        called("c1"),
        output("c1", NO_RESULT),
        said("[result of look; its call is no longer shown]", "old news", "Go on."),
        called("c2"),
        output("c2", NO_RESULT),
    ]


def test_Q5_a_second_result_of_one_call_becomes_words() -> None:
    messages = (assistant(ToolCall("c1", "look", {})), user(result("c1", "a"), result("c1", "b")))

    assert items(*messages) == [
        called("c1"),
        output("c1", "a"),
        said("[result of look; its call is no longer shown]", "b"),
    ]


def test_Q7_what_says_nothing_is_left_out() -> None:
    messages = (user("Hi", "", " \n"), assistant(""), user("\t"), assistant("Hello", " "))

    assert items(*messages) == [said("Hi"), answered("Hello")]


def test_Q7_turns_that_become_empty_join_those_around_them() -> None:
    assert items(user("a"), assistant(Thinking("Hm")), user("b")) == [said("a", "b")]


def test_Q13_an_id_that_is_too_long_is_shortened_and_the_pair_kept() -> None:
    long = "x" * 80

    sent, got = items(assistant(ToolCall(long, "look", {})), user(result(long, "ok")))

    assert sent["call_id"] == got["call_id"]
    assert sent["call_id"].startswith("x" * 51 + "_")
    assert len(sent["call_id"]) == 64


def test_Q13_calls_that_share_an_id_are_told_apart() -> None:
    messages = (
        assistant(ToolCall("c", "look", {}), ToolCall("c", "look", {"n": 2})),
        user(result("c", "one"), result("c", "two")),
        assistant(ToolCall("c", "look", {"n": 3})),
        user(result("c", "three")),
    )

    sent = items(*messages)

    ids = [item["call_id"] for item in sent]
    assert ids == [ids[0], ids[1], ids[0], ids[1], ids[4], ids[4]]
    assert len(set(ids)) == 3
    assert [item.get("output") for item in sent] == [None, None, "one", "two", None, "three"]


@pytest.mark.parametrize("call_id", ["", "a.b", "a:b", "toolu_01"])
def test_Q14_a_call_keeps_its_id_where_it_can_and_has_no_other(call_id: str) -> None:
    sent, got = items(assistant(ToolCall(call_id, "look", {})), user(result(call_id, "ok")))

    assert set(sent) == {"type", "call_id", "name", "arguments"}
    assert sent["call_id"] == got["call_id"]
    assert sent["call_id"].replace("_", "").isalnum()
    assert call_id != "toolu_01" or sent["call_id"] == call_id


SEAL = sealed(id="rs_1", encrypted_content="sealed", summary=["A", "B"])
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "A"}, {"type": "summary_text", "text": "B"}],
    "encrypted_content": "sealed",
}
THOUGHTFUL = (
    user("Hi"),
    assistant(Thinking("A\n\nB", SEAL), Text("Yes", sealed(phase="commentary"))),
)


def test_R9_thoughts_and_phases_go_back_as_they_came() -> None:
    assert items(*THOUGHTFUL) == [said("Hi"), THOUGHT, answered("Yes", phase="commentary")]


def test_thoughts_in_the_open_go_back_with_their_seal() -> None:
    seal = sealed(id="rs_1", encrypted_content="sealed", summary=[], content=["C"])

    assert items(assistant(Thinking("C", seal), "Yes")) == [
        {
            **THOUGHT,
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "C"}],
        },
        answered("Yes"),
    ]


@pytest.mark.parametrize(
    "origin",
    [
        replace(ORIGIN, account="other"),
        replace(ORIGIN, model="gpt-6-luna"),
        replace(ORIGIN, protocol="openai-chat"),
    ],
    ids=["Q14-account", "Q14-model", "Q14-protocol"],
)
def test_Q14_provider_data_of_others_is_left_out(origin: Origin) -> None:
    assert items(*THOUGHTFUL, origin=origin) == [said("Hi"), answered("Yes")]


def test_R25_a_server_that_seals_nothing_gets_no_sealed_thoughts() -> None:
    traits = replace(PLAIN, encrypted_reasoning=False)

    assert items(*THOUGHTFUL, traits=traits) == [said("Hi"), answered("Yes", phase="commentary")]


@pytest.mark.parametrize(
    "thought",
    [Thinking("Hm"), Thinking("Hm", sealed(id="rs_1", summary=["Hm"]))],
    ids=["bare", "R3-no-seal"],
)
def test_thoughts_without_a_seal_are_left_out(thought: Thinking) -> None:
    assert items(assistant(thought, "Yes")) == [answered("Yes")]


def test_R11_thoughts_that_led_to_nothing_are_left_out() -> None:
    assert items(user("Hi"), assistant(Thinking("", SEAL)), user("Well?")) == [said("Hi", "Well?")]


def test_thoughts_that_come_twice_go_once() -> None:
    search = Native(sealed(type="web_search_call", id="ws_1"))

    assert items(*THOUGHTFUL, *THOUGHTFUL, assistant(search, search)) == [
        said("Hi"),
        THOUGHT,
        answered("Yes", phase="commentary"),
        said("Hi"),
        answered("Yes", phase="commentary"),
        {"type": "web_search_call", "id": "ws_1"},
    ]


def test_native_items_go_back_to_their_account_whatever_the_model() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    foreign = Native(ProviderData(Origin("gemini", "acct", "g"), {"executableCode": {}}))
    mine = Native(ProviderData(replace(ORIGIN, model="gpt-6-luna"), search))

    assert items(assistant(mine, foreign, "Found.")) == [search, answered("Found.")]


def test_Q23_pictures_go_by_address_or_bytes_and_others_in_words() -> None:
    pictures = (
        Image("image/gif", b"gif"),
        Image("image/*", url="https://example.org/a.png"),
        Image("image/svg+xml", b"<svg/>"),
    )

    assert items(user(*pictures)) == [
        said(
            {"type": "input_image", "detail": "auto", "image_url": "data:image/gif;base64,Z2lm"},
            {"type": "input_image", "detail": "auto", "image_url": "https://example.org/a.png"},
            "[image left out: this model does not read image/svg+xml]",
        )
    ]


FILES = (
    Image("image/png", b"png"),
    Document("application/pdf", b"pdf", "a.pdf"),
    Document("text/markdown", b"# Hi", "a.md"),
)
PICTURE = {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,cG5n"}
FILE = {
    "type": "input_file",
    "filename": "a.pdf",
    "file_data": "data:application/pdf;base64,cGRm",
}


def test_files_go_whole_and_plain_text_as_words() -> None:
    assert items(user(*FILES)) == [said(PICTURE, FILE, "a.md:\n# Hi")]


def test_what_a_model_cannot_read_is_told_in_words() -> None:
    traits = Traits(images=False, documents=False)

    assert items(user(*FILES), traits=traits) == [
        said(
            "[image left out: this model does not read images]",
            "[a.pdf left out: this model does not read documents]",
            "a.md:\n# Hi",
        )
    ]


CALL = assistant(ToolCall("c1", "look", {}))


def test_Q24_a_picture_in_a_result_stands_in_the_output() -> None:
    sent = items(CALL, user(result("c1", "Here:", FILES[0])))

    assert sent[1] == output("c1", [{"type": "input_text", "text": "Here:"}, PICTURE])


def test_Q24_or_in_the_next_message_if_the_model_wants_it_there() -> None:
    traits = replace(PLAIN, result_images=False)

    assert items(CALL, user(result("c1", "Here:", FILES[0]), "Well?"), traits=traits)[1:] == [
        output(
            "c1",
            [
                {"type": "input_text", "text": "Here:"},
                {"type": "input_text", "text": "[image: in the next message]"},
            ],
        ),
        said(PICTURE, "Well?"),
    ]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ((), ""),
        (("",), ""),
        (("a",), "a"),
        (("a", "b"), [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]),
    ],
)
def test_plain_results_are_plain_text(content: tuple[str, ...], sent: object) -> None:
    assert items(CALL, user(result("c1", *content)))[1] == output("c1", sent)


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        (("No such file.",), "Error: No such file."),
        ((), "Error: the tool failed."),
        ((FILES[0],), [{"type": "input_text", "text": "Error: the tool failed."}, PICTURE]),
    ],
    ids=["Q30", "Q30-empty", "Q30-image"],
)
def test_Q30_a_failed_result_says_so(
    content: tuple[ResultContent | str, ...], sent: object
) -> None:
    assert items(CALL, user(result("c1", *content, is_error=True)))[1] == output("c1", sent)


def test_parts_of_the_wrong_role_are_left_out() -> None:
    stray = user("Hi", Thinking("Hm"), ToolCall("c", "look", {}))

    assert items(stray, assistant("Yes", FILES[0])) == [said("Hi"), answered("Yes")]


few_ids = st.sampled_from(["a", "b", "a.b", "a:b", "", "x" * 70])
any_part: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, st.sampled_from(["", " ", "Hi"])),
    st.just(FILES[0]),
    st.just(Thinking("A\n\nB", SEAL)),
    st.builds(ToolCall, few_ids, st.just("look"), st.just({})),
    st.builds(ToolResult, few_ids, st.just("look"), st.just((Text("ok"),)), st.booleans()),
)
any_message = st.builds(
    Message, st.sampled_from(["user", "assistant"]), st.lists(any_part, max_size=4).map(tuple)
)


@given(st.lists(any_message, max_size=6))
def test_no_history_makes_a_request_that_is_refused(history: list[Message]) -> None:
    sent = items(*history)

    calls = [item["call_id"] for item in sent if item["type"] == "function_call"]
    outputs = [item["call_id"] for item in sent if item["type"] == "function_call_output"]
    assert sorted(calls) == sorted(outputs)
    assert len(set(calls)) == len(calls)
    assert all(1 <= len(call_id) <= 64 for call_id in calls)
    thoughts = [at for at, item in enumerate(sent) if item["type"] == "reasoning"]
    assert len(thoughts) <= 1
    assert all(sent[at + 1]["type"] in {"message", "function_call"} for at in thoughts)
    assert sent
