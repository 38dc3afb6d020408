"""One answer, however many calls it takes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recto.access import Access
from recto.context import goes_on, without_thoughts
from recto.llm.names import wire_name
from recto.messages import (
    Finished,
    Message,
    Native,
    Request,
    Started,
    Text,
    TextDelta,
    Thinking,
    ToolCallStarted,
    ToolResult,
    ToolSpec,
    Usage,
    UsageReported,
    user,
)
from tests.assist.world import asking_at
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    Exchange,
    Fault,
    GeminiServer,
    Incoming,
    RawFrame,
    ResponsesServer,
    Script,
    Tokens,
    calls,
    says,
    thinks,
)

pytestmark = pytest.mark.anyio

GEMINI = "google/gemini-2.5-flash"
CLAUDE = "anthropic/claude-sonnet-5-5"
COUNT = Request("", (user("Count."),), 500)


def hop(words: str, output: int, *, stop: str | None = None) -> Script:
    return Script((says(words),), stop=stop, usage=Tokens(prompt=50, output=output))


def raw(**frame: Any) -> RawFrame:
    return RawFrame(f"event: {frame['type']}\ndata: {json.dumps(frame)}\n\n".encode())


def block(content: dict[str, Any], index: int) -> tuple[RawFrame, RawFrame]:
    """A block of Anthropic's own."""
    return (
        raw(type="content_block_start", index=index, content_block=content),
        raw(type="content_block_stop", index=index),
    )


SEARCH: dict[str, Any] = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_search",
    "input": {},
}
FOUND: dict[str, Any] = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [],
}


async def test_G21_an_answer_that_pauses_goes_on_as_the_same_answer(tmp_path: Path) -> None:
    async with GeminiServer() as server, asking_at(tmp_path / "home", google=server) as world:
        server.script(
            hop("One, ", 10, stop="CONTINUATION"),
            hop("two, ", 20, stop="CONTINUATION"),
            hop("three.", 30),
        )
        events = await world.ask(GEMINI, COUNT)
        spends = await world.spends()

    sent = [exchange.json for exchange in server.exchanges]
    tokens = [body.pop("continuationToken", None) for body in sent]
    assert sent[0] == sent[1] == sent[2]
    assert tokens[0] is None
    assert len(set(tokens)) == 3
    assert [type(event) for event in events].count(Started) == 1
    words = [event.text for event in events if isinstance(event, TextDelta)]
    assert words == ["One, ", "two, ", "three."]
    used = Usage(input=150, output=60)
    assert [event.usage for event in events if isinstance(event, UsageReported)][-1] == used
    assert events[-1] == Finished(
        "end_turn", Message("assistant", user("One, two, three.").parts), used, raw_reason="STOP"
    )
    assert [(spend.outcome, spend.output_tokens) for spend in spends] == [
        ("finished", 10),
        ("finished", 20),
        ("finished", 30),
    ]


async def test_A20_a_search_that_pauses_goes_on_by_itself(tmp_path: Path) -> None:
    async with AnthropicServer() as server, asking_at(tmp_path / "home", anthropic=server) as world:
        server.script(
            Script((thinks("Hm."), says("Let me see. "), *block(SEARCH, 7)), stop="pause_turn"),
            Script((*block(FOUND, 7), thinks("So."), says("Found."))),
        )
        end = await world.end(CLAUDE, COUNT)
        server.answer(says("More."))
        later = (*COUNT.messages, end.message, user("And?"))
        assert (await world.end(CLAUDE, Request("", later, 500))).message.text == "More."

    assert [exchange.refusal for exchange in server.exchanges] == [None, None, None]
    assert [exchange.notes for exchange in server.exchanges] == [[], [], []]
    first, second, third = (
        [turn["role"] for turn in exchange.json["messages"]] for exchange in server.exchanges
    )
    assert (first, second) == (["user"], ["user", "assistant"])
    assert third == ["user", "assistant", "user"]
    kinds = [part["type"] for part in server.last.json["messages"][1]["content"]]
    assert kinds == ["thinking", "text", SEARCH["type"], FOUND["type"], "thinking", "text"]
    assert (end.reason, end.message.text) == ("end_turn", "Let me see. Found.")


async def test_an_answer_that_never_stops_pausing_is_handed_over_as_it_is(tmp_path: Path) -> None:
    async with GeminiServer() as server, asking_at(tmp_path / "home", google=server) as world:
        server.script(*[hop("more ", 10, stop="CONTINUATION") for _ in range(9)])
        end = await world.end(GEMINI, COUNT)

    assert len(server.exchanges) == 8
    assert (end.reason, end.message.text, end.usage) == (
        "pause",
        "more " * 8,
        Usage(input=400, output=80),
    )
    assert goes_on(end.message)


async def test_what_was_said_before_a_pause_survives_a_failure_after_it(tmp_path: Path) -> None:
    async with GeminiServer() as server, asking_at(tmp_path / "home", google=server) as world:
        server.script(hop("One, ", 10, stop="CONTINUATION"), Script(fault=Fault(status=400)))
        end = await world.end(GEMINI, COUNT)

    assert end.failure is not None
    assert (end.reason, end.failure.kind, end.message.text) == (
        "error",
        "invalid_request",
        "One, ",
    )
    assert end.usage == Usage(input=50, output=10, source="partial")
    assert isinstance(end.message.parts[-1], Native)
    assert goes_on(end.message)


