"""The JSON about the user's own model servers and the model files of this computer."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from recto.server.schemas.base import Schema
from recto.server.schemas.models import KeyName

Protocol = Literal["anthropic-messages", "openai-responses", "openai-chat", "gemini"]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$")]
ServerId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,59}$")]
Name = Annotated[Line, StringConstraints(min_length=1, max_length=200)]
Address = Annotated[Line, StringConstraints(min_length=1, max_length=2000)]


class ServerModel(Schema):
    """A model of a server that is offered."""

    model: Name
    name: Annotated[Line, StringConstraints(max_length=200)] = ""
    """What people call it; empty: as the server does."""
    window: Annotated[int, Field(ge=1, le=100_000_000)] | None = None


class ServerBody(Schema):
    """A server as it is to be: only the models that are named are offered."""

    name: Name
    url: Address
    protocol: Protocol = "openai-chat"
    key_name: KeyName | None = None
    models: list[ServerModel] = Field(default_factory=list[ServerModel], max_length=1000)
    id: ServerId | None = None
    """As it was answered; the one of the address counts."""
    key_source: Literal["environment", "keys.env"] | None = None
    """As it was answered; it is not kept."""


class Server(Schema):
    """A server of the user's own, with the models that are offered of it."""

    id: ServerId
    name: str
    url: str
    protocol: Protocol
    key_name: str | None
    key_source: Literal["environment", "keys.env"] | None
    models: list[ServerModel]


class ServerList(Schema):
    """The user's own servers."""

    items: list[Server]


class AnsweringModel(Schema):
    """A model as a server lists it."""

    model: str
    window: int | None
    is_chat: bool
    """False for one that only makes vectors of texts."""


class AnsweringServer(Schema):
    """A server that answers at an address, and what it has."""

    id: str
    """The kind of server, or an id for it."""
    name: str
    url: str
    models: list[AnsweringModel]


class AnsweringServers(Schema):
    """Servers that run on this computer and are not used yet."""

    items: list[AnsweringServer]


class LookedAt(Schema):
    """An address to look at; with a key that is set, or one that is not kept."""

    url: Address
    key_name: KeyName | None = None
    key: Annotated[SecretStr, Field(min_length=1, max_length=4096)] | None = None


class FetchableModel(Schema):
    """A model that can be fetched and run on this computer."""

    id: str
    model_id: str
    """What it is called among all models, once it is there."""
    name: str
    about: str
    bytes: int
    memory_bytes: int
    licence: str
    page: str | None
    sha256: str
    state: Literal["absent", "fetching", "paused", "failed", "ready"]
    done_bytes: int
    problem: str


class OwnModelFile(Schema):
    """A model file that lies anywhere on this computer."""

    id: str
    model_id: str
    name: str
    path: str


class LocalModelList(Schema):
    """What can be fetched, and which other files are used."""

    items: list[FetchableModel]
    own: list[OwnModelFile]
    free_bytes: int
    """How much room the disk has."""


class NewModelFile(Schema):
    """A GGUF file of this computer; it stays where it is."""

    path: Annotated[Line, StringConstraints(min_length=1, max_length=4096)]
