"""A summary of a chat, made on request: a checkpoint from which the conversation goes on."""

from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

import anyio

from recto.access import Access
from recto.agent import TurnEnded
from recto.assist import NoModelAvailable, Sources
from recto.chats.history.entries import ChatEntry, EntryContent, Error, SideQuestion
from recto.chats.prompts.base import PromptBase, find_folder_instructions
from recto.chats.prompts.request import PINS, PreparedRequest, prepare_request
from recto.chats.prompts.surroundings import THOUGHTS_FROM, find_surroundings, prompt_base_of
from recto.chats.prompts.turn_input import input_of
from recto.chats.services import ChatServices
from recto.chats.turns import event_bodies
from recto.chats.turns.built_request import last_answer, setting_of
from recto.chats.turns.clock_readings import ClockReadings, LiveReadings, count_as_recorded
from recto.chats.turns.permissions import already_followed
from recto.chats.turns.snapshot import TurnSnapshot, store_snapshot
from recto.chats.turns.summary_entry import summary_entry
from recto.chats.turns.transcript import Transcript
from recto.chats.turns.wire_exchange import Exchange, pack_exchange
from recto.config import ConfigFailure
from recto.context import DOCUMENT_TEMPLATE, SUMMARY_TEMPLATE, TooLong, summary_request
from recto.messages import Failure, Finished
from recto.storage import Chat, Run, WriteTransaction
from recto.tools import RulesInvalid
from recto.workspace import WorkspaceFailure

EMPTY = Failure("upstream", "The model gave no summary. The conversation is as it was.")
ONLY_STEP = 1


class SummaryEnvironment(Protocol):
    """What a summary is made from, live or recorded."""

    @property
    def draws(self) -> ClockReadings:
        """How tokens are counted."""
        ...

    async def set(self, transcript: Transcript) -> tuple[TurnSnapshot, object]:
        """Everything that the turn is given; it calls no tools. Raises NoModelAvailable."""
        ...


class LiveSummaryEnvironment:
    """The folder as it is; what the turn is given is written down first."""

    def __init__(self, services: ChatServices, chat: Chat, run: Run) -> None:
        self.draws: ClockReadings = LiveReadings(services.clock)
        self._services = services
        self._chat = chat
        self._input = input_of(run.body)

    async def set(self, transcript: Transcript) -> tuple[TurnSnapshot, object]:
        """Look around, asking nobody, and write down what is found. Raises NoModelAvailable."""
        services, chat = self._services, self._chat
        access = services.questions.find(self._input.model or "")
        # The same bytes in front: the provider's cache then covers most of the long history.
        base = await self._last_ground(access) or await self._new_ground()
        pins = tuple(chat.meta.get(PINS, ()))
        snapshot = TurnSnapshot(access, base, services.preferences().limits, pins, changing=())
        await store_snapshot(transcript, services, snapshot)
        return snapshot, None

    async def _last_ground(self, access: Access) -> PromptBase | None:
        """What the last turn stood on, if the same model answered it.

        The provider remembers the request of that turn, to the letter: with the tools that its plan
        or its skills left, and the instructions of the folder as they were.
        """
        services, chat = self._services, self._chat
        answer = await last_answer(services, chat.id)
        last = None if answer is None else await setting_of(services, answer)
        if last is None or last.access.id != access.id or answers_with_passage(last.ground):
            return None
        return replace(last.ground, thoughts_from=chat.meta.get(THOUGHTS_FROM, 0))

    async def _new_ground(self) -> PromptBase:
        services, chat = self._services, self._chat
        surroundings = await find_surroundings(services, chat, self._input)
        brought = await find_folder_instructions(surroundings.workspace)
        # A summary may begin by itself: nobody may be there to be asked.
        follow = already_followed(services, surroundings.workspace.root, chat, brought)
        return await prompt_base_of(services, chat, surroundings, self._input, follow)


def answers_with_passage(base: PromptBase) -> bool:
    """Whether a model without tools was told to answer with a new passage, and nothing else."""
    return base.template == DOCUMENT_TEMPLATE and not base.tools


