"""A summary of a chat, made on request: a checkpoint from which the conversation goes on."""

from contextlib import aclosing
from typing import Protocol

import anyio

from recto.agent import TurnEnded
from recto.assist import NoModel, Sources
from recto.chats import telling
from recto.chats.entries import Asked, Content, Entry, Error
from recto.chats.exchange import Exchange
from recto.chats.ground import brought_by
from recto.chats.inputs import input_of
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.chats.permits import already_followed
from recto.chats.prompting import PINS, Asking, ask_for
from recto.chats.record.draws import Draws, LiveDraws, count_as_drawn
from recto.chats.record.setting import Setting, keep_setting
from recto.chats.scene import ground_of, look_around
from recto.chats.summaries import summary_entry
from recto.context import SUMMARY_TEMPLATE, TooLong, summary_request
from recto.messages import Failure, Finished
from recto.storage import Chat, Run, Write
from recto.tools import RulesInvalid
from recto.workspace import WorkspaceFailure

EMPTY = Failure("upstream", "The model gave no summary. The conversation is as it was.")
ONLY_STEP = 1


class SummaryStage(Protocol):
    """What a summary is made from, live or recorded."""

    @property
    def draws(self) -> Draws:
        """How tokens are counted."""
        ...

    async def set(self, minutes: Minutes) -> tuple[Setting, object]:
        """Everything that the turn is given; it calls no tools. Raises NoModel."""
        ...


class LiveSummaryStage:
    """The folder as it is; what the turn is given is written down first."""

    def __init__(self, means: Means, chat: Chat, run: Run) -> None:
        self.draws: Draws = LiveDraws(means.clock)
        self._means = means
        self._chat = chat
        self._input = input_of(run.body)

    async def set(self, minutes: Minutes) -> tuple[Setting, object]:
        """Look around, asking nobody, and write down what is found. Raises NoModel."""
        means, chat = self._means, self._chat
        scene = await look_around(means, chat, self._input)
        brought = await brought_by(scene.workspace)
        follow = already_followed(means, scene.workspace.root, chat, brought)
        # The same tools as always: without them the provider's cache would not be hit.
        ground = await ground_of(means, chat, scene, self._input, follow)
        pins = tuple(chat.meta.get(PINS, ()))
        setting = Setting(scene.access, ground, means.wishes().limits, pins, changing=())
        await keep_setting(minutes, means.storage, setting)
        return setting, None


class SummaryTurn:
    """The turn in which a model summarises. The conversation stays as it is until it has."""

    def __init__(
        self, means: Means, chat: Chat, run: Run, stage: SummaryStage | None = None
    ) -> None:
        self.chat = chat
        self.run = run
        self.done = anyio.Event()
        self.is_stopped = False
        self._means = means
        self._stage = stage or LiveSummaryStage(means, chat, run)
        self._minutes = Minutes(means, chat, run)
        self._scope = anyio.CancelScope()
        self._exchange = Exchange()

    def stop(self) -> None:
        """A person has had enough."""
        self.is_stopped = True
        self._scope.cancel()

    async def end(self, event: TurnEnded) -> None:
        """The turn is over."""
        await self._minutes.end(event, is_stopped=self.is_stopped)

    async def work(self) -> None:
        """Ask for the summary and keep it."""
        ended = TurnEnded("cancelled", "The summary was stopped. The conversation is as it was.")
        try:
            with self._scope:
                ended = await self._summarise()
        finally:
            with anyio.CancelScope(shield=True):
                await self.end(ended)

    async def _summarise(self) -> TurnEnded:
        means, minutes = self._means, self._minutes
        minutes.entries = await means.archive.since_checkpoint(self.chat.id)
        try:
            setting, _ = await self._stage.set(minutes)
        except NoModel as missing:
            return TurnEnded("failed", missing.message, Failure("not_found", str(missing)))
        except (RulesInvalid, WorkspaceFailure) as refusal:
            failure = Failure("invalid_request", str(refusal), code=telling.OF_THE_FOLDER)
            return TurnEnded("failed", failure.message, failure)
        count_as_drawn(self._stage.draws, means.counter, setting.access.id, ONLY_STEP)
        asking = ask_for(
            minutes.entries,
            setting.ground,
            setting.access,
            means.counter,
            chat_id=self.chat.id,
            pins=setting.pins,
            request=summary_request(),
        )
        if isinstance(asking, TooLong):
            return TurnEnded("failed", asking.failure.message, asking.failure)
        minutes.add("step", telling.step(ONLY_STEP, setting.access))
        end, sources = await self._ask(setting, asking)
        return await self._keep(end, sources, setting)

    async def _ask(self, setting: Setting, asking: Asking) -> tuple[Finished, Sources | None]:
        """The model's answer, shown as it comes, and where it comes from."""
        end: Finished | None = None
        sources: Sources | None = None
        events = self._means.questions.ask(
            setting.access,
            asking.request,
            feature="summary",
            template=SUMMARY_TEMPLATE,
            contexts=(*setting.ground.contexts, *asking.prompt.context_hashes),
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
                elif shown := telling.piece(ONLY_STEP, event):
                    self._minutes.add(*shown)
        if end is None:
            raise RuntimeError("A stream ended without Finished.")
        return end, sources

    async def _keep(self, end: Finished, sources: Sources | None, setting: Setting) -> TurnEnded:
        """The summary becomes part of the history, with the bytes it came from."""
        exchange, minutes = self._exchange, self._minutes
        failure = end.failure or (None if end.message.text.strip() else EMPTY)
        contents: tuple[Content, ...]
        if failure is not None:
            contents = (Error(failure, self.run.id),)
        else:
            summary = summary_entry(
                minutes.entries,
                text=end.message.text,
                model=setting.access.id,
                usage=end.usage,
                cost_micros=exchange.cost_micros,
                pins=setting.pins,
            )
            contents = (Asked(summary_request().text, "summary_request"), summary)
        minutes.add("draws", {"draws": self._stage.draws.take_new()})

        async def work(write: Write) -> tuple[list[Entry], dict[str, object]]:
            record = await exchange.keep(write, self._means.storage)
            request_id = sources.provenance.request_id if sources else None
            entries = await minutes.write(write, contents)
            return entries, {"step": ONLY_STEP, "request_id": request_id, **record}

        entries, _ = await minutes.journal.commit_with(
            work, lambda done: [minutes.event("exchange", done[1]), *minutes.told(done[0])]
        )
        minutes.entries += entries
        return (
            TurnEnded("done") if failure is None else TurnEnded("failed", failure.message, failure)
        )
