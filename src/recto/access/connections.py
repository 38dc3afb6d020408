"""The ways to a model: over the network, or in a process of our own."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recto import llm
from recto.access.access import BUILTIN, Access
from recto.config import Secret
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
from recto.messages import Failure, Request, StreamEvent

if TYPE_CHECKING:
    from recto.llm import BuiltinModel, Transport

GLANCE = Timeouts(first_s=5, idle_s=5, total_s=10)
"""How long a server may take to say what it has: somebody waits for it."""


class ModelConnections:
    """The ways to a model: over the network, or in a process of our own.

    Each is loaded when it is first taken: most starts ask nothing.
    """

    def __init__(self) -> None:
        self._transport: Transport | None = None
        self._local: dict[str | None, BuiltinModel] = {}

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
        else:
            endpoint = access.provider.endpoint(access.key)
            events = self.transport.stream(
                endpoint, request, access.traits, access.origin, record=record
            )
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def list_models(self, provider: Provider, key: Secret | None) -> frozenset[str] | Failure:
        """Ask a provider which models it has."""
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

    async def close(self) -> None:
        """End every connection and the models of this computer."""
        if self._transport is not None:
            await self._transport.close()
        for model in self._local.values():
            await model.close()


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
