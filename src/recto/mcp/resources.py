"""Resources, prompts and completions of servers, as values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

MAX_URI = 2000
"""The longest address that a message can mention."""
MAX_SHOWN = 300
MOST_ARGUMENTS = 50


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


Offer = TypeVar("Offer", ServerResource, ResourceTemplate, ServerPrompt)


@dataclass(frozen=True, slots=True)
class MessageOffers:
    """What a message can take of a server: resources to mention, and prompts."""

    resources: ServerResources = ServerResources()
    prompts: tuple[ServerPrompt, ...] = ()
    problem: str = ""
    """Why it told nothing; empty when it did."""


def message_offers(found: ServerResources, prompts: Sequence[ServerPrompt]) -> MessageOffers:
    """What of all that a server says a message can use, with no more words than a menu shows."""
    return MessageOffers(
        ServerResources(
            tuple(short(item) for item in found.items if len(item.uri) <= MAX_URI),
            tuple(short(item) for item in found.templates if len(item.uri_template) <= MAX_URI),
        ),
        tuple(
            replace(short(prompt), arguments=prompt.arguments[:MOST_ARGUMENTS])
            for prompt in prompts
            if len(prompt.name) <= MAX_SHOWN
        ),
    )


def short(offer: Offer) -> Offer:
    """The same, said shortly."""
    title = (offer.title or offer.name)[:MAX_SHOWN]
    return replace(offer, title=title, description=offer.description[:MAX_SHOWN])


@dataclass(frozen=True, slots=True)
class Completions:
    """What an argument could be."""

    values: tuple[str, ...]
    has_more: bool = False
