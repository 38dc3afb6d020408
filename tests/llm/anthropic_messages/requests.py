"""Requests for property tests: those this protocol can express, and histories of any kind.

`requests` leaves out what has no place in the API's request, or more than one neutral form:
- names of output schemas, cache keys, log-probabilities: the API has none of these;
- a temperature outside 0..1, an effort of `minimal` (it is sent as `low`), tool choices without
  tools, forced tools that are not offered, `single` beside `none`;
- messages that `lower` would merge, fill up or leave out: roles alternate, begin and end with the
  user, calls are answered in the next message, results come first in order of their calls, words
  come before calls and are not white space, thoughts are signed and never last;
- schemas that `lower` would rewrite; media types of addresses, names of text files.
"""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from recto.messages import (
    CacheMarks,
    Document,
    Effort,
    Image,
    Message,
    Native,
    Origin,
    OutputSchema,
    Part,
    ProviderData,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
)

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
MODEL = "claude-test"
ORIGIN = Origin("anthropic-messages", "", MODEL)
FOREIGN = Origin("gemini", "other", "gemini-test")
EFFORTS: tuple[Effort | None, ...] = (None, "off", "low", "medium", "high", "xhigh", "max")

words = st.text(min_size=1, max_size=20).filter(lambda text: bool(text.strip()))
ids = st.text("abcXYZ019_-", min_size=1, max_size=12)
names = st.text("abc_-x2e.é", min_size=1, max_size=10)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner)
)
arguments = st.dictionaries(st.text(max_size=6), values, max_size=3)
schemas: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "type": st.just("object"),
        "properties": st.dictionaries(names, st.just({"type": "string"}), max_size=3),
        "additionalProperties": st.just(False),
    }
)
texts = st.builds(Text, words)
images = st.builds(
    Image, st.sampled_from(["image/png", "image/gif"]), st.binary(min_size=1, max_size=8)
) | st.just(Image("", url="https://example.org/a.png"))
documents = st.builds(Document, st.just("application/pdf"), st.binary(min_size=1), words)
contents = st.lists(texts | images | documents, max_size=3).map(tuple)


def data(payload: dict[str, Any], origin: Origin = ORIGIN) -> ProviderData:
    """Provider data, of this protocol unless told otherwise."""
    return ProviderData(origin, payload)


def signed(text: str, signature: str) -> Thinking:
    """Thoughts with their signature."""
    return Thinking(text, data({"signature": signature}))


thoughts = st.builds(signed, st.text(), ids) | ids.map(
    lambda one: Thinking("", data({"redacted": one}))
)
natives = ids.map(lambda one: Native(data({"block": {"type": "surprise", "value": one}})))


@st.composite
def histories(draw: st.DrawFn, tool_names: list[str]) -> tuple[Message, ...]:
    """A conversation that the API takes as it is."""
    messages: list[Message] = []
    calls: list[ToolCall] = []
    call_ids = draw(st.lists(ids, unique=True, max_size=6))
    for _ in range(draw(st.integers(0, 3))):
        messages.append(Message("user", draw(asked(calls))))
        count = draw(st.integers(0, min(len(call_ids), 2))) if tool_names else 0
        picked = [(call_ids.pop(), draw(st.sampled_from(tool_names))) for _ in range(count)]
        calls = [ToolCall(item, name, draw(arguments)) for item, name in picked]
        spoken: list[Part] = [*draw(st.lists(thoughts, max_size=2)), draw(texts | natives), *calls]
        messages.append(Message("assistant", tuple(spoken)))
    messages.append(Message("user", draw(asked(calls))))
    return tuple(messages)


@st.composite
def asked(draw: st.DrawFn, calls: list[ToolCall]) -> tuple[Part, ...]:
    """A user's turn that answers these calls."""
    results = [
        ToolResult(call.id, call.name, draw(contents), draw(st.booleans())) for call in calls
    ]
    others = draw(st.lists(texts | images | documents, min_size=0 if calls else 1, max_size=3))
    return (*results, *others)


@st.composite
def choices(draw: st.DrawFn, tool_names: list[str]) -> ToolChoice:
    """A choice among these tools."""
    if not tool_names:
        return ToolChoice()
    single = draw(st.booleans())
    one = ToolChoice("one", draw(st.sampled_from(tool_names)), single)
    rest = [ToolChoice("auto", None, single), ToolChoice("any", None, single), ToolChoice("none")]
    return draw(st.sampled_from([one, *rest]))


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """A request that this protocol can express."""
    tools = draw(
        st.lists(
            st.builds(ToolSpec, names, st.text(), schemas), max_size=3, unique_by=lambda t: t.name
        )
    )
    tool_names = [tool.name for tool in tools]
    messages = draw(histories(tool_names))
    system = draw(st.just("") | words)
    places = sorted(draw(st.sets(st.sampled_from(range(0, len(messages), 2)), max_size=3)))
    return Request(
        MODEL,
        messages,
        draw(st.integers(1, 64_000)),
        system=system,
        tools=tuple(tools),
        tool_choice=draw(choices(tool_names)),
        effort=draw(st.sampled_from(EFFORTS)),
        output_schema=draw(st.none() | schemas.map(lambda one: OutputSchema("answer", one))),
        stop=tuple(draw(st.lists(words, max_size=2))),
        temperature=draw(st.none() | st.floats(0, 1)),
        cache=draw(marks(places, may_mark_system=bool(system or tools))),
        stream=draw(st.booleans()),
    )


@st.composite
def marks(draw: st.DrawFn, places: list[int], *, may_mark_system: bool) -> CacheMarks:
    """Cache marks of which none outlives one before it."""
    system = may_mark_system and draw(st.booleans())
    long_messages = tuple(places[: draw(st.integers(0, len(places)))])
    long_system = system and (bool(long_messages) or draw(st.booleans()))
    return CacheMarks(system, tuple(places), long_system, long_messages)


any_origin = st.sampled_from([ORIGIN, FOREIGN, Origin("anthropic-messages", "", "another")])
any_data = st.builds(
    ProviderData,
    any_origin,
    st.sampled_from(
        [
            {},
            {"signature": "s"},
            {"redacted": "r"},
            {"citations": []},
            {"block": {"type": "server_tool_use", "id": "s1", "name": "n", "input": {}}},
            {"block": {"type": "web_tool_result", "tool_use_id": "s1", "content": []}},
            {"block": {"type": "surprise"}},
        ]
    ),
)
few_ids = st.sampled_from(["", "a", "b", "a.b", "c" * 90])
any_text = st.builds(Text, st.sampled_from(["", " ", "Hi"]) | st.text(), st.none() | any_data)
any_image = st.builds(
    Image, st.sampled_from(["image/png", "image/svg+xml", ""]), st.binary(), st.none() | st.text()
)
any_document = st.builds(
    Document,
    st.sampled_from(["application/pdf", "text/csv", "application/zip"]),
    st.binary(),
    st.text(),
)
any_content = any_text | any_image | any_document
any_part: st.SearchStrategy[Part] = st.one_of(
    any_content,
    st.builds(Thinking, st.text(), st.none() | any_data),
    st.builds(ToolCall, few_ids, st.text(), arguments, st.none() | any_data),
    st.builds(ToolResult, few_ids, st.text(), st.lists(any_content).map(tuple), st.booleans()),
    st.builds(Native, any_data),
)
any_message = st.builds(
    Message, st.sampled_from(["user", "assistant"]), st.lists(any_part, max_size=5).map(tuple)
)
any_history = st.lists(any_message, min_size=1, max_size=8).map(tuple)
