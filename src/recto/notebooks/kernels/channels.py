"""The channels to one kernel: IPC sockets in a private folder, every message signed."""

import json
import os
from collections.abc import Mapping
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


@dataclass(frozen=True, slots=True)
class KernelMessage:
    """A message of a kernel, and which request it answers."""

    kind: str
    parent_id: str
    content: Mapping[str, Any]


def write_connection_file(folder: str, key: str) -> str:
    """Tell a kernel where to listen, in a file that only its owner can read; the file's path."""
    told = {
        "transport": "ipc",
        "ip": str(Path(folder, SOCKET)),
        "key": key,
        "signature_scheme": "hmac-sha256",
        **{f"{channel}_port": port for channel, port in PORTS.items()},
        "hb_port": HEARTBEAT_PORT,
    }
    path = str(Path(folder, CONNECTION_FILE))
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, READ_WRITE_BY_OWNER)
    with open(fd, "w", encoding="utf-8") as file:
        json.dump(told, file)
    return path


class KernelChannels:
    """Sends requests to a kernel, and receives what it says."""

    def __init__(self, folder: str, key: str) -> None:
        # Typed loosely by its package; nothing else of it is used than below.
        self._session: Any = Session(key=key.encode(), signature_scheme="hmac-sha256")
        self._context = zmq.asyncio.Context()
        self._sockets = {channel: self._connect(folder, channel) for channel in PORTS}

    def _connect(self, folder: str, channel: Channel) -> zmq.asyncio.Socket:
        socket = self._context.socket(zmq.SUB if channel == "iopub" else zmq.DEALER)
        socket.set(zmq.LINGER, 0)
        socket.set(zmq.RCVHWM, QUEUE)
        socket.set(zmq.RECONNECT_IVL, RECONNECT_MS)
        if channel == "iopub":
            socket.set(zmq.SUBSCRIBE, b"")
        else:
            # One name on all channels: a kernel asks for input by the name of who asked it to run.
            socket.set(zmq.IDENTITY, self._session.bsession)
        socket.connect(f"ipc://{Path(folder, SOCKET)}-{PORTS[channel]}")
        return socket

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
