"""Other programs: started without a shell or secrets, ended with all they started."""

import asyncio
import os
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from recto.processes import (
    MARK,
    InputClosed,
    NotStarted,
    ProgramMissing,
    ProgramOutput,
    RunningProgram,
    TimedOut,
    connect,
    connect_input,
    descendants,
    end_marked,
    environment,
    find_program,
    programs,
    run,
    start,
)

pytestmark = pytest.mark.anyio


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def test_a_program_runs_to_its_end(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd()); print('oops', file=sys.stderr); sys.exit(3)"

    output = await run(python(code), cwd=str(tmp_path), timeout_s=120, max_bytes=1000)

    assert output == ProgramOutput(3, f"{tmp_path}\n".encode(), b"oops\n", truncated=False)


async def test_its_input_is_closed(tmp_path: Path) -> None:
    code = "import sys; print(repr(sys.stdin.read()))"

    output = await run(python(code), cwd=str(tmp_path), timeout_s=120, max_bytes=1000)

    assert output.stdout == b"''\n"


async def test_it_gets_the_open_files_that_it_is_passed_and_no_others(tmp_path: Path) -> None:
    for name in ("passed", "kept"):
        await anyio.Path(tmp_path, name).write_text(name)
    fds = [os.open(tmp_path / name, os.O_RDONLY | os.O_CLOEXEC) for name in ("passed", "kept")]
    code = f"""import os
print(os.read({fds[0]}, 10).decode())
try:
    print(os.readlink('/proc/self/fd/{fds[1]}').endswith('kept'))
except FileNotFoundError:
    print(False)
"""
    try:
        async with start(python(code), cwd=str(tmp_path), passes=fds[:1]) as program:
            assert [await program.line() for _ in range(2)] == [b"passed\n", b"False\n"]
    finally:
        for fd in fds:
            os.close(fd)


async def test_output_over_the_cap_is_drained_and_said_to_be_cut(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write('x' * 3_000_000); sys.stderr.write('y' * 3_000_000)"

    output = await run(python(code), cwd=str(tmp_path), timeout_s=120, max_bytes=10)

    assert (output.code, output.stdout, output.truncated) == (0, b"x" * 10, True)
    assert output.stderr == b"y" * 65_536


async def test_secrets_are_not_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("LC_TIME", "C")
    code = "import os; print(sorted(os.environ))"

    output = await run(
        python(code), cwd=str(tmp_path), env={"EXTRA": "1"}, timeout_s=120, max_bytes=10_000
    )

    assert b"ANTHROPIC_API_KEY" not in output.stdout
    assert b"'LC_TIME'" in output.stdout
    assert b"'EXTRA'" in output.stdout


def test_relative_entries_of_the_search_path_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "tool").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".::bin:{tmp_path / 'absolute'}")

    assert environment()["PATH"] == str(tmp_path / "absolute")
    with pytest.raises(ProgramMissing):
        find_program("tool")


async def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProgramMissing, match="no-such-program"):
        await run(["no-such-program"], cwd=str(tmp_path), timeout_s=120, max_bytes=1)


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="gone"):
        await run(python("0"), cwd=str(tmp_path / "gone"), timeout_s=120, max_bytes=1)


@pytest.mark.parametrize(
    "ignores", ["pass;", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"]
)
async def test_a_program_that_takes_too_long_is_ended_with_its_children(
    tmp_path: Path, ignores: str
) -> None:
    child = f"{ignores} import time; time.sleep(60)"
    code = (
        f"{ignores} import subprocess, sys, os;"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}]);"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}');"
        "child.wait()"
    )

    pids = tmp_path / "pids"
    # On a busy machine it may be ended before it has begun.
    for wait_s in (1, 10, 100):
        with pytest.raises(TimedOut, match=f"took over {wait_s} s"):
            await run(python(code), cwd=str(tmp_path), timeout_s=wait_s, max_bytes=1)
        if await anyio.Path(pids).exists():
            break
    with anyio.fail_after(60):
        for pid in pids.read_text(encoding="utf-8").split():
            await gone(int(pid))


async def test_output_comes_as_it_is_written_and_leaving_ends_the_program(tmp_path: Path) -> None:
    code = "import time; print('first', flush=True); time.sleep(60)"

    with anyio.fail_after(60):
        async with start(python(code), cwd=str(tmp_path)) as running:
            async for chunk in running.chunks():
                assert chunk == b"first\n"
                break
        await gone(running.pid)


async def test_cancelling_ends_the_program(tmp_path: Path) -> None:
    code = "import time; print('first', flush=True); time.sleep(60)"
    pids: list[int] = []

    with anyio.fail_after(60):
        with anyio.CancelScope() as scope:
            async with start(python(code), cwd=str(tmp_path)) as running:
                async for _ in running.chunks():
                    pids.append(running.pid)
                    scope.cancel()
        assert scope.cancelled_caught
        await gone(pids[0])


async def test_a_program_whose_start_is_cancelled_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[asyncio.subprocess.Process] = []
    spawn = programs.spawn

    async def cancelled_meanwhile(*told: Any) -> asyncio.subprocess.Process:
        process = await spawn(*told)
        started.append(process)
        starting.cancel()
        await anyio.lowlevel.checkpoint()
        return process

    async def begin() -> None:
        async with start(python("import time; time.sleep(600)"), cwd=str(tmp_path)):
            raise AssertionError("it was cancelled")

    monkeypatch.setattr(programs, "spawn", cancelled_meanwhile)
    starting = asyncio.create_task(begin())
    await asyncio.wait([starting])
    assert starting.cancelled()
    [process] = started
    assert process.returncode is not None


