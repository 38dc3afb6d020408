"""Which turns run, which wait, and what follows when one ends. One turn at a time in each chat."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, cast
from weakref import WeakValueDictionary

import anyio

from recto.agent import TurnEnded
from recto.chats.failures import Busy, NothingToDo
from recto.chats.history.archive import entry_events
from recto.chats.history.codec import blob_hashes, decode, encode
from recto.chats.history.entries import ChatEntry, EntryContent, User
from recto.chats.history.statistics import context_tokens
from recto.chats.prompts.active_items import mark_used
from recto.chats.prompts.known_prompts import KnownPrompts
from recto.chats.prompts.turn_input import TurnInput, body_of, input_of
from recto.chats.services import ChatServices
from recto.chats.turns import event_bodies
from recto.chats.turns.remote_runs import (
    BusyElsewhere,
    NotRunningElsewhere,
    check_no_remote_run,
    check_remote_run,
    has_remote_run,
    stop_remote_run,
    wait_for_stop,
)
from recto.chats.turns.runner import TurnRunner
from recto.chats.turns.summarizer import Summarizer
from recto.chats.turns.thread_announcements import announce_threads
from recto.chats.turns.title_generation import generate_title
from recto.storage import Chat, NewEvent, Run, RunTaken, WriteTransaction, finish_shielded
from recto.supervisor import Supervisor

NEARLY_FULL = 0.8
WriteAlongside = Callable[[WriteTransaction, str], Awaitable[None]]
"""Something that is stored together with a turn, whose id it is given."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AdmittedTurn:
    """A turn that is stored, and whether it runs already."""

    chat_id: str
    turn_id: str
    state: Literal["running", "queued"]


