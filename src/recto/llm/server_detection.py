"""Looks at an address: which kind of model server answers there, and which models it has."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from recto.llm.endpoint import HiddenKey
from recto.llm.model_list import ListedModel, is_tag_list, read_listed
from recto.llm.providers import LLAMA_CPP, LM_STUDIO, OLLAMA, VLLM, Provider, compatible
from recto.messages import Failure

TAGS = "/api/tags"
"""Where Ollama says more of its models."""
# Each kind of server names itself as the owner of what it lists.
BY_OWNER = {"library": OLLAMA, "organization_owner": LM_STUDIO, "vllm": VLLM, "llamacpp": LLAMA_CPP}
Get = Callable[[Provider, HiddenKey | None, str], Awaitable[bytes | Failure]]
"""Asks a server for what stands at a path."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answers, and its models."""

    provider: Provider
    """Its kind, at its own address."""
    models: tuple[ListedModel, ...]


async def look_at(get: Get, url: str, key: HiddenKey | None = None) -> FoundServer | Failure:
    """What answers at an address. Raises AddressRefused."""
    plain = compatible("server", url)
    body = await get(plain, key, plain.models_path)
    listed = body if isinstance(body, Failure) else read_listed(body)
    kind = None if isinstance(listed, Failure) else kind_of(listed)
    if kind in (None, OLLAMA):
        root = url.rstrip("/").removesuffix("/v1")
        tags = await get(compatible("server", root), key, TAGS)
        told = read_listed(tags) if not isinstance(tags, Failure) and is_tag_list(tags) else None
        if told is not None and not isinstance(told, Failure):
            return FoundServer(replace(OLLAMA, url=root), told)
    if isinstance(listed, Failure):
        return listed
    return FoundServer(replace(kind or plain, url=url), listed)


def kind_of(listed: tuple[ListedModel, ...]) -> Provider | None:
    """Which kind of server lists these models; None when they don't tell."""
    owners = {item.owner for item in listed}
    return BY_OWNER.get(owners.pop()) if len(owners) == 1 else None
