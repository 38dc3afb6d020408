"""What of an answer is read: only the needed fields, each as lenient as servers are careless."""

from typing import Any

from msgspec import Struct


class FunctionPiece(Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallPiece(Struct):
    index: int | None = None
    id: str | None = None
    function: FunctionPiece | None = None
    extra_content: dict[str, Any] | None = None


class Delta(Struct):
    """A piece of the answer; the message of a whole answer has the same fields."""

    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: Any = None
    reasoning_details: Any = None
    """OpenRouter's thoughts with what belongs to them: signatures, and thoughts that are sealed."""
    refusal: str | None = None
    tool_calls: list[CallPiece] | None = None


class Token(Struct):
    token: str = ""
    logprob: float | None = None


class Logprobs(Struct):
    content: list[Token] | None = None


class ChunkChoice(Struct):
    index: int | None = None
    delta: Delta | None = None
    finish_reason: str | None = None
    logprobs: Logprobs | None = None


class Chunk(Struct):
    choices: list[ChunkChoice] | None = None
    usage: Any = None
    x_groq: Any = None
    """Where Groq tells what was used."""
    error: Any = None
    message: Any = None
    """Some servers send an error as the whole object."""


class FirstChunk(Chunk):
    id: str | None = None
    model: str | None = None


class WholeChoice(Struct):
    message: Delta | None = None
    finish_reason: str | None = None
    logprobs: Logprobs | None = None


class Whole(Struct):
    """An answer that was not streamed."""

    id: str | None = None
    model: str | None = None
    choices: list[WholeChoice] | None = None
    usage: Any = None
    error: Any = None
    message: Any = None