async def test_A29_a_conversation_whose_thoughts_were_refused_is_right_the_next_time(
    tmp_path: Path,
) -> None:
    mended: list[tuple[Access, Request]] = []
    async with AnthropicServer() as server, asking_at(tmp_path / "home", anthropic=server) as world:
        server.script(Script((thinks("Hm."), says("One."))))
        first = (await world.end(CLAUDE, COUNT)).message
        refusal = "messages.1.content.0: this thinking block is bound to a different conversation"
        server.script(
            Script(fault=Fault(status=400, message=refusal)),
            Script((thinks("So."), says("Two."))),
            Script((thinks("Ah."), says("Three."))),
        )
        talk = (*COUNT.messages, first, user("Go on."))
        events = await world.ask(
            CLAUDE,
            Request("", talk, 500),
            on_mended=lambda access, request: mended.append((access, request)),
        )
        second = events[-1]
        assert isinstance(second, Finished)
        ((_, sent),) = mended
        assert not any(
            isinstance(part, Thinking) for message in sent.messages for part in message.parts
        )

        kept = without_thoughts((*talk, second.message), before=len(talk))
        third = await world.end(CLAUDE, Request("", (*kept, user("And?")), 500))

    assert third.message.text == "Three."
    assert [exchange.refusal is None for exchange in server.exchanges[2:]] == [True, True]
    assert [
        [part["type"] for part in turn["content"]]
        for turn in server.last.json["messages"]
        if turn["role"] == "assistant"
    ] == [["text"], ["thinking", "text"]]


async def test_A30_a_model_that_is_gone_names_its_successor(tmp_path: Path) -> None:
    async with AnthropicServer() as server, asking_at(tmp_path / "home", anthropic=server) as world:
        end = await world.end("anthropic/claude-sonnet-4-0", COUNT)

    assert end.failure is not None
    assert (end.failure.kind, end.failure.message) == (
        "not_found",
        "model: claude-sonnet-4-0. Try anthropic/claude-sonnet-5-5 instead.",
    )


class OpenAi(ChatServer):
    """OpenAI, at both of its addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.responses = ResponsesServer()

    def reply(self, incoming: Incoming) -> Exchange:
        if incoming.path == "/v1/responses":
            return self.responses.reply(incoming)
        return super().reply(incoming)


READ = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {}})


async def test_C26_tools_and_thoughts_go_to_OpenAI_by_the_protocol_that_takes_both(
    tmp_path: Path,
) -> None:
    mended: list[Access] = []
    server = OpenAi()
    async with server, asking_at(tmp_path / "home", protocol="openai-chat", openai=server) as world:
        server.responses.answer(says("Here."))
        events = await world.ask(
            "openai/gpt-5.4",
            replace(COUNT, tools=(READ,)),
            on_mended=lambda access, _: mended.append(access),
        )

    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.failure, end.message.text) == (None, "Here.")
    assert [exchange.refusal is None for exchange in server.exchanges] == [False]
    assert [exchange.refusal for exchange in server.responses.exchanges] == [None]
    ((protocol, origin),) = [(item.provider.protocol, item.origin.protocol) for item in mended]
    assert (protocol, origin) == ("openai-responses", "openai-responses")


async def test_C26_a_server_that_has_one_protocol_only_names_the_other(tmp_path: Path) -> None:
    words = (
        "Function tools with reasoning_effort are not supported for x in /v1/chat/completions."
        " Please use /v1/responses instead."
    )
    async with (
        ChatServer(flavour="ollama") as server,
        asking_at(tmp_path / "home", ollama=server) as world,
    ):
        server.script(Fault(status=400, message=words))
        end = await world.end("ollama/qwen3:8b", COUNT)

    assert end.failure is not None
    assert (end.failure.kind, end.failure.message) == (
        "invalid_request",
        f'{words} Set "protocol": "openai-responses" for this provider.',
    )


async def test_a_server_that_wants_its_thoughts_back_gets_them_after_one_refusal(
    tmp_path: Path,
) -> None:
    mended: list[Access] = []
    server = ChatServer(flavour="deepseek")
    server.habits = replace(server.habits, open=True)
    async with server, asking_at(tmp_path / "home", vllm=server) as world:
        server.answer(thinks("Hm."), calls("read"))
        asked = replace(COUNT, tools=(READ,))
        first = await world.end("vllm/qwen3:8b", asked)
        (call,) = first.message.calls
        answered = user(ToolResult(call.id, call.name, (Text("It is empty."),)))
        server.answer(says("Empty."))
        events = await world.ask(
            "vllm/qwen3:8b",
            replace(asked, messages=(*COUNT.messages, first.message, answered)),
            on_mended=lambda access, _: mended.append(access),
        )

    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.failure, end.message.text) == (None, "Empty.")
    assert [exchange.refusal is None for exchange in server.exchanges] == [True, False, True]
    assert server.last.json["messages"][1]["reasoning_content"] == "Hm."
    assert [access.traits.echoes_reasoning for access in mended] == [True]


LONG = "read.a.file.by.its.very.long.name." + "x" * 60


@pytest.mark.parametrize("model", [CLAUDE, GEMINI])
async def test_Q22_a_tool_with_a_long_name_is_called_by_it(tmp_path: Path, model: str) -> None:
    async with (
        AnthropicServer() as claude,
        GeminiServer() as gemini,
        asking_at(tmp_path / "home", anthropic=claude, google=gemini) as world,
    ):
        for server in (claude, gemini):
            server.answer(calls(wire_name(LONG)))
        events = await world.ask(model, replace(COUNT, tools=(replace(READ, name=LONG),)))

    started = [event.name for event in events if isinstance(event, ToolCallStarted)]
    end = events[-1]
    assert isinstance(end, Finished)
    assert (started, [call.name for call in end.message.calls]) == ([LONG], [LONG])
