"""Requests that the Responses API can express exactly, for round trips.

Left out, because the API has no word for it or only one way to say it: stop sequences; `is_error`
of results; a choice of tools without tools; two messages of one role in a row; empty words and
empty messages; thoughts without a seal, or with nothing after them; calls without results right
after them (and the reverse); a system prompt marked but empty; marks on answers, and more than
three; the media type of a picture that is an address; documents of plain text (sent as words);
tool names and ids that are too long; sampling while the model thinks; outputs below 16 tokens.
"""

from typing import Any, Literal

from hypothesis import strategies as st

from recto.llm.traits import EFFORTS, Traits
from recto.messages import (
    CacheMarks,
    Document,
    Image,
    Message,
    Native,
    Origin,
    OutputSchema,
    Part,
    ProviderData,
    Request,
    ResultContent,
    Text,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
)

MODEL = "gpt-6-sol"
ORIGIN = Origin("openai-responses", "", MODEL)
TRAITS = Traits(
    thinking="effort",
    efforts=EFFORTS,
    documents=True,
    sampling=True,
    logprobs=True,
    cache_marks=True,
)

Mode = Literal["auto", "none", "any", "one"]
MODES: tuple[Mode, ...] = ("auto", "none", "any", "one")

unique = st.uuids().map(lambda one: one.hex)
words = st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
names = st.text("abcXYZ019_-. ü", min_size=1, max_size=9)
ids = st.text("abcXYZ019_-", min_size=1, max_size=9)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
arguments = st.dictionaries(st.text(max_size=5), values, max_size=3)
schemas = st.dictionaries(names, st.just({"type": "string"}), max_size=3).map(
    lambda properties: {"type": "object", "properties": properties}
)
tools = st.builds(ToolSpec, names, st.text(max_size=9), schemas)

texts = st.builds(Text, words)
pictures = st.builds(
    Image,
    st.sampled_from(["image/png", "image/gif", "image/webp"]),
    st.binary(min_size=1, max_size=6),
) | st.just(Image("image/*", url="https://example.org/a.png"))
files = st.builds(Document, st.just("application/pdf"), st.binary(min_size=1, max_size=6), words)
contents: st.SearchStrategy[ResultContent] = texts | pictures | files


def seal(payload: dict[str, Any]) -> ProviderData:
    """Data of this protocol."""
    return ProviderData(ORIGIN, payload)


@st.composite
def thoughts(draw: st.DrawFn) -> Thinking:
    """Sealed thoughts."""
    summary = draw(st.lists(words, max_size=3))
    payload = {"id": f"rs_{draw(unique)}", "encrypted_content": draw(ids), "summary": summary}
    return Thinking("\n\n".join(summary), seal(payload))


natives = words.map(lambda query: Native(seal({"type": "web_search_call", "query": query})))
said = st.builds(
    Text,
    words,
    st.none()
    | st.sampled_from(["commentary", "final_answer"]).map(lambda one: seal({"phase": one})),
)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Turns that alternate, in which every call has its result."""
    messages: list[Message] = []
    waiting: list[ToolCall] = []
    used: set[str] = set()
    for _ in range(draw(st.integers(0, 3))):
        messages.append(Message("user", draw(inputs(waiting))))
        answer, waiting = draw(answers(used))
        messages.append(Message("assistant", answer))
    if waiting or not messages or draw(st.booleans()):
        messages.append(Message("user", draw(inputs(waiting))))
    return tuple(messages)


@st.composite
def inputs(draw: st.DrawFn, waiting: list[ToolCall]) -> tuple[Part, ...]:
    """A turn of the user: the results of all calls, then what the user says."""
    results: list[Part] = [
        ToolResult(call.id, call.name, tuple(draw(st.lists(contents, max_size=3))))
        for call in waiting
    ]
    return (*results, *draw(st.lists(contents, min_size=0 if results else 1, max_size=3)))


@st.composite
def answers(draw: st.DrawFn, used: set[str]) -> tuple[tuple[Part, ...], list[ToolCall]]:
    """A turn of the model, and the calls in it."""
    calls = st.builds(ToolCall, ids.filter(lambda one: one not in used), names, arguments)
    others: st.SearchStrategy[Part] = said | natives | thoughts()
    parts: list[Part] = draw(
        st.lists(others | calls, max_size=4, unique_by=lambda part: getattr(part, "id", id(part)))
    )
    if not parts or isinstance(parts[-1], Thinking):
        parts.append(draw(said))
    made = [part for part in parts if isinstance(part, ToolCall)]
    used.update(call.id for call in made)
    return tuple(parts), made


@st.composite
def choices(draw: st.DrawFn, offered: tuple[ToolSpec, ...]) -> ToolChoice:
    """A choice among the tools there are."""
    if not offered:
        return ToolChoice()
    mode: Mode = draw(st.sampled_from(MODES))
    name = draw(st.sampled_from(offered)).name if mode == "one" else None
    return ToolChoice(mode, name, draw(st.booleans()))


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Any request the API can express."""
    messages = draw(conversations())
    system = draw(st.just("") | words)
    offered = tuple(draw(st.lists(tools, max_size=3, unique_by=lambda tool: tool.name)))
    effort = draw(st.none() | st.sampled_from(EFFORTS))
    turns = [index for index, message in enumerate(messages) if message.role == "user"]
    marked = [index for index in turns if is_markable(messages[index])]
    return Request(
        model=MODEL,
        messages=messages,
        max_output=draw(st.integers(16, 100_000)),
        system=system,
        tools=offered,
        tool_choice=draw(choices(offered)),
        effort=effort,
        output_schema=draw(st.none() | st.builds(OutputSchema, names, schemas)),
        temperature=draw(st.none() | st.floats(0, 2)) if effort == "off" else None,
        logprobs=draw(st.booleans()) if effort == "off" else False,
        cache=CacheMarks(bool(system) and draw(st.booleans()), tuple(marked[-2:])),
        cache_key=draw(st.none() | ids),
        stream=draw(st.booleans()),
    )


def is_markable(message: Message) -> bool:
    """Whether a mark can stand at the end of a message."""
    end = message.parts[-1]
    return not isinstance(end, ToolResult) or bool(end.content)
