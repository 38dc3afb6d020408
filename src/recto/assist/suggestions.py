"""Suggestions at the cursor: asked for, made to fit, told one by one, and kept with their outcome.

A model that only continues texts is asked several times; every other is asked once, for several.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

import anyio

from recto.access import Access
from recto.assist.confidence import Confidence
from recto.assist.provenance import Provenance
from recto.assist.questions import NoModelAvailable, Questions, Sources
from recto.assist.suggestion_parser import ParsedSuggestion, SuggestionParser
from recto.clock import Clock, Ids
from recto.context import (
    CONTINUATION_TEMPLATE,
    GHOST_TEMPLATE,
    CursorPlace,
    Way,
    context_hashes,
    continuation_request,
    continued,
    fitted,
    ghost_request,
    is_same,
    text_to_continue,
)
from recto.messages import Finished, Request, StreamEvent
from recto.storage import Storage, Suggestion

FEATURE = "ghost"
SAMPLES = 3
FIRST_TOKENS = 10
"""The first comes soon, the others are read after it: they may be longer."""
MORE_TOKENS = 20
WARM = 0.8
NO_MARK = -1
"""What is remembered ends with the system prompt: the next question is another."""
HIDDEN = "This file is kept from AI."
NOTHING_BEFORE = "There is nothing before the cursor to go on from."
NO_SUGGESTION = "The model made no suggestion that fits here."

Outcome = Literal["accepted", "partly", "dismissed"]


@dataclass(frozen=True, slots=True)
class FolderGuidance:
    """A folder's instructions: those that are followed, and the files that nobody was asked of."""

    text: str
    unanswered: tuple[str, ...] = ()


Instructions = Callable[[str, str], Awaitable[FolderGuidance | None]]
"""What a project tells models, for a file of it; None when the file is kept from them."""


@dataclass(frozen=True, slots=True)
class OfferedSuggestion:
    """One suggestion, ready to be shown."""

    id: str
    index: int
    text: str
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class SuggestionsDone:
    """The end: how many there were, where they come from, and what is known only now."""

    id: str
    count: int
    provenance: Provenance | None
    confidences: tuple[Confidence, ...]
    reason: str | None = None
    """Why there are none."""
    unanswered: tuple[str, ...] = ()
    """Instructions of the folder that were not sent: whether to follow them is not said yet."""


@dataclass(slots=True)
class SuggestionSession:
    """One place that is asked about, and what was said so far."""

    id: str
    project_id: str
    around: CursorPlace
    told: FolderGuidance
    access: Access
    provenance: Provenance | None = None
    offered: list[OfferedSuggestion] = field(default_factory=list[OfferedSuggestion])
    reason: str | None = None

    def note(self, provenance: Provenance) -> None:
        """The first answer is the one that is told of."""
        first = self.provenance or provenance
        if first.request_id == provenance.request_id:
            self.provenance = provenance

    def offer(self, heard: ParsedSuggestion) -> OfferedSuggestion | None:
        """A suggestion as it fits here; None when nothing is left of it, or nothing new."""
        around = self.around
        is_prose = not around.language
        text = fitted(heard.text, around.before, around.after, is_prose=is_prose)
        if not text or any(is_same(text, item.text) for item in self.offered):
            return None
        found = OfferedSuggestion(self.id, len(self.offered), text, heard.confidence)
        self.offered.append(found)
        return found

    def confidences(self) -> tuple[Confidence, ...]:
        """How sure each is, as its model says."""
        return tuple(offer.confidence for offer in self.offered)


