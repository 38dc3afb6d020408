"""Questions: one request to a model, prepared, asked through the gate, and accounted for."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from recto.access import Access, ModelGate, Models, OnBooked, OnMended, Record, WorkspaceModels
from recto.assist.confidence import Confidence, confidence_of
from recto.assist.continuations import AnswerSoFar
from recto.assist.provenance import AnswerTracer, OnAsked, Provenance
from recto.clock import Ids
from recto.context import TokenCounter, bind, goes_on, mark_cache, prepare, prompt_hash
from recto.messages import Finished, Request, StreamEvent, TextDelta


class NoModelAvailable(Exception):
    """Nobody can be asked; says why and what to do."""

    def __init__(self, wanted: str) -> None:
        self.message = (
            f"There is no model {wanted!r} that can be asked now."
            if wanted
            else "There is no model that can be asked now."
        )
        self.remedy = "See the list with: recto models. Set a key with: recto keys set NAME"
        super().__init__(f"{self.message} {self.remedy}")


@dataclass(frozen=True, slots=True)
class Sources:
    """What is told after an answer."""

    confidence: Confidence
    provenance: Provenance


@dataclass(slots=True)
class AskedQuestion:
    """What one answer is asked for with. A mend changes it for the rest of the answer."""

    access: Access
    request: Request
    on_mended: OnMended | None

    def take(self, access: Access, request: Request) -> None:
        """Remember what was sent instead, without what was answered already."""
        paused = goes_on(request.messages[-1])
        messages = request.messages[:-1] if paused else request.messages
        self.access, self.request = access, replace(request, messages=messages)
        if self.on_mended is not None:
            self.on_mended(access, request)

    def next(self, before: AnswerSoFar) -> Request:
        """The request of the next call: the first again, and the answer so far."""
        if not before.hops:
            return self.request
        messages = (*self.request.messages, before.message)
        return prepared(self.access, replace(self.request, messages=messages))

    def bound(self, end: Finished) -> Finished:
        """An end whose thoughts are bound to what they answer: the request before any pause."""
        if not self.access.traits.binds_prefix:
            return end
        return replace(end, message=bind(end.message, self.request))


class Questions:
    """Asks models one thing at a time."""

    def __init__(self, gate: ModelGate, models: Models, *, ids: Ids, counter: TokenCounter) -> None:
        self._gate = gate
        self._models = models
        self._ids = ids
        self._counter = counter

    def find(self, wanted: str, folder: WorkspaceModels | None = None) -> Access:
        """The model of this id, or the one for chats, as a folder chooses.

        Raises NoModelAvailable.
        """
        access = self._models.resolve(wanted or "chat", folder)
        if access is None:
            raise NoModelAvailable(wanted)
        return access

    def count(self, access: Access, request: Request) -> int:
        """How many tokens a request takes, by our own count as this model's reports correct it."""
        return self._counter.request(prepared(access, request), access.id)

    def ready(self, access: Access, request: Request) -> Request:
        """A request as it would be sent, without sending it."""
        return prepared(access, request)

    async def ask(
        self,
        access: Access,
        request: Request,
        *,
        feature: str,
        template: str,
        contexts: tuple[str, ...] = (),
        project_id: str | None = None,
        chat_id: str | None = None,
        turn_id: str | None = None,
        cache_at: int | None = None,
        record: Record | None = None,
        on_mended: OnMended | None = None,
        on_booked: OnBooked | None = None,
        on_asked: OnAsked | None = None,
    ) -> AsyncGenerator[StreamEvent | Sources]:
        """The answer's events, then its sources. `contexts` are the hashes of what was put in.

        An answer that pauses is asked to go on, each time as a call of its own.
        """
        ready = prepared(access, request, cache_at)
        provenance = Provenance(
            model_id=access.id,
            request_id=self._ids.new(),
            prompt_hash=prompt_hash(ready),
            prompt_template_id=template,
            input_context_hashes=contexts,
        )
        tracing = AnswerTracer(provenance, record, on_asked)
        asked = AskedQuestion(access, ready, on_mended)

        def stream(sent: Request) -> AsyncGenerator[StreamEvent]:
            return self._gate.stream(
                asked.access,
                sent,
                feature=feature,
                chat_id=chat_id,
                project_id=project_id,
                turn_id=turn_id,
                record=tracing.note,
                on_mended=asked.take,
                on_booked=on_booked,
            )

        logprobs: list[float] = []
        async with aclosing(self._in_hops(asked, stream)) as events:
            async for event in events:
                tracing.see(event)
                if isinstance(event, TextDelta):
                    logprobs += [logprob.logprob for logprob in event.logprobs]
                yield event
        yield Sources(confidence_of(access, logprobs), tracing.provenance)

    async def _in_hops(
        self, asked: AskedQuestion, stream: Callable[[Request], AsyncGenerator[StreamEvent]]
    ) -> AsyncGenerator[StreamEvent]:
        """The answer, over as many calls as it takes: one beginning, one end."""
        before: AnswerSoFar | None = AnswerSoFar()
        while before is not None:
            end: Finished | None = None
            async with aclosing(stream(asked.next(before))) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        end = event
                    elif told := before.tell(event):
                        yield told
            assert end is not None
            if not before.hops:
                self._learn(asked, end)
            end = asked.bound(before.end(end))
            before = before.after(end)
            if before is None:
                yield end

    def _learn(self, asked: AskedQuestion, end: Finished) -> None:
        """A provider's own count corrects ours for the next time."""
        if end.failure is None and end.usage is not None and end.usage.source == "final":
            self._counter.learn(asked.access.id, asked.request, end.usage.prompt)


def prepared(access: Access, request: Request, cache_at: int | None = None) -> Request:
    """A request as this model gets it; `cache_at` keeps the cache mark at a message."""
    ready = prepare(request, access.origin, binds_prefix=access.traits.binds_prefix)
    ready = replace(ready, model=access.model, logprobs=access.traits.logprobs)
    return mark_cache(ready, frozen_at=cache_at) if access.traits.cache_marks else ready
