"""A stream of tool calls that breaks off, at every byte, in every protocol: nothing is run."""

from dataclasses import dataclass

import pytest

from recto.agent import TurnEnded
from recto.llm import SseDecoder, load_protocol
from recto.messages import Origin, StreamEvent
from tests.agent.history import check_whole
from tests.agent.stage import Stage, answer
from tests.llm.anthropic_messages import streams as anthropic
from tests.llm.gemini import streams as gemini
from tests.llm.openai_chat import streams as chat
from tests.llm.openai_responses import streams as responses

pytestmark = pytest.mark.anyio

FIRST, SECOND = {"path": "a.md"}, {"path": "b.md"}


@dataclass(frozen=True)
class Stream:
    """An answer with two calls: what comes before its end, the frame that ends it, what follows."""

    protocol: str
    before: bytes
    end: bytes
    after: bytes = b""

    @property
    def whole(self) -> bytes:
        return self.before + self.end + self.after

    @property
    def is_ended_at(self) -> int:
        """From here on the end has been said, even if the connection breaks."""
        return len(self.before) + len(self.end.rstrip())


STREAMS = [
    Stream(
        "anthropic-messages",
        anthropic.sse(
            anthropic.STARTED,
            anthropic.start(0, type="text", text=""),
            anthropic.text_delta(0, "I look."),
            anthropic.stop(0),
            anthropic.start(1, type="tool_use", id="t1", name="read_file", input={}),
            anthropic.json_delta(1, '{"path": '),
            anthropic.json_delta(1, '"a.md"}'),
            anthropic.stop(1),
            anthropic.start(2, type="tool_use", id="t2", name="write_file", input={}),
            anthropic.json_delta(2, '{"path": "b.md"}'),
            anthropic.stop(2),
        ),
        anthropic.sse(anthropic.stopping("tool_use")),
        anthropic.sse(anthropic.STOPPED),
    ),
    Stream(
        "openai-chat",
        chat.role()
        + chat.text("I look.")
        + chat.call(index=0, id="t1", type="function", name="read_file", arguments="")
        + chat.call(index=0, arguments='{"path": ')
        + chat.call(index=0, arguments='"a.md"}')
        + chat.call(index=1, id="t2", type="function", name="write_file", arguments="")
        + chat.call(index=1, arguments='{"path": "b.md"}'),
        chat.chunk({}, "tool_calls"),
        chat.usage() + chat.DONE,
    ),
    Stream(
        "openai-responses",
        responses.sse(
            responses.CREATED,
            responses.text_delta("I look."),
            responses.done(0, **responses.message("I look.")),
            responses.added(1, **responses.call(1)),
            responses.arguments_delta('{"path": ', 1),
            responses.arguments_delta('"a.md"}', 1),
            responses.arguments_done('{"path": "a.md"}', 1),
            responses.done(1, **responses.call(1, '{"path": "a.md"}')),
            responses.added(2, **responses.call(2, name="write_file")),
            responses.arguments_delta('{"path": "b.md"}', 2),
            responses.done(2, **responses.call(2, '{"path": "b.md"}', name="write_file")),
        ),
        responses.sse(responses.ended()),
    ),
    Stream(
        "gemini",
        gemini.sse(
            gemini.chunk({"text": "I look."}),
            gemini.chunk(gemini.call("read_file", FIRST)),
            gemini.chunk(gemini.call("write_file", SECOND)),
        ),
        gemini.sse(gemini.chunk({"text": ""}, finish="STOP")),
    ),
]
each_stream = pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.protocol)


def read(protocol: str, data: bytes) -> list[StreamEvent]:
    """What the bytes tell before the connection ends."""
    decoder, reader = SseDecoder(), load_protocol(protocol).reader(Origin(protocol, "me", "m"))
    frames = [*decoder.feed(data), *decoder.end()]
    return [event for frame in frames for event in reader.feed(frame)] + reader.end()


@each_stream
async def test_no_tool_runs_when_the_stream_breaks_off_before_its_end(stream: Stream) -> None:
    for cut in range(stream.is_ended_at):
        stage = Stage([read(stream.protocol, stream.whole[:cut])])

        ended = await stage.play()

        assert (ended.reason, stage.began) == ("failed", []), stream.whole[:cut]
        check_whole(stage.told)


@each_stream
async def test_whole_calls_run_once_the_end_was_said(stream: Stream) -> None:
    for cut in range(stream.is_ended_at, len(stream.whole) + 1):
        stage = Stage([read(stream.protocol, stream.whole[:cut]), answer("Done.")])

        assert await stage.play() == TurnEnded("done")

        assert [(call.name, call.arguments) for call in stage.began] == [
            ("read_file", FIRST),
            ("write_file", SECOND),
        ]
        check_whole(stage.told)
