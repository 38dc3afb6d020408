"""The channels to one kernel: IPC sockets in a private folder, every message signed.

A kernel that can't have such sockets is reached by ports of this computer, encrypted if it can.
"""

import json
import os
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import zmq
import zmq.asyncio
from jupyter_client.session import Session

Channel = Literal["shell", "iopub", "stdin", "control"]
PORTS: dict[Channel, int] = {"shell": 1, "iopub": 2, "stdin": 3, "control": 4}
HEARTBEAT_PORT = 5
SOCKET = "kernel"
CONNECTION_FILE = "connection.json"
# Together, a burst of outputs fits: a kernel drops what finds no room in its own queue.
QUEUE = 100_000
RECONNECT_MS = 20
READ_WRITE_BY_OWNER = 0o600
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class KernelWire:
    """How a kernel is reached: by sockets in its folder, or by ports of this computer."""

    ports: tuple[int, ...] = ()
    """One for each channel, then that of the heartbeat; none for sockets."""
    public_key: str = ""
    """With a pair of keys (CurveZMQ) only who has read the connection file gets an answer."""
    secret_key: str = ""

    @property
    def curve(self) -> dict[str, str]:
        """The pair of keys, as a connection file names it."""
        if not self.public_key:
            return {}
        return {"curve_publickey": self.public_key, "curve_secretkey": self.secret_key}

    def address(self, folder: str, channel: Channel) -> str:
        """Where a channel is."""
        number = PORTS[channel]
        if self.ports:
            return f"tcp://{HOST}:{self.ports[number - 1]}"
        return f"ipc://{Path(folder, SOCKET)}-{number}"


def wire_by_ports(*, encrypted: bool) -> KernelWire:
    """Ports that are free now, with new keys for a kernel that encrypts."""
    with ExitStack() as held:
        # All at once: one that is let go could be given again.
        taken = [held.enter_context(socket.create_server((HOST, 0))) for _ in range(HEARTBEAT_PORT)]
        ports = tuple(int(one.getsockname()[1]) for one in taken)
    public, secret = zmq.curve_keypair() if encrypted else (b"", b"")
    return KernelWire(ports, public.decode(), secret.decode())


@dataclass(frozen=True, slots=True)
class KernelMessage:
    """A message of a kernel, and which request it answers."""

    kind: str
    parent_id: str
    content: Mapping[str, Any]


def write_connection_file(folder: str, key: str, wire: KernelWire) -> str:
    """Tell a kernel where to listen, in a file that only its owner can read; the file's path."""
    ports = wire.ports or (*PORTS.values(), HEARTBEAT_PORT)
    told = {
        "transport": "tcp" if wire.ports else "ipc",
        "ip": HOST if wire.ports else str(Path(folder, SOCKET)),
        "key": key,
        "signature_scheme": "hmac-sha256",
        **{f"{channel}_port": ports[number - 1] for channel, number in PORTS.items()},
        "hb_port": ports[HEARTBEAT_PORT - 1],
        **wire.curve,
    }
    path = str(Path(folder, CONNECTION_FILE))
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, READ_WRITE_BY_OWNER)
    with open(fd, "w", encoding="utf-8") as file:
        json.dump(told, file)
    return path


class KernelChannels:
    """Sends requests to a kernel, and receives what it says."""

    def __init__(self, folder: str, key: str, wire: KernelWire) -> None:
        # Typed loosely by its package; nothing else of it is used than below.
        self._session: Any = Session(key=key.encode(), signature_scheme="hmac-sha256")
        self._context = zmq.asyncio.Context()
        self._sockets = {
            channel: self._connect(channel, wire.address(folder, channel), wire)
            for channel in PORTS
        }

    def _connect(self, channel: Channel, address: str, wire: KernelWire) -> zmq.asyncio.Socket:
        opened = self._context.socket(zmq.SUB if channel == "iopub" else zmq.DEALER)
        opened.set(zmq.LINGER, 0)
        opened.set(zmq.RCVHWM, QUEUE)
        opened.set(zmq.RECONNECT_IVL, RECONNECT_MS)
        if channel == "iopub":
            opened.set(zmq.SUBSCRIBE, b"")
        else:
            # One name on all channels: a kernel asks for input by the name of who asked it to run.
            opened.set(zmq.IDENTITY, self._session.bsession)
        if wire.public_key:
            # One pair for both ends: who has it has read the connection file.
            opened.set(zmq.CURVE_SERVERKEY, wire.public_key.encode())
            opened.set(zmq.CURVE_PUBLICKEY, wire.public_key.encode())
            opened.set(zmq.CURVE_SECRETKEY, wire.secret_key.encode())
        opened.connect(address)
        return opened

    async def send(self, channel: Channel, kind: str, content: Mapping[str, Any]) -> str:
        """Send a message; its id."""
        message = self._session.msg(kind, content=dict(content))
        socket: Any = self._sockets[channel]
        await socket.send_multipart(self._session.serialize(message))
        return cast(str, message["header"]["msg_id"])

    async def receive(self, channel: Channel) -> KernelMessage | None:
        """The next message; None for one that is not signed by the kernel, or can't be read."""
        frames = await self._sockets[channel].recv_multipart()
        try:
            _, parts = self._session.feed_identities(frames)
            found = self._session.deserialize(parts)
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        content, parent = found["content"], found["parent_header"]
        if not isinstance(content, dict) or not isinstance(parent, dict):
            return None
        parent_id = str(cast(dict[str, Any], parent).get("msg_id", ""))
        return KernelMessage(str(found["msg_type"]), parent_id, cast(dict[str, Any], content))

    def close(self) -> None:
        """Let go of the sockets; what was not sent is not sent."""
        self._context.destroy(linger=0)
