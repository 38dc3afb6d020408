"""A provider as a pure function with a memory: an incoming call gives a reply.

No network here: thousands of histories can be judged without a socket. `serving.py` adds HTTP.
"""

import asyncio
import base64
import hashlib
import json
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.providers.faults import ABSURD, HTML, Fault, cut
from tests.fakes.providers.scripts import RawFrame, Say, Script, Step, Tokens, counted
from tests.fakes.providers.shapes import is_object


@dataclass(frozen=True, slots=True)
class Incoming:
    """A call as it came. Header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""
    query: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error answer."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Refused(Exception):
    """Raised by rules: the request is refused."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(json.dumps(refusal.body))
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a stream. `data` is JSON, a literal string, or the frame's very bytes."""

    data: Any
    event: str | None = None
    terminal: bool = False
    words: bool = False
    """It carries a piece of text."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a script became: frames for a stream, or one JSON body."""

    frames: Sequence[Frame] = ()
    whole: Any = None
    streamed: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back over the wire, in the pieces it is written in."""

    status: int
    headers: Mapping[str, str]
    pieces: Sequence[bytes]
    fault: Fault = field(default_factory=Fault)

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)


@dataclass(slots=True)
class Exchange:
    """A call, how it was judged, and what went back."""

    incoming: Incoming
    account: str = ""
    json: Any = None
    reply: Reply = field(default_factory=lambda: Reply(500, {}, ()))
    refusal: Refusal | None = None
    script: Script | None = None
    notes: list[str] = field(default_factory=list[str])
    """What the provider let pass without a word: dropped thinking, a moved signature, …"""
    sent: bytes = b""
    """What was really written before the client left or the connection broke."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """The client hung up before the end."""
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Provider(ABC):
    """One provider's API. `keys` maps each valid key to its account."""

    line_end = "\n"
    request_id_header = "x-request-id"

    def __init__(self, keys: Mapping[str, str] | None = None, *, seed: int = 0) -> None:
        self.keys = dict(keys or {"test-key": "account-1"})
        self.queue: deque[Script] = deque()
        self.always: Fault | None = None
        """A fault for every answer whose script has none."""
        self.exchanges: list[Exchange] = []
        self.leaks: list[str] = []
        """Addresses that held a key."""
        self.max_body_bytes = 32 * 1024 * 1024
        self._seed = seed
        self._drawn = 0

    @property
    def last(self) -> Exchange:
        """The newest call."""
        return self.exchanges[-1]

    def script(self, *entries: Script | Fault) -> None:
        """Queue answers; a bare fault is the default answer gone wrong."""
        for entry in entries:
            self.queue.append(Script(fault=entry) if isinstance(entry, Fault) else entry)

    def answer(self, *steps: Step, stop: str | None = None, fault: Fault | None = None) -> None:
        """Queue an answer of these steps."""
        self.queue.append(Script(steps, stop=stop, fault=fault))

    def forget(self) -> None:
        """Drop the record of calls, for tests that make very many."""
        self.exchanges.clear()

    def reply(self, incoming: Incoming) -> Exchange:
        """Judge a call and answer it."""
        exchange = Exchange(incoming)
        self.exchanges.append(exchange)
        request_id = self.draw("req_", 24)
        try:
            exchange.account = self.authenticate(incoming)
            exchange.reply = self.route(exchange)
        except Refused as refused:
            exchange.refusal = refused.refusal
            exchange.reply = refused_reply(refused.refusal)
        headers = {self.request_id_header: request_id, **exchange.reply.headers}
        exchange.reply = replace(exchange.reply, headers=headers)
        return exchange

    @abstractmethod
    def authenticate(self, incoming: Incoming) -> str:
        """The account of a call, or Refused."""

    @abstractmethod
    def route(self, exchange: Exchange) -> Reply:
        """Judge and answer a call to any endpoint, or Refused."""

    @abstractmethod
    def failure(self, fault: Fault) -> Refusal:
        """The provider's own error body for a fault's status and code."""

    @abstractmethod
    def error_frames(self, fault: Fault) -> list[Frame]:
        """An error inside a stream."""

    @abstractmethod
    def keepalive(self) -> Frame:
        """What the provider sends while it has nothing to say."""

    @abstractmethod
    def unreadable(self, words: str) -> Refused:
        """The refusal of a body that is no JSON."""

    def next_script(self, exchange: Exchange, default: Iterable[Step]) -> Script:
        """The next queued answer, with the default's steps where it has none."""
        script = self.queue.popleft() if self.queue else Script()
        script = replace(script, steps=script.steps or tuple(default))
        script = replace(script, fault=script.fault or self.always or Fault())
        if script.fault and script.fault.huge_line:
            script = replace(script, steps=_with_huge_words(script.steps, script.fault.huge_line))
        exchange.script = script
        return script

    def send(self, script: Script, answer: Answer) -> Reply:
        """An answer with everything its fault does to it."""
        fault = script.fault or Fault()
        if fault.status is not None or fault.body is not None:
            refused = refused_reply(self.failure(fault), fault)
            pieces = refused.pieces if fault.body is None else (fault.body,)
            return replace(refused, pieces=cut(list(pieces), fault))
        kind = "text/event-stream; charset=utf-8" if answer.streamed else "application/json"
        rendered = (
            [self.render(frame, fault) for frame in self.disturbed(answer.frames, fault)]
            if answer.streamed
            else [json_bytes(answer.whole)]
        )
        if fault.html:
            kind, rendered = "text/html; charset=utf-8", [HTML]
        headers = {"content-type": fault.content_type or kind, **fault.headers}
        if fault.gzip:
            headers["content-encoding"] = "gzip"
        return Reply(200, headers, cut(rendered, fault), fault)

    def disturbed(self, frames: Sequence[Frame], fault: Fault) -> list[Frame]:
        """The frames of a stream in which something goes wrong."""
        told = list(frames)
        if fault.error_event is not None:
            told = [*told[: fault.error_at], *self.error_frames(fault)]
        if fault.terminal == "missing":
            told = [frame for frame in told if not frame.terminal]
        elif fault.terminal == "twice":
            told += [frame for frame in told if frame.terminal]
        elif fault.terminal == "followed":
            told += [frame for frame in told if frame.words]
        if fault.keepalives:
            told = [item for frame in told for item in (self.keepalive(), frame)]
        return told

    def render(self, frame: Frame, fault: Fault) -> bytes:
        """A frame as bytes."""
        if isinstance(frame.data, bytes):
            return frame.data
        data = frame.data.encode() if isinstance(frame.data, str) else json_bytes(frame.data)
        lines = [b"data: " + data, b"", b""]
        if frame.event:
            lines.insert(0, b"event: " + frame.event.encode())
        if fault.comments:
            lines = [b": a comment", lines[0], b": another", *lines[1:]]
        return (fault.line_end or self.line_end).encode().join(lines)

    def read_json(self, exchange: Exchange) -> dict[str, Any]:
        """The body as an object; what no strict parser takes is refused."""
        try:
            told = exchange.incoming.body.decode("utf-8")
            value: Any = json.loads(told, parse_constant=_refuse_constant)
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except (ValueError, RecursionError) as error:
            raise self.unreadable(str(error)) from error
        if not is_object(value):
            raise self.unreadable("an object is expected")
        exchange.json = value
        return value

    def draw(self, prefix: str, length: int = 24) -> str:
        """A name that looks random and is always the same."""
        self._drawn += 1
        raw = hashlib.sha256(f"{type(self).__name__}{self._seed}:{self._drawn}".encode()).digest()
        letters = base64.b64encode(raw).decode().translate(str.maketrans("+/=", "xyz"))
        return prefix + letters[:length]