async def test_a_child_that_keeps_the_output_open_does_not_outlive_the_program(
    tmp_path: Path,
) -> None:
    code = (
        "import subprocess, sys;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
        "print(child.pid, flush=True)"
    )

    with anyio.fail_after(60):
        async with start(python(code), cwd=str(tmp_path)) as running:
            assert await running.wait() == 0
            chunk = await anext(running.chunks())
        await gone(int(chunk))


ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"


async def test_a_program_that_is_talked_to_answers_line_by_line(tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with start(python(ECHO), cwd=str(tmp_path), talks=True) as running:
            for word in ("one", "two"):
                await running.send(f"{word}\n".encode())
                assert await running.line() == f"{word.upper()}\n".encode()
        await gone(running.pid)


async def test_input_larger_than_a_pipe_arrives_whole(tmp_path: Path) -> None:
    code = "import sys; print(len(sys.stdin.readline()), flush=True); sys.stdin.read()"

    with anyio.fail_after(60):
        async with start(python(code), cwd=str(tmp_path), talks=True) as running:
            await running.send(b"x" * 3_000_000 + b"\n")
            assert await running.line() == b"3000001\n"


async def test_a_program_that_has_ended_takes_no_input_and_has_no_more_lines(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(60):
        async with start(python("0"), cwd=str(tmp_path), talks=True) as running:
            assert await running.line() == b""
            await running.wait()
            with pytest.raises(InputClosed):
                await send_for_ever(running)


async def test_a_program_that_is_not_talked_to_takes_no_input(tmp_path: Path) -> None:
    async with start(python("0"), cwd=str(tmp_path)) as running:
        with pytest.raises(InputClosed):
            await running.send(b"more\n")


async def test_a_program_that_ignores_its_input_is_ended_all_the_same(tmp_path: Path) -> None:
    code = "import time; print('ready', flush=True); time.sleep(60)"

    with anyio.fail_after(60):
        async with start(python(code), cwd=str(tmp_path), talks=True) as running:
            assert await running.line() == b"ready\n"
            with anyio.CancelScope() as scope:
                scope.cancel()
                await running.send(b"x" * 3_000_000)
        await gone(running.pid)


CHILD_THAT_LEAVES = (
    "import os, subprocess, sys;"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'],"
    " start_new_session=True, stdout=subprocess.DEVNULL);"
    "print(child.pid, flush=True)"
)


async def test_a_marked_child_in_a_session_of_its_own_is_found_and_ended(tmp_path: Path) -> None:
    with anyio.fail_after(60):
        env = {MARK: "one"}
        async with start(python(CHILD_THAT_LEAVES), cwd=str(tmp_path), env=env) as running:
            child = int(await running.line())
            await running.wait()
        assert state(child) not in {"gone", "Z", "X"}
        await end_marked("another")
        assert state(child) not in {"gone", "Z", "X"}
        await end_marked("one")
        assert state(child) in {"gone", "Z", "X"}


async def test_descendants_are_children_and_theirs(tmp_path: Path) -> None:
    code = f"{CHILD_THAT_LEAVES}; child.wait()"

    with anyio.fail_after(60):
        async with start(python(code), cwd=str(tmp_path), env={MARK: "two"}) as running:
            child = int(await running.line())
            assert descendants(running.pid) == {child}
            assert child in descendants(os.getpid())
        await end_marked("two")


async def send_for_ever(running: RunningProgram) -> None:
    while True:
        await running.send(b"more\n")


async def gone(pid: int) -> None:
    """Wait until a process has ended (an orphan's remains may stay with the system's init)."""
    while state(pid) not in {"gone", "Z", "X"}:
        await anyio.lowlevel.checkpoint()


def state(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return "gone"
    return text.rpartition(")")[2].split()[0]


@pytest.mark.parametrize("anyio_backend", [("asyncio", {"use_uvloop": True})], ids=["uvloop"])
async def test_a_descriptor_is_closed_once_whatever_other_threads_open(
    anyio_backend: object, tmp_path: Path
) -> None:
    """A number that is closed twice is another thread's file the second time."""
    is_over = threading.Event()
    lost: list[OSError] = []

    def open_and_close() -> None:
        while not is_over.is_set():
            try:
                fd = os.open(tmp_path, os.O_RDONLY)
                os.fstat(fd)
                os.close(fd)
            except OSError as error:
                lost.append(error)

    async def connect_and_close() -> None:
        out, their_end = os.pipe()
        their_out, told = os.pipe()
        (await connect(out)).transport.close()
        (await connect_input(told)).close()
        os.close(their_end)
        os.close(their_out)
        await anyio.lowlevel.checkpoint()

    # What the first of all leaves open for the others is no leak.
    await connect_and_close()
    before = len(os.listdir("/dev/fd"))
    threads = [threading.Thread(target=open_and_close) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(1000):
            await connect_and_close()
    finally:
        is_over.set()
        for thread in threads:
            thread.join()

    assert lost == []
    # libuv closes what it was told to close when it comes around to it.
    with anyio.fail_after(60):
        while len(os.listdir("/dev/fd")) > before:
            await anyio.lowlevel.checkpoint()
