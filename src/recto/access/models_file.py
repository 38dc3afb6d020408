"""models.json: which models are offered, at which addresses, at which prices.

The file in the Recto home is the user's word. The one in a workspace comes with the folder, perhaps
from a stranger: it may choose among the user's models and rename them, nothing else.
"""

from collections.abc import Collection
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from recto.access.json_file import JsonSection, load_json, mistake, parse_json, write_json
from recto.config import ConfigFailure, Home
from recto.llm import check_address

FILE = "models.json"
WORKSPACE_FILE = ".recto/models.json"
WORKSPACE_FILE_MAX_BYTES = 1_000_000
BUILTIN_ID = "builtin"
GATEWAY_ID = "gateway"

ThinkingLevel = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
ProtocolId = Literal["anthropic-messages", "openai-responses", "openai-chat", "gemini"]


def _address(url: str) -> str:
    """An address that a request can be sent to."""
    check_address(url)
    if not url.isprintable() or " " in url or "\\" in url:
        raise ValueError("The address has characters that an address can't have.")
    return url.rstrip("/")


def _name(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("This must be text on one line.")
    return text


Address = Annotated[str, AfterValidator(_address)]
Words = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_name)]
Dollars = Annotated[Decimal, Field(strict=False, ge=0, le=1_000_000, max_digits=20)]
Tokens = Annotated[int, Field(ge=1, le=100_000_000)]


class PriceEntry(JsonSection):
    """Dollars per million tokens. What is left out costs as much as plain input."""

    input: Dollars
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None


class ModelEntry(JsonSection):
    """One model that is offered."""

    id: Words
    name: Words
    provider: Words
    model: Words
    thinking: ThinkingLevel | None = None
    context_window: Tokens | None = None
    max_output: Tokens | None = None
    price: PriceEntry | None = None
    path: Words | None = None
    """A GGUF file, of a model that runs on this computer; in the Recto home, or absolute."""


class ProviderEntry(JsonSection):
    """Where a provider is reached, and how it is spoken to."""

    name: Words | None = None
    url: Address | None = None
    api_key_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")] | None = None
    protocol: ProtocolId | None = None


class ModelsFile(JsonSection):
    """The file in the Recto home."""

    default: Words | None = None
    models: list[ModelEntry] = []
    providers: dict[str, ProviderEntry] = {}


class RenamedModel(JsonSection):
    """A model of the user's, perhaps under another name."""

    id: Words
    name: Words | None = None


class WorkspaceModels(JsonSection):
    """The file in a workspace."""

    default: Words | None = None
    models: list[RenamedModel] = []


def load_models(home: Home, *, known_providers: Collection[str]) -> ModelsFile:
    """Read the home's file; a missing one is empty."""
    file = home.folder / FILE
    found = load_json(file, ModelsFile)
    if found != ModelsFile():
        check(found, file.read_text(encoding="utf-8"), str(file), known_providers)
    return found


def save_models(home: Home, models: ModelsFile, *, known_providers: Collection[str]) -> None:
    """Write the home's file whole, if it would be read again without a mistake."""
    data = write_json(models)
    # Read back before it replaces the file: a broken one would lock the user out at the next start.
    parsed = parse_json(data.decode(), FILE, ModelsFile)
    check(parsed, data.decode(), FILE, known_providers)
    home.replace(home.folder / FILE, data)


def check(models: ModelsFile, text: str, file: str, known_providers: Collection[str]) -> None:
    """What only the whole file can show: double ids, providers nobody knows."""
    providers = {*known_providers, *models.providers}
    for name, provider in models.providers.items():
        if name == GATEWAY_ID:
            words = "'gateway' is Recto's own name for the one you sign in to with: recto login URL"
            remedy = "Give the provider another name."
            raise mistake(text, file, ("providers", name), words, remedy)
        if name not in known_providers and (provider.url is None or provider.protocol is None):
            words = f"the provider {name!r} needs a url and a protocol"
            raise mistake(text, file, ("providers", name), words, _PROTOCOLS)
    seen: set[str] = set()
    for place, model in enumerate(models.models):
        if model.id in seen:
            words = f"the id {model.id!r} is taken by a model above"
            raise mistake(text, file, ("models", place, "id"), words, "Give it another id.")
        if model.path is not None and model.provider != BUILTIN_ID:
            words = "only a model of the provider 'builtin' has a path"
            raise mistake(text, file, ("models", place, "path"), words, "Remove it.")
        if model.provider not in providers:
            words = f"there is no provider {model.provider!r}"
            remedy = f"Known: {', '.join(sorted(providers))}. Or add it under providers."
            raise mistake(text, file, ("models", place, "provider"), words, remedy)
        seen.add(model.id)


_PROTOCOLS = "Protocols: anthropic-messages, openai-responses, openai-chat, gemini."


def read_workspace_models(text: str, *, known: Collection[str], home_file: Path) -> WorkspaceModels:
    """Check the text of a workspace's file against the ids that the user has.

    Raises:
        ConfigFailure: it says more than which model and under which name.
    """
    try:
        found = parse_json(text, WORKSPACE_FILE, WorkspaceModels)
    except ConfigFailure as failure:
        raise ConfigFailure(
            failure.message,
            "A workspace may only choose models by id and rename them; "
            f"addresses, keys and prices belong in {home_file}.",
        ) from failure
    places = [(("default",), found.default)]
    places += [(("models", place, "id"), model.id) for place, model in enumerate(found.models)]
    for location, id in places:
        if id is not None and id not in known:
            words = f"there is no model {id!r}"
            remedy = f"Add it to {home_file}, or choose another."
            raise mistake(text, WORKSPACE_FILE, location, words, remedy)
    return found