class Summarizer:
    """The turn in which a model summarises. The conversation stays as it is until it has."""

    def __init__(
        self,
        services: ChatServices,
        chat: Chat,
        run: Run,
        environment: SummaryEnvironment | None = None,
    ) -> None:
        self.chat = chat
        self.run = run
        self.done = anyio.Event()
        self.is_stopped = False
        self._services = services
        self._environment = environment or LiveSummaryEnvironment(services, chat, run)
        self._transcript = Transcript(services, chat, run)
        self._scope = anyio.CancelScope()
        self._exchange = Exchange()

    def stop(self) -> None:
        """A person has had enough."""
        self.is_stopped = True
        self._scope.cancel()

    async def end(self, event: TurnEnded) -> None:
        """The turn is over."""
        await self._transcript.end(event, is_stopped=self.is_stopped)

    async def work(self) -> None:
        """Ask for the summary and keep it."""
        # What holds if the scope is cancelled before `_summarise` returns.
        ended = TurnEnded("cancelled", "The summary was stopped. The conversation is as it was.")
        try:
            with self._scope:
                ended = await self._summarise()
        finally:
            # The end of the run is written even when the program is closing.
            with anyio.CancelScope(shield=True):
                await self.end(ended)

    async def _summarise(self) -> TurnEnded:
        services, transcript = self._services, self._transcript
        transcript.entries = await services.archive.since_checkpoint(self.chat.id)
        try:
            snapshot, _ = await self._environment.set(transcript)
        except NoModelAvailable as missing:
            return TurnEnded("failed", missing.message, Failure("not_found", str(missing)))
        except (ConfigFailure, RulesInvalid, WorkspaceFailure) as refusal:
            failure = Failure("invalid_request", str(refusal), code=event_bodies.OF_THE_FOLDER)
            return TurnEnded("failed", failure.message, failure)
        count_as_recorded(self._environment.draws, services.counter, snapshot.access.id, ONLY_STEP)
        asking = prepare_request(
            transcript.entries,
            snapshot.ground,
            snapshot.access,
            services.counter,
            chat_id=self.chat.id,
            pins=snapshot.pins,
            request=summary_request(),
        )
        if isinstance(asking, TooLong):
            return TurnEnded("failed", asking.failure.message, asking.failure)
        transcript.add("step", event_bodies.step_body(ONLY_STEP, snapshot.access))
        end, sources = await self._ask(snapshot, asking)
        return await self._keep(end, sources, snapshot)

    async def _ask(
        self, snapshot: TurnSnapshot, asking: PreparedRequest
    ) -> tuple[Finished, Sources | None]:
        """The model's answer, shown as it comes, and where it comes from."""
        end: Finished | None = None
        sources: Sources | None = None
        events = self._services.questions.ask(
            snapshot.access,
            asking.request,
            feature="summary",
            template=SUMMARY_TEMPLATE,
            contexts=(*snapshot.ground.contexts, *asking.prompt.context_hashes),
            project_id=self.chat.project_id,
            chat_id=self.chat.id,
            turn_id=self.run.id,
            cache_at=asking.cache_at,
            record=self._exchange.note,
            on_booked=self._exchange.booked.append,
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Finished):
                    end = event
                elif isinstance(event, Sources):
                    sources = event
                elif shown := event_bodies.piece_event(ONLY_STEP, event):
                    self._transcript.add(*shown)
        if end is None:
            raise RuntimeError("A stream ended without Finished.")
        return end, sources

    async def _keep(
        self, end: Finished, sources: Sources | None, snapshot: TurnSnapshot
    ) -> TurnEnded:
        """The summary becomes part of the history, with the bytes it came from."""
        exchange, transcript = self._exchange, self._transcript
        # An empty checkpoint would hide the whole conversation behind nothing.
        failure = end.failure or (None if end.message.text.strip() else EMPTY)
        contents: tuple[EntryContent, ...]
        if failure is not None:
            contents = (Error(failure, self.run.id),)
        else:
            summary = summary_entry(
                transcript.entries,
                text=end.message.text,
                model=snapshot.access.id,
                usage=exchange.usage(end.usage),
                cost_micros=exchange.cost_micros,
                pins=snapshot.pins,
            )
            contents = (SideQuestion(summary_request().text, "summary_request"), summary)
        transcript.add("draws", {"draws": self._environment.draws.take_new()})

        packed = await pack_exchange(self._services, self.chat.id, self.run.id, exchange)

        async def work(write: WriteTransaction) -> tuple[list[ChatEntry], dict[str, object]]:
            record = await packed.keep(write)
            request_id = sources.provenance.request_id if sources else None
            entries = await transcript.write(write, contents)
            return entries, {"step": ONLY_STEP, "request_id": request_id, **record}

        entries, _ = await transcript.commit_with(
            work, lambda done: [transcript.event("exchange", done[1]), *transcript.told(done[0])]
        )
        transcript.entries += entries
        return (
            TurnEnded("done") if failure is None else TurnEnded("failed", failure.message, failure)
        )
