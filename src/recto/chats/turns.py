"""Which turns run, which wait, and what follows when one ends. One turn at a time in each chat."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Literal

import anyio
from anyio.abc import TaskGroup

from recto.agent import TurnEnded
from recto.chats import telling
from recto.chats.archive import told
from recto.chats.codec import blob_hashes, decode, encode
from recto.chats.elsewhere import (
    STOP,
    Elsewhere,
    NotElsewhere,
    check_no_turn,
    check_turn,
    runs_elsewhere,
    stop_elsewhere,
)
from recto.chats.entries import Content, Entry, User
from recto.chats.failures import Busy, NothingToDo, NotRunning
from recto.chats.inputs import Input, body_of, input_of
from recto.chats.means import Means
from recto.chats.statistics import context_tokens
from recto.chats.summarising import SummaryTurn
from recto.chats.switched_on import mark_used
from recto.chats.threads.telling import tell_threads
from recto.chats.titling import title_chat
from recto.chats.turn import LiveTurn
from recto.storage import Chat, NewEvent, Run, Write

NEARLY_FULL = 0.8
Along = Callable[[Write, str], Awaitable[None]]
"""Something that is stored together with a turn, whose id it is given."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A turn that is stored, and whether it runs already."""

    chat_id: str
    turn_id: str
    state: Literal["running", "queued"]


