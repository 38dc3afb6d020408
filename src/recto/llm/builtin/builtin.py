"""The built-in model as the server knows it: requests in, the usual events out, one at a time.

The engine speaks Chat Completions, so that requests are written and answers read by that protocol.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path

import anyio.to_thread
import msgspec

from recto.llm.builtin.installed import MissingRequirement, find_model
from recto.llm.builtin.link import Kind, WorkerLink, WorkerLinkEnded
from recto.llm.framing import Frame
from recto.llm.protocol_loader import load_protocol
from recto.llm.traits import Traits
from recto.llm.wire import Record, WireReader, WireRequest
from recto.messages import (
    Failure,
    Finished,
    Message,
    Origin,
    PromptProgress,
    Request,
    StreamEvent,
    encodable,
)
from recto.processes import InputClosed, ProcessFailure, shielded

TRAITS = Traits(
    tools=False,
    forced_tool=False,
    images=False,
    result_images=False,
    sampling=True,
    logprobs=True,
    calibrated=False,
    continues=True,
)
PROVIDER = "builtin"
BUILTIN_PROTOCOL = "openai-chat"
HEAD = b'{"status":200,"headers":{"content-type":"text/event-stream"}}'
DONE = Frame("", b"[DONE]")
IDLE_S = 600.0
SILENCE_S = 300.0
NO_TOOLS = Failure(
    "invalid_request",
    "The built-in model can't use tools. Choose another model for this.",
    PROVIDER,
)
CLOSED = Failure("cancelled", "The built-in model was closed.", PROVIDER)


def unrecorded(_: object, __: bytes) -> None:
    """Nobody keeps what is said."""


def lower_builtin(request: Request) -> WireRequest:
    """A request as the engine is asked it."""
    origin = Origin(PROVIDER, "", request.model)
    return load_protocol(BUILTIN_PROTOCOL).lower(replace(request, stream=True), TRAITS, origin)


def continuation(request: Request) -> bytes:
    """A text to continue as the engine is asked it: no chat, no instructions."""
    body = {
        "prompt": encodable(request.messages[0].text),
        "max_tokens": request.max_output,
        "temperature": request.temperature or 0.0,
        "stop": [item for item in request.stop if item],
        "logprobs": 1,
        "stream": True,
    }
    return msgspec.json.encode(body)


class BuiltinRequestFailed(Exception):
    """A request can't go on."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class BuiltinModel:
    """A model on this machine, of any GGUF file; without one, the model that is installed.

    Requests are answered in the order they came. Belongs to one event loop. `idle_s` without a
    request give its memory back (None: never); `silence_s` without a sign of life end the worker.
    """

    def __init__(
        self,
        model_path: Path | None = None,
        *,
        idle_s: float | None = IDLE_S,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._path = model_path.absolute() if model_path else None
        self._idle_s = idle_s
        self._silence_s = silence_s
        # One at a time: two side by side would each take twice as long.
        self._turn = asyncio.Lock()
        self._link: WorkerLink | None = None
        self._is_closed = False

    @property
    def worker_pid(self) -> int | None:
        """The process that runs the model, while there is one."""
        return self._link.pid if self._link else None

    def stream(
        self, request: Request, *, record: Record | None = None
    ) -> AsyncGenerator[StreamEvent]:
        """The events of an answer; the last is the one `Finished`.

        Closing the generator, or cancelling the task that waits for it, stops the answer. `record`
        is told what the engine is asked, and what it answers as a server would send it. A text that
        is continued again, or a longer one, costs little: its reading is kept.
        """
        if request.tools:
            return refuse(NO_TOOLS)
        kind: Kind = "text" if request.continues else "chat"
        body = continuation(request) if request.continues else lower_builtin(request).body
        origin = Origin(PROVIDER, "", request.model)
        return self._answer(kind, body, origin, record or unrecorded)

    async def close(self) -> None:
        """End the worker. A request under way fails, and so does every later one."""
        self._is_closed = True
        await self._drop()

    async def _answer(
        self, kind: Kind, body: bytes, origin: Origin, record: Record
    ) -> AsyncGenerator[StreamEvent]:
        reader = load_protocol(BUILTIN_PROTOCOL).reader(origin)
        record("request", body)
        async with self._turn:
            try:
                link, number = await self._ask(kind, body)
            except BuiltinRequestFailed as broken:
                for event in told(reader, broken.failure):
                    yield event
                return
            is_over = False
            record("head", HEAD)
            try:
                progress = ProgressSteps()
                while not is_over:
                    heard = await self._hear(link, number)
                    is_over = heard is DONE or isinstance(heard, Failure)
                    if isinstance(heard, Frame):
                        record("answer", b"data: " + heard.data + b"\n\n")
                    if not isinstance(heard, PromptProgress):
                        for event in told(reader, heard):
                            yield event
                    elif progress.is_worth_telling(heard):
                        yield heard
            finally:
                if not is_over:
                    # Else the worker would write on to the end, and the next request wait for it.
                    await shielded(link.cancel(number))

    async def _ask(self, kind: Kind, body: bytes) -> tuple[WorkerLink, int]:
        """Tell the worker, a new one if the last has died in the meantime.

        Raises BuiltinRequestFailed.
        """
        link = await self._ready()
        try:
            return link, await link.ask(kind, body)
        except InputClosed:
            await self._drop()
        link = await self._ready()
        try:
            return link, await link.ask(kind, body)
        except InputClosed as failure:
            raise BuiltinRequestFailed(Failure("upstream", failure.message, PROVIDER)) from failure

    async def _ready(self) -> WorkerLink:
        if self._link is None and not self._is_closed:
            found = await anyio.to_thread.run_sync(find_model, self._path)
            if isinstance(found, MissingRequirement):
                words = f"{found.message} {found.remedy}"
                raise BuiltinRequestFailed(Failure("not_found", words, PROVIDER))
            try:
                self._link = await WorkerLink.open(found, self._idle_s)
            except ProcessFailure as failure:
                raise BuiltinRequestFailed(Failure("upstream", str(failure), PROVIDER)) from failure
        if self._link is None or self._is_closed:
            await self._drop()
            raise BuiltinRequestFailed(CLOSED)
        return self._link

    async def _hear(self, link: WorkerLink, number: int) -> Frame | Failure | PromptProgress:
        """The next chunk, or how far it is; a failure when the worker ended or fell silent."""
        try:
            async with asyncio.timeout(self._silence_s):
                line = await link.hear(number)
        except WorkerLinkEnded as ended:
            await self._drop()
            if self._is_closed:
                return CLOSED
            return Failure("upstream", f"The built-in model {ended.how}.", PROVIDER)
        except TimeoutError:
            await self._drop()
            return Failure("timeout", "The built-in model stopped answering.", PROVIDER)
        if line.end:
            return DONE
        chunk = bytes(line.chunk)
        return Frame("", chunk) if chunk else PromptProgress(line.read, line.total)

    async def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            await link.close()


class ProgressSteps:
    """Tells a prompt's reading in twenty steps at most: each is written down."""

    def __init__(self) -> None:
        self._last = -1

    def is_worth_telling(self, progress: PromptProgress) -> bool:
        """Whether it is a step further."""
        step = 20 * progress.read // progress.total if progress.total else 0
        is_further, self._last = step > self._last, max(step, self._last)
        return is_further


def told(reader: WireReader, heard: Frame | Failure) -> Iterator[StreamEvent]:
    """The events of what was heard; a failure says that it is ours."""
    events = reader.end(heard) if isinstance(heard, Failure) else reader.feed(heard)
    for event in events:
        # The reader is that of Chat Completions and names no provider of ours.
        if isinstance(event, Finished) and event.failure is not None:
            event = replace(event, failure=replace(event.failure, provider=PROVIDER))
        yield event


async def refuse(failure: Failure) -> AsyncGenerator[StreamEvent]:
    """An answer that is only a failure."""
    yield Finished("error", Message("assistant", ()), failure=failure)
