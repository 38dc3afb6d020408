"""A program that serves Recto, again and again, and dies where it is told to.

Everything is loaded once; then each line of the input, a `Life` as JSON, is lived by a child made
by forking. From the first edit on, the child counts the steps that Recto's code and the database's
take, in whatever thread, and kills itself with SIGKILL at the n-th. Says where it can be reached,
and when it has ended.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import aiosqlite

import recto
from recto.app import ServeOptions, serve
from recto.config import Home, Secret, Settings, StorageSettings
from recto.documents import LiveDocument
from tests.served import TOKEN

WATCHED = (os.path.dirname(recto.__file__), os.path.dirname(aiosqlite.__file__))


class Killer:
    """Ends this process at the n-th step after the first edit.

    A step is to enter a function, or to leave Python for a call of the system or the database.
    """

    def __init__(self, at: int | None) -> None:
        self._at = at
        self.is_counting = False
        self.steps = 0

    def wait_for_edit(self) -> None:
        """Count from the first edit on; until then the main thread runs unwatched, and fast."""
        take_update, killer = LiveDocument.take_update, self

        def take_first(self: LiveDocument, *arguments: Any, **named: Any) -> None:
            LiveDocument.take_update = take_update
            killer.is_counting = True
            sys.setprofile(killer)
            self.take_update(*arguments, **named)

        threading.setprofile(self)
        LiveDocument.take_update = take_first

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        """Count a step, if it is one."""
        is_step = self.is_counting and event in ("call", "c_call")
        if is_step and frame.f_code.co_filename.startswith(WATCHED):
            self.steps += 1
            if self.steps == self._at:
                os.kill(os.getpid(), signal.SIGKILL)


def live(life: dict[str, Any]) -> None:
    """Serve in this process, which ends with it."""
    killer = Killer(life["kill_at"])
    killer.wait_for_edit()
    options = ServeOptions(Path(life["folder"]), "127.0.0.1", 0, token=Secret(TOKEN))
    home = Home(Path(life["home"]))
    settings = Settings(storage=StorageSettings(url=life.get("database", "")))

    def announce(url: str) -> None:
        say({"url": url, "pid": os.getpid()})

    asyncio.run(serve(options, home, settings, ready=lambda ready: announce(ready.url)))
    sys.setprofile(None)
    say({"steps": killer.steps})


def say(fact: dict[str, Any]) -> None:
    """Tell whoever watches, at once."""
    os.write(1, json.dumps(fact).encode() + b"\n")


def main() -> None:
    """One child after the other; none looks for garbage in what was loaded before it."""
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            live(json.loads(line))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        say({"ended": os.waitstatus_to_exitcode(status)})


if __name__ == "__main__":
    main()
