"""What the random chats found, each as a small case of its own."""

import json
from dataclasses import replace

import pytest

from recto.access import load_catalogue
from recto.context import bind, prepare
from recto.llm import PROTOCOL_IDS, Frame, Traits, load_protocol
from recto.messages import (
    Document,
    Finished,
    Image,
    Message,
    Origin,
    ProviderData,
    Request,
    Thinking,
    ToolCall,
    ToolChoice,
    ToolResult,
    ToolSpec,
    assistant,
    user,
)
from tests.fakes.providers import AnthropicServer, Fault, Incoming, Script, says, thinks

READS = Traits(documents=True)
MODEL = "claude-sonnet-5-5"
HERE = Origin("anthropic-messages", "a", MODEL)
TOOL = ToolSpec("run", "Runs it.", {"type": "object", "properties": {}})
EMPTY = [Image("image/png", b""), Document("application/pdf", b"", "a.pdf")]


def lowered(request: Request, protocol: str = "anthropic-messages", traits: Traits = READS) -> str:
    """The body of a request."""
    wire = load_protocol(protocol).lower(request, traits, replace(HERE, protocol=protocol))
    return wire.body.decode()


def answered(server: AnthropicServer, request: Request, traits: Traits) -> Message:
    """What a strict server answers to a request, which it must accept."""
    ready = prepare(request, HERE, binds_prefix=True)
    wire = load_protocol("anthropic-messages").lower(ready, traits, HERE)
    headers = {**wire.headers, "x-api-key": "test-key"}
    exchange = server.reply(Incoming("POST", wire.path, headers, wire.body))
    assert exchange.refusal is None, exchange.refusal.body
    end = load_protocol("anthropic-messages").read_whole(exchange.reply.body, HERE)[-1]
    assert isinstance(end, Finished)
    return bind(end.message, ready)


@pytest.mark.parametrize("protocol", PROTOCOL_IDS)
@pytest.mark.parametrize("file", EMPTY, ids=["image", "document"])
def test_an_empty_file_is_told_in_words(protocol: str, file: Image | Document) -> None:
    assert "left out" in lowered(Request("m", (user(file),), 100), protocol)
    result = ToolResult("c1", "run", (file,))
    called = (user("x"), assistant(ToolCall("c1", "run", {})), user(result))
    assert "left out" in lowered(Request("m", called, 100), protocol)


def test_a_tool_that_can_not_be_forced_keeps_the_thoughts_bound_to_the_tools() -> None:
    server, traits = AnthropicServer(), load_catalogue().family("anthropic", MODEL).traits
    first = Request(MODEL, (user("one"),), 100, tools=(TOOL,), stream=False)
    answer = answered(server, first, traits)
    forced = replace(
        first,
        messages=(*first.messages, answer, user("two")),
        tool_choice=ToolChoice("one", "run"),
    )
    assert answered(server, forced, traits).text == "{}"
    sent = json.loads(server.last.incoming.body)
    assert sent["messages"][1]["content"][0]["type"] == "thinking"


def test_thoughts_are_bound_to_the_tools_that_the_history_names() -> None:
    server, traits = AnthropicServer(), load_catalogue().family("anthropic", MODEL).traits
    first = Request(MODEL, (user("one"),), 100, stream=False)
    answer = answered(server, first, traits)
    foreign = (assistant(ToolCall("c1", "run", {})), user(ToolResult("c1", "run", ())))
    # Without tools of its own, the request now tells the model of `run`.
    later = replace(first, messages=(*first.messages, answer, user("two"), *foreign))
    answered(server, later, traits)
    sent = json.loads(server.last.incoming.body)
    assert [block["type"] for block in sent["messages"][1]["content"]] == ["text"]


def test_a_signature_is_not_kept_on_thoughts_that_came_mixed_with_words() -> None:
    server = AnthropicServer()
    fault = Fault(traps=frozenset({"interleaved"}))
    server.script(Script((thinks("Hm. ", "Well."), says("Hi", ".")), fault=fault))
    body = {"model": "claude-opus-5", "max_tokens": 99, "stream": True}
    body |= {"messages": [{"role": "user", "content": "hi"}], "thinking": {"type": "adaptive"}}
    headers = {"x-api-key": "test-key", "anthropic-version": "2023-06-01"}
    told = server.reply(Incoming("POST", "/v1/messages", headers, json.dumps(body).encode()))
    reader = load_protocol("anthropic-messages").reader(HERE)
    lines = [line for line in told.reply.body.split(b"\n") if line.startswith(b"data: ")]
    events = [event for line in lines for event in reader.feed(Frame("", line[6:]))]
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.message.text == "Hi."
    assert [part for part in end.message.parts if signed(part)] == []


def signed(part: object) -> ProviderData | None:
    """The provider data of a thought."""
    return part.provider if isinstance(part, Thinking) else None


@pytest.mark.parametrize(
    ("provider", "model", "trait", "value"),
    [
        # LM Studio takes "required", but no tool by its name.
        ("lmstudio", "qwen3:8b", "forced_tool", False),
        ("deepseek", "deepseek-chat", "echoes_reasoning", True),
        ("google", "gemini-2.5-pro", "result_images", False),
        ("google", "gemini-2.0-flash", "result_images", False),
        ("google", "gemma-3-27b-it", "result_images", False),
        ("google", "gemini-3.8-flash", "result_images", True),
    ],
)
def test_the_catalogue_knows_what_a_server_refuses(
    provider: str, model: str, trait: str, value: bool
) -> None:
    traits = load_catalogue().family(provider, model).traits
    assert getattr(traits, trait) is value