def usage_of(script: Script, prompt: object) -> Tokens | None:
    """The usage to report: scripted, counted, or wrong on purpose; None: say nothing."""
    tokens = script.usage or counted(prompt, script.steps)
    match script.fault.usage if script.fault else None:
        case "missing":
            return None
        case "zero":
            return Tokens()
        case "negative":
            return Tokens(prompt=-5, output=-7, reasoning=-1)
        case "absurd":
            return Tokens(prompt=ABSURD, output=ABSURD)
        case None:
            return tokens


def refused_reply(refusal: Refusal, fault: Fault | None = None) -> Reply:
    """An error answer on the wire."""
    kind = (fault.content_type if fault else None) or "application/json"
    headers = {"content-type": kind, **refusal.headers}
    return Reply(refusal.status, headers, (json_bytes(refusal.body),), fault or Fault())


def json_reply(value: Any) -> Reply:
    """A plain JSON answer."""
    return Reply(200, {"content-type": "application/json"}, (json_bytes(value),))


def json_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8; half a surrogate pair can only be told escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def raw_frame(step: RawFrame) -> Frame:
    """A scripted frame."""
    return Frame(step.data)


def _with_huge_words(steps: tuple[Step, ...], size: int) -> tuple[Step, ...]:
    return (Say(("x" * size,)), *steps)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
