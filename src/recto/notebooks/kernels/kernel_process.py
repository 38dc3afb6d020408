"""The process of a kernel: its private folder, how it is started, and why it has ended."""

import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

from recto.notebooks.kernels.channels import write_connection_file
from recto.notebooks.kernels.keeper_connection import KEEPER_SOCKET, HeldProgram
from recto.notebooks.kernels.specs import KernelSpec
from recto.processes import MARK, absolute_path, find_program, held, start


@dataclass(frozen=True, slots=True)
class KernelPlace:
    """Where a kernel works, and which one."""

    spec: KernelSpec
    cwd: str


@asynccontextmanager
async def started(
    place: KernelPlace, folder: str, key: str, mark: str
) -> AsyncGenerator[HeldProgram]:
    """A new kernel that listens in a private folder; its keeper."""
    file = await anyio.to_thread.run_sync(write_connection_file, folder, key)
    argv = [part.replace("{connection_file}", file) for part in place.spec.argv]
    argv[0] = argv[0] if "/" in argv[0] else find_program(argv[0])
    env = {**substituted(place.spec.env), MARK: mark}
    door = str(Path(folder, KEEPER_SOCKET))
    async with start(held(door, argv), cwd=place.cwd, env=env, talks=True) as program:
        yield program


def private_folder() -> str:
    """A new folder that only its owner can enter."""
    return tempfile.mkdtemp(prefix="recto-kernel-")


def remove_folder(folder: str) -> None:
    """Take a private folder away; its keeper may do so at the same time."""
    with suppress(FileNotFoundError):
        for file in Path(folder).iterdir():
            file.unlink(missing_ok=True)
        Path(folder).rmdir()


def substituted(env: Mapping[str, str]) -> dict[str, str]:
    """A kernelspec's variables; one that names PATH means that of this program."""
    return {name: value.replace("${PATH}", absolute_path()) for name, value in env.items()}


def reason(code: int, words: str) -> str:
    """Why a process has ended, with its last words."""
    last = words.strip().splitlines()[-1:] or [""]
    ended = f"its process was ended by signal {code - 128}" if code > 128 else f"exit code {code}"
    return f"{ended} ({last[0][:200]})" if last[0] else ended
