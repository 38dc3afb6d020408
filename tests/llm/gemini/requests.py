"""Requests and answers that Gemini can express, for round trips.

Left out of requests, because generateContent has no word for it: names of files and of schemas
(they come back as given here), `single` calls, cache marks and keys, efforts beyond the levels,
thoughts without a signature, images at web addresses, several texts in one tool result, and
parts that are never sent, such as blank words. Roles alternate, every call has its result, and
schemas use only what Gemini reads. Left out of answers: signed words in a stream, whose signature
then follows in an empty text, cache writes, and whatever follows a tool call but more calls.
"""

import base64
from typing import Any

from hypothesis import strategies as st

from recto.llm.traits import Traits
from recto.messages import (
    Document,
    Image,
    Json,
    Message,
    Native,
    Origin,
    OutputSchema,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
    Usage,
)

MODEL = "gemini-3.8-flash"
ORIGIN = Origin("gemini", "", MODEL)
TRAITS = Traits(
    thinking="level",
    efforts=("minimal", "low", "medium", "high"),
    needs_signatures=True,
    documents=True,
    sampling=True,
    logprobs=True,
)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
SPOKEN = WORDS.filter(lambda text: bool(text.strip()))
NAMES = st.text("abc_XYZ.:-/é 1", min_size=1, max_size=10)
NUMBERS = st.integers(0, 10**6)
SIGNATURES = st.binary(min_size=1, max_size=6).map(lambda data: base64.b64encode(data).decode())
SIGNED = SIGNATURES.map(lambda signature: ProviderData(ORIGIN, {"signature": signature}))
PERHAPS_SIGNED = st.none() | SIGNED
LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS
ARGUMENTS: st.SearchStrategy[Json] = st.dictionaries(
    WORDS, LEAVES | st.lists(LEAVES, max_size=2), max_size=3
)
CODE = WORDS.map(
    lambda code: Native(ProviderData(ORIGIN, {"part": {"executableCode": {"code": code}}}))
)
FILES = st.one_of(
    st.builds(
        Image, st.sampled_from(["image/png", "image/jpeg"]), st.binary(min_size=1, max_size=6)
    ),
    st.builds(
        Document,
        st.just("application/pdf"),
        st.binary(min_size=1, max_size=6),
        st.just("document.pdf"),
    ),
)
SAID = st.one_of(
    st.builds(Text, SPOKEN),
    st.builds(Text, SPOKEN | st.just(""), SIGNED),
    st.builds(Thinking, WORDS, SIGNED),
    CODE,
)


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    kinds = st.sampled_from(["string", "integer", "boolean"])
    names = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    properties = {name: {"type": draw(kinds)} for name in names}
    return {"type": "object", "properties": properties, "required": names[:1]}


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """A question, then steps of the model with their results, perhaps an answer and another."""
    number = 0
    found = [
        Message(
            "user", tuple(draw(st.lists(st.builds(Text, SPOKEN) | FILES, min_size=1, max_size=2)))
        )
    ]
    for _ in range(draw(st.integers(0, 2))):
        said = draw(st.lists(SAID, min_size=1, max_size=3))
        calls: list[ToolCall] = []
        for name in draw(st.lists(NAMES, max_size=2)):
            calls.append(ToolCall(f"c{number}", name, draw(ARGUMENTS), draw(PERHAPS_SIGNED)))
            number += 1
        results = [draw(results_of(call)) for call in calls]
        more = draw(
            st.lists(st.builds(Text, SPOKEN) | FILES, min_size=0 if calls else 1, max_size=2)
        )
        found.append(Message("assistant", (*said, *calls)))
        found.append(Message("user", (*results, *more)))
    return tuple(found)


@st.composite
def results_of(draw: st.DrawFn, call: ToolCall) -> ToolResult:
    words = draw(st.lists(st.builds(Text, WORDS), max_size=1))
    files = draw(st.lists(FILES, max_size=1))
    return ToolResult(call.id, call.name, (*words, *files), draw(st.booleans()))


@st.composite
def requests(draw: st.DrawFn) -> Request:
    named = draw(st.lists(NAMES, max_size=3, unique=True))
    nothing: Json = {"type": "object", "properties": {}}
    tools = tuple(
        ToolSpec(name, draw(st.just("") | WORDS), draw(st.just(nothing) | schemas()))
        for name in named
    )
    choices = [ToolChoice()]
    if tools:
        choices += [ToolChoice("none"), ToolChoice("any"), ToolChoice("one", tools[0].name)]
    return Request(
        model=MODEL,
        messages=draw(conversations()),
        max_output=draw(st.integers(1, 10**6)),
        system=draw(st.just("") | SPOKEN),
        tools=tools,
        tool_choice=draw(st.sampled_from(choices)),
        effort=draw(st.sampled_from([None, "minimal", "low", "medium", "high"])),
        output_schema=draw(st.none() | st.builds(OutputSchema, st.just("answer"), schemas())),
        stop=tuple(draw(st.lists(WORDS, max_size=5))),
        temperature=draw(st.none() | st.floats(0, 2)),
        logprobs=draw(st.booleans()),
        stream=draw(st.booleans()),
    )


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    thought = draw(NUMBERS)
    return Usage(
        input=draw(NUMBERS),
        cache_read=draw(NUMBERS),
        output=draw(NUMBERS) + thought,
        reasoning=thought,
    )
