"""One turn in the running: the loop's ports, and the record of everything that happens in it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import assert_never

import anyio
import anyio.to_thread

from recto.access import Access
from recto.agent import (
    Answered,
    CallEnded,
    CallStarted,
    LoopPorts,
    ResultsReady,
    StepStarted,
    Streamed,
    TurnEnded,
    TurnEvent,
    run_turn,
)
from recto.assist import NoModelAvailable, Provenance, Sources
from recto.chats.history.archive import entry_events
from recto.chats.history.codec import encode_result
from recto.chats.history.entries import (
    ChatEntry,
    EntryContent,
    Error,
    Notice,
    Result,
    ToolResults,
    User,
)
from recto.chats.prompts.base import SMALL_WINDOW, PromptBase
from recto.chats.prompts.known_prompts import KnownPrompts
from recto.chats.prompts.request import PreparedRequest, prepare_request, words_left_out
from recto.chats.prompts.surroundings import THOUGHTS_FROM
from recto.chats.prompts.transform import Ask, TransformRequests, bare_request, is_unanswered
from recto.chats.prompts.turn_input import TurnInput, input_of
from recto.chats.services import ChatServices
from recto.chats.turns import event_bodies
from recto.chats.turns.asides import system_of, unsaid
from recto.chats.turns.clock_readings import count_as_recorded
from recto.chats.turns.environment import LiveEnvironment, TurnEnvironment
from recto.chats.turns.stopwatches import Stopwatches
from recto.chats.turns.transcript import Transcript
from recto.chats.turns.wire_exchange import Exchange, pack_exchange
from recto.chats.turns.written_cells import WrittenCells
from recto.config import ConfigFailure
from recto.context import TooLong
from recto.messages import Failure, Finished, Message, Request, StreamEvent, Thinking, ToolCall
from recto.storage import Chat, NewEvent, Run, WriteTransaction
from recto.tools import RulesInvalid, ToolOutcome
from recto.workspace import WorkspaceFailure

LONG_HISTORY = 200
"""From so many entries on, building a request takes more than a few milliseconds."""


class TurnRunner:
    """A turn that runs now. Everything it tells is committed before anybody sees it."""

    def __init__(
        self,
        services: ChatServices,
        chat: Chat,
        run: Run,
        environment: TurnEnvironment | None = None,
        *,
        known: KnownPrompts | None = None,
    ) -> None:
        """`known`: the prompts that were built last; without them, each is built anew."""
        self.chat = chat
        self.run = run
        self.done = anyio.Event()
        self.is_stopped = False
        """Whether a person stopped it, rather than the end of the program."""
        self.asked: Access | None = None  # the model, once that is known
        self._services = services
        self._known = known
        self._environment = environment or LiveEnvironment(services, chat, run)
        self._draws = self._environment.draws
        self._transcript = Transcript(services, chat, run)
        self._scope = anyio.CancelScope()
        # Through the draws, so that a replay shows the seconds of then.
        self._timing = Stopwatches(self._draws.monotonic)
        self._written = WrittenCells(services, chat.project_id)
        self._exchange = Exchange()
        self._sources: Sources | None = None
        self._provenance: Provenance | None = None
        self._spent_micros = 0
        self._results: dict[str, Result] = {}
        """By call id, which no two calls of an answer share."""
        self._not_covered: dict[str, str] = {}
        self._applying: TransformRequests | None = None

    def stop(self) -> None:
        """A person has had enough; what there is stays."""
        self.is_stopped = True
        self._scope.cancel()

    async def work(self) -> None:
        """Run the turn to its end, whatever that is."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._transcript.keep_writing)
            try:
                with self._scope:
                    await self._prepare_and_run()
            finally:
                self._written.end_all()
                # The end was committed with all that waited: the writer has nothing left.
                group.cancel_scope.cancel()

    async def end(self, event: TurnEnded) -> None:
        """The turn is over."""
        await self._transcript.end(event, is_stopped=self.is_stopped)

    async def _prepare_and_run(self) -> None:
        self._transcript.entries = await self._services.archive.since_checkpoint(self.chat.id)
        try:
            snapshot, self._executor = await self._environment.set(self._transcript)
        except NoModelAvailable as missing:
            failure = Failure("not_found", str(missing))
            await self.end(TurnEnded("failed", missing.message, failure))
            return
        except (ConfigFailure, RulesInvalid, WorkspaceFailure) as refusal:
            # The folder is gone, or somebody's rules can't be read: the words say what to do.
            failure = Failure("invalid_request", str(refusal), code=event_bodies.OF_THE_FOLDER)
            await self.end(TurnEnded("failed", failure.message, failure))
            return
        self.asked = snapshot.access
        self._access, self._base, self._pins = snapshot.access, snapshot.ground, snapshot.pins
        self._most_steps = snapshot.limits.steps
        await self._note_system(snapshot.ground)
        await run_turn(self._ports(), snapshot.limits)

    def _ports(self) -> LoopPorts:
        return LoopPorts(
            ask=self._asking(),
            is_safe=self._executor.is_safe,
            permit=self._executor.permit,
            run=self._call,
            join=self._join,
            tell=self._tell,
            spent_micros=lambda: self._spent_micros,
            monotonic=self._draws.monotonic,
        )

    def _asking(self) -> Ask:
        """How a model is asked; one without tools answers a transform with the new passage."""
        document = input_of(self.run.body).document
        if document is None or not document.passage or self._base.tools or not self._is_asked():
            return self._ask
        self._applying = TransformRequests(self._ask, document.passage, self._is_asked)
        return self._applying.ask

    def _is_asked(self) -> bool:
        return is_unanswered(self._transcript.entries)

    def _history(self) -> Sequence[ChatEntry]:
        """What the next request is built from."""
        passage = self._applying.passage if self._applying is not None else ""
        is_bare = passage and self._access.window <= SMALL_WINDOW
        return (
            bare_request(self._transcript.entries, passage) if is_bare else self._transcript.entries
        )

    async def _note_system(self, base: PromptBase) -> None:
        """The prompt in force stands in the history, once for each change of it."""
        entries = self._transcript.entries
        system = system_of(entries)
        # Only the last one: going back to an earlier prompt is a change, too.
        contents = [
            *([] if system is not None and system.hash == base.system.hash else [base.system]),
            *(Notice("instructions", note, self.run.id) for note in unsaid(base.notes, entries)),
        ]
        if contents:
            await self._transcript.append(*contents)

    async def _ask(self, step: int) -> AsyncGenerator[StreamEvent]:
        """One request: built from the history as it is now, its bytes kept for the record."""
        # What a failed step has left must not be booked to this one.
        self._exchange, self._sources, self._provenance = Exchange(), None, None
        count_as_recorded(self._draws, self._services.counter, self._access.id, step)
        asking = await self._prepared()
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

    async def _prepared(self) -> PreparedRequest | TooLong:
        """The next request; of a long history in a thread, so that others go on meanwhile."""
        history = self._history()
        build = partial(
            prepare_request,
            history,
            self._base,
            self._access,
            self._services.counter,
            chat_id=self.chat.id,
            pins=self._pins,
            known=self._known,
        )
        return build() if len(history) < LONG_HISTORY else await anyio.to_thread.run_sync(build)

    def _answer(self, asking: PreparedRequest) -> AsyncGenerator[StreamEvent | Sources]:
        return self._services.questions.ask(
            self._access,
            asking.request,
            feature="chat",
            template=self._base.template,
            contexts=(*self._base.contexts, *asking.prompt.context_hashes),
            project_id=self.chat.project_id,
            chat_id=self.chat.id,
            turn_id=self.run.id,
            record=self._exchange.note,
            on_mended=self._mended,
            on_booked=self._exchange.booked.append,
            on_asked=self._note_provenance,
        )

    def _note_provenance(self, provenance: Provenance) -> None:
        """An answer that is stopped has no sources, but somebody was asked."""
        self._provenance = provenance

    def _mended(self, access: Access, request: Request) -> None:
        """If the provider refused thoughts of earlier answers, they stay away from now on."""
        if not any(
            isinstance(part, Thinking) for message in request.messages for part in message.parts
        ):
            # Signed thoughts that were refused once are refused for good; those to come are fine.
            self._base = replace(self._base, thoughts_from=self._transcript.entries[-1].seq + 1)

    def _keep_draws(self) -> None:
        """Have what was drawn written with the next commit."""
        if drawn := self._draws.take_new():
            self._transcript.add("draws", {"draws": drawn})

    async def _call(self, call: ToolCall) -> ToolOutcome:
        self._timing.start(call.id)
        outcome = await self._executor.call(call)
        self._not_covered[call.id] = outcome.not_covered
        self._spent_micros += (outcome.shortened and outcome.shortened.cost_micros) or 0
        return outcome

    async def _join(self) -> bool:
        """Take in what was said to this turn while it ran."""
        waiting = await self._services.storage.runs.with_state({"queued"}, chat_id=self.chat.id)
        joining = [run for run in waiting if input_of(run.body).joins == self.run.id]
        taken = [await self._take_in(run, input_of(run.body)) for run in joining]
        return any(taken)

    async def _take_in(self, run: Run, said: TurnInput) -> bool:
        """Whether something that was said is part of the turn now: it may be taken back."""

        async def work(write: WriteTransaction) -> list[ChatEntry]:
            # A person may take it back between the list above and this write.
            if (await self._services.storage.runs.get(run.id, within=write)).state != "queued":
                return []
            await self._services.storage.runs.end(write, run.id, "joined")
            return await self._transcript.write(write, (User(said.text, self.run.id),))

        joined = NewEvent("turn", event_bodies.turn_body(run.id, "joined", said), run.id)
        entries = await self._transcript.commit_with(
            work, lambda made: [joined, *entry_events(made, self.run.id)] if made else []
        )
        self._transcript.entries += entries
        return bool(entries)

    async def _tell(self, event: TurnEvent) -> None:
        transcript = self._transcript
        match event:
            case StepStarted(step):
                self._written.end_all()
                self._timing.start(f"step {step}")
                transcript.add("step", event_bodies.step_body(step, self._access, self._most_steps))
            case Streamed(step, piece):
                self._timing.see(piece)
                await self._written.see(piece)
                if (shown := event_bodies.piece_event(step, piece)) is not None:
                    await transcript.show(*shown)
            case Answered():
                await self._answered(event)
            case CallStarted():
                # On disk before the tool runs: what is not in the log has surely not begun.
                await transcript.commit(
                    transcript.event("call_started", event_bodies.call_body(event))
                )
            case CallEnded():
                self._written.end(event.call.id)
                await self._call_ended(event)
            case ResultsReady(step, results):
                # Providers refuse a call without its result, so all of a step's become one entry.
                kept = tuple(self._results.pop(result.call_id) for result in results)
                await transcript.append(ToolResults(kept, self.run.id, step))
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
        contents: list[EntryContent] = []
        if end.message.parts:
            contents.append(
                event_bodies.answer_entry(
                    event,
                    self.run.id,
                    self._access,
                    exchange,
                    sources,
                    self._provenance,
                    self._timing,
                )
            )
        # A stop is no failure; the notice at the turn's end tells of it.
        if end.failure is not None and end.failure.kind != "cancelled":
            contents.append(Error(end.failure, self.run.id))
        self._keep_draws()
        # Before the transaction: nobody else could write while long requests are packed.
        packed = await pack_exchange(self._services, self.chat.id, self.run.id, exchange)

        async def work(write: WriteTransaction) -> tuple[list[ChatEntry], dict[str, object]]:
            record = await packed.keep(write)
            request_id = self._provenance.request_id if self._provenance else None
            entries = await self._transcript.write(write, tuple(contents))
            return entries, {"step": event.step, "request_id": request_id, **record}

        entries, _ = await self._transcript.commit_with(
            work,
            lambda done: [
                self._transcript.event("exchange", done[1]),
                *self._transcript.told(done[0]),
            ],
        )
        self._transcript.entries += entries

    async def _call_ended(self, event: CallEnded) -> None:
        seconds = self._timing.seconds(event.call.id)
        changed = self._executor.changed(event.call.id)
        kept = (seconds, changed, event.artifact, event.shortened)
        result = Result(event.result, event.fact, event.state, *kept)
        # Also into the log at once: other tools of the step may run long.
        self._results[event.call.id] = result
        encoded = encode_result(result)
        self._keep_draws()

        async def work(write: WriteTransaction) -> None:
            for data in encoded.blobs.values():
                await self._services.storage.blobs.put(write, data, self.chat.id)

        not_covered = self._not_covered.pop(event.call.id, "")
        body = {"step": event.step, "result": encoded.body, "not_covered": not_covered}
        ended = self._transcript.event("call_ended", body)
        await self._transcript.commit_with(work, lambda _: [ended])

    async def _tell_left_out(self, asking: PreparedRequest) -> None:
        """What was left out is said once, until it is something else."""
        left_out = asking.prompt.left_out
        ids = tuple(dict.fromkeys(item.entry_id for item in left_out))
        if not ids:
            return
        notices = [
            entry.content for entry in self._transcript.entries if isinstance(entry.content, Notice)
        ]
        last = next((item for item in reversed(notices) if item.reason == "left_out"), None)
        # Every step of a turn leaves out the same; people are told once.
        if last is None or last.entries != ids:
            words = words_left_out(left_out)
            await self._transcript.append(Notice("left_out", words, self.run.id, ids))

    async def _keep_thoughts_away(self) -> None:
        """Remember for the next turn which thoughts their provider refuses."""
        refused_from = self._base.thoughts_from
        if refused_from == self.chat.meta.get(THOUGHTS_FROM, 0):
            return
        async with self._services.storage.write() as write:
            # Not `self.chat`, which is as old as the turn: its other facts may have changed.
            chat = await self._services.storage.chats.get(self.chat.id, within=write)
            meta = {**chat.meta, THOUGHTS_FROM: refused_from}
            await self._services.storage.chats.update(write, chat.id, title=chat.title, meta=meta)
