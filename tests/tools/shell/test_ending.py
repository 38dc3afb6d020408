"""Whatever a command starts is gone when it has ended, or was ended: nothing slips away."""

import os
import signal
import sys
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from recto.processes import start
from recto.tools.shell import limits
from recto.tools.shell.private_folder import PrivateFolder, remove
from tests.tools.shell.place import Place, survivors

pytestmark = pytest.mark.anyio

SLEEPER = "exec -a TOKEN sleep 600"
STUBBORN = "trap '' TERM INT HUP QUIT; (trap '' TERM INT HUP; exec -a TOKEN sleep 600) &"
HIDERS = {
    "a child in the background": f"({SLEEPER}) &",
    "a child that holds no pipe": f"({SLEEPER}) >/dev/null 2>&1 </dev/null &",
    "a session of its own": f"setsid bash -c '{SLEEPER}' &",
    "two forks": f"(setsid bash -c '({SLEEPER}) &' &)",
    "two forks without environment": f"(env -i setsid bash -c '({SLEEPER}) &' &)",
    "ignored signals": STUBBORN,
    "a stopped child": f"({SLEEPER}) & kill -STOP $!",
    "a child that outlives nohup": f"nohup bash -c '{SLEEPER}' &",
}


SERVER = """
import sys, anyio
from recto.tools.shell import SandboxLevel, Shell
from recto.workspace import Workspace

async def tell(text):
    print(text, end="", flush=True)

async def main(root, kind, command):
    async with await Workspace.open(root) as workspace:
        level = SandboxLevel("unsandboxed") if kind == "unsandboxed" else None
        shell = Shell(workspace, level=level)
        if (await shell.level()).kind != kind:
            return print("no sandbox")
        await shell.run(command, tell=tell, on_interrupt=tell)

anyio.run(main, *sys.argv[1:])
"""


@pytest.fixture
def token(tmp_path: Path) -> str:
    return f"survivor-{tmp_path.parent.name}-{tmp_path.name}"


@pytest.fixture
def counted() -> None:
    """Without a limit of the system, these tests would bring the machine down."""
    if os.geteuid() == 0 and not any(map(limits.has_counter, limits.GROUPS)):
        pytest.skip("the system does not limit the administrator's processes here")


@pytest.mark.parametrize("hider", HIDERS.values(), ids=HIDERS.keys())
async def test_nothing_survives_a_command_that_has_ended(
    place: Place, token: str, hider: str
) -> None:
    with anyio.fail_after(60):
        ran = await place.run(f"{hider}\nsleep 0.1; exit 4".replace("TOKEN", token))

    assert (ran.code, survivors(token)) == (4, [])


@pytest.mark.parametrize("hider", HIDERS.values(), ids=HIDERS.keys())
async def test_nothing_survives_a_time_out(place: Place, token: str, hider: str) -> None:
    with anyio.fail_after(60):
        ran = await place.run(f"{hider}\nsleep 600".replace("TOKEN", token), timeout_s=0.5)

    assert (ran.code, ran.timed_out, survivors(token)) == (None, True, [])


@pytest.mark.parametrize("hider", HIDERS.values(), ids=HIDERS.keys())
async def test_nothing_survives_being_cancelled(place: Place, token: str, hider: str) -> None:
    await place.run_until("ready", f"{hider}\necho ready; sleep 600".replace("TOKEN", token))

    assert survivors(token) == []


async def test_a_command_that_kills_its_parent_is_ended_all_the_same(
    place: Place, token: str
) -> None:
    command = f"kill -9 $PPID; (exec -a {token} sleep 600) & sleep 600"

    with anyio.fail_after(60):
        ran = await place.run(command, timeout_s=1)

    assert survivors(token) == []
    if ran.level == "sandboxed":
        assert ran.timed_out


@pytest.mark.parametrize("kind", ["sandboxed", "unsandboxed"])
async def test_nothing_survives_the_end_of_recto_itself(
    root: Path, tmp_path: Path, token: str, kind: str
) -> None:
    hider = HIDERS["two forks without environment"].replace("TOKEN", token)
    argv = [sys.executable, "-c", SERVER, str(root), kind, f"{hider}; echo ready; sleep 600"]
    left = tmp_path / "left"
    left.mkdir()

    with anyio.fail_after(60):
        async with start(argv, cwd=os.getcwd(), env={"TMPDIR": str(left)}) as running:
            line = await running.line()
            if line == b"no sandbox\n":
                pytest.skip("no sandbox here")
            assert line == b"ready\n"
            os.kill(running.pid, signal.SIGKILL)
            await running.wait()
            while survivors(token):
                await anyio.lowlevel.checkpoint()

    for folder in left.iterdir():
        await remove(PrivateFolder(str(folder), group_of(folder.name)))


def group_of(name: str) -> str | None:
    """What a Recto that was killed left behind."""
    return next(
        (str(Path(item, name)) for item in limits.GROUPS if Path(item, name).exists()), None
    )


async def test_a_sandboxed_command_sees_no_other_process(apart: Place) -> None:
    ran = await apart.run("kill -9 -1 2>/dev/null; kill -STOP 1; ls /proc | grep -c '^[0-9]*$'")

    assert int(ran.output) < 6


async def test_too_many_processes_are_ended(
    place: Place, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PROCESSES", 100)
    many = f"for i in $(seq 250); do (exec -a {token} sleep 600) & done; wait"

    with anyio.fail_after(60):
        ran = await place.run(many)

    assert (ran.code, ran.stopped) == (None, "It started more than 100 processes.")
    assert survivors(token) == []


@pytest.mark.usefixtures("counted")
async def test_the_system_itself_stops_a_command_from_growing(
    apart: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PROCESSES", 20)
    monkeypatch.setattr(limits, "descendants", nobody)

    command = "for i in $(seq 60); do sleep 600 & done; echo all"
    ran = await apart.run(command, timeout_s=1)
    if not ran.output:  # a busy machine ended it before it began
        ran = await apart.run(command, timeout_s=60)

    assert "Resource temporarily unavailable" in ran.output


def nobody(_pid: int) -> set[int]:
    """A watch that sees nothing."""
    return set()


@pytest.mark.usefixtures("counted")
async def test_a_fork_bomb_is_ended(
    apart: Place, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PROCESSES", 100)

    with anyio.fail_after(60):
        ran = await apart.run(f": {token}; bomb() {{ bomb | bomb & }}; bomb; sleep 600")

    assert (ran.code, ran.timed_out, survivors(token)) == (None, False, [])


async def test_a_command_that_fills_the_disk_is_ended(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def free_bytes(path: str) -> int:
        asked.append(path)
        return 10**10 if len(asked) == 1 else 10**6

    monkeypatch.setattr(limits, "free_bytes", free_bytes)

    ran = await place.run("sleep 600")

    assert (ran.code, ran.stopped) == (None, "It filled the disk almost completely.")


async def test_memory_is_limited(place: Place) -> None:
    ran = await place.run("ulimit -Hd")

    assert int(ran.output) == limits.max_memory() // 1024
