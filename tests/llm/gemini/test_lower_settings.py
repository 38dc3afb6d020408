"""Files and settings in generateContent bodies."""

import json
from dataclasses import replace
from typing import Any

import pytest

from recto.llm.protocols.gemini import PROTOCOL
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Document,
    Effort,
    Image,
    Message,
    Origin,
    OutputSchema,
    Request,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.llm.gemini.streams import ORIGIN

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


PNG = Image("image/png", b"png")
PDF = Document("application/pdf", b"pdf", "paper.pdf")


@pytest.mark.parametrize(
    ("part", "traits", "sent"),
    [
        (PNG, PLAIN, {"inlineData": {"mimeType": "image/png", "data": "cG5n"}}),
        (
            PNG,
            replace(PLAIN, images=False),
            {"text": "[image left out: this model does not read images]"},
        ),
        (
            Image("image/gif", b"gif"),
            PLAIN,
            {"text": "[image left out: Gemini does not read image/gif]"},
        ),
        (
            Image("image/svg+xml", b"svg"),
            PLAIN,
            {"text": "[image left out: Gemini does not read image/svg+xml]"},
        ),
        (
            Image("image/png", url="https://example.com/a.png"),
            PLAIN,
            {"text": "[image left out: Gemini does not fetch web addresses]"},
        ),
        (
            Image("image/png", url="gs://bucket/a.png"),
            PLAIN,
            {"fileData": {"fileUri": "gs://bucket/a.png", "mimeType": "image/png"}},
        ),
        (PDF, PLAIN, {"inlineData": {"mimeType": "application/pdf", "data": "cGRm"}}),
        (
            PDF,
            Traits(),
            {"text": "[paper.pdf left out: this model does not read documents]"},
        ),
        (
            Document("application/zip", b"zip", "a.zip"),
            PLAIN,
            {"text": "[a.zip left out: Gemini does not read application/zip]"},
        ),
        (Document("text/plain", "é".encode(), "a.txt"), Traits(), {"text": "a.txt:\né"}),
    ],
    ids=["png", "no-images", "Q23-gif", "Q23-svg", "url", "gs", "pdf", "no-pdf", "zip", "text"],
)
def test_files_are_sent_or_a_note_says_why_not(
    part: Image | Document, traits: Traits, sent: dict[str, Any]
) -> None:
    assert contents(user(part), traits=traits) == [says("user", sent)]


def seen(*content: Text | Image | Document) -> tuple[Message, ...]:
    step = assistant(ToolCall("c1", "look", {}))
    return user("Go."), step, user(ToolResult("c1", "look", content), "What is it?")


def test_Q24_images_of_a_result_stand_inside_it() -> None:
    shown = Text("Here:"), PNG, Image("image/gif", b"gif"), PDF
    blobs = [
        {"inlineData": {"mimeType": "image/png", "data": "cG5n"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "cGRm"}},
    ]
    words = "Here:\n[image left out: Gemini does not read image/gif]"
    answer = response("c1", "look", output=words)
    answer["functionResponse"]["parts"] = blobs
    assert contents(*seen(*shown))[2:] == [
        says("user", answer),
        says("user", {"text": "What is it?"}),
    ]


def test_Q24_or_follow_it_where_the_model_can_not_see_them_there() -> None:
    assert contents(*seen(PNG), traits=replace(PLAIN, result_images=False))[2:] == [
        says("user", response("c1", "look", output="")),
        says(
            "user",
            {"inlineData": {"mimeType": "image/png", "data": "cG5n"}},
            {"text": "What is it?"},
        ),
    ]


def test_a_file_that_no_result_can_hold_is_told_in_words() -> None:
    heic = Image("image/heic", b"heic")
    assert contents(*seen(heic))[2] == says(
        "user", response("c1", "look", output="[file left out: tools can't show it]")
    )


BUDGET_PRO = Traits(thinking="budget", efforts=("minimal", "low", "medium", "high", "xhigh"))
BUDGET_FLASH = Traits(thinking="budget", efforts=("off", "minimal", "low", "medium", "high"))


@pytest.mark.parametrize(
    ("traits", "effort", "config"),
    [
        (GEMINI_3, "max", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        (GEMINI_3, "low", {"includeThoughts": True, "thinkingLevel": "LOW"}),
        (GEMINI_3, "off", {"thinkingLevel": "MINIMAL"}),
        (GEMINI_3, None, {"includeThoughts": True}),
        (replace(GEMINI_3, efforts=("low", "high")), "off", {"thinkingLevel": "LOW"}),
        (
            replace(GEMINI_3, efforts=("low", "high")),
            "medium",
            {"includeThoughts": True, "thinkingLevel": "HIGH"},
        ),
        (BUDGET_PRO, "max", {"includeThoughts": True, "thinkingBudget": 32768}),
        (BUDGET_PRO, "off", {"thinkingBudget": 128}),
        (BUDGET_FLASH, "max", {"includeThoughts": True, "thinkingBudget": 24576}),
        (BUDGET_FLASH, "minimal", {"includeThoughts": True, "thinkingBudget": 512}),
        (BUDGET_FLASH, "off", {"thinkingBudget": 0}),
        (BUDGET_FLASH, None, {"includeThoughts": True}),
        (PLAIN, "max", None),
    ],
)
def test_Q18_effort_becomes_what_the_model_accepts(
    traits: Traits, effort: Effort | None, config: dict[str, Any] | None
) -> None:
    found = lowered(ask(user("Hi."), effort=effort), traits)["generationConfig"]
    assert found.get("thinkingConfig") == config


def test_Q15_sampling_and_marks_are_sent_only_where_they_are_accepted() -> None:
    asked = ask(
        user("Hi."),
        temperature=0.5,
        logprobs=True,
        stop=("", "a", "b", "c", "d", "e", "f"),
        cache=CacheMarks(system=True, messages=(0,)),
        cache_key="chat",
    )
    stops: dict[str, Any] = {"maxOutputTokens": 1000, "stopSequences": ["a", "b", "c", "d", "e"]}
    assert lowered(asked)["generationConfig"] == stops
    able = Traits(sampling=True, logprobs=True)
    more = {"temperature": 0.5, "responseLogprobs": True}
    assert lowered(asked, able)["generationConfig"] == stops | more


def test_an_answer_can_be_held_to_a_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    asked = ask(user("Hi."), output_schema=OutputSchema("answer", schema))
    assert lowered(asked)["generationConfig"] == {
        "maxOutputTokens": 1000,
        "responseMimeType": "application/json",
        "responseJsonSchema": schema,
    }
    assert lowered(asked, Traits(structured=False))["generationConfig"] == {"maxOutputTokens": 1000}
