"""The user's own servers, as models.json names them: added, changed and removed without an editor.

Only the user's home is written. What else stands in the file stays as it is.
"""

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

import anyio
from pydantic import ValidationError

from recto.access.credentials import KeySource
from recto.access.models_file import (
    GATEWAY_ID,
    ModelEntry,
    ModelsFile,
    ProtocolId,
    ProviderEntry,
)
from recto.config import Secret
from recto.llm import PROVIDERS, FoundServer, Provider
from recto.messages import Failure

ID = re.compile(r"[a-z0-9][a-z0-9_.-]{0,59}")
CLOUD = frozenset(
    [GATEWAY_ID, *(provider.id for provider in PROVIDERS.values() if not provider.is_local)]
)
"""Providers that are no servers of the user's, whatever address they have in the file."""
LookAt = Callable[[str, Secret | None], Awaitable[FoundServer | Failure]]
"""Looks which server answers at an address, with a key if it wants one. Raises AddressRefused."""


class ServerRefused(Exception):
    """A server can't be kept like that."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NoSuchServer(ServerRefused):
    """There is no server of that id."""

    def __init__(self, server_id: str) -> None:
        super().__init__(f"There is no server {server_id!r}.", "It may have been removed.")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model of a server that is offered."""

    model: str
    name: str = ""
    """What people call it; empty: as the server does."""
    window: int | None = None


@dataclass(frozen=True, slots=True)
class OwnServer:
    """A server of the user's."""

    id: str
    name: str
    url: str
    protocol: ProtocolId = "openai-chat"
    key_name: str | None = None
    models: tuple[ServedModel, ...] = ()
    key_source: KeySource | None = None


def own_servers(
    file: ModelsFile, providers: Mapping[str, Provider], sources: Mapping[str, KeySource | None]
) -> tuple[OwnServer, ...]:
    """The servers that the file names, with the models that are offered of each."""
    named = dict.fromkeys((*file.providers, *(model.provider for model in file.models)))
    return tuple(
        OwnServer(
            id=id,
            name=providers[id].name,
            url=providers[id].url,
            protocol=_protocol(providers[id].protocol),
            key_name=providers[id].key_name,
            models=tuple(
                ServedModel(model.model, model.name, model.context_window)
                for model in file.models
                if model.provider == id
            ),
            key_source=sources.get(id),
        )
        for id in named
        if id not in CLOUD and providers[id].url
    )


def with_server(file: ModelsFile, server: OwnServer) -> ModelsFile:
    """The file with a server in place of the one of its id. Raises ServerRefused."""
    check_server(server)
    try:
        return _with_server(file, server)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ServerRefused(message, "Change it and save again.") from error


def _with_server(file: ModelsFile, server: OwnServer) -> ModelsFile:
    known = PROVIDERS.get(server.id)
    is_usual = known is not None and known.protocol == server.protocol
    entry = ProviderEntry(
        name=None if server.name == (known.name if known else server.id) else server.name,
        url=server.url,
        api_key_env=server.key_name,
        protocol=None if is_usual else server.protocol,
    )
    models = _with_models(file.models, server)
    kept = {model.id for model in models}
    gone = {model.id for model in file.models} - kept
    return file.model_copy(
        update={
            "providers": {**file.providers, server.id: entry},
            "models": models,
            "default": None if file.default in gone else file.default,
        }
    )


def without_server(file: ModelsFile, server_id: str) -> ModelsFile:
    """The file without a server and its models. Raises NoSuchServer."""
    models = [model for model in file.models if model.provider != server_id]
    if server_id in CLOUD or (server_id not in file.providers and models == file.models):
        raise NoSuchServer(server_id)
    gone = {model.id for model in file.models if model.provider == server_id}
    is_gone = file.default in gone or (file.default or "").startswith(f"{server_id}/")
    return file.model_copy(
        update={
            "providers": {
                id: provider for id, provider in file.providers.items() if id != server_id
            },
            "models": models,
            "default": None if is_gone else file.default,
        }
    )


async def find_running(
    look: LookAt, addresses: Sequence[str], known: Collection[str]
) -> tuple[FoundServer, ...]:
    """The servers that answer at these addresses and are not known yet, in this order."""
    answers: dict[str, FoundServer | Failure] = {}

    async def ask(address: str) -> None:
        answers[address] = await look(address, None)

    async with anyio.create_task_group() as tasks:
        for address in addresses:
            if address not in known:
                tasks.start_soon(ask, address)
    found = (answers.get(address) for address in addresses)
    return tuple(item for item in found if isinstance(item, FoundServer) and item.models)


def check_server(server: OwnServer) -> None:
    """Refuse what would send a key elsewhere, or hide a provider. Raises ServerRefused."""
    if server.id in CLOUD or server.id == "builtin":
        raise ServerRefused(f"{server.id!r} is a name of Recto's own.", "Choose another name.")
    if ID.fullmatch(server.id) is None:
        raise ServerRefused(
            f"{server.id!r} can't be an id.", "Use small letters, digits, dots and dashes."
        )
    owner = next(
        (provider for provider in PROVIDERS.values() if provider.key_name == server.key_name), None
    )
    # A typo in the address must not hand a cloud provider's key to a stranger.
    if server.key_name is not None and owner is not None and owner.id != server.id:
        raise ServerRefused(
            f"{server.key_name} is the key of {owner.name}, and is sent nowhere else.",
            "Give the key of this server a name of its own.",
        )


def _with_models(entries: Sequence[ModelEntry], server: OwnServer) -> list[ModelEntry]:
    """The entries with the ticked models of a server; those there were keep what they say."""
    wanted = {model.model: model for model in server.models}
    kept = [entry for entry in entries if entry.provider != server.id or entry.model in wanted]
    present = {item.model for item in kept if item.provider == server.id}
    taken = {item.id for item in kept}
    renamed = [
        item.model_copy(update={"name": wanted[item.model].name})
        if item.provider == server.id and wanted[item.model].name
        else item
        for item in kept
    ]
    added = [
        ModelEntry(
            id=_free(f"{server.id}/{item.model}", taken),
            name=item.name or item.model,
            provider=server.id,
            model=item.model,
            context_window=item.window,
        )
        for item in wanted.values()
        if item.model not in present
    ]
    return [*renamed, *added]


def _free(id: str, taken: set[str]) -> str:
    """An id that no other model has."""
    names = chain([id], (f"{id}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def _protocol(given: str) -> ProtocolId:
    match given:
        case "anthropic-messages" | "openai-responses" | "openai-chat" | "gemini":
            return given
        case _:
            raise AssertionError(f"no server speaks {given}")
