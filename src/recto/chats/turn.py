"""One turn in the running: the loop's ports, and the record of everything that happens in it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import assert_never

import anyio

from recto.access import Access
from recto.agent import (
    Answered,
    CallEnded,
    CallStarted,
    Ports,
    ResultsReady,
    StepStarted,
    Streamed,
    TurnEnded,
    TurnEvent,
    run_turn,
)
from recto.assist import NoModel, Sources
from recto.chats import telling
from recto.chats.applying import Applying, Ask, bare_request, is_unanswered
from recto.chats.archive import told
from recto.chats.codec import encode_result
from recto.chats.entries import Content, Entry, Error, Notice, Result, System, ToolResults, User
from recto.chats.exchange import Exchange
from recto.chats.ground import SMALL_WINDOW, Ground
from recto.chats.inputs import Input, input_of
from recto.chats.means import Means
from recto.chats.minutes import Minutes
from recto.chats.prompting import Asking, ask_for, words_left_out
from recto.chats.record.draws import count_as_drawn
from recto.chats.record.stage import LiveStage, Stage
from recto.chats.scene import THOUGHTS_FROM
from recto.chats.timing import Timing
from recto.context import TooLong
from recto.messages import Failure, Finished, Message, Request, StreamEvent, Thinking, ToolCall
from recto.storage import Chat, NewEvent, Run, Write
from recto.tools import Outcome, RulesInvalid
from recto.workspace import WorkspaceFailure


class LiveTurn:
    """A turn that runs now. Everything it tells is committed before anybody sees it."""

    def __init__(self, means: Means, chat: Chat, run: Run, stage: Stage | None = None) -> None:
        self.chat = chat
        self.run = run
        self.done = anyio.Event()
        self.is_stopped = False
        """Whether a person stopped it, rather than the end of the program."""
        self._means = means
        self._stage = stage or LiveStage(means, chat, run)
        self._draws = self._stage.draws
        self._minutes = Minutes(means, chat, run)
        self._scope = anyio.CancelScope()
        self._timing = Timing(self._draws.monotonic)
        self._exchange = Exchange()
        self._sources: Sources | None = None
        self._spent_micros = 0
        self._results: dict[str, list[Result]] = {}
        """By call id. A model may give two calls one id; such calls answer in order."""
        self._not_covered: dict[str, str] = {}
        self._applying: Applying | None = None

    def stop(self) -> None:
        """A person has had enough; what there is stays."""
        self.is_stopped = True
        self._scope.cancel()

    async def work(self) -> None:
        """Run the turn to its end, whatever that is."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._minutes.journal.keep_writing)
            try:
                with self._scope:
                    await self._prepare_and_run()
            finally:
                group.cancel_scope.cancel()

    async def end(self, event: TurnEnded) -> None:
        """The turn is over."""
        await self._minutes.end(event, is_stopped=self.is_stopped)

    async def _prepare_and_run(self) -> None:
        self._minutes.entries = await self._means.archive.since_checkpoint(self.chat.id)
        try:
            setting, self._hands = await self._stage.set(self._minutes)
        except NoModel as missing:
            failure = Failure("not_found", str(missing))
            await self.end(TurnEnded("failed", missing.message, failure))
            return
        except (RulesInvalid, WorkspaceFailure) as refusal:
            # The folder is gone, or somebody's rules can't be read: the words say what to do.
            failure = Failure("invalid_request", str(refusal), code=telling.OF_THE_FOLDER)
            await self.end(TurnEnded("failed", failure.message, failure))
            return
        self._access, self._ground, self._pins = setting.access, setting.ground, setting.pins
        self._most_steps = setting.limits.steps
        await self._note_system(setting.ground)
        await run_turn(self._ports(), setting.limits)

    def _ports(self) -> Ports:
        return Ports(
            ask=self._asking(),
            is_safe=self._hands.is_safe,
            permit=self._hands.permit,
            run=self._call,
            join=self._join,
            tell=self._tell,
            spent_micros=lambda: self._spent_micros,
            monotonic=self._draws.monotonic,
        )

    def _asking(self) -> Ask:
        """How a model is asked; one without tools answers a transform with the new passage."""
        document = input_of(self.run.body).document
        if document is None or not document.passage or self._ground.tools or not self._is_asked():
            return self._ask
        self._applying = Applying(self._ask, document.passage, self._is_asked)
        return self._applying.ask

    def _is_asked(self) -> bool:
        return is_unanswered(self._minutes.entries)

    def _history(self) -> Sequence[Entry]:
        """What the next request is built from."""
        passage = self._applying.passage if self._applying is not None else ""
        is_bare = passage and self._access.window <= SMALL_WINDOW
        return bare_request(self._minutes.entries, passage) if is_bare else self._minutes.entries

    async def _note_system(self, ground: Ground) -> None:
        """The prompt in force stands in the history, once for each change of it."""
        known = [one.content for one in self._minutes.entries if isinstance(one.content, System)]
        is_known = bool(known) and known[-1].hash == ground.system.hash
        contents = [
            *([] if is_known else [ground.system]),
            *(Notice("instructions", note, self.run.id) for note in self._unsaid(ground.notes)),
        ]
        if contents:
            await self._minutes.append(*contents)

    def _unsaid(self, notes: tuple[str, ...]) -> list[str]:
        """The notes on the folder's instructions that were not the last ones said."""
        said = [one.content for one in self._minutes.entries if isinstance(one.content, Notice)]
        last = {one.words for one in said if one.reason == "instructions"}
        return [note for note in notes if note not in last]

    async def _ask(self, step: int) -> AsyncGenerator[StreamEvent]:
        """One request: built from the history as it is now, its bytes kept for the record."""
        self._exchange, self._sources = Exchange(), None
        count_as_drawn(self._draws, self._means.counter, self._access.id, step)
        asking = ask_for(
            self._history(),
            self._ground,
            self._access,
            self._means.counter,
            chat_id=self.chat.id,
            pins=self._pins,
        )
        if isinstance(asking, TooLong):
            yield Finished("error", Message("assistant", ()), None, asking.failure)
            return
        await self._tell_left_out(asking)
        finished: Finished | None = None
        async with aclosing(self._answer(asking)) as events:
            async for event in events:
                if isinstance(event, Sources):
                    self._sources = event
                elif isinstance(event, Finished):
                    finished = event
                else:
                    yield event
        # The sources come after the end, and belong to it.
        if finished is not None:
            yield finished

    def _answer(self, asking: Asking) -> AsyncGenerator[StreamEvent | Sources]:
        return self._means.questions.ask(
            self._access,
            asking.request,
            feature="chat",
            template=self._ground.template,
            contexts=(*self._ground.contexts, *asking.prompt.context_hashes),
            project_id=self.chat.project_id,
            chat_id=self.chat.id,
            turn_id=self.run.id,
            record=self._exchange.note,
            on_mended=self._mended,
            on_booked=self._exchange.booked.append,
        )

    def _mended(self, access: Access, request: Request) -> None:
        """If the provider refused thoughts of earlier answers, they stay away from now on."""
        if not any(isinstance(part, Thinking) for one in request.messages for part in one.parts):
            self._ground = replace(self._ground, thoughts_from=self._minutes.entries[-1].seq + 1)

    def _keep_draws(self) -> None:
        """Have what was drawn written with the next commit."""
        if drawn := self._draws.take_new():
            self._minutes.add("draws", {"draws": drawn})

    async def _call(self, call: ToolCall) -> Outcome:
        self._timing.start(call.id)
        outcome = await self._hands.call(call)
        self._not_covered[call.id] = outcome.not_covered
        return outcome

    async def _join(self) -> bool:
        """Take in what was said to this turn while it ran."""
        waiting = await self._means.storage.runs.with_state({"queued"}, chat_id=self.chat.id)
        joining = [run for run in waiting if input_of(run.body).joins == self.run.id]
        for run in joining:
            await self._take_in(run, input_of(run.body))
        return bool(joining)

    async def _take_in(self, run: Run, said: Input) -> None:
        async def work(write: Write) -> list[Entry]:
            await self._means.storage.runs.end(write, run.id, "joined")
            return await self._minutes.write(write, (User(said.text, self.run.id),))

        joined = NewEvent("turn", telling.turn(run.id, "joined", said), run.id)
        self._minutes.entries += await self._minutes.journal.commit_with(
            work, lambda entries: [joined, *told(entries, self.run.id)]
        )

    async def _tell(self, event: TurnEvent) -> None:
        minutes = self._minutes
        match event:
            case StepStarted(step):
                self._timing.start(f"step {step}")
                minutes.add("step", telling.step(step, self._access, self._most_steps))
            case Streamed(step, piece):
                self._timing.see(piece)
                if (shown := telling.piece(step, piece)) is not None:
                    minutes.add(*shown)
            case Answered():
                await self._answered(event)
            case CallStarted():
                await minutes.journal.commit(minutes.event("call_started", telling.call(event)))
            case CallEnded():
                await self._call_ended(event)
            case ResultsReady(step, results):
                kept = tuple(self._results[result.call_id].pop(0) for result in results)
                await minutes.append(ToolResults(kept, self.run.id, step))
            case TurnEnded():
                await self._keep_thoughts_away()
                self._keep_draws()
                await self.end(event)
            case _:
                assert_never(event)

    async def _answered(self, event: Answered) -> None:
        """The answer becomes part of the history, with the bytes it came from."""
        exchange, end, sources = self._exchange, event.end, self._sources
        self._spent_micros += exchange.cost_micros or 0
        contents: list[Content] = []
        if end.message.parts:
            contents.append(
                telling.answer(event, self.run.id, self._access, exchange, sources, self._timing)
            )
        if end.failure is not None and end.failure.kind != "cancelled":
            contents.append(Error(end.failure, self.run.id))
        self._keep_draws()

        async def work(write: Write) -> tuple[list[Entry], dict[str, object]]:
            record = await exchange.keep(write, self._means.storage)
            request_id = sources.provenance.request_id if sources else None
            entries = await self._minutes.write(write, tuple(contents))
            return entries, {"step": event.step, "request_id": request_id, **record}

        entries, _ = await self._minutes.journal.commit_with(
            work,
            lambda done: [self._minutes.event("exchange", done[1]), *self._minutes.told(done[0])],
        )
        self._minutes.entries += entries

    async def _call_ended(self, event: CallEnded) -> None:
        seconds = self._timing.seconds(event.call.id)
        changed = self._hands.changed(event.call.id)
        result = Result(event.result, event.fact, event.state, seconds, changed)
        self._results.setdefault(event.call.id, []).append(result)
        encoded = encode_result(result)
        self._keep_draws()

        async def work(write: Write) -> None:
            for data in encoded.blobs.values():
                await self._means.storage.blobs.put(write, data)

        not_covered = self._not_covered.pop(event.call.id, "")
        body = {"step": event.step, "result": encoded.body, "not_covered": not_covered}
        ended = self._minutes.event("call_ended", body)
        await self._minutes.journal.commit_with(work, lambda _: [ended])

    async def _tell_left_out(self, asking: Asking) -> None:
        """What was left out is said once, until it is something else."""
        left_out = asking.prompt.left_out
        ids = tuple(dict.fromkeys(one.entry_id for one in left_out))
        said = [one.content for one in self._minutes.entries if isinstance(one.content, Notice)]
        last = next((one for one in reversed(said) if one.reason == "left_out"), None)
        if ids and (last is None or last.entries != ids):
            words = words_left_out(left_out)
            await self._minutes.append(Notice("left_out", words, self.run.id, ids))

    async def _keep_thoughts_away(self) -> None:
        """Remember for the next turn which thoughts their provider refuses."""
        refused_from = self._ground.thoughts_from
        if refused_from == self.chat.meta.get(THOUGHTS_FROM, 0):
            return
        async with self._means.storage.write() as write:
            chat = await self._means.storage.chats.get(self.chat.id, within=write)
            meta = {**chat.meta, THOUGHTS_FROM: refused_from}
            await self._means.storage.chats.update(write, chat.id, title=chat.title, meta=meta)
