"""Any protocol to any and back: the same conversation, but for losses on a written list.

RECTO_TRANSLATIONS says how many conversations; RECTO_SEED where the dice begin.
"""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest

from recto.llm import EFFORTS, PROTOCOL_IDS, SseDecoder, Traits, load_protocol
from recto.messages import (
    CacheMarks,
    Document,
    Finished,
    Image,
    Message,
    Origin,
    OutputSchema,
    Part,
    ProviderData,
    Request,
    Started,
    StopReason,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    ToolChoice,
    ToolResult,
    ToolSpec,
    Usage,
    assistant,
    user,
)

CONVERSATIONS = int(os.environ.get("RECTO_TRANSLATIONS", "300"))
SEED = int(os.environ.get("RECTO_SEED", "20261118"))
PAIRS = tuple(permutations(PROTOCOL_IDS, 2))
WORDS = (
    "Hello",
    "Grüße 😀",
    "a\u2028b",
    "潮の高さ",
    "{}",
    " x ",
    "line\nline",
    '"quoted" \\',
    "<b>&amp;",
)
NAMES = ("read_file", "run", "search-web")
PATHS = {"anthropic-messages": "", "openai-responses": "", "openai-chat": "", "gemini": "m"}
SIGNATURES: dict[str, dict[str, Any]] = {
    "anthropic-messages": {"signature": "c2ln"},
    "openai-responses": {"id": "rs_1", "encrypted_content": "c2ln", "summary": []},
    "gemini": {"signature": "c2ln"},
}
THINKING = {
    "anthropic-messages": "adaptive",
    "openai-responses": "effort",
    "openai-chat": "effort",
    "gemini": "level",
}


def traits(protocol: str) -> Traits:
    """A model that can do everything its protocol has words for."""
    return Traits(
        thinking=THINKING[protocol],  # pyright: ignore[reportArgumentType] - one of its literals
        efforts=EFFORTS,
        documents=True,
        cache_marks=protocol != "gemini",
        sampling=True,
        needs_signatures=protocol == "gemini",
        output_field="max_completion_tokens",
    )


def origin(protocol: str) -> Origin:
    """Where a client's own provider data is from: its protocol, no account yet."""
    return Origin(protocol, "", "m")


def conversation(chance: Random) -> Request:
    """A request with whatever a conversation can have."""
    messages: list[Message] = []
    waiting: list[ToolCall] = []
    for turn in range(chance.randint(1, 3)):
        messages.append(user(*(result(call, chance) for call in waiting), *said_by_user(chance)))
        calls = [
            ToolCall(f"call_{turn}_{n}", chance.choice(NAMES), arguments(chance))
            for n in range(chance.choice((0, 0, 1, 2)))
        ]
        texts = [Text(chance.choice(WORDS))] if chance.random() < 0.7 or not calls else []
        messages.append(assistant(*texts, *calls))
        waiting = calls
    messages.append(user(*(result(call, chance) for call in waiting), *said_by_user(chance)))
    tools = tuple(ToolSpec(name, "Does it.", SCHEMA) for name in NAMES)
    return Request(
        "m",
        tuple(messages),
        chance.randint(1, 9999),
        system=chance.choice(("", "You help.")),
        tools=tools,
        tool_choice=chance.choice(CHOICES),
        effort=chance.choice((None, "low", "medium", "high")),
        output_schema=chance.choice((None, None, OutputSchema("summary", SCHEMA))),
        stop=chance.choice(((), ("END",))),
        cache=chance.choice((CacheMarks(), CacheMarks(messages=(0,)))),
        stream=chance.random() < 0.5,
    )


SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
CHOICES = (
    ToolChoice(),
    ToolChoice("none"),
    ToolChoice("any"),
    ToolChoice("one", "run"),
    ToolChoice(single=True),
)


def said_by_user(chance: Random) -> list[Part]:
    """Words, and perhaps something to look at."""
    parts: list[Part] = [Text(chance.choice(WORDS))]
    if chance.random() < 0.2:
        parts.append(Image("image/png", b"png"))
    if chance.random() < 0.1:
        parts.append(Document("application/pdf", b"%PDF", "paper.pdf"))
    return parts


def result(call: ToolCall, chance: Random) -> ToolResult:
    """What a tool answers."""
    content: list[Text | Image] = [Text(chance.choice(WORDS))]
    if chance.random() < 0.2:
        content.append(Image("image/png", b"png"))
    return ToolResult(call.id, call.name, tuple(content), is_error=chance.random() < 0.2)


