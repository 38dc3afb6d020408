"""Questions: one request to a model, prepared, asked through the gate, and accounted for."""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from recto.access import Access, Gate, Models
from recto.assist.confidence import Confidence, confidence_of
from recto.clock import Ids
from recto.context import TokenCounter, bind, mark_cache, prepare, prompt_hash
from recto.messages import Finished, Request, StreamEvent, TextDelta


class NoModel(Exception):
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
class Provenance:
    """Where an answer comes from."""

    model_id: str
    request_id: str
    prompt_hash: str
    prompt_template_id: str
    input_context_hashes: tuple[str, ...]
    temperature: float | None


@dataclass(frozen=True, slots=True)
class Sources:
    """What is told after an answer."""

    confidence: Confidence
    provenance: Provenance


class Questions:
    """Asks models one thing at a time."""

    def __init__(self, gate: Gate, models: Models, *, ids: Ids, counter: TokenCounter) -> None:
        self._gate = gate
        self._models = models
        self._ids = ids
        self._counter = counter

    def find(self, wanted: str) -> Access:
        """The model of this id, or the one for chats. Raises NoModel."""
        access = self._models.resolve(wanted or "chat")
        if access is None:
            raise NoModel(wanted)
        return access

    async def ask(
        self,
        access: Access,
        request: Request,
        *,
        feature: str,
        template: str,
        contexts: tuple[str, ...] = (),
        project_id: str | None = None,
    ) -> AsyncGenerator[StreamEvent | Sources]:
        """The answer's events, then its sources. `contexts` are the slices that were put in."""
        ready = prepare(request, access.origin, binds_prefix=access.traits.binds_prefix)
        ready = replace(ready, model=access.model, logprobs=access.traits.logprobs)
        if access.traits.cache_marks:
            ready = mark_cache(ready)
        provenance = Provenance(
            model_id=access.id,
            request_id=self._ids.new(),
            prompt_hash=prompt_hash(ready),
            prompt_template_id=template,
            input_context_hashes=tuple(
                hashlib.sha256(one.encode()).hexdigest() for one in contexts
            ),
            temperature=request.temperature,
        )
        logprobs: list[float] = []
        events = self._gate.stream(access, ready, feature=feature, project_id=project_id)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, TextDelta):
                    logprobs += [one.logprob for one in event.logprobs]
                if isinstance(event, Finished):
                    self._learn(access, ready, event)
                    if access.traits.binds_prefix:
                        event = replace(event, message=bind(event.message, ready))
                yield event
        yield Sources(confidence_of(logprobs), provenance)

    def _learn(self, access: Access, request: Request, end: Finished) -> None:
        """A provider's own count corrects ours for the next time."""
        if end.failure is None and end.usage is not None and end.usage.source == "final":
            self._counter.learn(access.id, request, end.usage.prompt)
