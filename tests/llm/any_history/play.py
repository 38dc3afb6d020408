"""A simulated client that plays one chat against the strict servers, the real way from end to end.

Each request goes prepare -> mark_cache -> lower -> server; the answer comes back through the reader
and `bind` into the history. Whatever the server refuses is raised with everything that led to it.
"""

import json
from dataclasses import dataclass, field
from pprint import pformat
from random import Random

from recto.context import bind, mark_cache, prepare
from recto.llm import PROTOCOL_IDS, SseDecoder, WireRequest, load_protocol
from recto.messages import (
    Failure,
    Finished,
    Message,
    OutputSchema,
    Part,
    Request,
    StreamEvent,
    ToolChoice,
    ToolResult,
    ToolSpec,
    user,
)
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    Exchange,
    GeminiServer,
    ResponsesServer,
)
from tests.llm.any_history import draws, scripts
from tests.llm.any_history.edits import EDITS, History
from tests.llm.any_history.places import SERVERS, Place, Server, places

LONGEST = 40
LOST = Failure("network", "The connection was lost.")


@dataclass(slots=True)
class Tally:
    """What was played."""

    requests: int = 0
    aborted: int = 0
    thoughts_back: int = 0
    """Requests that carried thoughts back to the model that had them."""
    bound_back: int = 0
    """Of these, to a model that binds thoughts to their past."""
    by_protocol: dict[str, int] = field(default_factory=dict[str, int])

    def note(self, place: Place, request: Request) -> None:
        self.requests += 1
        protocol = place.provider.protocol
        self.by_protocol[protocol] = self.by_protocol.get(protocol, 0) + 1
        if any(part.type == "thinking" for message in request.messages for part in message.parts):
            self.thoughts_back += 1
            self.bound_back += place.traits.binds_prefix


class WasRefused(AssertionError):
    """A request that a strict server did not accept, and the chat that led to it."""

    def __init__(self, chat: "Chat", request: Request, wire: WireRequest, found: Exchange) -> None:
        refusal = found.refusal
        said = f"{refusal.status} {json.dumps(refusal.body)}" if refusal else found.notes
        body = json.dumps(json.loads(wire.body), indent=1, ensure_ascii=True)
        super().__init__(
            f"chat {chat.seed}, {chat.place.server}, {chat.place.model}\n"
            f"history: {pformat(chat.history, width=150)}\n"
            f"prepared: {pformat(request, width=150)}\n"
            f"request: {wire.path} {body}\n"
            f"refused: {said}"
        )


