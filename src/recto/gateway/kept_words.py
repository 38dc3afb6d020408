"""What a client's request and its answer say, for people to read."""

import json
from dataclasses import dataclass

from recto.llm import RelayReader, load_protocol
from recto.messages import (
    Document,
    Failure,
    Finished,
    Image,
    Message,
    Native,
    Origin,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

NOBODY = Origin("", "", "")
AS_SENT = "as sent"
"""Who is named for what can't be read as a conversation."""


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said."""

    who: str
    text: str


def asked_words(door: str, path: str, body: bytes) -> tuple[Said, ...]:
    """The conversation in a request; of what is none the very text."""
    try:
        request = load_protocol(door).serve(body, path=path)
    except ValueError:
        return (Said(AS_SENT, body.decode("utf-8", "replace")),)
    lead = (Said("system", request.system),) if request.system else ()
    return (*lead, *map(said, request.messages))


def answered_words(door: str, body: bytes) -> tuple[Said, ...]:
    """What was answered."""
    if not body:
        return ()
    if door == "gemini" and body[:1] == b"[":
        body = as_events(body)
    reader = RelayReader(load_protocol(door), NOBODY)
    events = [*reader.feed(body), *reader.end()]
    end = events[-1] if events else None
    if not isinstance(end, Finished) or not end.message.parts:
        return (Said(AS_SENT, body.decode("utf-8", "replace")),)
    return (said(end.message), *failed(end.failure))


def said(message: Message) -> Said:
    """A message as text."""
    return Said(message.role, "\n\n".join(filter(None, map(part_words, message.parts))))


def failed(failure: Failure | None) -> tuple[Said, ...]:
    """Why an answer ended before its end."""
    return () if failure is None else (Said("error", failure.message),)


def part_words(part: Part) -> str:
    """A part of a message as text."""
    match part:
        case Text(text=text) | Thinking(text=text):
            return text
        case Image(media_type=kind, data=data, url=url):
            return f"[{kind or 'picture'}: {url or f'{len(data):,} bytes'}]"
        case Document(media_type=kind, data=data, name=name):
            return f"[{name or 'document'}: {kind}, {len(data):,} bytes]"
        case ToolCall(name=name, arguments=arguments):
            return f"[calls {name}] {json.dumps(dict(arguments), ensure_ascii=False)}"
        case ToolResult(name=name, content=content, is_error=is_error):
            words = "\n".join(map(part_words, content))
            return f"[{'error' if is_error else 'result'} of {name}] {words}"
        case Native():
            return "[a block of the provider's own]"


def as_events(body: bytes) -> bytes:
    """Gemini's stream as one array, as the events that it also comes in."""
    try:
        pieces = json.loads(body)
    except ValueError:
        return body  # cut off: shown as it was sent
    return b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces)
