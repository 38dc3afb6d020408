"""The models Recto knows, as data: what each can do, how much it takes, when it goes.

Nothing here compares model names: a model is looked up by the longest prefix that data/models.json
has for its provider, and an unknown one gets its provider's plain defaults.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from difflib import get_close_matches
from importlib import resources
from typing import Any, Literal

from recto.llm import Traits
from recto.messages import Effort

Strategy = Literal["chat", "ghost", "cheapest"]

# Whose habits a server has that speaks a protocol at an address of the user's own.
BY_PROTOCOL = {"anthropic-messages": "anthropic", "openai-responses": "openai", "gemini": "google"}
PLAIN = "*"


@dataclass(frozen=True, slots=True)
class Family:
    """What a group of models has in common."""

    window: int
    """How many tokens prompt and answer may have together."""
    max_output: int
    effort: Effort | None
    """How hard they think unless told; None where there is nothing to tell."""
    traits: Traits


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that is offered by name."""

    provider: str
    model: str
    name: str
    retires: date | None = None
    is_gone: bool = False
    successor: str | None = None
    note: str = ""
    transforms: frozenset[str] | None = None
    """The quick transforms that it does well enough, by a benchmark; None: not measured."""

    @property
    def id(self) -> str:
        """What it is called where models of all providers stand together."""
        return f"{self.provider}/{self.model}"

    def is_retired(self, today: date) -> bool:
        """Whether its provider answers no more."""
        return self.is_gone or (self.retires is not None and self.retires <= today)


class Catalogue:
    """All that the data says."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._defaults: Mapping[str, Any] = data["defaults"]
        self._families: Mapping[str, Mapping[str, Any]] = data["families"]
        self.strategies: Mapping[Strategy, tuple[str, ...]] = {
            name: tuple(ids) for name, ids in data["strategies"].items()
        }
        self.models = tuple(
            _known(provider, row) for provider, rows in data["models"].items() for row in rows
        )
        self._by_id = {model.id: model for model in self.models}

    def family(self, provider: str, model: str, *, protocol: str = "") -> Family:
        """What is known of a model: its family's data, or its provider's defaults."""
        name = provider if provider in self._defaults else BY_PROTOCOL.get(protocol, PLAIN)
        families = self._families.get(name, {})
        # Names carry dates and sizes at their end; the longest prefix is the closest family.
        prefixes = [prefix for prefix in families if model.lower().startswith(prefix)]
        rows = [self._defaults[name]]
        if prefixes:
            rows += _lineage(families, max(prefixes, key=len))
        found = _family(rows)
        if name == provider:
            return found
        # Others that speak its protocol have no search of their own.
        return replace(found, traits=replace(found.traits, tool_search=False))

    def known(self, id: str) -> KnownModel | None:
        """A model that is offered by name, if it is one."""
        return self._by_id.get(id)

    def instead_of(self, provider: str, model: str, today: date) -> str | None:
        """Whom to ask when a provider does not know a model: its successor, or the nearest name."""
        own = [item for item in self.models if item.provider == provider]
        if found := self._by_id.get(f"{provider}/{model}"):
            return f"{provider}/{found.successor}" if found.successor else None
        near = get_close_matches(model.lower(), [item.model for item in own], n=1)
        return self.current(f"{provider}/{near[0]}", today) if near else None

    def current(self, id: str, today: date) -> str:
        """The id itself, or that of whoever came after it when it is gone."""
        seen = {id}
        while (model := self._by_id.get(id)) and model.successor and model.is_retired(today):
            id = f"{model.provider}/{model.successor}"
            # A circle in the data must not hang the start.
            if id in seen:
                break
            seen.add(id)
        return id


def load_catalogue() -> Catalogue:
    """The catalogue that came with this Recto."""
    file = resources.files("recto.access") / "data" / "models.json"
    return Catalogue(json.loads(file.read_text(encoding="utf-8")))


def _known(provider: str, row: Mapping[str, Any]) -> KnownModel:
    retires = date.fromisoformat(row["retires"]) if "retires" in row else None
    return KnownModel(
        provider=provider,
        model=row["model"],
        name=row["name"],
        retires=retires,
        is_gone=row.get("gone", False),
        successor=row.get("successor"),
        note=row.get("note", ""),
        transforms=frozenset(row["transforms"]) if "transforms" in row else None,
    )


def _lineage(families: Mapping[str, Any], prefix: str) -> list[Mapping[str, Any]]:
    """A family's rows, the one it is like before its own."""
    row = families[prefix]
    return [*(_lineage(families, row["like"]) if "like" in row else []), row]


def _family(rows: list[Mapping[str, Any]]) -> Family:
    """Rows laid over each other, the last on top."""
    merged: dict[str, Any] = {"effort": None}
    traits: dict[str, Any] = {}
    for row in rows:
        merged |= row
        traits |= row.get("traits", {})
    return Family(merged["window"], merged["maxOutput"], merged["effort"], _traits(traits))


def _traits(given: Mapping[str, Any]) -> Traits:
    unknown = given.keys() - {field.name for field in fields(Traits)}
    if unknown:
        raise ValueError(f"data/models.json names traits nobody has: {', '.join(sorted(unknown))}")
    values: dict[str, Any] = {**given, "efforts": tuple(given.get("efforts", ()))}
    return Traits(**values)
