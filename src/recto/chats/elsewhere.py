"""Turns that other processes run on the same records: one at a time in each chat, for all.

What is read before a write may be old by then; what is read within it holds, for writes take turns.
"""

from recto.chats.failures import Busy, NotRunning
from recto.chats.means import Means
from recto.chats.recovery import recover_run
from recto.storage import Run, Write

STOP = "stop "


class Elsewhere(Busy):
    """Another process began a turn in this chat."""


class NotElsewhere(NotRunning):
    """The turn of the other process has ended."""


async def runs_elsewhere(means: Means, chat_id: str) -> bool:
    """Whether another process runs a turn in a chat where this one runs none.

    What nobody has any more is brought to an end, so that it stands in nobody's way.
    """
    running = await means.storage.runs.with_state({"running"}, chat_id=chat_id)
    if not running:
        return False
    theirs = {run.id for run in await means.storage.runs.elsewhere(chat_id)}
    for run in running:
        if run.id not in theirs:
            await recover_run(means, run)
    return bool(theirs)


async def check_no_turn(means: Means, write: Write, chat_id: str) -> None:
    """Make sure that no turn begins beside one of another process. Raises Elsewhere."""
    if await means.storage.runs.elsewhere(chat_id, within=write):
        raise Elsewhere


async def check_turn(means: Means, write: Write, chat_id: str) -> None:
    """Make sure that a turn of another process is there to wait for. Raises NotElsewhere."""
    if not await means.storage.runs.elsewhere(chat_id, within=write):
        raise NotElsewhere


async def stop_elsewhere(means: Means, run: Run) -> bool:
    """Have another process stop a turn; False when none has it."""
    if all(one.id != run.id for one in await means.storage.runs.elsewhere(run.chat_id)):
        return False
    await means.storage.ask_others(f"{STOP}{run.id}")
    return True
