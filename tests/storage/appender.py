"""A process that appends to a chat until it is killed, and says each number once it is kept."""

import sys

import anyio

from recto.clock import SystemClock, SystemIds
from recto.storage import RecordNotFound, Storage
from tests.storage.conftest import add_chat


async def main(address: str) -> None:
    """Append without end."""
    clock = SystemClock()
    ids = SystemIds(clock)
    storage = await Storage.open(address, clock=clock)
    try:
        await storage.chats.get("c1")
    except RecordNotFound:
        async with storage.write() as write:
            await add_chat(storage, write)
    while True:
        async with storage.write() as write:
            entry = await storage.chats.append(write, "c1", id=ids.new(), kind="user", body={})
        sys.stdout.write(f"{entry.seq}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
