"""What one server offers besides tools, asked for over its connection."""

import importlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal

import anyio

from recto.mcp.failures import ServerUnavailable
from recto.mcp.resources import (
    Completions,
    MessageOffers,
    ReadApp,
    ReadResource,
    ServerPrompt,
    ServerResources,
    message_offers,
)
from recto.mcp.server_services import load_session

if TYPE_CHECKING:
    from recto.mcp.connection import McpConnection


MESSAGE_S = 5.0
"""How long somebody who writes a message waits for what a server offers."""


class ServerOffers:
    """Resources, prompts, completions and apps of a server. What asks raises ServerUnavailable."""

    def __init__(self, name: str, connected: Callable[[], Awaitable["McpConnection"]]) -> None:
        self._name = name
        self._connected = connected

    async def resources(self) -> ServerResources:
        """What can be read of it."""
        return await self._asked("list_resources")

    async def read_resource(self, uri: str) -> ReadResource:
        """One of its resources, as text."""
        return await self._asked("read_resource", uri)

    async def raw_resource(self, uri: str) -> dict[str, Any]:
        """One of its resources, in the words of the protocol."""
        return await self._asked("raw_resource", uri)

    async def read_app(self, uri: str) -> ReadApp:
        """One of its apps."""
        return await self._asked("read_app", uri)

    async def prompts(self) -> tuple[ServerPrompt, ...]:
        """The words that it has ready."""
        return await self._asked("list_prompts")

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> str:
        """One of its prompts, as words to send."""
        return await self._asked("get_prompt", name, arguments)

    async def complete(
        self,
        kind: Literal["prompt", "resource"],
        name: str,
        argument: str,
        value: str,
        known: dict[str, str],
    ) -> Completions:
        """What an argument of a prompt or of a resource's address could be."""
        return await self._asked("complete", kind, name, argument, value, known)

    async def for_message(self) -> MessageOffers:
        """What a message can take of it, or why it did not tell. Raises nothing."""
        try:
            with anyio.fail_after(MESSAGE_S):
                return message_offers(await self.resources(), await self.prompts())
        except TimeoutError:
            return MessageOffers(problem="It does not answer.")
        except ServerUnavailable as unavailable:
            return MessageOffers(problem=unavailable.message)

    async def _asked(self, question: str, *given: object) -> Any:
        connection = await self._connected()
        offers = importlib.import_module("recto.mcp.offers")
        session = load_session()
        try:
            return await getattr(offers, question)(connection, *given)
        except session.EXPECTED as error:
            raise ServerUnavailable(self._name, f"failed: {session.words_of(error)}") from error
