"""Conversations as generateContent bodies."""

import json
from dataclasses import replace
from typing import Any

import pytest

from recto.llm.protocols.gemini import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
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
from tests.llm.gemini.streams import ORIGIN, signed

DUMMY = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
GEMINI_3 = Traits(
    thinking="level",
    efforts=("minimal", "low", "medium", "high"),
    needs_signatures=True,
    documents=True,
)
PLAIN = Traits(documents=True)
CLAUDE = Origin("anthropic-messages", "account", "claude")


def ask(*messages: Message, **more: Any) -> Request:
    return Request("gemini-3.8-flash", messages, 1000, **more)


def lowered(request: Request, traits: Traits = PLAIN) -> dict[str, Any]:
    return json.loads(PROTOCOL.lower(request, traits, ORIGIN).body)


def contents(*messages: Message, traits: Traits = PLAIN) -> list[dict[str, Any]]:
    """The contents of a request, each as role and parts."""
    return lowered(ask(*messages), traits)["contents"]


def says(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def response(call_id: str, name: str, **answer: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": call_id, "name": name, "response": answer}}


def called(call_id: str, name: str = "look", **more: Any) -> dict[str, Any]:
    call: dict[str, Any] = {"id": call_id, "name": name, "args": {}}
    return {"functionCall": call} | more


def result(call_id: str, words: str = "Fine.", **more: Any) -> ToolResult:
    return ToolResult(call_id, "look", (Text(words),), **more)


def test_a_plain_question_is_a_small_body() -> None:
    wire = PROTOCOL.lower(ask(user("Hello."), system="Be kind."), PLAIN, ORIGIN)
    assert wire.path == "/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
    assert wire.headers == {}
    assert wire.body == (
        b'{"systemInstruction":{"parts":[{"text":"Be kind."}]},'
        b'"contents":[{"parts":[{"text":"Hello."}],"role":"user"}],'
        b'"generationConfig":{"maxOutputTokens":1000}}'
    )


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-3.8-flash", "/models/gemini-3.8-flash:generateContent"),
        ("models/gemini-3.8-flash", "/models/gemini-3.8-flash:generateContent"),
        ("odd?model", "/models/odd%3Fmodel:generateContent"),
    ],
)
def test_the_model_stands_in_the_path(model: str, path: str) -> None:
    request = replace(ask(user("Hello."), stream=False), model=model)
    assert PROTOCOL.lower(request, PLAIN, ORIGIN).path == path


def test_Q1_two_user_turns_in_a_row_are_one() -> None:
    found = contents(user("One."), user("Two."), assistant("a"), assistant("b"), user("Three."))
    assert found == [
        says("user", {"text": "One."}, {"text": "Two."}),
        says("model", {"text": "a"}, {"text": "b"}),
        says("user", {"text": "Three."}),
    ]


def test_Q3_results_and_words_of_one_turn_are_two_contents() -> None:
    step = assistant(ToolCall("c1", "look", {}))
    assert contents(user("Go."), step, user("And then?", result("c1"))) == [
        says("user", {"text": "Go."}),
        says("model", called("c1")),
        says("user", response("c1", "look", output="Fine.")),
        says("user", {"text": "And then?"}),
    ]


def test_results_stand_in_the_order_of_their_calls() -> None:
    step = assistant(ToolCall("c1", "look", {}), ToolCall("c2", "look", {}))
    found = contents(user("Go."), step, user(result("c2", "B")), user(result("c1", "A")))
    assert found[2:] == [
        says("user", response("c1", "look", output="A"), response("c2", "look", output="B"))
    ]


def test_Q5_a_call_without_result_gets_an_error_and_a_result_without_call_becomes_words() -> None:
    step = assistant(ToolCall("c1", "look", {}))
    missing = "No result was recorded for this call."
    assert contents(user("Go."), step, user(result("c9", "Lost."))) == [
        says("user", {"text": "Go."}),
        says("model", called("c1")),
        says("user", response("c1", "look", error=missing)),
        says("user", {"text": "[look answered] Lost."}),
    ]


def test_Q5_calls_at_the_very_end_get_an_error_too() -> None:
    found = contents(user("Go."), assistant(ToolCall("c1", "look", {})))
    missing = "No result was recorded for this call."
    assert found[2:] == [says("user", response("c1", "look", error=missing))]


def test_Q7_empty_words_are_left_out_and_so_are_turns_of_nothing_else() -> None:
    found = contents(user("One.", ""), assistant(" \n", Thinking("Hm.")), user("Two.", "\t"))
    assert found == [says("user", {"text": "One."}, {"text": "Two."})]