def arguments(chance: Random) -> dict[str, object]:
    """What a tool is called with."""
    return chance.choice(({}, {"path": "a"}, {"n": 1.5, "deep": {"list": [1, None, "ü"]}}))


# The written list: what a protocol has no place for, and what stands there instead.


def without_stops(request: Request) -> Request:
    """OpenAI's models that think have no stop sequences; the gateway refuses them with words."""
    return replace(request, stop=())


def room_for_sixteen(request: Request) -> Request:
    """Responses takes no answer shorter than 16 tokens."""
    return replace(request, max_output=max(16, request.max_output))


def without_single(request: Request) -> Request:
    """Gemini can't be told to make one call at a time."""
    return replace(request, tool_choice=replace(request.tool_choice, single=False))


def without_marks(request: Request) -> Request:
    """Gemini remembers by itself: it has no cache marks."""
    return replace(request, cache=CacheMarks())


def without_schema_name(request: Request) -> Request:
    """Anthropic and Gemini have no names for schemas."""
    schema = request.output_schema
    return replace(request, output_schema=schema and OutputSchema("answer", schema.schema))


def without_file_names(request: Request) -> Request:
    """Gemini has no names for files."""
    return each(
        request,
        lambda part: replace(part, name="document.pdf") if isinstance(part, Document) else part,
    )


def errors_in_words(request: Request) -> Request:
    """OpenAI's results have no mark of an error: the words say it."""

    def told(part: Part) -> Part:
        if not isinstance(part, ToolResult) or not part.is_error:
            return part
        first, *rest = part.content
        assert isinstance(first, Text)
        return replace(part, content=(Text(f"Error: {first.text}"), *rest), is_error=False)

    return each(request, told)


def pictures_after_results(request: Request) -> Request:
    """A result in Chat Completions is words: pictures follow, said to be its."""

    def moved(message: Message) -> Message:
        results: list[Part] = []
        shown: list[Part] = []
        rest: list[Part] = []
        for part in message.parts:
            if not isinstance(part, ToolResult):
                rest.append(part)
                continue
            pictures = [item for item in part.content if isinstance(item, Image)]
            words = tuple(item for item in part.content if isinstance(item, Text))
            results.append(replace(part, content=words))
            if pictures:
                shown += [Text(f"[shown by {part.name}]"), *pictures]
        return replace(message, parts=(*results, *shown, *rest))

    return replace(request, messages=tuple(map(moved, request.messages)))


LOSSES: dict[str, tuple[Callable[[Request], Request], ...]] = {
    "anthropic-messages": (without_schema_name,),
    "openai-responses": (without_stops, errors_in_words, room_for_sixteen),
    "openai-chat": (without_stops, errors_in_words, pictures_after_results),
    "gemini": (without_single, without_marks, without_schema_name, without_file_names),
}


def each(request: Request, change: Callable[[Part], Part]) -> Request:
    messages = (
        replace(message, parts=tuple(map(change, message.parts))) for message in request.messages
    )
    return replace(request, messages=tuple(messages))


def through(request: Request, protocol: str) -> Request:
    """A request as it is after one protocol: written in it and read again."""
    wire = load_protocol(protocol).lower(request, traits(protocol), origin(protocol))
    return replace(load_protocol(protocol).serve(wire.body, path=wire.path), model="m")


