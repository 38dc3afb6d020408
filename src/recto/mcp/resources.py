"""Resources, prompts and completions of servers, as values."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ServerResource:
    """Something that can be read of a server."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    media_type: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class ResourceTemplate:
    """Many resources, by the parts of their addresses."""

    uri_template: str
    name: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class ServerResources:
    """What can be read of a server."""

    items: tuple[ServerResource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadResource:
    """A resource, read."""

    uri: str
    text: str
    media_type: str | None
    is_cut: bool


@dataclass(frozen=True, slots=True)
class ReadApp:
    """An app, read: its HTML, and what the server says of it."""

    html: str
    meta: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """What a prompt wants to know."""

    name: str
    description: str
    required: bool


@dataclass(frozen=True, slots=True)
class ServerPrompt:
    """Words that a server has ready."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]


@dataclass(frozen=True, slots=True)
class MessageOffers:
    """What a message can take of a server: resources to mention, and prompts."""

    resources: ServerResources = ServerResources()
    prompts: tuple[ServerPrompt, ...] = ()
    problem: str = ""
    """Why it told nothing; empty when it did."""


@dataclass(frozen=True, slots=True)
class Completions:
    """What an argument could be."""

    values: tuple[str, ...]
    has_more: bool = False
