"""Prompts against a server that binds thoughts to their past and refuses what the real one does."""

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from recto.context import (
    Attachment,
    Conversation,
    ConversationMessage,
    ModelFacts,
    Prompt,
    TokenCalibration,
    TokenCounter,
    Window,
    bind,
    build_prompt,
    mark_cache,
    prepare,
)
from recto.llm import SseDecoder, load_protocol
from recto.messages import Finished, Message, Request, Text, ToolResult, ToolSpec, user
from tests.fakes.providers import AnthropicServer, Step, calls, says, thinks
from tests.llm.any_history.places import KEYS, Place, places

READ = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {}})
SYSTEM = "You help with texts."


class Chat:
    """A chat with one model, from the stored entries to the wire and back."""

    def __init__(self, place: Place, window: int = 200_000) -> None:
        self.place = place
        self.window = window
        self.spoken: list[ConversationMessage] = []
        self.server = AnthropicServer(KEYS)
        self._count = partial(TokenCounter(TokenCalibration()).part, model="m")

    def say(self, message: Message | str, *attachments: Attachment, meta: str = "") -> None:
        told = user(message) if isinstance(message, str) else message
        self.spoken.append(ConversationMessage(str(len(self.spoken)), told, attachments, meta))

    def facts(self) -> ModelFacts:
        traits = self.place.traits
        return ModelFacts(
            self.place.origin,
            Window(self.window, 0),
            self._count,
            binds_prefix=traits.binds_prefix,
            cache_marks=traits.cache_marks,
        )

    def prompt(self) -> Prompt:
        conversation = Conversation(SYSTEM, tuple(self.spoken), tools=(READ,))
        prompt = build_prompt(conversation, self.facts())
        assert isinstance(prompt, Prompt)
        return prompt

    def ask(self, *answer: Step) -> Any:
        """Send what there is, take the answer in, and give the request as it was on the wire."""
        place, prompt = self.place, self.prompt()
        asked = Request(
            place.model,
            prompt.messages,
            1000,
            system=prompt.system,
            tools=(READ,),
            effort=place.family.effort,
        )
        ready = prepare(asked, place.origin, binds_prefix=place.traits.binds_prefix)
        ready = mark_cache(ready, frozen_at=prompt.cache_index)
        wire = load_protocol(place.provider.protocol).lower(ready, place.traits, place.origin)
        self.server.answer(*answer)
        exchange = self.server.reply(place.incoming(wire))
        assert exchange.refusal is None, exchange.refusal
        self.say(bind(self._read(exchange.reply.body), ready))
        return json.loads(wire.body)

    def _read(self, body: bytes) -> Message:
        reader = load_protocol(self.place.provider.protocol).reader(self.place.origin)
        decoder = SseDecoder()
        frames = [*decoder.feed(body), *decoder.end()]
        events = [event for frame in frames if frame.data for event in reader.feed(frame)]
        *_, end = [*events, *reader.end(None)]
        assert isinstance(end, Finished)
        return end.message


def bound_place() -> Place:
    """A model that binds its thoughts to what was said before them."""
    return next(place for place in places() if place.model == "claude-sonnet-5-5")


def thoughts(body: Any) -> list[int]:
    """Which messages on the wire have a thought."""
    return [
        number
        for number, message in enumerate(body["messages"])
        if any(block["type"] == "thinking" for block in message["content"])
    ]


def without_marks(messages: Any) -> Any:
    """Messages on the wire without cache marks, which move."""
    return json.loads(json.dumps(messages), object_hook=unmarked)


def unmarked(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != "cache_control"}


def test_Q26_workspace_meta_that_changed_is_appended_and_earlier_turns_are_untouched() -> None:
    chat = Chat(bound_place())
    chat.say("What is this?", Attachment("a.md", "Tides.", "1"), meta="Open tabs: a.md")
    first = chat.ask(thinks("Tides, then."), says("A text on tides."))
    chat.say("And now?", Attachment("a.md", "Tides.", "1"), meta="Open tabs: a.md, b.md")
    second = chat.ask(thinks("Again."), says("The same."))
    chat.say("Now?", Attachment("a.md", "Winds.", "2"), meta="Open tabs: a.md, b.md")
    third = chat.ask(says("Now it is winds."))

    sent = [without_marks(item["messages"]) for item in (first, second, third)]
    assert sent[1][: len(sent[0])] == sent[0]
    assert sent[2][: len(sent[1])] == sent[1]
    assert first["system"] == second["system"] == third["system"]
    assert thoughts(third) == [1, 3]
    newest = json.dumps(sent[1][-1])
    assert "Open tabs: a.md, b.md" in newest
    assert "is unchanged" in newest
    assert "Winds." in json.dumps(sent[2][-1])


@pytest.mark.parametrize("window", [300, 500, 900])
def test_Q27_a_cut_falls_between_turns_and_takes_no_half_of_a_call(window: int) -> None:
    chat = Chat(bound_place(), window)
    left_out: list[int] = []
    for turn in range(25):
        chat.say(f"Question {turn}: what is in the file?")
        check_turns(chat.ask(thinks("I read it."), calls("read", {})))
        call = chat.spoken[-1].message.calls[0]
        chat.say(user(ToolResult(call.id, "read", (Text(f"Line {turn}. " * 5),))))
        left_out.append(len(chat.prompt().left_out))
        check_turns(chat.ask(thinks("So it is."), says(f"It says {turn}.")))
    assert left_out == sorted(left_out)
    assert 1 < len(set(left_out)) < 25


def check_turns(body: Any) -> None:
    """Each call on the wire is answered in the next message, and a person speaks first."""
    messages = body["messages"]
    assert messages[0]["content"][0]["text"].startswith("Question 0")
    for message, two in zip(messages, messages[1:], strict=False):
        wanted = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        given = [block["tool_use_id"] for block in two["content"] if block["type"] == "tool_result"]
        assert wanted == given


def test_Q27_right_after_a_cut_no_thought_behind_it_is_sent() -> None:
    chat = Chat(bound_place(), 400)
    chat.say("Question. " * 5)
    while not chat.prompt().left_out:
        chat.ask(thinks("Well."), says("Answer. " * 5))
        chat.say("Question. " * 5)
    body = chat.ask(says("Done."))
    assert thoughts(body) == [1]
    assert len(body["messages"]) > 3


def test_a_side_question_leaves_the_cache_mark_where_it_was() -> None:
    chat = Chat(bound_place())
    chat.say("One")
    chat.ask(says("1"))
    chat.say("Summarise.")
    conversation = Conversation(SYSTEM, tuple(chat.spoken), tools=(READ,), frozen_at=0)
    frozen = build_prompt(conversation, chat.facts(), freeze_cache=True)
    assert isinstance(frozen, Prompt)
    assert frozen.cache_index == 0
    assert replace(frozen, cache_index=2) == build_prompt(conversation, chat.facts())