@pytest.mark.parametrize("messages", [(), (user(" "),), (assistant(""),)])
def test_Q7_a_conversation_of_nothing_still_has_a_content(messages: tuple[Message, ...]) -> None:
    note = "[the conversation begins with the assistant]"
    assert contents(*messages) == [says("user", {"text": note})]


def test_a_conversation_neither_begins_nor_ends_with_the_model() -> None:
    note = "[the conversation begins with the assistant]"
    assert contents(assistant("Hi.")) == [
        says("user", {"text": note}),
        says("model", {"text": "Hi."}),
        says("user", {"text": "[go on]"}),
    ]


@pytest.mark.parametrize(("system", "sent"), [("Be kind.", True), (" \n", False), ("", False)])
def test_Q8_the_system_prompt_is_sent_if_it_says_anything(system: str, sent: bool) -> None:
    assert ("systemInstruction" in lowered(ask(user("Hello."), system=system))) is sent


def test_Q11_a_tool_loop_begun_by_Claude_goes_on_with_the_dummy_signature() -> None:
    thought = Thinking("Hm.", ProviderData(CLAUDE, {"signature": "claude's"}))
    step = assistant(
        thought, "Look:", ToolCall("toolu_1", "look", {}), ToolCall("toolu_2", "a", {})
    )
    answers = user(result("toolu_1"), ToolResult("toolu_2", "a", ()))
    again = assistant(ToolCall("toolu_3", "look", {}))
    found = contents(user("Go."), step, answers, again, user(result("toolu_3")), traits=GEMINI_3)
    assert found == [
        says("user", {"text": "Go."}),
        says(
            "model",
            {"text": "Look:"},
            called("toolu_1", thoughtSignature=DUMMY),
            called("toolu_2", "a"),
        ),
        says(
            "user",
            response("toolu_1", "look", output="Fine."),
            response("toolu_2", "a", output=""),
        ),
        says("model", called("toolu_3", thoughtSignature=DUMMY)),
        says("user", response("toolu_3", "look", output="Fine.")),
    ]


def test_signatures_go_back_where_they_stood() -> None:
    step = assistant(
        Thinking("Hm.", signed("S0")),
        Thinking("unsigned"),
        Text("Yes.", signed("S1")),
        Text("", signed("S2")),
        ToolCall("c1", "look", {}, signed("S3")),
        ToolCall("c2", "look", {}),
    )
    found = contents(user("Go."), step, user(result("c1"), result("c2")), traits=GEMINI_3)
    assert found[1] == says(
        "model",
        {"text": "Hm.", "thought": True, "thoughtSignature": "S0"},
        {"text": "Yes.", "thoughtSignature": "S1"},
        {"text": "", "thoughtSignature": "S2"},
        called("c1", thoughtSignature="S3"),
        called("c2"),
    )


@pytest.mark.parametrize(
    "origin",
    [
        replace(ORIGIN, model="gemini-4-argon"),
        replace(ORIGIN, account="another"),
        replace(ORIGIN, protocol="openai-chat"),
    ],
)
@pytest.mark.parametrize(("traits", "signature"), [(GEMINI_3, DUMMY), (PLAIN, None)])
def test_a_signature_of_another_model_or_account_is_replaced(
    origin: Origin, traits: Traits, signature: str | None
) -> None:
    data = ProviderData(origin, {"signature": "S"})
    step = assistant(Text("", data), ToolCall("c1", "look", {}, data))
    extra = {} if signature is None else {"thoughtSignature": signature}
    found = contents(user("Go."), step, user(result("c1")), traits=traits)
    assert found[1] == says("model", called("c1", **extra))


@pytest.mark.parametrize("signature", ["a-_b==", "a+/b=="])
def test_G30_a_signature_is_echoed_unchanged(signature: str) -> None:
    step = assistant(ToolCall("c1", "look", {}, signed(signature)))
    found = contents(user("Go."), step, user(result("c1")), traits=GEMINI_3)
    assert found[1] == says("model", called("c1", thoughtSignature=signature))


def test_G8_an_id_is_echoed_in_the_answer() -> None:
    step = assistant(ToolCall("id-of-Google", "look", {}))
    found = contents(user("Go."), step, user(result("id-of-Google")))
    assert found[2] == says("user", response("id-of-Google", "look", output="Fine."))


