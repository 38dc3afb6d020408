"""One call of a client: what it asks for, of which model, and who may answer it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from recto.access import DeployedModel, ProtocolId
from recto.gateway.caller import Caller
from recto.gateway.doors.client_stream import ClientStream
from recto.gateway.doors.http import ClientRequest
from recto.gateway.doors.observation import CallObserver
from recto.gateway.doors.routes import Route
from recto.llm import WireWriter
from recto.messages import Failure


class _StreamOptions(msgspec.Struct):
    include_usage: bool | None = None


class _GenerationConfig(msgspec.Struct):
    camel: int | None = msgspec.field(default=None, name="maxOutputTokens")
    snake: int | None = msgspec.field(default=None, name="max_output_tokens")


class _Asked(msgspec.Struct):
    """The few fields that a relay needs, of all protocols; each has some of them."""

    model: str = ""
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    max_output_tokens: int | None = None
    camel: _GenerationConfig | None = msgspec.field(default=None, name="generationConfig")
    snake: _GenerationConfig | None = msgspec.field(default=None, name="generation_config")


_ASKED = msgspec.json.Decoder(_Asked)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a client asks for, as far as it is read without reading everything."""

    model: str
    is_streamed: bool
    wants_usage: bool
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
    places: list[tuple[tuple[str, ...], Any]] = [
        (("max_tokens",), asked.max_tokens),
        (("max_completion_tokens",), asked.max_completion_tokens),
        (("max_output_tokens",), asked.max_output_tokens),
        (("generationConfig", "maxOutputTokens"), asked.camel and asked.camel.camel),
        (("generationConfig", "max_output_tokens"), asked.camel and asked.camel.snake),
        (("generation_config", "maxOutputTokens"), asked.snake and asked.snake.camel),
        (("generation_config", "max_output_tokens"), asked.snake and asked.snake.snake),
    ]
    path, output = next(((path, limit) for path, limit in places if limit), (None, None))
    is_streamed = bool(asked.stream) if route.is_streamed is None else route.is_streamed
    options = asked.stream_options
    return Wanted(
        model.removeprefix("models/"),
        is_streamed,
        options is not None and options.include_usage is True,
        output,
        path,
    )


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
    answer_id: str
    created: int
    """In seconds since 1970."""
    observer: CallObserver
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
