"""Providers that work as a model does: they look at what a client offers, and call its tools."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tests.fakes.providers import AnthropicServer, ChatServer, GeminiServer, ResponsesServer
from tests.fakes.providers.provider import Exchange
from tests.fakes.providers.scripts import Script, Step
from tests.fakes.providers.serving import HttpServer
from tests.fakes.providers.shapes import is_array, is_object


@dataclass(frozen=True, slots=True)
class Seen:
    """What a provider sees of a conversation, whichever protocol it came in."""

    tools: frozenset[str]
    results: tuple[str, ...]
    """What the tools answered so far."""
    text: str
    """Everything that was said."""


Work = Callable[[Seen], tuple[Step, ...]]
"""What the model does next."""


class AtWork(HttpServer, ABC):
    """A provider whose answers are decided by what it sees. Comes before the provider's class."""

    work: Work | None = None
    seen: list[Seen]

    def next_script(self, exchange: Exchange, default: Iterable[Step]) -> Script:
        """The steps that the work asks for."""
        if self.work is not None:
            seen = self.look(exchange.json)
            self.seen.append(seen)
            self.queue.append(Script(self.work(seen)))
        return super().next_script(exchange, default)

    def begin(self, work: Work) -> None:
        """Forget what was, and do this from now on."""
        self.forget()
        self.work, self.seen = work, []

    @abstractmethod
    def look(self, body: dict[str, Any]) -> Seen:
        """What a request says."""


class WorkingAnthropic(AtWork, AnthropicServer):
    """Anthropic Messages."""

    def look(self, body: dict[str, Any]) -> Seen:
        """Tools are in a list, results among the blocks of the user's turns."""
        blocks = [block for turn in body["messages"] for block in blocks_of(turn["content"])]
        return Seen(
            frozenset(tool["name"] for tool in body.get("tools") or ()),
            tuple(words_of(one) for one in blocks if one["type"] == "tool_result"),
            words_of(body["messages"]),
        )


class WorkingResponses(AtWork, ResponsesServer):
    """OpenAI Responses."""

    def look(self, body: dict[str, Any]) -> Seen:
        """Everything is an item."""
        items = blocks_of(body["input"])
        return Seen(
            frozenset(tool.get("name", tool["type"]) for tool in body.get("tools") or ()),
            tuple(words_of(one) for one in items if one.get("type") == "function_call_output"),
            words_of(items),
        )


class WorkingChat(AtWork, ChatServer):
    """OpenAI Chat Completions."""

    def look(self, body: dict[str, Any]) -> Seen:
        """Results are turns of their own."""
        turns = body["messages"]
        return Seen(
            frozenset(tool["function"]["name"] for tool in body.get("tools") or ()),
            tuple(words_of(turn) for turn in turns if turn["role"] == "tool"),
            words_of(turns),
        )


class WorkingGemini(AtWork, GeminiServer):
    """Gemini."""

    def look(self, body: dict[str, Any]) -> Seen:
        """Results are parts of the user's turns."""
        parts = [part for turn in body["contents"] for part in turn["parts"]]
        declared = [one for tool in body.get("tools") or () for one in tool["functionDeclarations"]]
        return Seen(
            frozenset(one["name"] for one in declared),
            tuple(words_of(part) for part in parts if "functionResponse" in part),
            words_of(body["contents"]),
        )


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """Content as a list, also where it is only words."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def words_of(value: Any) -> str:
    """Every text inside a value."""
    if isinstance(value, str):
        return value
    if is_object(value):
        return "\n".join(words_of(one) for one in value.values())
    if is_array(value):
        return "\n".join(words_of(one) for one in value)
    return ""
