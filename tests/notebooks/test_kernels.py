"""Real kernels: run, interrupted, asked, killed, restarted; and nothing of them is left."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import pytest
import zmq
from zmq.utils.monitor import recv_monitor_message

from recto.clock import SystemClock, SystemIds
from recto.notebooks import (
    CellOutputs,
    CodeRunResult,
    Displays,
    InputRequest,
    KernelDied,
    KernelFailed,
    NoKernel,
    NoSuchKernel,
)
from recto.notebooks.kernels import kernel_process
from recto.notebooks.kernels.channels import KernelChannels, KernelWire, wire_by_ports
from recto.notebooks.kernels.held_kernels import HeldKernel, HeldKernels
from recto.notebooks.kernels.kernel import Kernel
from recto.notebooks.kernels.kernels import Kernels
from recto.notebooks.kernels.specs import KernelSpec, choose_kernel, find_kernels
from recto.supervisor import Supervisor
from tests.notebooks.places import kernel_home

pytestmark = pytest.mark.anyio
NOTEBOOK = "/n.ipynb"
PORT = """
from ipykernel.kernelapp import IPKernelApp
print(IPKernelApp.instance().shell_port)
"""
WITHOUT_SOCKETS = """
import json, sys
if json.load(open(sys.argv[1]))["transport"] == "ipc":
    sys.exit("I know no sockets")
from ipykernel.kernelapp import launch_new_instance
launch_new_instance(argv=["-f", sys.argv[1]])
"""


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


@asynccontextmanager
async def opened(tcp: Collection[str] = ()) -> AsyncGenerator[Kernels]:
    clock = SystemClock()
    async with anyio.create_task_group() as tasks:
        yield Kernels(Supervisor(tasks, clock.monotonic), SystemIds(clock), tcp=tcp)
        tasks.cancel_scope.cancel()


class Runner:
    """Runs code in one notebook's kernel."""

    def __init__(self, kernels: Kernels, folder: Path) -> None:
        self.kernels = kernels
        self.folder = str(folder)

    async def run(
        self,
        code: str,
        *,
        timeout_s: float | None = None,
        cell: str = "a",
        reply: str | None = None,
        began: anyio.Event | None = None,
    ) -> tuple[CodeRunResult, CellOutputs]:
        kernel = await self.kernels.get(
            NOTEBOOK, folder=self.folder, cwd=self.folder, wanted="python3"
        )
        outputs = self.kernels.begin_outputs(NOTEBOOK, cell, kernel)

        async def answer(asked: InputRequest) -> str:
            return f"{reply} to {asked.prompt}{asked.is_password}"

        async def tell(_: str) -> None:
            if began is not None:
                began.set()

        result = await kernel.execute(
            code, outputs, timeout_s=timeout_s, answer=answer if reply else None, tell=tell
        )
        return result, outputs

    async def text(self, code: str, *, reply: str | None = None) -> str:
        _, outputs = await self.run(code, reply=reply)
        return "".join(output.get("text", "") for output in outputs.outputs())


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    return state != "Z"


async def test_one_kernel_from_its_start_to_its_end(tmp_path: Path) -> None:
    async with opened() as kernels:
        runner = Runner(kernels, tmp_path)
        assert kernels.status(NOTEBOOK) is None
        with pytest.raises(NoKernel):
            await kernels.interrupt(NOTEBOOK)
        private = await check_privacy(runner)
        await check_answers(runner)
        kernel = kernels.find(NOTEBOOK)
        assert kernel is not None
        used = await kernel.usage()
        assert used.memory_bytes > 10_000_000
        assert used.cpu_s > 0
        await check_input(runner)
        await check_interrupts(runner)
        await check_restart(runner)
        # Its death is noticed, said, and the next run starts another one.
        with pytest.raises(KernelDied, match="signal 9"):
            await runner.run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
        status = kernels.status(NOTEBOOK)
        assert status is not None
        assert status.state == "dead"
        assert await runner.text("print('again')") == "again\n"
        await kernels.shut_down(NOTEBOOK)
        assert kernels.status(NOTEBOOK) is None
    assert not await anyio.Path(private).exists()


async def check_privacy(runner: Runner) -> str:
    """It works in the notebook's folder, over sockets of a private one, and knows no keys."""
    told = await runner.text(
        "import os\nprint(os.getcwd())\nprint('ANTHROPIC_API_KEY' in os.environ)\n"
        "from ipykernel.kernelapp import IPKernelApp\n"
        "file = IPKernelApp.instance().connection_file\nprint(file)\n"
        "print(oct(os.stat(os.path.dirname(file)).st_mode), oct(os.stat(file).st_mode))\n"
        "print('ipc' in open(file).read())"
    )
    cwd, knows_key, file, modes, is_ipc = told.splitlines()
    assert (cwd, knows_key) == (runner.folder, "False")
    assert (modes, is_ipc) == ("0o40700 0o100600", "True")
    return os.path.dirname(file)


