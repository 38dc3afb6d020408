"""The ways to a model: over the network, or in a process of our own."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from recto import llm
from recto.access.access import BUILTIN, GATEWAY, Access
from recto.access.gateway_session import GatewaySession, decode, key_refused
from recto.clock import Clock
from recto.config import Home, Secret
from recto.llm import (
    DownloadRequest,
    FoundServer,
    HiddenKey,
    Provider,
    Record,
    Timeouts,
    load_protocol,
    look_at,
    read_model_list,
)
from recto.messages import Failure, Finished, Message, Request, StreamEvent

if TYPE_CHECKING:
    from recto.llm import BuiltinModel, Transport

GLANCE = Timeouts(first_s=5, idle_s=5, total_s=10)
"""How long a server may take to say what it has: somebody waits for it."""


class ModelConnections:
    """The ways to a model: over the network, or in a process of our own.

    Each is loaded when it is first taken: most starts ask nothing.
    """

    def __init__(self, home: Home, clock: Clock) -> None:
        self._transport: Transport | None = None
        self._local: dict[str | None, BuiltinModel] = {}
        self.gateway = GatewaySession(home, clock, self._ask_gateway)

    @property
    def transport(self) -> "Transport":
        """The way over the network."""
        if self._transport is None:
            self._transport = llm.Transport()
        return self._transport

    def local(self, path: str | None) -> "BuiltinModel":
        """The way to a model of this computer: that of a file, or the built-in one."""
        if path not in self._local:
            self._local[path] = llm.BuiltinModel(Path(path) if path else None)
        return self._local[path]

    async def send(
        self, access: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        """Carry a request to the model it is for."""
        if access.provider.id == BUILTIN.id:
            events = self.local(access.path).stream(request, record=record)
        elif access.provider.id == GATEWAY.id:
            events = self._send_by_gateway(access, request, record)
        else:
            events = self._send_by_network(access, request, record)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    def _send_by_network(
        self, access: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        endpoint = access.provider.endpoint(access.key)
        return self.transport.stream(endpoint, request, access.traits, access.origin, record=record)

    async def _send_by_gateway(
        self, access: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        """Ask with the token of now; one that was ended meanwhile is renewed once."""
        refused: Secret | None = None
        while True:
            token = await self.gateway.token(refused=refused)
            if isinstance(token, Failure):
                yield Finished("error", Message("assistant", ()), None, token)
                return
            events = self._send_by_network(replace(access, key=token), request, record)
            is_refused = False
            async with aclosing(events):
                async for event in events:
                    # Nothing is told before a refusal: the request was not even read.
                    is_refused = isinstance(event, Finished) and is_unknown(event.failure)
                    if not is_refused or refused is not None:
                        yield event
            if not is_refused or refused is not None:
                return
            account = self.gateway.account()
            if account is not None and account.key is not None:
                yield Finished("error", Message("assistant", ()), None, key_refused(account))
                return
            refused = token

    async def list_models(self, provider: Provider, key: Secret | None) -> frozenset[str] | Failure:
        """Ask a provider which models it has."""
        if provider.id == GATEWAY.id:
            token = await self.gateway.token()
            if isinstance(token, Failure):
                return token
            key = token
        found = await self.transport.get(provider.endpoint(key), provider.models_path)
        return found if isinstance(found, Failure) else read_model_list(found)

    async def try_key(self, provider: Provider, key: Secret) -> Failure | None:
        """Ask a provider whether it takes a key; None: it does."""
        path = provider.key_path or provider.models_path
        found = await self.transport.get(provider.endpoint(key), path)
        return found if isinstance(found, Failure) else None

    async def look_at(self, url: str, key: Secret | None) -> FoundServer | Failure:
        """What answers at an address. Raises AddressRefused."""
        return await look_at(self._glance, url, key)

    async def fetch_file(
        self, wanted: DownloadRequest, place: Path, on_progress: Callable[[int], None]
    ) -> None:
        """Put a model's file at its place. Raises DownloadFailed."""
        await llm.fetch_file(self.transport, wanted, place, on_progress)

    async def _glance(
        self, provider: Provider, key: HiddenKey | None, path: str
    ) -> bytes | Failure:
        return await self.transport.get(provider.endpoint(key), path, GLANCE)

    async def _ask_gateway(
        self,
        provider: Provider,
        key: Secret | None,
        method: Literal["GET", "POST", "DELETE"],
        path: str,
        body: object,
    ) -> Any:
        """The JSON that the gateway answers, or the Failure that says why there is none."""
        sent = b"" if body is None else json.dumps(body).encode()
        endpoint = provider.endpoint(key)
        found = await self.transport.ask(endpoint, method, path, sent, timeouts=GLANCE)
        return found if isinstance(found, Failure) else decode(found[1])

    async def close(self) -> None:
        """End every connection and the models of this computer."""
        if self._transport is not None:
            await self._transport.close()
        for model in self._local.values():
            await model.close()


def is_unknown(failure: Failure | None) -> bool:
    """Whether a gateway does not know a token, or not any more."""
    return failure is not None and failure.kind == "auth" and failure.status == 401


def mend(access: Access, failure: Failure, request: Request) -> tuple[Access, Request] | None:
    """What the protocol says to try once more with: less, or another protocol of the provider."""
    if access.provider.id == BUILTIN.id:
        return None
    protocol = load_protocol(access.provider.protocol)
    # Some models of a provider speak only its newer protocol, and say so when asked by the other.
    other = protocol.elsewhere(failure)
    if other in access.provider.speaks:
        return with_protocol(other, access), request
    found = protocol.mend(failure, request, access.traits)
    return None if found is None else (replace(access, traits=found[1]), found[0])


def with_protocol(protocol: str, access: Access) -> Access:
    """The same model by another protocol. What it said by the first is not its own there."""
    return replace(
        access,
        provider=replace(access.provider, protocol=protocol),
        origin=replace(access.origin, protocol=protocol),
    )