class TurnQueue:
    """The turns of all chats, in this process."""

    def __init__(self, services: ChatServices, supervisor: Supervisor) -> None:
        self._services = services
        self._supervisor = supervisor
        self._live: dict[str, TurnRunner | Summarizer] = {}
        self._known = KnownPrompts()
        self._admissions = WeakValueDictionary[str, anyio.Lock]()

    def is_running(self, chat_id: str) -> bool:
        """Whether a turn runs in a chat."""
        return chat_id in self._live

    def _admitting(self, chat_id: str) -> anyio.Lock:
        """To decide between running and waiting, and to act on it, is one step of a chat.

        Held by whoever takes it, and forgotten with the last of them.
        """
        return self._admissions.setdefault(chat_id, anyio.Lock())

    @asynccontextmanager
    async def no_turn_in(self, chat_id: str) -> AsyncGenerator[None]:
        """Let no turn begin while the block runs. Raises Busy when one runs in the chat."""
        async with self._admitting(chat_id), self._services.storage.shared_locks.lock(chat_id):
            if await self._goes_on(chat_id):
                raise Busy
            yield

    async def _goes_on(self, chat_id: str) -> bool:
        """Whether a turn goes on in a chat, here or elsewhere."""
        turn = self._live.get(chat_id)
        if turn is None:
            return await has_remote_run(self._services, chat_id)
        # A page may ask the moment it hears of the end, with the task still in `_live`.
        if (await self._services.storage.runs.get(turn.run.id)).state == "running":
            return True
        # Its end is told already; only the last of its task is still to come.
        await turn.done.wait()
        return False

    async def admit(
        self,
        chat: Chat,
        given: TurnInput,
        user: User | None,
        *,
        before: tuple[EntryContent, ...] = (),
        alongside: WriteAlongside | None = None,
    ) -> AdmittedTurn:
        """Store a turn, then start it, or have it wait for the one that runs.

        `before` are entries that come first, such as the accounting of an edit: with those it
        can't wait. `alongside` is done in the transaction that stores it. Raises Busy.
        """
        services = self._services
        async with self._admitting(chat.id):
            while True:
                if not self.is_running(chat.id) and not await has_remote_run(services, chat.id):
                    with suppress(BusyElsewhere):  # another process began one just now
                        return await self._begin(chat, given, user, before, alongside)
                    continue
                if before or user is None:
                    if await self._goes_on(chat.id):
                        raise Busy
                    continue
                with suppress(NotRunningElsewhere):  # the one in another process ended just now
                    return await self._queue(chat, given, user, alongside)

    async def stop(self, turn_id: str) -> None:
        """Stop a turn; what there is of it stays. Raises NotRunning, RecordNotFound."""
        turn = self._find(turn_id)
        if turn is not None:
            turn.stop()
        else:
            await stop_remote_run(self._services, await self._services.storage.runs.get(turn_id))

    def _find(self, turn_id: str) -> TurnRunner | Summarizer | None:
        return next((turn for turn in self._live.values() if turn.run.id == turn_id), None)

    async def end_all(self, chat_id: str) -> None:
        """Stop what runs in a chat, and wait until it has ended; elsewhere it ends soon."""
        turn = self._live.get(chat_id)
        if turn is not None:
            turn.stop()
            await turn.done.wait()
        for run in await self._services.storage.runs.elsewhere(chat_id):
            with suppress(NotRunningElsewhere):  # it ended just now
                await stop_remote_run(self._services, run)

    async def steer(self, turn_id: str, text: str) -> AdmittedTurn:
        """Say something to a running turn; it joins at the next step. Raises NotRunning."""
        run = await self._services.storage.runs.get(turn_id)
        async with self._admitting(run.chat_id):
            running = input_of(run.body)
            given = TurnInput(
                text,
                running.model,
                joins=turn_id,
                # Too late to join, it runs by itself: it must not replace the passage again.
                document=running.document and replace(running.document, passage=""),
                offers=running.offers,
                skill_model=running.skill_model,
            )
            chat = await self._services.storage.chats.get(run.chat_id)
            return await self._queue(chat, given, User(text, turn_id))

    async def remove(self, turn_id: str) -> None:
        """Take back a turn that waits. Raises NothingToDo."""
        run = await self._services.storage.runs.get(turn_id)
        async with self._admitting(run.chat_id):

            async def work(write: WriteTransaction) -> None:
                if (await self._services.storage.runs.get(turn_id, within=write)).state != "queued":
                    raise NothingToDo("This message no longer waits.", "Stop the turn instead.")
                await self._services.storage.runs.end(write, turn_id, "removed")
                chat = await self._services.storage.chats.get(run.chat_id, within=write)
                comments = input_of(run.body).comments
                await announce_threads(self._services.storage, write, chat, comments)

            event = self._event(run, "removed")
            await self._services.journals.of(run.chat_id).commit_with(work, lambda _: [event])

    async def go_on(self, turn_id: str) -> AdmittedTurn:
        """Continue where a turn ended, or start one that waits. Raises Busy."""
        run = await self._services.storage.runs.get(turn_id)
        chat = await self._services.storage.chats.get(run.chat_id)
        if run.state == "queued":
            async with self._admitting(chat.id):
                if self.is_running(chat.id) or await has_remote_run(self._services, chat.id):
                    raise Busy
                return await self._start_waiting(chat, run)
        given = replace(input_of(run.body), text="", waiting=None, joins=None)
        if given.purpose == "undo":
            raise NothingToDo("An undo is not continued.", "Undo it, or undo again.")
        if given.purpose == "outside":
            raise NothingToDo("Another program did this.", "Send a message instead.")
        return await self.admit(chat, given, None)

    async def _begin(
        self,
        chat: Chat,
        given: TurnInput,
        user: User | None,
        before: tuple[EntryContent, ...],
        alongside: WriteAlongside | None = None,
    ) -> AdmittedTurn:
        services, run_id = self._services, self._services.ids.new()
        contents = [*before, *([] if user is None else [replace(user, turn=run_id)])]

        async def work(write: WriteTransaction) -> tuple[Run, list[ChatEntry]]:
            # Writes take turns, so what is checked in here still holds when the run is added.
            await check_no_remote_run(services, write, chat.id)
            run = await services.storage.runs.add(
                write, id=run_id, chat_id=chat.id, state="running", body=body_of(given)
            )
            if alongside is not None:
                await alongside(write, run_id)
            if user is not None:
                await mark_used(services.storage, write, user)
            await announce_threads(services.storage, write, chat, given.comments)
            return run, [
                await services.archive.append(write, chat.id, content) for content in contents
            ]

        # The lock that `no_turn_in` holds, there perhaps in another process.
        async with services.storage.shared_locks.lock(chat.id):
            await finish_shielded(self._commit_and_start(chat, work))
        return AdmittedTurn(chat.id, run_id, "running")

    async def _queue(
        self, chat: Chat, given: TurnInput, user: User, alongside: WriteAlongside | None = None
    ) -> AdmittedTurn:
        services, run_id = self._services, self._services.ids.new()
        encoded = encode(user)
        waiting = {"kind": encoded.kind, "body": encoded.body}
        # With the run, not in the history: the running turn must not see it yet.
        body = body_of(replace(given, waiting=waiting))

        async def work(write: WriteTransaction) -> Run:
            # Not ours to wait for: then the turn must be alive in another process now.
            if not self.is_running(chat.id) or not self._may_join(given):
                await check_remote_run(services, write, chat.id, given.joins)
            for data in encoded.blobs.values():
                await services.storage.blobs.put(write, data, chat.id)
            if alongside is not None:
                await alongside(write, run_id)
            await mark_used(services.storage, write, user)
            return await services.storage.runs.add(
                write, id=run_id, chat_id=chat.id, state="queued", body=body
            )

        await services.journals.of(chat.id).commit_with(
            work, lambda run: [self._event(run, "queued")]
        )
        return AdmittedTurn(chat.id, run_id, "queued")

    def _may_join(self, given: TurnInput) -> bool:
        """Whether this process has the turn that something is said to, if it is."""
        return given.joins is None or self._find(given.joins) is not None

    async def _start_waiting(self, chat: Chat, run: Run) -> AdmittedTurn:
        """A turn that waited begins: its message becomes part of the history now. Raises Busy."""
        services = self._services
        waiting = input_of(run.body).waiting
        assert waiting is not None
        digests = blob_hashes(waiting["body"])
        blobs = {digest: await services.storage.blobs.get(digest) for digest in digests}
        user = decode(waiting["kind"], waiting["body"], blobs)
        assert isinstance(user, User)

        async def work(write: WriteTransaction) -> tuple[Run, list[ChatEntry]]:
            await check_no_remote_run(services, write, chat.id)
            if (await services.storage.runs.get(run.id, within=write)).state != "queued":
                # Removed, joined or started since it was listed.
                raise BusyElsewhere
            started = await services.storage.runs.start(write, run.id)
            await announce_threads(services.storage, write, chat, input_of(run.body).comments)
            content = replace(user, turn=run.id)
            return started, [await services.archive.append(write, chat.id, content)]

        async with services.storage.shared_locks.lock(chat.id):
            await finish_shielded(self._commit_and_start(chat, work))
        return AdmittedTurn(chat.id, run.id, "running")

    async def _commit_and_start(
        self, chat: Chat, work: Callable[[WriteTransaction], Awaitable[tuple[Run, list[ChatEntry]]]]
    ) -> None:
        """Store that a turn runs, and run it: in between, nobody's request may be given up."""
        run, _ = await self._services.journals.of(chat.id).commit_with(
            work,
            lambda done: [self._event(done[0], "running"), *entry_events(done[1], done[0].id)],
        )
        turn = (
            Summarizer(self._services, chat, run)
            if input_of(run.body).purpose == "summary"
            else TurnRunner(self._services, chat, run, known=self._known)
        )
        self._live[chat.id] = turn
        self._supervisor.run_once("turn", partial(self._work, turn))

    async def _work(self, turn: TurnRunner | Summarizer) -> None:
        """Run a turn and see what follows. What breaks ends that turn, not the program."""
        try:
            if await self._run(turn):
                await self._go_on_after(turn)
        except Exception:
            log.exception("a turn broke", extra={"turn": turn.run.id})

    async def _run(self, turn: TurnRunner | Summarizer) -> bool:
        """Run a turn; whether it has come to its end here, and not at another process's hand."""
        try:
            async with anyio.create_task_group() as group:
                if self._services.storage.shared_locks.is_shared:
                    # A wish of another process to stop comes through the chat's log.
                    group.start_soon(self._stop_when_wished, turn)
                await turn.work()
                group.cancel_scope.cancel()
        except Exception as error:
            if is_taken(error):
                log.warning("another process ended this turn", extra={"turn": turn.run.id})
                return False
            log.exception("a turn broke", extra={"turn": turn.run.id})
            # Still in `_live`, so that nothing begins in the chat before this end is written.
            await self._broke(turn)
        finally:
            # In this order: whoever waits for `done` may begin a turn right away.
            del self._live[turn.chat.id]
            turn.done.set()
        return True

    async def _stop_when_wished(self, turn: TurnRunner | Summarizer) -> None:
        await wait_for_stop(self._services, turn.run)
        turn.stop()

    async def _go_on_after(self, turn: TurnRunner | Summarizer) -> None:
        chat = await self._services.storage.chats.get(turn.chat.id)
        if chat.deleted_ms is not None:
            return
        # Edits may be accepted while the turn runs; only at its end can they become a commit.
        if self._services.commits is not None:
            await self._services.commits.consider({turn.run.id})
        # Whoever stops a turn does not want the next one; what waits stays until it is continued.
        if not turn.is_stopped and not await self._summarise(turn):
            await self._next(chat)
        # Last, because a model is asked: nothing that waits has to wait for a name.
        if isinstance(turn, TurnRunner):
            await generate_title(self._services, chat.id)

    async def _summarise(self, turn: TurnRunner | Summarizer) -> bool:
        """Whether the chat is nearly full, and so a summary begins before anything else."""
        if not self._services.preferences().summarises or not isinstance(turn, TurnRunner):
            return False
        access = turn.asked
        entries, _ = await self._services.archive.end(turn.chat.id)
        used = context_tokens(entries) or 0
        if access is None or used < access.window * NEARLY_FULL:
            return False
        given = TurnInput(model=input_of(turn.run.body).model, purpose="summary")
        async with self._admitting(turn.chat.id):
            if not self.is_running(turn.chat.id):
                with suppress(BusyElsewhere):  # another process was first: it goes on from here
                    await self._begin(turn.chat, given, None, ())
        return True

    async def _broke(self, turn: TurnRunner | Summarizer) -> None:
        run = await self._services.storage.runs.get(turn.run.id)
        if run.state == "running":
            await turn.end(TurnEnded("failed", event_bodies.BROKEN, event_bodies.BROKEN_FAILURE))

    async def _next(self, chat: Chat) -> None:
        """What waits in the chat begins, the oldest first."""
        async with self._admitting(chat.id):
            waiting = await self._services.storage.runs.with_state({"queued"}, chat_id=chat.id)
            if waiting and not self.is_running(chat.id):
                with suppress(BusyElsewhere):  # another process was first: it goes on from here
                    await self._start_waiting(chat, waiting[0])

    def _event(self, run: Run, state: str) -> NewEvent:
        return NewEvent("turn", event_bodies.turn_body(run.id, state, input_of(run.body)), run.id)


def is_taken(error: BaseException) -> bool:
    """Whether a turn broke for no other reason than that it is not this process's any more."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        # A bug beside it must still be logged as one.
        return all(is_taken(exception) for exception in group.exceptions)
    return isinstance(error, RunTaken)
