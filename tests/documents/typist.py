"""A program that types into a file until it is killed; takes a home, a folder and its own name.

First it says which text it found, then each word that was acknowledged.
"""

import json
import random
import sys
from pathlib import Path

import anyio

from recto.app.documents import StoredJournal
from recto.clock import SystemClock
from recto.documents import Documents, LiveDocument, Origin, Splice
from recto.storage import Storage
from recto.workspace import Workspace

ANN = Origin("person", "ann")


async def main(home: Path, folder: Path, life: str) -> None:
    """Type, save now and then, tell."""
    clock = SystemClock()
    storage = await Storage.open(home / "recto.db", clock=clock)
    workspace = await Workspace.open(folder)
    async with anyio.create_task_group() as tasks:
        documents = Documents(workspace, StoredJournal(storage, "p"), clock=clock, tasks=tasks)
        async with documents.using("a.md") as document:
            assert isinstance(document, LiveDocument)
            tell(document.text)
            await type_on(document, life)


async def type_on(document: LiveDocument, life: str) -> None:
    """A word at the end of a line, again and again."""
    chance = random.Random(life)
    for number in range(10_000):
        word = f"[{life}.{number}]"
        places = [at for at, letter in enumerate(document.text) if letter == "\n"]
        at = chance.choice(places)
        async with anyio.create_task_group() as both:
            if chance.random() < 0.3:
                both.start_soon(document.save)
            await document.edit([Splice(at, at, word)], ANN)
            tell(word)


def tell(what: str) -> None:
    """Say something to whoever started this."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