async def check_answers(runner: Runner) -> None:
    """Values and errors come, state stays, displays are updated in the cell that showed them."""
    result, outputs = await runner.run("x = 20\nx + 1")
    assert (result.ending, outputs.execution_count) == ("ok", 2)
    (value,) = outputs.outputs()
    assert value == {
        "data": {"text/plain": "21"},
        "execution_count": 2,
        "metadata": {},
        "output_type": "execute_result",
    }
    result, outputs = await runner.run("print(x); 1/0")
    assert result.ending == "error"
    assert [item["output_type"] for item in outputs.outputs()] == ["stream", "error"]
    assert error_of(outputs) == "ZeroDivisionError"
    _, outputs = await runner.run("x?")
    (page,) = outputs.outputs()
    assert page["output_type"] == "display_data"
    assert "int" in page["data"]["text/plain"]
    _, first = await runner.run("h = display('0 %', display_id='bar')", cell="first")
    await runner.run("h.update('100 %')", cell="second")
    assert first.outputs()[0]["data"] == {"text/plain": "'100 %'"}
    assert set(runner.kernels.updated_outputs(NOTEBOOK)) >= {"first"}


async def check_input(runner: Runner) -> None:
    """Input is asked for where somebody can answer, and refused where nobody can."""
    assert await runner.text("print(input('who? '))", reply="ann") == "ann to who? False\n"
    told = await runner.text("import getpass\nprint(getpass.getpass('pw '))", reply="ann")
    assert told == "ann to pw True\n"
    _, outputs = await runner.run("input()")
    assert error_of(outputs) == "StdinNotImplementedError"


async def check_interrupts(runner: Runner) -> None:
    """A time-out and a cancellation interrupt; the kernel and its variables stay."""
    result, outputs = await runner.run("import time\nwhile True: time.sleep(0.01)", timeout_s=1)
    assert result == CodeRunResult("timed_out")
    assert error_of(outputs) == "KeyboardInterrupt"
    assert await runner.text("print(x)") == "20\n"
    async with anyio.create_task_group() as tasks:
        began = anyio.Event()
        code = "print('began', flush=True)\ntime.sleep(3600)"
        tasks.start_soon(partial(runner.run, code, began=began))
        tasks.start_soon(runner.run, "this = 'never runs'")
        await began.wait()
        status = runner.kernels.status(NOTEBOOK)
        assert status is not None
        assert (status.state, status.queued) == ("busy", 2)
        tasks.cancel_scope.cancel()
    assert await runner.text("print(x + 1, 'this' in globals())") == "21 False\n"


async def check_restart(runner: Runner) -> None:
    """A restart forgets; what the kernel had started is gone."""
    child = await runner.text(
        "import subprocess\n"
        "p = subprocess.Popen(['sleep', '3600'], start_new_session=True)\nprint(p.pid)"
    )
    await runner.kernels.restart(NOTEBOOK)
    assert not lives(int(child))
    _, outputs = await runner.run("x")
    assert error_of(outputs) == "NameError"


def error_of(outputs: CellOutputs) -> str:
    return (outputs.error or {})["ename"]


def write_kernelspec(place: Path, name: str, code: str, metadata: Mapping[str, object]) -> None:
    folder = place / "kernels" / name
    folder.mkdir(parents=True)
    argv = ["python", "-c", code, "{connection_file}"]
    spec = {"argv": argv, "display_name": name, "language": "python", "metadata": metadata}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")


async def printed(kernel: Kernel, code: str) -> str:
    outputs = CellOutputs(Displays())
    await kernel.execute(code, outputs, timeout_s=None)
    return "".join(output["text"] for output in outputs.outputs())


def is_refused(port: int) -> bool:
    """Whether somebody without a key can't even speak to whoever listens."""
    over = zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    with zmq.Context() as context, context.socket(zmq.DEALER) as client:
        client.set(zmq.LINGER, 0)
        known = over | zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
        with client.get_monitor_socket(known) as monitor:
            client.connect(f"tcp://127.0.0.1:{port}")
            found = recv_monitor_message(monitor)["event"]
            client.disable_monitor()
    return found != zmq.EVENT_HANDSHAKE_SUCCEEDED


async def test_a_kernel_without_private_sockets_encrypts_or_is_refused_or_allowed_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, metadata in (("curve", {"supported_encryption": ["curve"]}), ("bare", {})):
        write_kernelspec(tmp_path, name, WITHOUT_SOCKETS, metadata)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    folder = str(tmp_path)
    async with opened(tcp=["bare"]) as kernels:
        kernel = await kernels.get("/curve", folder=folder, cwd=folder, wanted="curve")
        assert await anyio.to_thread.run_sync(is_refused, int(await printed(kernel, PORT)))
        kernel = await kernels.get("/bare", folder=folder, cwd=folder, wanted="bare")
        assert not await anyio.to_thread.run_sync(is_refused, int(await printed(kernel, PORT)))
    async with opened() as kernels:
        with pytest.raises(KernelFailed, match=r"I know no sockets.*tcp_kernels"):
            await kernels.get("/bare", folder=folder, cwd=folder, wanted="bare")


