"""Requests and answers that Chat Completions can express, for round trips.

Left out of requests, because the protocol has no place for it:
- thoughts, native parts and provider data (they need their origin);
- words after a call, or several texts in one turn of the model (there is one string for them);
- pictures, files, several texts or failures in results (a result is one text);
- results without calls, calls without results, turns of one role in a row (mended on the way);
- empty words, more than four stops, names too long to come back;
- files of plain text (written out as words), the type of a picture that is only an address;
- the effort "max" (refused here), and cache marks on messages that are only calls.
Left out of answers: native parts and provider data, words that begin like a think tag, failures,
the reasons that are written as another (pause, stop_sequence) and the long part of cache writes.
"""

from typing import Any, cast

from hypothesis import strategies as st

from recto.llm.protocols.openai_chat.lower_messages import write_arguments
from recto.llm.traits import Traits
from recto.messages import (
    CacheMarks,
    Document,
    Effort,
    Finished,
    Image,
    Json,
    Message,
    OutputSchema,
    Part,
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
    UsageReported,
)

EFFORTS: tuple[Effort, ...] = ("off", "minimal", "low", "medium", "high", "xhigh")
TRAITS = Traits(
    thinking="effort",
    efforts=EFFORTS,
    documents=True,
    sampling=True,
    logprobs=True,
    cache_marks=True,
    output_field="max_completion_tokens",
)

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: text.strip() != ""
)
names = st.text(st.sampled_from("abc_.-:x2E"), min_size=1, max_size=8)
values = st.none() | st.booleans() | st.integers(-9, 9) | words
json_objects: st.SearchStrategy[Json] = st.dictionaries(
    words, values | st.lists(values), max_size=3
)
images = st.builds(Image, st.sampled_from(["image/png", "image/webp"]), st.binary(min_size=1)) | (
    names.map(lambda name: Image("image/*", url=f"https://x.test/{name}"))
)
documents = st.builds(Document, st.just("application/pdf"), st.binary(min_size=1), words)
user_parts = st.builds(Text, words) | images | documents


def objects(properties: dict[str, Any]) -> Json:
    return {"type": "object", "properties": properties, "required": sorted(properties)}


schemas = st.builds(
    objects,
    st.dictionaries(
        names,
        st.sampled_from(
            [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}, {"const": 1}]
        ),
        max_size=3,
    ),
)
tools = st.lists(
    st.builds(ToolSpec, names, words | st.just(""), schemas),
    max_size=3,
    unique_by=lambda tool: tool.name,
)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Turns in order, beginning with the user's; each call is answered in the next turn."""
    messages: list[Message] = []
    waiting: list[ToolCall] = []
    for turn in range(draw(st.integers(1, 3))):
        parts: list[Part] = [draw(results(call)) for call in waiting]
        parts += draw(st.lists(user_parts, min_size=0 if parts else 1, max_size=3))
        said: list[Part] = [draw(st.builds(Text, words))] if draw(st.booleans()) else []
        called = draw(st.lists(st.tuples(names, json_objects), max_size=2))
        waiting = [ToolCall(f"c{turn}.{at}", *call) for at, call in enumerate(called)]
        if not said and not waiting:
            said = [Text("Yes.")]
        messages += [Message("user", tuple(parts)), Message("assistant", (*said, *waiting))]
    last = [draw(results(call)) for call in waiting] or [Text("And now?")]
    return (*messages, Message("user", tuple(last)))


def results(call: ToolCall) -> st.SearchStrategy[ToolResult]:
    return words.map(lambda text: ToolResult(call.id, call.name, (Text(text),)))


@st.composite
def requests(draw: st.DrawFn) -> Request:
    messages = draw(conversations())
    system = draw(st.just("") | words)
    offered = tuple(draw(tools))
    effort = draw(st.none() | st.sampled_from(EFFORTS))
    samples = effort == "off"
    return Request(
        model=draw(names),
        messages=messages,
        max_output=draw(st.integers(1, 100_000)),
        system=system,
        tools=offered,
        tool_choice=draw(choices(offered)),
        effort=effort,
        output_schema=draw(st.none() | st.builds(OutputSchema, names, schemas)),
        stop=tuple(draw(st.lists(words, max_size=4))) if samples else (),
        temperature=draw(st.none() | st.floats(0, 2)) if samples else None,
        logprobs=samples and draw(st.booleans()),
        cache=draw(marks(messages, has_system=bool(system))),
        cache_key=draw(st.none() | words),
        stream=draw(st.booleans()),
    )


def choices(offered: tuple[ToolSpec, ...]) -> st.SearchStrategy[ToolChoice]:
    if not offered:
        return st.just(ToolChoice())
    free = st.builds(ToolChoice, st.sampled_from(["auto", "none", "any"]), single=st.booleans())
    name = st.sampled_from([tool.name for tool in offered])
    return free | st.builds(ToolChoice, st.just("one"), name, single=st.booleans())


def marks(messages: tuple[Message, ...], *, has_system: bool) -> st.SearchStrategy[CacheMarks]:
    able = [
        at
        for at, message in enumerate(messages)
        if message.role == "user" or isinstance(message.parts[0], Text)
    ]
    chosen = st.lists(st.sampled_from(able), max_size=3, unique=True).map(sorted).map(tuple)
    return st.builds(CacheMarks, st.just(True) if has_system else st.just(False), chosen)


def used_up(input: int, cached: int, written: int, output: int, reasoning: int) -> Usage:
    return Usage(input, cached, written, output=output + reasoning, reasoning=reasoning)


counts = st.integers(0, 1000)
usages = st.builds(used_up, counts, counts, counts, counts, counts)


@st.composite
def answers(draw: st.DrawFn) -> list[StreamEvent]:
    """The events of an answer: thoughts, words, calls in mixed pieces, usage."""
    parts: list[Part] = []
    events: list[StreamEvent] = [Started("up_1", "upstream")]
    thoughts = draw(st.lists(words, max_size=2))
    if thoughts:
        events += [ThinkingStarted(), *map(ThinkingDelta, thoughts), ThinkingEnded()]
        parts.append(Thinking("".join(thoughts)))
    said = draw(st.lists(words.filter(lambda text: "<" not in text), max_size=3))
    if said:
        events += [TextDelta(item) for item in said]
        parts.append(Text("".join(said)))
    calls = [
        ToolCall(f"c{slot}", *call)
        for slot, call in enumerate(draw(st.lists(st.tuples(names, json_objects), max_size=3)))
    ]
    events += call_events(calls)
    used = draw(st.none() | usages)
    events += [UsageReported(used)] if used else []
    reason = cast(
        StopReason,
        "tool_use" if calls else draw(st.sampled_from(["end_turn", "refusal", "max_tokens"])),
    )
    message = Message("assistant", (*parts, *calls))
    return [*events, Finished(reason, message, used)]


def call_events(calls: list[ToolCall]) -> list[StreamEvent]:
    """All calls at once: every second half of arguments comes after every first."""
    texts = [write_arguments(call.arguments) for call in calls]
    events: list[StreamEvent] = []
    for slot, (call, text) in enumerate(zip(calls, texts, strict=True)):
        events += [ToolCallStarted(slot, call.id, call.name), ToolCallDelta(slot, text[:2])]
    events += [ToolCallDelta(slot, text[2:]) for slot, text in enumerate(texts) if text[2:]]
    return events + [
        ToolCallEnded(slot, call.arguments, texts[slot]) for slot, call in enumerate(calls)
    ]