class Turns:
    """The turns of all chats, in this process."""

    def __init__(self, means: Means, tasks: TaskGroup) -> None:
        self._means = means
        self._tasks = tasks
        self._live: dict[str, LiveTurn | SummaryTurn] = {}
        self._admitting = anyio.Lock()
        means.storage.on_wish(self._obey)

    def is_running(self, chat_id: str) -> bool:
        """Whether a turn runs in a chat."""
        return chat_id in self._live

    @asynccontextmanager
    async def no_turn_in(self, chat_id: str) -> AsyncGenerator[None]:
        """Let no turn begin while the block runs. Raises Busy when one runs in the chat."""
        async with self._admitting:
            turn = self._live.get(chat_id)
            if turn is not None:
                if (await self._means.storage.runs.get(turn.run.id)).state == "running":
                    raise Busy
                # Its end is told already; only the last of its task is still to come.
                await turn.done.wait()
            elif await runs_elsewhere(self._means, chat_id):
                raise Busy
            yield

    async def admit(
        self,
        chat: Chat,
        given: Input,
        user: User | None,
        *,
        before: tuple[Content, ...] = (),
        along: Along | None = None,
    ) -> Admitted:
        """Store a turn, then start it, or have it wait for the one that runs.

        `before` are entries that come first, such as the accounting of an edit: with those it
        can't wait. `along` is done in the transaction that stores it. Raises Busy.
        """
        means = self._means
        async with self._admitting:
            while True:
                if not self.is_running(chat.id) and not await runs_elsewhere(means, chat.id):
                    with suppress(Elsewhere):  # another process began one just now
                        return await self._begin(chat, given, user, before, along)
                    continue
                if before or user is None:
                    raise Busy
                with suppress(NotElsewhere):  # the one in another process ended just now
                    return await self._queue(chat, given, user, along)

    async def stop(self, turn_id: str) -> None:
        """Stop a turn; what there is of it stays. Raises NotRunning, NotFound."""
        if self._stop(turn_id):
            return
        run = await self._means.storage.runs.get(turn_id)
        if run.state != "running" or not await stop_elsewhere(self._means, run):
            raise NotRunning

    def _stop(self, turn_id: str) -> bool:
        for turn in self._live.values():
            if turn.run.id == turn_id:
                turn.stop()
                return True
        return False

    def _obey(self, wish: str) -> None:
        """Another process asks to have a turn stopped, perhaps one of ours."""
        if wish.startswith(STOP):
            self._stop(wish.removeprefix(STOP))

    async def end_all(self, chat_id: str) -> None:
        """Stop what runs in a chat, and wait until it has ended; elsewhere it ends soon."""
        turn = self._live.get(chat_id)
        if turn is not None:
            turn.stop()
            await turn.done.wait()
        for run in await self._means.storage.runs.elsewhere(chat_id):
            await stop_elsewhere(self._means, run)

    async def steer(self, turn_id: str, text: str) -> Admitted:
        """Say something to a running turn; it joins at the next step. Raises NotRunning."""
        async with self._admitting:
            for turn in self._live.values():
                if turn.run.id == turn_id:
                    user = User(text, turn_id)
                    running = input_of(turn.run.body)
                    document = running.document and replace(running.document, passage="")
                    given = Input(
                        text,
                        running.model,
                        joins=turn_id,
                        document=document,
                        offers=running.offers,
                        skill_model=running.skill_model,
                    )
                    return await self._queue(turn.chat, given, user)
        raise NotRunning

    async def remove(self, turn_id: str) -> None:
        """Take back a turn that waits. Raises NothingToDo."""
        async with self._admitting:
            run = await self._means.storage.runs.get(turn_id)
            if run.state != "queued":
                raise NothingToDo("This message no longer waits.", "Stop the turn instead.")

            async def work(write: Write) -> None:
                await self._means.storage.runs.end(write, turn_id, "removed")
                chat = await self._means.storage.chats.get(run.chat_id, within=write)
                comments = input_of(run.body).comments
                await tell_threads(self._means.storage, write, chat, comments)

            event = self._event(run, "removed")
            await self._means.journals.of(run.chat_id).commit_with(work, lambda _: [event])

    async def go_on(self, turn_id: str) -> Admitted:
        """Continue where a turn ended, or start one that waits. Raises Busy."""
        run = await self._means.storage.runs.get(turn_id)
        chat = await self._means.storage.chats.get(run.chat_id)
        if run.state == "queued":
            async with self._admitting:
                if self.is_running(chat.id) or await runs_elsewhere(self._means, chat.id):
                    raise Busy
                return await self._start_waiting(chat, run)
        given = replace(input_of(run.body), text="", waiting=None, joins=None)
        if given.purpose == "undo":
            raise NothingToDo("An undo is not continued.", "Undo it, or undo again.")
        return await self.admit(chat, given, None)

    async def _begin(
        self,
        chat: Chat,
        given: Input,
        user: User | None,
        before: tuple[Content, ...],
        along: Along | None = None,
    ) -> Admitted:
        means, run_id = self._means, self._means.ids.new()
        contents = [*before, *([] if user is None else [replace(user, turn=run_id)])]

        async def work(write: Write) -> tuple[Run, list[Entry]]:
            await check_no_turn(means, write, chat.id)
            run = await means.storage.runs.add(
                write, id=run_id, chat_id=chat.id, state="running", body=body_of(given)
            )
            if along is not None:
                await along(write, run_id)
            if user is not None:
                await mark_used(means.storage, write, user)
            await tell_threads(means.storage, write, chat, given.comments)
            return run, [await means.archive.append(write, chat.id, one) for one in contents]

        run, _ = await means.journals.of(chat.id).commit_with(
            work, lambda done: [self._event(done[0], "running"), *told(done[1], run_id)]
        )
        self._spawn(chat, run)
        return Admitted(chat.id, run_id, "running")

    async def _queue(
        self, chat: Chat, given: Input, user: User, along: Along | None = None
    ) -> Admitted:
        means, run_id = self._means, self._means.ids.new()
        encoded = encode(user)
        waiting = {"kind": encoded.kind, "body": encoded.body}
        body = body_of(replace(given, waiting=waiting))

        async def work(write: Write) -> Run:
            if not self.is_running(chat.id):
                await check_turn(means, write, chat.id)
            for data in encoded.blobs.values():
                await means.storage.blobs.put(write, data)
            if along is not None:
                await along(write, run_id)
            await mark_used(means.storage, write, user)
            return await means.storage.runs.add(
                write, id=run_id, chat_id=chat.id, state="queued", body=body
            )

        await means.journals.of(chat.id).commit_with(work, lambda run: [self._event(run, "queued")])
        return Admitted(chat.id, run_id, "queued")

    async def _start_waiting(self, chat: Chat, run: Run) -> Admitted:
        """A turn that waited begins: its message becomes part of the history now. Raises Busy."""
        means = self._means
        waiting = input_of(run.body).waiting
        assert waiting is not None
        digests = blob_hashes(waiting["body"])
        blobs = {one: await means.storage.blobs.get(one) for one in digests}
        user = decode(waiting["kind"], waiting["body"], blobs)
        assert isinstance(user, User)

        async def work(write: Write) -> tuple[Run, Entry]:
            await check_no_turn(means, write, chat.id)
            if (await means.storage.runs.get(run.id, within=write)).state != "queued":
                raise Elsewhere
            started = await means.storage.runs.start(write, run.id)
            await tell_threads(means.storage, write, chat, input_of(run.body).comments)
            content = replace(user, turn=run.id)
            return started, await means.archive.append(write, chat.id, content)

        started, _ = await means.journals.of(chat.id).commit_with(
            work, lambda done: [self._event(done[0], "running"), *told([done[1]], run.id)]
        )
        self._spawn(chat, started)
        return Admitted(chat.id, run.id, "running")

    def _spawn(self, chat: Chat, run: Run) -> None:
        kind = SummaryTurn if input_of(run.body).purpose == "summary" else LiveTurn
        turn = kind(self._means, chat, run)
        self._live[chat.id] = turn
        self._tasks.start_soon(self._work, turn)

    async def _work(self, turn: LiveTurn | SummaryTurn) -> None:
        """Run a turn and see what follows. What breaks ends that turn, not the program."""
        try:
            await self._run(turn)
            await self._go_on_after(turn)
        except Exception:
            log.exception("a turn broke", extra={"turn": turn.run.id})

    async def _run(self, turn: LiveTurn | SummaryTurn) -> None:
        try:
            await turn.work()
        except Exception:
            log.exception("a turn broke", extra={"turn": turn.run.id})
            await self._broke(turn)
        finally:
            del self._live[turn.chat.id]
            turn.done.set()

    async def _go_on_after(self, turn: LiveTurn | SummaryTurn) -> None:
        chat = await self._means.storage.chats.get(turn.chat.id)
        if chat.deleted_ms is not None:
            return
        if self._means.commits is not None:
            await self._means.commits.consider({turn.run.id})
        if not turn.is_stopped and not await self._summarise(turn):
            await self._next(chat)
        if isinstance(turn, LiveTurn):
            await title_chat(self._means, chat.id)

    async def _summarise(self, turn: LiveTurn | SummaryTurn) -> bool:
        """Whether the chat is nearly full, and so a summary begins before anything else."""
        if not self._means.wishes().summarises or not isinstance(turn, LiveTurn):
            return False
        access = self._means.models.resolve(input_of(turn.run.body).model or "chat")
        entries, _ = await self._means.archive.end(turn.chat.id)
        used = context_tokens(entries) or 0
        if access is None or used < access.window * NEARLY_FULL:
            return False
        given = Input(model=input_of(turn.run.body).model, purpose="summary")
        async with self._admitting:
            if not self.is_running(turn.chat.id):
                with suppress(Elsewhere):  # another process was first: it goes on from here
                    await self._begin(turn.chat, given, None, ())
        return True

    async def _broke(self, turn: LiveTurn | SummaryTurn) -> None:
        run = await self._means.storage.runs.get(turn.run.id)
        if run.state == "running":
            await turn.end(TurnEnded("failed", telling.BROKEN, telling.BROKEN_FAILURE))

    async def _next(self, chat: Chat) -> None:
        """What waits in the chat begins, the oldest first."""
        async with self._admitting:
            waiting = await self._means.storage.runs.with_state({"queued"}, chat_id=chat.id)
            if waiting and not self.is_running(chat.id):
                with suppress(Elsewhere):  # another process was first: it goes on from here
                    await self._start_waiting(chat, waiting[0])

    def _event(self, run: Run, state: str) -> NewEvent:
        return NewEvent("turn", telling.turn(run.id, state, input_of(run.body)), run.id)
