"""The process of a kernel: its private folder, how it is started, and why it has ended."""

import os
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.notebooks.failures import KernelFailed
from recto.notebooks.kernels.channels import (
    HEARTBEAT_PORT,
    SOCKET,
    KernelWire,
    wire_by_ports,
    write_connection_file,
)
from recto.notebooks.kernels.keeper_connection import KEEPER_SOCKET, HeldProgram
from recto.notebooks.kernels.rights import HeldPlace, HoldsKernels, KernelRights
from recto.notebooks.kernels.specs import KernelSpec
from recto.processes import MARK, absolute_path, find_program, held, start

PREFIX = "recto-kernel-"
LONGEST_PLACE = 103 - len(f"/{PREFIX}12345678/{SOCKET}-{HEARTBEAT_PORT}")
"""A socket's path has 103 bytes at most on macOS, and four more on Linux."""


@dataclass(frozen=True, slots=True)
class KernelPlace:
    """Where a kernel works, and which one."""

    spec: KernelSpec
    cwd: str
    root: str
    """The folder of its project."""
    rights: KernelRights = "own"
    sandbox: HoldsKernels | None = None
    may_use_ports: bool = False
    """Whether the user lets this kernel be reached by ports that it does not protect."""

    def wires(self) -> Iterator[KernelWire]:
        """How to reach the kernel, one after the other, as long as it does not answer."""
        if self.may_use_ports and self.rights == "own":
            yield wire_by_ports(encrypted=self.spec.encrypts)
            return
        yield KernelWire()
        # In the sandbox, ports of this computer are not its own.
        if self.spec.encrypts and self.rights == "own":
            yield wire_by_ports(encrypted=True)


@asynccontextmanager
async def started(
    place: KernelPlace, folder: str, key: str, mark: str, wire: KernelWire
) -> AsyncGenerator[HeldProgram]:
    """A new kernel that listens in a private folder; its keeper."""
    file = await anyio.to_thread.run_sync(write_connection_file, folder, key, wire)
    argv = [part.replace("{connection_file}", file) for part in place.spec.argv]
    argv[0] = argv[0] if "/" in argv[0] else find_program(argv[0])
    env = {**substituted(place.spec.env), MARK: mark}
    door = str(Path(folder, KEEPER_SOCKET))
    if place.rights != "own":
        assert place.sandbox is not None
        where = HeldPlace(place.root, place.cwd, folder, door)
        found = await place.sandbox.hold(argv, where, network=place.rights == "network")
        argv, env = list(found.argv), {**env, **found.env}
    async with start(held(door, argv), cwd=place.cwd, env=env, talks=True) as program:
        yield program


def private_folder() -> str:
    """A new folder that only its owner can enter, for sockets. Raises KernelFailed."""
    usual = tempfile.gettempdir()
    # A folder for temporary files may lie too deep for sockets, whose paths every system bounds.
    places = [usual, os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp"]
    for place in places:
        if len(os.fsencode(place)) <= LONGEST_PLACE and os.access(place, os.W_OK | os.X_OK):
            return tempfile.mkdtemp(prefix=PREFIX, dir=place)
    raise KernelFailed(
        f"The folder for temporary files ({usual}) has too long a path for a kernel's sockets.",
        f"Set TMPDIR to a folder whose path has {LONGEST_PLACE} letters or less, and start again.",
    )


def remove_folder(folder: str) -> None:
    """Take a private folder away; its keeper may do so at the same time."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in (*files, *folders):
            remove(Path(place, name))
    remove(Path(folder))


def remove(path: Path) -> None:
    """Take a file or an empty folder away, if it is still there."""
    with suppress(FileNotFoundError):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def substituted(env: Mapping[str, str]) -> dict[str, str]:
    """A kernelspec's variables; one that names PATH means that of this program."""
    return {name: value.replace("${PATH}", absolute_path()) for name, value in env.items()}


def remedy(place: KernelPlace) -> str:
    """What to do about a kernel that does not start."""
    told = "Choose another kernel, or correct its installation."
    if place.may_use_ports or place.spec.encrypts:
        return told
    return (
        f"{told} One that can only use ports of this computer needs its name in tcp_kernels, in"
        " the table [notebooks] of settings.toml: every program here can reach it then, though it"
        " obeys signed messages alone."
    )


def reason(code: int, words: str) -> str:
    """Why a process has ended, with its last words."""
    last = words.strip().splitlines()[-1:] or [""]
    ended = f"its process was ended by signal {code - 128}" if code > 128 else f"exit code {code}"
    return f"{ended} ({last[0][:200]})" if last[0] else ended
