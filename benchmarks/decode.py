"""What it costs to read a provider's stream: Recto against each provider's official SDK.

The same bytes, piece by piece, from memory. Recto cuts frames, reads them and puts the answer
together; the SDK yields its own events. Prints CPU per piece and the ratio for each protocol;
fails when Recto is not at least five times cheaper.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, cast

import anthropic
import httpx2
import openai
from google import genai
from google.genai import types

from benchmarks.streams.recordings import Recording, recordings
from recto.llm import SseDecoder, load_protocol
from recto.messages import Finished, Origin, StreamEvent

ROUNDS = 9
REQUIRED = 5.0

Answer = tuple[str, dict[str, str]]
"""What a reader understood: the words, and the arguments of the call."""


def read_by_recto(recording: Recording) -> Answer:
    """Recto's own reading: frames, events, the finished message."""
    decoder = SseDecoder()
    reader = load_protocol(recording.protocol).reader(Origin(recording.protocol, "a", "m"))
    events: list[StreamEvent] = []
    for piece in recording.pieces:
        for frame in decoder.feed(piece):
            events += reader.feed(frame)
    for frame in decoder.end():
        events += reader.feed(frame)
    end = [*events, *reader.end()][-1]
    assert isinstance(end, Finished)
    (call,) = end.message.calls
    return end.message.text, dict(call.arguments)


def client_of(recording: Recording) -> httpx2.Client:
    """An HTTP client whose every answer is the recording, from memory."""

    def answer(_: httpx2.Request) -> httpx2.Response:
        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, content=iter(recording.pieces))

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def read_by_anthropic(recording: Recording) -> Callable[[], Answer]:
    """The anthropic package."""
    client = anthropic.Anthropic(api_key="none", http_client=client_of(recording))

    def read() -> Answer:
        stream = client.messages.create(
            model="claude-sonnet-4-6",
            max_tokens=1,
            messages=[{"role": "user", "content": "Hello"}],
            stream=True,
        )
        words: list[str] = []
        pieces: list[str] = []
        for event in stream:
            if event.type == "content_block_delta":
                if event.delta.type == "text_delta":
                    words.append(event.delta.text)
                elif event.delta.type == "input_json_delta":
                    pieces.append(event.delta.partial_json)
        return joined(words, pieces)

    return read


def read_by_openai_responses(recording: Recording) -> Callable[[], Answer]:
    """The openai package, Responses."""
    client = openai.OpenAI(api_key="none", http_client=client_of(recording))

    def read() -> Answer:
        words: list[str] = []
        pieces: list[str] = []
        for event in client.responses.create(model="gpt-5.4", input="Hello", stream=True):
            if event.type == "response.output_text.delta":
                words.append(event.delta)
            elif event.type == "response.function_call_arguments.delta":
                pieces.append(event.delta)
        return joined(words, pieces)

    return read


def read_by_openai_chat(recording: Recording) -> Callable[[], Answer]:
    """The openai package, Chat Completions."""
    client = openai.OpenAI(api_key="none", http_client=client_of(recording))

    def read() -> Answer:
        stream = client.chat.completions.create(
            model="gpt-5.4-mini", messages=[{"role": "user", "content": "Hello"}], stream=True
        )
        words: list[str] = []
        pieces: list[str] = []
        for chunk in stream:
            for choice in chunk.choices:
                words.append(choice.delta.content or "")
                for call in choice.delta.tool_calls or ():
                    pieces.append((call.function and call.function.arguments) or "")
        return joined(words, pieces)

    return read


class Models(Protocol):
    """What is used of the package, whose own annotations need a library of pictures."""

    def generate_content_stream(
        self, *, model: str, contents: str
    ) -> Iterator[types.GenerateContentResponse]:
        """Partial responses."""
        ...


def read_by_google(recording: Recording) -> Callable[[], Answer]:
    """The google-genai package."""
    options = types.HttpOptions(httpx_client=client_of(recording))
    client = genai.Client(api_key="none", http_options=options)
    models = cast(Models, client.models)

    def read() -> Answer:
        words: list[str] = []
        arguments: dict[str, str] = {}
        for chunk in models.generate_content_stream(model="gemini-3.1-flash", contents="Hello"):
            for part in parts_of(chunk):
                words.append(part.text or "")
                if part.function_call:
                    arguments = dict(part.function_call.args or {})
        return "".join(words), arguments

    return read


def parts_of(chunk: types.GenerateContentResponse) -> Iterator[types.Part]:
    """All parts of a partial response."""
    for candidate in chunk.candidates or ():
        if candidate.content:
            yield from candidate.content.parts or ()


def joined(words: Iterable[str], pieces: Iterable[str]) -> Answer:
    """The words and the arguments, from their pieces."""
    return "".join(words), json.loads("".join(pieces))


RIVALS = {
    "anthropic-messages": ("anthropic", read_by_anthropic),
    "openai-responses": ("openai", read_by_openai_responses),
    "openai-chat": ("openai", read_by_openai_chat),
    "gemini": ("google-genai", read_by_google),
}


def cpu(read: Callable[[], Answer], recording: Recording) -> float:
    """CPU microseconds per piece; what was read must be what was said."""
    began = time.process_time()
    found = read()
    taken = time.process_time() - began
    if found != (recording.text, recording.arguments):
        raise AssertionError(f"{recording.protocol} was read wrongly")
    return taken / len(recording.pieces) * 1e6


def measure(recording: Recording) -> tuple[float, float]:
    """Medians for Recto and for the SDK, taken in turns."""
    rival = RIVALS[recording.protocol][1](recording)
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(ROUNDS + 1):
        taken = cpu(lambda: read_by_recto(recording), recording), cpu(rival, recording)
        if number:  # The first turn warms both up.
            ours.append(taken[0])
            theirs.append(taken[1])
    return statistics.median(ours), statistics.median(theirs)


def main() -> None:
    """Measure each protocol, print, and judge."""
    print(f"{'':20}{'recto':>8}{'SDK':>8}{'ratio':>8}   (CPU µs per piece, median of {ROUNDS})")
    slow: list[str] = []
    for recording in recordings():
        ours, theirs = measure(recording)
        rival = RIVALS[recording.protocol][0]
        ratio = theirs / ours
        print(f"{recording.protocol:20}{ours:8.1f}{theirs:8.1f}{ratio:7.1f}×   against {rival}")
        if ratio < REQUIRED:
            slow.append(recording.protocol)
    if slow:
        sys.exit(f"decode: less than {REQUIRED:g} × cheaper: {', '.join(slow)}.")


if __name__ == "__main__":
    main()
