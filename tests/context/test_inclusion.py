"""Which tools and earlier calls are sent: whatever the mode, calls and results stay together."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.context import MODES, ToolInclusion, included_tools, prepare, without_calls
from recto.context.conversation import ConversationMessage
from recto.context.inclusion import MOST_INDEX
from recto.llm import load_protocol
from recto.messages import (
    Message,
    Part,
    Request,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    ToolSpec,
    user,
)
from recto.tools import CALL_TOOL
from tests.fakes.providers import says
from tests.llm.any_history.places import SERVERS, places

NAMES = ("read_file", "edit_file", "files__search")
TOOLS = tuple(ToolSpec(name, f"{name}. More.", {"type": "object"}) for name in NAMES)


def said(number: int, message: Message, *, pinned: bool = False) -> ConversationMessage:
    return ConversationMessage(str(number), message, pinned=pinned)


def turn(number: int, *tools: str) -> list[ConversationMessage]:
    """A request, a step for each tool, an answer."""
    spoken = [said(number * 100, user(f"Request {number}"))]
    for at, tool in enumerate(tools):
        call = f"{number}-{at}"
        answer = Message("assistant", (Text("Looking."), ToolCall(call, tool, {})))
        result = Message("user", (ToolResult(call, tool, (Text(f"Result {call}"),)),))
        spoken += [said(number * 100 + at, answer), said(number * 100 + at, result)]
    return [*spoken, said(number * 100 + 99, Message("assistant", (Text(f"Answer {number}"),)))]


def messages(
    history: list[ConversationMessage], inclusion: ToolInclusion
) -> list[ConversationMessage]:
    found = without_calls(history, inclusion)
    return [item for item in found if isinstance(item, ConversationMessage)]


def sent(history: list[ConversationMessage], inclusion: ToolInclusion) -> list[str]:
    """The calls that are sent, each of which has its result right behind it."""
    kept = messages(history, inclusion)
    calls = [call.id for item in kept for call in item.message.calls]
    assert calls == [result.call_id for item in kept for result in item.message.results]
    return calls


HISTORY = [*turn(1, "read_file"), *turn(2, "edit_file", "read_file"), *turn(3, "read_file")[:-1]]


@pytest.mark.parametrize(
    ("inclusion", "definitions", "calls"),
    [
        (ToolInclusion(), NAMES, ["1-0", "2-0", "2-1", "3-0"]),
        (ToolInclusion("all_on"), NAMES, ["1-0", "2-0", "2-1", "3-0"]),
        (ToolInclusion("all_off"), (), []),
        (ToolInclusion("auto"), (CALL_TOOL,), ["3-0"]),
        (ToolInclusion("manual"), (), ["3-0"]),
        (ToolInclusion("manual", ("read_file",)), ("read_file",), ["1-0", "2-1", "3-0"]),
        (ToolInclusion("manual", NAMES, 0), NAMES, ["3-0"]),
        (ToolInclusion("manual", NAMES, 1), NAMES, ["2-0", "2-1", "3-0"]),
        (ToolInclusion("manual", NAMES, 5), NAMES, ["1-0", "2-0", "2-1", "3-0"]),
    ],
)
def test_each_mode_sends_what_its_row_says(
    inclusion: ToolInclusion, definitions: tuple[str, ...], calls: list[str]
) -> None:
    assert tuple(tool.name for tool in included_tools(TOOLS, inclusion)) == definitions
    assert sent(HISTORY, inclusion) == calls
    # The words of everybody stay, whatever becomes of the tools.
    kept = [
        item for item in without_calls(HISTORY, inclusion) if isinstance(item, ConversationMessage)
    ]
    text = "\n".join(item.message.text for item in kept)
    assert all(f"Request {number}" in text for number in (1, 2, 3))
    assert "Answer 1" in text


def test_a_pinned_result_keeps_its_call() -> None:
    history = [*turn(1, "read_file", "edit_file"), *turn(2)]
    history[2] = replace(history[2], pinned=True)
    assert sent(history, ToolInclusion("all_off")) == ["1-0"]


def test_a_thought_goes_with_the_calls_it_led_to() -> None:
    history = turn(1, "read_file")
    call = history[1].message
    history[1] = said(1, Message("assistant", (Thinking("Hm."), *call.parts)))
    first, answer, *_ = without_calls(history, ToolInclusion("all_off"))
    assert isinstance(first, ConversationMessage)
    assert isinstance(answer, ConversationMessage)
    assert answer.message.parts == (Text("Looking."),)


def test_the_index_groups_by_server_and_has_a_limit() -> None:
    (one,) = included_tools(TOOLS, ToolInclusion("auto"))
    _, _, index = one.description.partition("\n\n")
    assert index == (
        "Recto:\n- read_file: read_file\n- edit_file: edit_file\n"
        "files:\n- files__search: files__search"
    )
    many = [ToolSpec(f"s{at % 20}__t{at}", "Does much. " * 40, {}) for at in range(500)]
    (one,) = included_tools(many, ToolInclusion("auto"))
    _, _, index = one.description.partition("\n\n")
    assert len(index) < MOST_INDEX + 1_000
    assert index.splitlines()[-1].endswith("more tools: find them by a word.")
    assert included_tools((), ToolInclusion("auto")) == ()
    assert json.dumps(one.parameters)


PLACES = [
    next(place for place in places() if place.server == server)
    for server in ("anthropic", "openai", "google", "openai chat")
]
PARTS = st.sampled_from(["text", "thinking", *NAMES, CALL_TOOL])
ANSWERS = st.lists(PARTS, min_size=1, max_size=4)
INCLUSIONS = st.builds(
    ToolInclusion,
    st.sampled_from(MODES),
    st.lists(st.sampled_from(NAMES), unique=True).map(tuple),
    st.none() | st.integers(0, 5),
)


@settings(deadline=None)
@given(data=st.data(), inclusion=INCLUSIONS)
def test_whatever_the_mode_a_request_can_be_sent_and_pairs_stay_together(
    data: st.DataObject, inclusion: ToolInclusion
) -> None:
    history: list[ConversationMessage] = []
    for number in range(data.draw(st.integers(1, 6))):
        history.append(said(number, user(f"R{number}"), pinned=data.draw(st.booleans())))
        for step, kinds in enumerate(data.draw(st.lists(ANSWERS, max_size=3))):
            answer: list[Part] = []
            results: list[Part] = []
            for at, kind in enumerate(kinds):
                # Some models use an id twice; some calls are never answered.
                call_id = data.draw(st.sampled_from([f"{number}-{step}-{at}", "same"]))
                if kind == "text":
                    answer.append(Text("Words."))
                elif kind == "thinking":
                    answer.append(Thinking("Hm."))
                else:
                    answer.append(ToolCall(call_id, kind, {}))
                    if data.draw(st.integers(0, 5)):
                        results.append(ToolResult(call_id, kind, (Text("Found."),)))
            history.append(said(number, Message("assistant", tuple(answer))))
            if results:
                pinned = data.draw(st.booleans())
                history.append(said(number, Message("user", tuple(results)), pinned=pinned))
    kept = [
        item for item in without_calls(history, inclusion) if isinstance(item, ConversationMessage)
    ]
    for item, after in zip(kept, [*kept[1:], None], strict=True):
        ids = {call.id for call in item.message.calls}
        before = {result.call_id for result in after.message.results} if after else set[str]()
        if item.message.role == "assistant":
            assert before <= ids, "a result without its call"
    for place in PLACES:
        asked = Request(
            place.model,
            tuple(item.message for item in kept),
            1000,
            tools=included_tools(TOOLS, inclusion),
            effort=place.family.effort,
        )
        # It asserts by itself that nothing is left that a provider would refuse.
        ready = prepare(asked, place.origin, binds_prefix=place.traits.binds_prefix)
        wire = load_protocol(place.provider.protocol).lower(ready, place.traits, place.origin)
        server = SERVERS[place.server]()
        server.answer(says("Done."))
        exchange = server.reply(place.incoming(wire))
        assert exchange.refusal is None, (place.server, exchange.refusal, wire.body)