def test_G7_calls_that_share_an_id_are_told_apart_and_answered_in_order() -> None:
    step = assistant(ToolCall("c1", "look", {}), ToolCall("c1", "look", {}))
    answers = user(result("c1", "A"), result("c1", "B"))
    again = assistant(ToolCall("c1", "look", {}))
    assert contents(user("Go."), step, answers, again, user(result("c1", "C")))[1:] == [
        says("model", called("c1"), called("c1_2")),
        says("user", response("c1", "look", output="A"), response("c1_2", "look", output="B")),
        says("model", called("c1_3")),
        says("user", response("c1_3", "look", output="C")),
    ]


NATIVE = [
    ({"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "S"}, True),
    ({"thoughtSignature": "S"}, False),
    ({"hologram": {"depth": 3}}, False),
]


@pytest.mark.parametrize(("part", "sent"), NATIVE, ids=["known", "G12", "unknown"])
def test_a_part_that_only_Gemini_knows_goes_back_whole_if_the_API_takes_it(
    part: dict[str, Any], sent: bool
) -> None:
    step = assistant("Run:", Native(ProviderData(ORIGIN, {"part": part})))
    found = contents(user("Go."), step, user("And?"))
    assert found[1] == says("model", {"text": "Run:"}, *([part] if sent else []))


def test_a_native_part_of_another_provider_is_left_out() -> None:
    native = Native(ProviderData(CLAUDE, {"part": {"text": "x"}}))
    assert contents(user("Go."), assistant(native), user("And?")) == [
        says("user", {"text": "Go."}, {"text": "And?"})
    ]


def test_G21_a_continued_answer_is_the_first_request_with_the_token() -> None:
    first = ask(user("Count."))
    hops = [
        assistant("One, ", Native(ProviderData(ORIGIN, {"continuation": "T1="}))),
        assistant("two, ", Native(ProviderData(ORIGIN, {"continuation": "T2="}))),
    ]
    body = lowered(first)
    assert lowered(ask(user("Count."), hops[0])) == body | {"continuationToken": "T1="}
    assert lowered(ask(user("Count."), *hops)) == body | {"continuationToken": "T2="}


def test_G21_once_answered_the_hops_are_one_turn_and_the_tokens_are_gone() -> None:
    token = Native(ProviderData(ORIGIN, {"continuation": "T1="}))
    found = lowered(ask(user("Count."), assistant("One, ", token), assistant("two."), user("Ok.")))
    assert "continuationToken" not in found
    assert found["contents"][1] == says("model", {"text": "One, "}, {"text": "two."})


def test_G21_a_token_of_another_account_is_not_sent() -> None:
    token = Native(ProviderData(replace(ORIGIN, account="other"), {"continuation": "T"}))
    found = lowered(ask(user("Count."), assistant("One", token)))
    assert found["contents"][1] == says("model", {"text": "One"})
    assert "continuationToken" not in found


def test_Q25_the_same_conversation_gives_the_same_bytes() -> None:
    one = ask(user("Go."), assistant(ToolCall("c1", "look", {"a": 1, "b": {"x": 1, "y": 2}})))
    other = ask(user("Go."), assistant(ToolCall("c1", "look", {"b": {"y": 2, "x": 1}, "a": 1})))
    body = PROTOCOL.lower(one, GEMINI_3, ORIGIN).body
    assert PROTOCOL.lower(other, GEMINI_3, ORIGIN).body == body


def test_Q25_a_longer_conversation_begins_with_the_same_contents() -> None:
    step = assistant(ToolCall("c1", "look", {}, signed("S")))
    short = user("Go."), step, user(result("c1"))
    long = *short, assistant("Done."), user("Thanks.")
    found = contents(*long, traits=GEMINI_3)
    assert found[: len(short)] == contents(*short, traits=GEMINI_3)


def test_Q30_an_error_of_a_tool_is_told_as_one() -> None:
    step = assistant(ToolCall("c1", "look", {}))
    found = contents(user("Go."), step, user(result("c1", "No such file.", is_error=True)))
    assert found[2] == says("user", response("c1", "look", error="No such file."))


def test_parts_in_the_wrong_role_are_not_sent() -> None:
    assert contents(
        Message("user", (Text("Hi."), ToolCall("c1", "look", {}), Thinking("Hm.", signed("S")))),
        Message("assistant", (Text("Yes."), Image("image/png", b"png"), result("c1"))),
    )[:2] == [says("user", {"text": "Hi."}), says("model", {"text": "Yes."})]


def test_text_that_no_UTF8_holds_is_mended() -> None:
    step = assistant(ToolCall("c1", "look", {"at\ud83d": ["\ud83d\ude00"]}))
    found = contents(user("a\ud83d"), step, user(result("c1")))
    assert found[0] == says("user", {"text": "a\ufffd"})
    assert found[1]["parts"][0]["functionCall"]["args"] == {"at\ufffd": ["😀"]}
