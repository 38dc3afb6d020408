"""A program that runs turns of chats and dies where it is told to.

Everything is loaded once; then each line of the input, a `Task` as JSON, is done by a child process
made by forking. A task that is a rehearsal is done by this process itself: what is made in a
process's first turn is there in every child. The child kills itself, with SIGKILL, when this
program's own code is entered for the n-th time, in whatever thread that is; or after the n-th step
that makes something last.
Says the child's numbers as it goes, and how it ended.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import threading
from contextlib import aclosing
from pathlib import Path
from types import FrameType
from typing import Any

import recto
from recto.app import open_services
from recto.chats import Chats, UserMessage
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from tests.faults.points import Points

OURS = os.path.dirname(recto.__file__)
ENDED = frozenset({"finished", "failed", "cancelled", "interrupted"})


async def talk(task: dict[str, Any], points: Points) -> None:
    """Say something in a chat, agree to everything, and tell what is heard."""
    home, folder, clock = Home(Path(task["home"])), Path(task["folder"]), SystemClock()
    async with open_services(home, Settings(), folder, clock, SystemIds(clock)) as working:
        project = await working.projects.current()
        chat_id: str = task["chat"] or (await working.chats.create(project.id, "A talk")).id
        say({"chat": chat_id})
        begun = (await working.chats.view(chat_id)).last_event
        points.is_open = True
        said = UserMessage(task["text"], model=task["model"])
        turn = await working.chats.say(chat_id, said)
        say({"said": turn.turn_id})
        await hear(working.chats, chat_id, turn.turn_id, begun)
        points.is_open = False


async def hear(chats: Chats, chat_id: str, turn_id: str, after: int) -> None:
    """Tell every event of a chat until the turn has ended."""
    async with aclosing(chats.follow(chat_id, after)) as events:
        async for told in events:
            event = told.event
            say({"seq": event.seq, "kind": event.kind, "text": event.body.get("text", "")})
            if event.kind == "approval":
                await chats.answer(event.body["approval_id"], "once")
            if event.body.get("turn_id") == turn_id and event.body["state"] in ENDED:
                return


def say(fact: dict[str, Any]) -> None:
    """Tell whoever watches, at once."""
    os.write(1, json.dumps(fact).encode() + b"\n")


class Killer:
    """Ends this process the n-th time that the program's own code is entered."""

    def __init__(self, at: int | None) -> None:
        self._at = at
        self.entered = 0

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        # Called at the beginning of each function, and of no line: it returns nothing.
        if frame.f_code.co_filename.startswith(OURS):
            self.entered += 1
            if self.entered == self._at:
                os.kill(os.getpid(), signal.SIGKILL)


def work(task: dict[str, Any]) -> None:
    """Do one task in this process, which ends with it."""
    killer, points = Killer(task.get("kill_at")), Points(task.get("end_after"))
    if "end_after" in task:
        points.lay()
    else:
        threading.settrace(killer)
        sys.settrace(killer)
    asyncio.run(talk(task, points))
    sys.settrace(None)
    say({"entered": killer.entered, "passed": points.passed})


def rehearse(task: dict[str, Any]) -> None:
    """Do one task in this process, which goes on, alone again."""
    asyncio.run(talk(task, Points(None)))
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()


def main() -> None:
    """One child after the other; none looks for garbage in what was made before it."""
    for line in sys.stdin:
        task = json.loads(line)
        if task.get("is_rehearsal"):
            rehearse(task)
            gc.freeze()
            say({"ended": 0})
            continue
        pid = os.fork()
        if pid == 0:
            work(task)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        say({"ended": os.waitstatus_to_exitcode(status)})


if __name__ == "__main__":
    main()
