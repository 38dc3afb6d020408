"""Strict local provider servers: they speak the real wire formats and refuse what is refused.

`async with AnthropicServer() as server:` listens on loopback at `server.url`. Without a socket,
`server.reply(Incoming(...))` judges and answers one call. `server.answer(says("Hi"))` scripts the
next answer, `server.script(Fault(status=429))` a bad one; `server.last` is the newest exchange.
"""

from tests.fakes.providers.anthropic_server import AnthropicServer
from tests.fakes.providers.chat_server import ChatServer
from tests.fakes.providers.faults import Fault, Gate
from tests.fakes.providers.gemini_server import GeminiServer
from tests.fakes.providers.provider import Exchange, Incoming, Provider, Refusal, Reply
from tests.fakes.providers.responses_server import ResponsesServer
from tests.fakes.providers.scripts import (
    Decline,
    OwnBlock,
    RawFrame,
    Say,
    Script,
    Step,
    Think,
    Tokens,
    UseTool,
    calls,
    says,
    thinks,
)

__all__ = [
    "AnthropicServer",
    "ChatServer",
    "Decline",
    "Exchange",
    "Fault",
    "Gate",
    "GeminiServer",
    "Incoming",
    "Provider",
    "OwnBlock",
    "RawFrame",
    "Refusal",
    "Reply",
    "ResponsesServer",
    "Say",
    "Script",
    "Step",
    "Think",
    "Tokens",
    "UseTool",
    "calls",
    "says",
    "thinks",
]