def less(request: Request, protocol: str) -> Request:
    """A request without what the list says that a protocol loses."""
    for loss in LOSSES[protocol]:
        request = loss(request)
    return request


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
def test_a_conversation_is_the_same_after_two_protocols(client: str, upstream: str) -> None:
    chance = Random(f"{SEED} {client} {upstream}")
    for _ in range(CONVERSATIONS // len(PAIRS)):
        request = conversation(chance)
        asked = through(request, client)
        assert asked == less(request, client)
        sent = through(asked, upstream)
        assert sent == less(asked, upstream)
        assert through(sent, client) == less(sent, client)


REASONS: tuple[StopReason, ...] = ("end_turn", "max_tokens", "refusal")


def answer(chance: Random, protocol: str) -> list[StreamEvent]:
    """An answer of an upstream, with what must go back to it."""
    parts: list[Part] = []
    events: list[StreamEvent] = [Started("a1", "m")]
    proof = SIGNATURES.get(protocol)
    if proof is not None and chance.random() < 0.5:
        pieces = [chance.choice(WORDS) for _ in range(chance.randint(1, 3))]
        payload = {**proof, "summary": ["".join(pieces)]} if "summary" in proof else proof
        data = ProviderData(Origin(protocol, "account", "m"), payload)
        parts.append(Thinking("".join(pieces), data))
        events += [ThinkingStarted(), *map(ThinkingDelta, pieces), ThinkingEnded(data)]
    if chance.random() < 0.8:
        pieces = [chance.choice(WORDS) for _ in range(chance.randint(1, 3))]
        parts.append(Text("".join(pieces)))
        events += map(TextDelta, pieces)
    calls = [
        ToolCall(f"call_{n}", chance.choice(NAMES), arguments(chance))
        for n in range(chance.choice((0, 0, 1, 2)))
    ]
    if not calls and not any(isinstance(part, Text) for part in parts):
        parts.append(Text("Yes."))
        events.append(TextDelta("Yes."))
    for slot, call in enumerate(calls):
        raw = load_raw(call)
        events += [ToolCallStarted(slot, call.id, call.name)]
        events += [ToolCallDelta(slot, raw[at : at + 5]) for at in range(0, len(raw), 5)]
        events.append(ToolCallEnded(slot, call.arguments, raw))
    reason: StopReason = "tool_use" if calls else chance.choice(REASONS)
    used = Usage(
        input=chance.randint(1, 99), cache_read=chance.choice((0, 7)), output=50, reasoning=9
    )
    message = Message("assistant", (*parts, *calls))
    return [*events, Finished(reason, message, used)]


def load_raw(call: ToolCall) -> str:

    return json.dumps(call.arguments)


def read_stream(protocol: str, pieces: Iterable[bytes]) -> Finished:
    """What a client of a protocol makes of a stream."""
    reader, frames = load_protocol(protocol).reader(origin(protocol)), SseDecoder()
    events = [
        event for piece in pieces for frame in frames.feed(piece) for event in reader.feed(frame)
    ]
    events += [] if events and isinstance(events[-1], Finished) else reader.end()
    end = events[-1]
    assert isinstance(end, Finished)
    return end


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize(("client", "upstream"), PAIRS)
def test_an_answer_is_the_same_for_any_client_and_goes_back_whole(
    client: str, upstream: str, is_streamed: bool
) -> None:
    chance = Random(f"{SEED} {client} {upstream} {is_streamed}")
    protocol = load_protocol(client)
    for _ in range(CONVERSATIONS // len(PAIRS) // 2):
        events = answer(chance, upstream)
        given = events[-1]
        assert isinstance(given, Finished)
        whole = protocol.write_whole(events, "a1", "m")
        if is_streamed:
            writer = protocol.writer("a1", "m")
            end = read_stream(client, [writer.write(event) for event in events])
        else:
            end = protocol.read_whole(whole, origin(client))[-1]
            assert isinstance(end, Finished)
        assert (end.failure, end.reason, end.usage) == (None, given.reason, given.usage)
        assert plain(end.message) == plain(given.message)
        if client in ECHOES:
            path, body = ECHOES[client](json.loads(whole))
            asked = protocol.serve(json.dumps(body).encode(), path=path)
            assert asked.messages[1] == given.message


HI = {"role": "user", "content": "Hi"}
ECHOES: dict[str, Callable[[Any], tuple[str, dict[str, Any]]]] = {
    "anthropic-messages": lambda told: (
        "",
        {
            "model": "m",
            "max_tokens": 9,
            "messages": [HI, {"role": "assistant", "content": told["content"]}],
        },
    ),
    "openai-responses": lambda told: ("", {"model": "m", "input": [HI, *told["output"]]}),
    "gemini": lambda told: (
        "/v1beta/models/m:generateContent",
        {
            "contents": [
                {"role": "user", "parts": [{"text": "Hi"}]},
                told["candidates"][0]["content"],
            ]
        },
    ),
}
"""How a client sends an answer back that it does not understand: as it came.

Chat Completions has no field for what only providers read: that is kept by the gateway.
"""


def plain(message: Message) -> list[object]:
    """What a message says, with thoughts as far as they are shown."""
    shown = [part for part in message.parts if not isinstance(part, Thinking) or part.text]
    return [
        (
            part.type,
            getattr(part, "text", None)
            or (getattr(part, "id", ""), getattr(part, "arguments", "")),
        )
        for part in shown
    ]
