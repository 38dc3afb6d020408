"""Shut off from every network but loopback, and told which names somebody looks up.

The program must have been started by `unshare --map-root-user --net --mount`.
"""

import asyncio
import fcntl
import socket
import struct
import subprocess
from pathlib import Path
from typing import cast

SET_FLAGS = 0x8914
UP_AND_RUNNING = 0x41
NO_SUCH_NAME = 0x8183
HEAD = 12


class NameServer(asyncio.DatagramProtocol):
    """Knows no name, and notes which were asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Listening."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """One question."""
        name = name_in(data[HEAD:])
        if name not in self.asked:
            self.asked.append(name)
        assert self._transport is not None
        head = data[:2] + struct.pack(">HHHHH", NO_SUCH_NAME, 1, 0, 0, 0)
        end = HEAD + data[HEAD:].index(b"\0") + 5
        self._transport.sendto(head + data[HEAD:end], addr)


def name_in(question: bytes) -> str:
    """The name of a question: labels, each after its length."""
    labels: list[str] = []
    while question and question[0]:
        length = question[0]
        labels.append(question[1 : 1 + length].decode("ascii", "replace"))
        question = question[1 + length :]
    return ".".join(labels)


async def shut_off(folder: Path) -> NameServer:
    """Bring loopback up, and be the only server of names."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.pack("16sH14x", b"lo", UP_AND_RUNNING)
        fcntl.ioctl(any_socket, SET_FLAGS, flags)
    settings = folder / "resolv.conf"
    settings.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", encoding="utf-8")
    mount = ["mount", "--bind", str(settings), "/etc/resolv.conf"]
    await asyncio.to_thread(subprocess.run, mount, check=True)
    loop = asyncio.get_running_loop()
    _, server = await loop.create_datagram_endpoint(NameServer, ("127.0.0.1", 53))
    return server
