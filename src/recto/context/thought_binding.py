"""Thoughts that hold only for the exact conversation before them.

Some models bind each thought to everything that was sent before it. What was sent is noted with
the thought, so that a thought whose past was edited is left out instead of refused.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace

from recto.context.repair import are_same
from recto.messages import (
    Message,
    Part,
    ProviderData,
    Request,
    Thinking,
    called_names,
    fold_all,
    folded,
)

NOTE = "prefix"


def bind(message: Message, request: Request) -> Message:
    """An answer whose thoughts carry a note of the request they answered."""
    mark = prompt_hash(request)
    return replace(message, parts=tuple(noted(part, mark) for part in message.parts))


def noted(part: Part, mark: str) -> Part:
    """A thought with the note; other parts as they are."""
    if not isinstance(part, Thinking) or part.provider is None:
        return part
    payload = {**part.provider.payload, NOTE: mark}
    return replace(part, provider=ProviderData(part.provider.origin, payload))


def drop_unbound(request: Request) -> Request:
    """The request without the thoughts whose past is not what is sent now.

    A thought that is left out changes the past of those after it, so they go as well.
    """
    past, done = folded(request.messages, *past_of(request))
    if past.has_unbound:
        past, done = past_of(request)[1](), 0
    kept = list(request.messages[:done])
    for message in request.messages[done:]:
        if message.role == "assistant":
            mark = past.digest
            parts = tuple(part for part in message.parts if is_bound(part, mark))
            if not parts:
                continue
            if len(parts) < len(message.parts):
                message = replace(message, parts=parts)
        kept.append(message)
        past.take(message)
    if are_same(kept, request.messages):
        return request
    return replace(request, messages=tuple(kept))


def without_thoughts(messages: Sequence[Message], *, before: int) -> tuple[Message, ...]:
    """The messages without the thoughts of those before an index: what their provider refused.

    A message that held nothing else stays, empty, so that every index still means the same.
    """
    return tuple(
        bare(message) if index < before else message for index, message in enumerate(messages)
    )


def bare(message: Message) -> Message:
    """A message without its thoughts."""
    kept = tuple(part for part in message.parts if not isinstance(part, Thinking))
    return replace(message, parts=kept)


def is_bound(part: Part, mark: str) -> bool:
    """Whether a part may stay: every part but a thought of another past."""
    if not isinstance(part, Thinking) or part.provider is None:
        return True
    return part.provider.payload.get(NOTE) == mark


class PrefixHash:
    """One hash over all that is sent before an answer, as it grows. Cache marks don't count."""

    def __init__(self, head: bytes) -> None:
        self._hash = hashlib.sha256(head)
        self.has_unbound = False
        """Whether some thought so far answered something else."""

    @property
    def digest(self) -> str:
        """The hash of all so far."""
        return self._hash.hexdigest()

    def take(self, message: Message) -> None:
        """Take in the message that is sent next."""
        if any(isinstance(part, Thinking) for part in message.parts):
            mark = self.digest
            self.has_unbound |= not all(is_bound(part, mark) for part in message.parts)
        self._hash.update(hashable(shown(message)))

    def copy(self) -> "PrefixHash":
        """The same so far."""
        made = PrefixHash(b"")
        made._hash, made.has_unbound = self._hash.copy(), self.has_unbound
        return made


def past_of(request: Request) -> tuple[Hashable, Callable[[], PrefixHash]]:
    """How the hash of a request begins: with what stands before its messages, which is the key."""
    head = hashable(request.system) + hashable(offered(request))
    return ("past", hashlib.sha256(head).digest()), lambda: PrefixHash(head)


def hashable(piece: str) -> bytes:
    """A piece of what is hashed, with an end."""
    return piece.encode("utf-8", "surrogatepass") + b"\0"


def offered(request: Request) -> str:
    """The tools a model is told of: without any, it is told those that the history names."""
    if request.tools:
        return repr(request.tools)
    return repr(called_names(request.messages))


def prompt_hash(request: Request) -> str:
    """One hash over the whole prompt: system, tools and messages as they are sent."""
    return fold_all(request.messages, *past_of(request)).digest


def shown(message: Message) -> str:
    """A message as it counts for the digest: without our own notes."""
    return f"{message.role} {list(without_notes(message))!r}"


def without_notes(message: Message) -> Iterator[Part]:
    """The parts, without the notes of earlier thoughts."""
    for part in message.parts:
        if isinstance(part, Thinking) and part.provider is not None:
            payload = {name: value for name, value in part.provider.payload.items() if name != NOTE}
            part = replace(part, provider=ProviderData(part.provider.origin, payload))
        yield part
