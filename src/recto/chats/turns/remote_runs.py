"""Turns that other processes run on the same records: one at a time in each chat, for all.

What is read before a write may be old by then; what is read within it holds, for writes that name
nothing have the records to themselves.
"""

from contextlib import aclosing

from recto.chats.failures import Busy, NotRunning
from recto.chats.services import ChatServices
from recto.chats.turns.recovery import recover_run
from recto.storage import ChatEvent, NewEvent, Run, WriteTransaction

STOP = "stop"


class BusyElsewhere(Busy):
    """Another process began a turn in this chat."""


class NotRunningElsewhere(NotRunning):
    """The turn of the other process has ended."""


async def has_remote_run(services: ChatServices, chat_id: str) -> bool:
    """Whether another process runs a turn in a chat where this one runs none.

    What nobody has any more is brought to an end, so that it stands in nobody's way.
    """
    running = await services.storage.runs.with_state({"running"}, chat_id=chat_id)
    if not running:
        return False
    theirs = {run.id for run in await services.storage.runs.elsewhere(chat_id)}
    for run in running:
        if run.id not in theirs:
            # The caller runs none here and no living process has it: whoever had it died.
            await recover_run(services, run)
    return bool(theirs)


async def check_no_remote_run(
    services: ChatServices, write: WriteTransaction, chat_id: str
) -> None:
    """Make sure that no turn begins beside one of another process. Raises BusyElsewhere."""
    if await services.storage.runs.elsewhere(chat_id, within=write):
        raise BusyElsewhere


async def check_remote_run(
    services: ChatServices, write: WriteTransaction, chat_id: str, turn_id: str | None = None
) -> None:
    """Make sure that a turn of another process, or this very one, is there to wait for.

    Raises NotRunningElsewhere.
    """
    running = await services.storage.runs.elsewhere(chat_id, within=write)
    if all(turn_id not in (None, run.id) for run in running):
        raise NotRunningElsewhere


async def stop_remote_run(services: ChatServices, run: Run) -> None:
    """Have another process stop a turn. Raises NotRunningElsewhere when none has it.

    The wish stands in the chat's log: a process that is cut off for a while finds it there.
    """

    async def work(write: WriteTransaction) -> None:
        await check_remote_run(services, write, run.chat_id, run.id)

    wish = NewEvent(STOP, {}, run.id)
    await services.journals.of(run.chat_id).commit_with(work, lambda _: [wish])


async def wait_for_stop(services: ChatServices, run: Run) -> None:
    """Return when another process wishes that a turn of this one stops, or has ended it."""
    # First the number, then the look back: a wish between the two is seen by one of them.
    after = await services.storage.events.latest(run.chat_id)
    if await services.storage.events.of_run(run.id, {STOP}):
        return
    async with aclosing(services.journals.of(run.chat_id).follow(after)) as events:
        async for event in events:
            if event.run_id == run.id and is_end(event):
                return


def is_end(event: ChatEvent) -> bool:
    """Whether an event of a turn says that it is to stop, or that it was taken for abandoned."""
    return event.kind == STOP or (event.kind == "turn" and event.body["state"] == "interrupted")