class Suggestions:
    """Asks for text at the cursor."""

    def __init__(
        self,
        questions: Questions,
        storage: Storage,
        *,
        clock: Clock,
        ids: Ids,
        chosen: Callable[[], str],
        instructions: Instructions,
    ) -> None:
        """`chosen` is the model the user wants for this, or nothing."""
        self._questions = questions
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._chosen = chosen
        self._instructions = instructions
        self._last_read = ""

    async def ask(
        self, project_id: str, around: CursorPlace
    ) -> AsyncGenerator[OfferedSuggestion | SuggestionsDone]:
        """Each suggestion as soon as it is complete, then the end. Closing it stops the model.

        Raises StorageFailure when there is no such project, and a WorkspaceFailure.
        """
        told = await self._instructions(project_id, around.path)
        id = self._ids.new()
        if told is None:
            return nothing(id, HIDDEN)
        try:
            access = self._questions.find(self._chosen() or FEATURE)
        except NoModelAvailable as failure:
            return nothing(id, str(failure))
        return self._told(SuggestionSession(id, project_id, around, told, access))

    async def decide(self, id: str, outcome: Outcome, *, index: int, characters: int) -> None:
        """Keep what became of suggestions. Raises RecordNotFound."""
        async with self._storage.write() as write:
            await self._storage.suggestions.change(
                write,
                id,
                outcome=outcome,
                chosen=index,
                characters=characters,
                decided_ms=self._clock.now_ms(),
            )

    async def _told(
        self, session: SuggestionSession
    ) -> AsyncGenerator[OfferedSuggestion | SuggestionsDone]:
        continues = session.access.traits.continues
        events = self._continued(session) if continues else self._answered(session)
        is_kept = False
        try:
            async with aclosing(events):
                async for heard in events:
                    offered = session.offer(heard)
                    if offered is None:
                        continue
                    if not is_kept:
                        # Whoever sees it may take it at once: its row is there first.
                        await self._keep(session)
                        is_kept = True
                    yield offered
        finally:
            if is_kept:
                with anyio.CancelScope(shield=True):
                    await self._complete(session)
        count = len(session.offered)
        reason = None if count else session.reason or NO_SUGGESTION
        # A model that only continues a text is told nothing: there is nothing to agree to.
        unanswered = () if continues else session.told.unanswered
        yield SuggestionsDone(
            session.id, count, session.provenance, session.confidences(), reason, unanswered
        )

    async def _answered(self, session: SuggestionSession) -> AsyncGenerator[ParsedSuggestion]:
        """What a model says that is asked for several at once."""
        access, traits = session.access, session.access.traits
        can_rest = traits.thinking == "none" or "off" in traits.efforts
        request = ghost_request(
            session.around, way_of(access), instructions=session.told.text, can_rest=can_rest
        )
        hearing = SuggestionParser(access)
        async with aclosing(self._asked(session, request, GHOST_TEMPLATE)) as events:
            async for event in events:
                if isinstance(event, Sources):
                    continue
                for heard in hearing.hear(event):
                    yield heard
                if isinstance(event, Finished) and event.failure is not None:
                    session.reason = event.failure.message

    async def _continued(self, session: SuggestionSession) -> AsyncGenerator[ParsedSuggestion]:
        """How a model on this machine goes on: first as it likes best, then in other ways."""
        text = text_to_continue(session.around.before, self._last_read)
        if not text.strip():
            session.reason = NOTHING_BEFORE
            return
        self._last_read = text
        for number in range(SAMPLES):
            tokens, temperature = (MORE_TOKENS, WARM) if number else (FIRST_TOKENS, 0.0)
            request = continuation_request(text, tokens=tokens, temperature=temperature)
            said = ""
            async with aclosing(self._asked(session, request, CONTINUATION_TEMPLATE)) as events:
                async for event in events:
                    if isinstance(event, Sources):
                        yield ParsedSuggestion(said, event.confidence)
                    elif isinstance(event, Finished):
                        is_cut = event.reason == "max_tokens"
                        said = continued(event.message.text, session.around, text, is_cut=is_cut)
                        session.reason = event.failure.message if event.failure else None
            if session.reason is not None:
                return

    def _asked(
        self, session: SuggestionSession, request: Request, template: str
    ) -> AsyncGenerator[StreamEvent | Sources]:
        around = session.around
        return self._questions.ask(
            session.access,
            request,
            feature=FEATURE,
            template=template,
            contexts=context_hashes(around.before, around.after, session.told.text),
            project_id=session.project_id,
            cache_at=NO_MARK,
            on_asked=session.note,
        )

    async def _keep(self, session: SuggestionSession) -> None:
        provenance = session.provenance
        assert provenance is not None
        async with self._storage.write() as write:
            await self._storage.suggestions.add(
                write,
                Suggestion(
                    id=session.id,
                    project_id=session.project_id,
                    path=session.around.path,
                    at_ms=self._clock.now_ms(),
                    model=session.access.id,
                    model_name=session.access.name,
                    request_id=provenance.request_id,
                    prompt_hash=provenance.prompt_hash,
                    template=provenance.prompt_template_id,
                    temperature=provenance.temperature,
                    items=items_of(session),
                    outcome="pending",
                    chosen=None,
                    characters=0,
                    decided_ms=None,
                ),
            )

    async def _complete(self, session: SuggestionSession) -> None:
        async with self._storage.write() as write:
            await self._storage.suggestions.change(write, session.id, items=items_of(session))


def items_of(session: SuggestionSession) -> list[dict[str, object]]:
    """What is kept of each suggestion: how sure it is, never its words."""
    return [
        {"confidence": confidence.value, "source": confidence.source}
        for confidence in session.confidences()
    ]


def way_of(access: Access) -> Way:
    """How this model is brought to answer in the form that is read."""
    traits = access.traits
    if traits.tools and traits.forced_tool:
        return "forced"
    if traits.structured:
        return "schema"
    return "tool" if traits.tools else "words"


async def nothing(id: str, reason: str) -> AsyncGenerator[OfferedSuggestion | SuggestionsDone]:
    """No suggestion, and why."""
    yield SuggestionsDone(id, 0, None, (), reason)
