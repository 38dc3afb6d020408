"""What a server is told to answer: steps in nobody's dialect, spoken by each server in its own."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.providers.faults import Fault
from tests.fakes.providers.shapes import inside, is_array, is_object


@dataclass(frozen=True, slots=True)
class Say:
    """Words, in these pieces."""

    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Think:
    """Thinking, in these pieces. Left out where the request or the model does not think."""

    pieces: tuple[str, ...]
    redacted: bool = False
    """Anthropic: a redacted_thinking block."""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class UseTool:
    """A tool call; `pieces` is its JSON text, whole or broken. Without `id`, one is drawn."""

    name: str
    pieces: tuple[str, ...] = ("{}",)
    id: str | None = None

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    @property
    def parsed(self) -> dict[str, Any] | None:
        """The arguments as an object; None if they are none."""
        try:
            value: Any = json.loads(self.arguments or "{}")
        except ValueError:
            return None
        return value if is_object(value) else None


@dataclass(frozen=True, slots=True)
class Decline:
    """A refusal in words, where the protocol has a place for it (else plain words)."""

    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class RawFrame:
    """Bytes put into the stream at this place; not part of an answer that is not streamed."""

    data: bytes


@dataclass(frozen=True, slots=True)
class OwnBlock:
    """A block that only its provider knows, such as a search for tools; others leave it out."""

    block: dict[str, Any]


Step = Say | Think | UseTool | Decline | RawFrame | OwnBlock


@dataclass(frozen=True, slots=True)
class Tokens:
    """Usage to report. `prompt` is everything sent, cached or not; `output` includes reasoning."""

    prompt: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_long: int = 0
    output: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Script:
    """One answer. `stop` is `end`, `tool`, `length`, `filtered`, `refusal`, or a raw word."""

    steps: tuple[Step, ...] = ()
    stop: str | None = None
    """None: what such an answer ends with by itself."""
    stop_sequence: str | None = None
    usage: Tokens | None = None
    """None: counted."""
    fault: Fault | None = None

    @property
    def calls_tools(self) -> bool:
        return any(isinstance(step, UseTool) for step in self.steps)


def says(*pieces: str) -> Say:
    """Words in pieces."""
    return Say(pieces)


def thinks(*pieces: str, redacted: bool = False) -> Think:
    """Thinking in pieces."""
    return Think(pieces, redacted)


def calls(
    name: str, arguments: Mapping[str, Any] | None = None, *, id: str | None = None, size: int = 8
) -> UseTool:
    """A call with its arguments in pieces of some characters."""
    return UseTool(name, cut(json.dumps(dict(arguments or {})), size), id)


def cut(whole: str, size: int) -> tuple[str, ...]:
    """A text in pieces of a size."""
    return tuple(whole[at : at + size] for at in range(0, len(whole), size))


def count(*values: object) -> int:
    """A simple token count: a quarter of the UTF-8 bytes, and at least one."""
    told = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values)
    return max(1, sum(len(item.encode("utf-8", "replace")) for item in told) // 4)


def counted(prompt: object, steps: Iterable[Step]) -> Tokens:
    """Usage by the simple count."""
    output = reasoning = 0
    for step in steps:
        match step:
            case Think():
                reasoning += count(step.text)
            case UseTool():
                output += count(step.name, step.arguments)
            case Say() | Decline():
                output += count(step.text)
            case RawFrame() | OwnBlock():
                pass
    return Tokens(prompt=count(prompt), output=output + reasoning, reasoning=reasoning)


def example(schema: object) -> Any:
    """A small value of a JSON schema, for default answers."""
    if not is_object(schema):
        return {}
    if is_array(schema.get("enum")) and schema["enum"]:
        return schema["enum"][0]
    for union in ("anyOf", "oneOf"):
        if is_array(schema.get(union)) and schema[union]:
            return example(schema[union][0])
    kind = schema.get("type", "object")
    kind = str(next(iter(kind), "object") if is_array(kind) else kind).lower()
    if kind == "object":
        properties: dict[str, Any] = inside(schema, "properties")
        return {name: example(properties.get(name)) for name in schema.get("required") or ()}
    if kind == "array":
        return [example(schema.get("items"))] * int(schema.get("minItems") or 0)
    return {"string": "x", "integer": 1, "number": 1.5, "boolean": True}.get(kind)