class Chat:
    """One chat in the playing."""

    def __init__(self, seed: int, tally: Tally) -> None:
        self.seed = seed
        self._chance = Random(seed)
        self._tally = tally
        self._servers: dict[str, Server] = {}
        self.history: History = []
        self.place = self._any()
        self._wildness = self._chance.choice((0.0, 0.3, 1.0, 1.5))
        self._system = self._chance.choice(draws.SYSTEMS)
        self._tools: tuple[ToolSpec, ...] = draws.tools(self._chance)

    def play(self, turns: int) -> None:
        """That many requests, with anything in between."""
        for _ in range(turns):
            self._meddle()
            self._speak()
            self._ask()

    def _meddle(self) -> None:
        """What happens between two turns."""
        chance, wild = self._chance, self._wildness
        if chance.random() < 0.25 * wild:
            self.place = self._elsewhere()
        if chance.random() < 0.08 * wild:
            self._system = chance.choice(draws.SYSTEMS)
        if chance.random() < 0.1 * wild:
            self._tools = draws.tools(chance)
        while self.history and chance.random() < 0.25 * wild:
            self.history = chance.choice(EDITS)(self.history, chance)
        self.history = self.history[-LONGEST:]

    def _elsewhere(self) -> Place:
        """Another model, or the same one with another account."""
        same = [
            place for place in places() if place.model == self.place.model and place != self.place
        ]
        return self._chance.choice(same) if same and self._chance.random() < 0.3 else self._any()

    def _any(self) -> Place:
        """Any model, each protocol as often as the others."""
        protocol = self._chance.choice(PROTOCOL_IDS)
        return self._chance.choice(
            [place for place in places() if place.provider.protocol == protocol]
        )

    def _speak(self) -> None:
        """The user's turn: results of the calls before it, mostly, and often words."""
        chance = self._chance
        called = self.history[-1].calls if self.history else ()
        parts: list[Part] = [
            ToolResult(
                call.id,
                call.name,
                tuple(draws.content(chance)),
                is_error=chance.random() < 0.1,
            )
            for call in called
            if chance.random() < 0.92
        ]
        if not called or chance.random() < 0.2:
            parts += draws.content(chance)
        if chance.random() < 0.03:
            chance.shuffle(parts)
        if chance.random() < 0.97:
            self.history.append(user(*parts))

    def _request(self) -> Request:
        chance, place = self._chance, self.place
        most = place.family.max_output
        effort = chance.choice(draws.EFFORTS) if chance.random() < 0.5 else None
        return Request(
            model=place.model,
            messages=tuple(self.history),
            max_output=min(most, chance.choice((1, 16, 500, 20_000, most))),
            system=self._system,
            tools=self._tools,
            tool_choice=self._choice(),
            effort=effort or place.family.effort,
            output_schema=self._schema(),
            stop=("END", "", "\n\n") if chance.random() < 0.05 else (),
            temperature=chance.choice((0.0, 0.7, 1.5)) if chance.random() < 0.1 else None,
            logprobs=place.traits.logprobs,
            cache_key=chance.choice((None, "chat-1", "k" * 80)),
            stream=chance.random() < 0.85,
        )

    def _choice(self) -> ToolChoice:
        chance = self._chance
        if chance.random() < 0.75:
            return ToolChoice(single=chance.random() < 0.1)
        names = [tool.name for tool in self._tools] or ["run"]
        mode = chance.choice(("any", "one", "one", "none"))
        name = chance.choice(names) if mode == "one" else None
        return ToolChoice(mode, name, single=chance.random() < 0.2)

    def _schema(self) -> OutputSchema | None:
        return self._chance.choice(draws.SCHEMAS) if self._chance.random() < 0.1 else None

    def _ask(self) -> None:
        """Send it, and take what comes back."""
        place, chance = self.place, self._chance
        asked = self._request()
        ready = prepare(asked, place.origin, binds_prefix=place.traits.binds_prefix)
        if place.traits.cache_marks:
            ready = mark_cache(ready)
        wire = load_protocol(place.provider.protocol).lower(ready, place.traits, place.origin)
        server = self._server(place)
        server.script(scripts.script(chance, place, ready, scripts.wire_names(place, wire.body)))
        exchange = server.reply(place.incoming(wire))
        self._tally.note(place, ready)
        # What is dropped without a word was sent to somebody who can't read it.
        if exchange.refusal is not None or any("dropped" in note for note in exchange.notes):
            raise WasRefused(self, ready, wire, exchange)
        server.forget()
        answer = self._read(exchange, is_streamed=ready.stream)
        if place.traits.binds_prefix:
            answer = bind(answer, ready)
        if answer.parts or chance.random() < 0.5:
            self.history.append(answer)

    def _server(self, place: Place) -> Server:
        if place.server not in self._servers:
            self._servers[place.server] = self._opened(SERVERS[place.server]())
        return self._servers[place.server]

    def _opened(self, server: Server) -> Server:
        """A server with one of the habits that its real one has had."""
        match server:
            case ResponsesServer():
                server.pairs_reasoning = self._chance.random() < 0.5
            case GeminiServer():
                server.call_ids = self._chance.choice((None, None, True, False))
            case AnthropicServer() | ChatServer():
                pass
        return server

    def _read(self, exchange: Exchange, *, is_streamed: bool) -> Message:
        """The answer, or what of it had come when the line was cut."""
        protocol, origin = load_protocol(self.place.provider.protocol), self.place.origin
        body = exchange.reply.body
        if not is_streamed:
            return ended(protocol.read_whole(body, origin))
        is_cut = self._chance.random() < 0.12
        reader, decoder = protocol.reader(origin), SseDecoder()
        at = self._chance.randrange(len(body) + 1) if is_cut else len(body)
        frames = decoder.feed(body[:at])
        failure = LOST if is_cut and self._chance.random() < 0.7 else None
        if failure is None:
            frames += decoder.end()
        events = [event for frame in frames if frame.data for event in reader.feed(frame)]
        self._tally.aborted += is_cut
        return ended([*events, *reader.end(failure)])


def ended(events: list[StreamEvent]) -> Message:
    """The message of the one end."""
    ends = [event for event in events if isinstance(event, Finished)]
    assert len(ends) == 1, events
    assert events[-1] is ends[0], events
    return ends[0].message


def play(seed: int, requests: int, turns: int = 10) -> Tally:
    """Chats of some turns, until that many requests were made."""
    tally = Tally()
    number = 0
    while tally.requests < requests:
        Chat(seed * 1_000_000 + number, tally).play(min(turns, requests - tally.requests))
        number += 1
    return tally
