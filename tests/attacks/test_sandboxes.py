"""What each kind of sandbox holds, tried from inside."""

import socket
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recto.processes import ProgramMissing, can_confine
from recto.tools.shell import SandboxLevel, Shell, find_sandbox
from recto.workspace import Workspace
from tests.served import Served
from tests.tools.shell.place import Place

# The system's own, where there is one: another may lie in a home that a command can't see.
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"
pytestmark = pytest.mark.anyio

ATTEMPTS = """
import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, worked):
    print(name, "worked" if worked else "refused")
def opens(*family):
    try:
        socket.socket(*family).close()
    except OSError:
        return False
    return True
tried("namespace", libc.unshare(0x10000000) == 0)
tried("io_uring", libc.syscall(425, 1, ctypes.create_string_buffer(120)) >= 0)
tried("vsock", opens(40, 1))
tried("packets", opens(17, 3))
tried("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
tried("keys", libc.syscall(219 if os.uname().machine == "aarch64" else 250, 0, -3, 0) >= 0)
left, right = socket.socketpair()
tried("a pair of its own", left.send(b"x") == 1)
pid = os.fork()
if pid == 0:
    os._exit(0)
tried("a process of its own", os.waitpid(pid, 0)[1] == 0)
"""
HELD = "".join(
    f"{name} refused\n" for name in ("namespace", "io_uring", "vsock", "packets", "mount", "keys")
)
FREE = "a pair of its own worked\na process of its own worked\n"


@pytest.fixture(params=["sandboxed", "confined"])
async def held(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Place]:
    root, home = tmp_path / "folder", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    level = await find_sandbox(str(root))
    if request.param == "confined":
        if not await can_confine():
            pytest.skip("the kernel has no Landlock")
        level = SandboxLevel("confined")
    elif level.kind != "sandboxed":
        pytest.skip(f"no overlay here: {level.why}")
    async with await Workspace.open(root) as workspace:
        yield Place(root, Shell(workspace, secret=[str(home)], level=level))


async def test_calls_that_lead_out_are_closed(held: Place) -> None:
    held.write("attempts.py", ATTEMPTS)
    ran = await held.run(f"{PYTHON} attempts.py")
    assert ran.output == HELD + FREE


async def test_it_writes_in_the_folder_alone_and_sees_no_other(held: Place, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "other-project.txt").write_text("of others\n", encoding="utf-8")
    (tmp_path / "home" / "keys.env").write_text("canary-31\n", encoding="utf-8")
    command = (
        f"ls {tmp_path} {beside} ~ /home /root; cat {beside}/* {tmp_path}/home/keys.env;"
        f" echo x > {beside}/planted; rm -f {beside}/other-project.txt; : > {beside}/a;"
        f" ln {beside}/other-project.txt stolen; mv {beside}/other-project.txt .;"
        " cat /etc/shadow; echo mine > made.txt; cat made.txt; echo x > $TMPDIR/y && echo temporary"
    )
    ran = await held.run(command)
    assert "other-project\n" not in ran.output
    assert "of others" not in ran.output
    assert "canary" not in ran.output
    assert "root:" not in ran.output.replace("/root:", "")
    assert ran.output.endswith("mine\ntemporary\n")
    assert sorted(path.name for path in beside.iterdir()) == ["other-project.txt"]
    assert (beside / "other-project.txt").read_text("utf-8") == "of others\n"


async def test_it_reaches_nobody_unless_the_network_is_allowed(held: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ask = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached || echo refused"
        assert (await held.run(f"({ask}) 2>/dev/null")).output == "refused\n"
        assert (await held.run(ask, allow_network=True)).output == "reached\n"


async def test_it_can_not_speak_to_what_runs_it(held: Place) -> None:
    """Neither by handles that it was left, nor by those of the process above it."""
    command = (
        "for process in /proc/self /proc/1 /proc/$PPID; do for handle in $process/fd/*; do"
        ' readlink "$handle" 2>/dev/null; done; done | grep -v "^/dev/null$" | sort -u | wc -l;'
        " kill -9 $PPID 2>/dev/null; kill -0 1 2>/dev/null; echo alive"
    )
    ran = await held.run(command)
    count, *rest = ran.output.split()
    # Its own output, and the pipe of the count itself.
    assert int(count) <= 3, ran.output
    assert rest in (["alive"], [])


async def test_the_page_says_which_kind_there_is(
    recto: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with recto.script() as script:
        shown = (await script.get("/api/v1/tools")).json()
    assert shown["sandbox"] == (await find_sandbox()).kind
    assert shown["sandboxWords"]
    monkeypatch.setattr("recto.tools.shell.sandbox_level.find_programs", missing)
    assert (await find_sandbox()).kind == ("confined" if await can_confine() else "unsandboxed")


def missing() -> None:

    raise ProgramMissing("bwrap")
