"""The parts of an answer that are read, and nothing else of it; lenient about all the rest."""

import json
from collections.abc import Container
from typing import Any, cast

import msgspec
from msgspec import Struct

from recto.llm.encoding import convert
from recto.messages import Json, TokenProbability, encodable


class Logprob(Struct):
    """How likely a token was."""

    token: str = ""
    logprob: float | None = None


class ContentPiece(Struct):
    """A piece of content, of whatever kind."""

    type: str = ""
    text: str | None = None
    refusal: str | None = None
    logprobs: list[Logprob] | None = None


class Item(Struct):
    """One thing the model made: a message, a call, thoughts, or something of its own."""

    type: str = ""
    id: str | None = None
    status: str | None = None
    phase: str | None = None
    content: list[ContentPiece] | None = None
    summary: list[ContentPiece] | None = None
    encrypted_content: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None


class Details(Struct):
    """Why an answer is incomplete."""

    reason: str | None = None


class Answer(Struct):
    """The whole answer, as the first and the last event carry it."""

    id: str | None = None
    model: str | None = None
    status: str | None = None
    output: list[dict[str, Any]] | None = None
    usage: Any = None
    error: Any = None
    incomplete_details: Details | None = None


class Event(Struct, gc=False):
    """Any event of a stream; each kind has some of these."""

    type: str = ""
    output_index: int = 0
    content_index: int = 0
    summary_index: int = 0
    delta: str | None = None
    logprobs: list[Logprob] | None = None
    text: str | None = None
    refusal: str | None = None
    arguments: str | None = None
    item: dict[str, Any] | None = None
    response: Answer | None = None
    error: Any = None
    code: Any = None
    message: Any = None


EVENTS = msgspec.json.Decoder(Event)
ANSWERS = msgspec.json.Decoder(Answer)


def decode_slowly(data: bytes, known: Container[str]) -> Event | None:
    """An event the fast decoder refuses, such as one with half a pair of surrogates.

    None is an event that can't be read; one of a kind that is not known, or no event, is empty.
    """
    if data.strip() == b"[DONE]":
        return Event()
    found = load(data)
    try:
        return convert(found, Event)
    except msgspec.ValidationError:
        if not isinstance(found, dict):
            return None
        kind = str(cast(dict[str, Any], found).get("type"))
        return None if kind in known else Event()


def load(data: bytes) -> Any:
    """Any JSON; None if it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def read_item(found: dict[str, Any] | None) -> Item:
    """An item; one of an unknown shape is of a kind that only the provider knows."""
    try:
        return convert(found or {}, Item)
    except msgspec.ValidationError:
        return Item()


def read_logprobs(found: list[Logprob]) -> tuple[TokenProbability, ...]:
    """How likely the tokens were."""
    return tuple(
        TokenProbability(encodable(item.token), item.logprob)
        for item in found
        if item.logprob is not None
    )


def read_seal(item: Item) -> Json | None:
    """What must go back with the thoughts; without the seal, or the id it is for, nothing can."""
    if not item.encrypted_content or not item.id:
        return None
    seal: dict[str, Any] = {
        "id": item.id,
        "encrypted_content": item.encrypted_content,
        "summary": [encodable(piece.text or "") for piece in item.summary or ()],
    }
    if item.content:
        seal["content"] = [encodable(piece.text or "") for piece in item.content]
    return seal
