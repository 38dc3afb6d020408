"""One call of a client: what it asks for, of which model, and who may answer it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from recto.access import DeployedModel, ProtocolId
from recto.gateway.caller import Caller
from recto.gateway.doors.client_stream import ClientStream
from recto.gateway.doors.http import ClientRequest
from recto.gateway.doors.observation import CallObserver
from recto.gateway.doors.routes import Route
from recto.llm import WireWriter
from recto.messages import Failure

BYTES_A_TOKEN = 4


class _StreamOptions(msgspec.Struct):
    include_usage: bool | None = None


class _GenerationConfig(msgspec.Struct):
    camel: int | None = msgspec.field(default=None, name="maxOutputTokens")
    snake: int | None = msgspec.field(default=None, name="max_output_tokens")


class _Asked(msgspec.Struct):
    """The few fields that a relay needs, of all protocols; each has some of them."""

    model: str = ""
    stream: bool | None = None
    stream_options: _StreamOptions | None | msgspec.UnsetType = msgspec.UNSET
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    max_output_tokens: int | None = None
    camel: _GenerationConfig | None = msgspec.field(default=None, name="generationConfig")
    snake: _GenerationConfig | None = msgspec.field(default=None, name="generation_config")


_ASKED = msgspec.json.Decoder(_Asked)


class Wanted(NamedTuple):
    """What a client asks for, as far as it is read without reading everything.

    A tuple, because one is made for every call and nothing frozen is made faster.
    """

    model: str
    is_streamed: bool
    wants_usage: bool
    has_options: bool
    """The body says something of the stream, if only that there is nothing to say."""
    output: int | None
    output_path: tuple[str, ...] | None
    """Where the body says how long the answer may be; None: it doesn't say."""


def read_wanted(body: bytes, route: Route) -> Wanted:
    """The model and the like. Raises ValueError with words."""
    try:
        asked = _ASKED.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"The body can't be read as JSON of this API: {error}.") from error
    model = asked.model if route.model is None else route.model
    if not model:
        raise ValueError("`model` is missing: name the model to ask.")
    path, output = limit_of(asked)
    is_streamed = bool(asked.stream) if route.is_streamed is None else route.is_streamed
    options = asked.stream_options
    return Wanted(
        model.removeprefix("models/"),
        is_streamed,
        isinstance(options, _StreamOptions) and options.include_usage is True,
        options is not msgspec.UNSET,
        output,
        path,
    )


def limit_of(asked: _Asked) -> tuple[tuple[str, ...] | None, int | None]:
    """Where the body says how long the answer may be, and how long that is."""
    if asked.max_tokens:
        return ("max_tokens",), asked.max_tokens
    if asked.max_completion_tokens:
        return ("max_completion_tokens",), asked.max_completion_tokens
    if asked.max_output_tokens:
        return ("max_output_tokens",), asked.max_output_tokens
    for name, config in (("generationConfig", asked.camel), ("generation_config", asked.snake)):
        if config is not None and config.camel:
            return (name, "maxOutputTokens"), config.camel
        if config is not None and config.snake:
            return (name, "max_output_tokens"), config.snake
    return None, None


@dataclass(slots=True)
class GatewayCall:
    """One call, while it is answered."""

    request: ClientRequest
    route: Route
    caller: Caller
    body: bytes
    wanted: Wanted
    model: DeployedModel
    stream: ClientStream
    new_id: Callable[[], str]
    """Names the answer, where that is not the provider's."""
    created: int
    """In seconds since 1970."""
    observer: CallObserver
    start: object = None
    """What was done of it ahead of its task."""
    writer: WireWriter | None = field(default=None)
    """Writes the streamed answer of a translated call; one for all deployments that are tried."""
    is_shown: bool = False
    """Something of an answer went to the client: no other deployment can answer any more."""
    on_shown: Callable[[], None] | None = None
    """Told when that happens."""
    on_headers: Callable[[Mapping[str, str]], None] | None = None
    """Told the headers of a deployment's answer."""
    broken: Failure | None = None
    """Why the answer ended before its end, after something was shown."""

    def show(self) -> None:
        """Something of an answer goes to the client now."""
        if not self.is_shown:
            self.is_shown = True
            if self.on_shown is not None:
                self.on_shown()

    def hear(self, headers: Mapping[str, str]) -> None:
        """A deployment has begun to answer, with these headers."""
        if self.on_headers is not None:
            self.on_headers(headers)

    def record(self, kind: str, data: bytes) -> None:
        """Take note of what goes to and fro: of its headers alone."""
        if kind == "head":
            self.hear(json.loads(data)["headers"])

    @property
    def protocol(self) -> ProtocolId:
        """What the client speaks."""
        return self.route.protocol