def test_a_kept_kernel_is_written_down_with_all_that_it_takes_to_reach_it(tmp_path: Path) -> None:
    spec = KernelSpec("curve", "Curve", "python", ("python",), {}, takes_messages=False)
    kept = HeldKernel(
        "/n", spec, "/", "/f", "k", "m", "/", "sandbox", wire_by_ports(encrypted=True)
    )
    records = HeldKernels(tmp_path / "kernels")
    records.keep(kept)
    assert records.all() == (kept,)
    # One from a Recto that knew neither ports nor the sandbox.
    (file,) = (tmp_path / "kernels").iterdir()
    older = json.loads(file.read_text(encoding="utf-8"))
    for name in ("root", "rights", "wire"):
        del older[name]
    file.write_text(json.dumps(older), encoding="utf-8")
    assert records.all() == (replace(kept, rights="own", wire=KernelWire()),)


KILLED = """
import anyio, sys
from recto.clock import SystemClock, SystemIds
from recto.notebooks import CellOutputs, Displays
from recto.notebooks.kernels.kernels import Kernels
from recto.supervisor import Supervisor

async def main():
    clock = SystemClock()
    async with anyio.create_task_group() as tasks:
        kernels = Kernels(Supervisor(tasks, clock.monotonic), SystemIds(clock))
        kernel = await kernels.get("/n", folder=sys.argv[1], cwd=sys.argv[1], wanted="python3")
        outputs = CellOutputs(Displays())
        await kernel.execute(
            "import os, subprocess\\n"
            "print(os.getpid(), subprocess.Popen(['setsid', 'sleep', '3600']).pid, flush=True)",
            outputs, timeout_s=None)
        print(outputs.outputs()[0]["text"], end="", flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


def test_nothing_is_left_of_a_kernel_when_its_program_is_killed(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as program:
        assert program.stdout is not None
        pids = [int(word) for word in program.stdout.readline().split()]
        assert len(pids) == 2
        handles = [os.pidfd_open(pid) for pid in pids]
        assert all(map(lives, pids))
        program.send_signal(signal.SIGKILL)
        program.wait()
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    while handles:
        for handle, _ in poll.poll():
            poll.unregister(handle)
            handles.remove(handle)
            os.close(handle)


async def test_a_kernel_that_does_not_start_says_why(tmp_path: Path) -> None:
    bin_folder = tmp_path / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    python = bin_folder / "python"
    python.write_text("#!/bin/sh\necho broken environment\nexit 7\n", encoding="utf-8")
    python.chmod(0o755)
    own = find_kernels(str(tmp_path))[0]
    told = "Install ipykernel in the folder's .venv: uv pip install ipykernel"
    assert (own.name, own.problem) == (".venv", told)
    # Without it, the folder's environment is no better than Recto's own.
    assert choose_kernel(str(tmp_path), "python3", is_asked=False).name == "python3"
    with pytest.raises(NoSuchKernel, match=r"Install ipykernel in the folder's \.venv"):
        choose_kernel(str(tmp_path), ".venv", is_asked=True)
    with pytest.raises(NoSuchKernel, match=r"no kernel forth .* \.venv, python3"):
        choose_kernel(str(tmp_path), "forth", is_asked=False)

    packages = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "ipykernel_launcher.py").touch()
    assert choose_kernel(str(tmp_path), "python3", is_asked=False).name == ".venv"
    assert choose_kernel(str(tmp_path), "python3", is_asked=True).name == "python3"
    async with opened() as kernels:
        with pytest.raises(KernelFailed, match=r"exit code 7 \(broken environment\)"):
            await kernels.get(NOTEBOOK, folder=str(tmp_path), cwd=str(tmp_path), wanted="")


async def test_a_kernel_starts_although_the_folder_for_temporary_files_lies_deep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("deep" * 30)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    async with opened() as kernels:
        kernel = await kernels.get(NOTEBOOK, folder=str(tmp_path), cwd=str(tmp_path), wanted="")
        assert kernel.state == "idle"
        assert list(deep.iterdir()) == []
        await kernel.shut_down()
        # With no other place, the reason is told, and what to do about it.
        monkeypatch.setattr(kernel_process, "LONGEST_PLACE", 0)
        with pytest.raises(KernelFailed, match=r"too long a path .* Set TMPDIR to a folder"):
            await kernels.get(NOTEBOOK, folder=str(tmp_path), cwd=str(tmp_path), wanted="")


async def test_an_error_in_recto_itself_ends_a_start_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ExceptionGroup("errors", [ValueError("odd words")])

    monkeypatch.setattr(KernelChannels, "__init__", broken)
    async with opened() as kernels:
        with pytest.raises(KernelFailed, match=r"error in Recto itself \(ValueError: odd words\)"):
            await kernels.get(NOTEBOOK, folder=str(tmp_path), cwd=str(tmp_path), wanted="")
    assert "ValueError" in caplog.text
