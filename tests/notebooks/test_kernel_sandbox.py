"""A real kernel in the sandbox: it works in its folder, and reaches nothing else."""

import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio
import pytest

from recto.clock import SystemClock, SystemIds
from recto.notebooks import (
    CellOutputs,
    CodeRunResult,
    Displays,
    KernelFailed,
    KernelRights,
    KernelRules,
)
from recto.notebooks.kernels.kernel import Kernel
from recto.notebooks.kernels.kernels import Kernels
from recto.processes import can_confine
from recto.supervisor import Supervisor
from recto.tools import KernelSandbox, SandboxLevel, find_sandbox
from tests.notebooks.places import kernel_home

pytestmark = pytest.mark.anyio
NOTEBOOK = "/n.ipynb"
Level = Literal["sandboxed", "confined"]
AWAY = """
import os, socket
for path in {paths!r}:
    try:
        open(path, "w").close()
        print("written", path)
    except OSError:
        pass
for path in {secrets!r}:
    try:
        print(open(path).read())
    except OSError:
        pass
try:
    socket.create_connection(("127.0.0.1", {port}), 2)
    print("connected")
except OSError:
    print("no connection")
"""
PLANT = """
import os, shutil
def attempt(do, *given):
    try:
        do(*given)
        print("done", *given)
    except OSError:
        pass
for git in ("{root}/.git", "{root}/lib/.git"):
    attempt(os.makedirs, git + "/hooks")
    attempt(os.rename, git, git + "2")
    attempt(os.rmdir, git)
    for name in ("config", "HEAD"):
        attempt(lambda path: open(path, "w").close(), os.path.join(git, name))
attempt(os.symlink, "{root}/lib", "{root}/.git")
for handle in os.listdir("/proc/self/fd"):
    attempt(os.mkdir, "/proc/self/fd/" + handle + "/hooks")
"""
TO_ITS_KEEPER = """
import os, socket
from ipykernel.kernelapp import IPKernelApp
folder = os.path.dirname(IPKernelApp.instance().connection_file)
try:
    socket.socket(socket.AF_UNIX).connect(os.path.join(folder, "keeper"))
    print("heard")
except OSError:
    print("not heard")
"""


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_home(tmp_path_factory, monkeypatch)


@asynccontextmanager
async def held_in(
    root: Path, secret: Path, level: SandboxLevel, rights: list[KernelRights]
) -> AsyncGenerator[Kernels]:
    """Kernels of a folder; each gets the rights that are chosen when it starts."""

    async def find(_root: str) -> KernelRights:
        return rights[0]

    clock = SystemClock()
    sandbox = KernelSandbox([str(secret)], {str(root): level})
    async with anyio.create_task_group() as tasks:
        supervisor = Supervisor(tasks, clock.monotonic)
        yield Kernels(supervisor, SystemIds(clock), rules=KernelRules(find, sandbox))
        tasks.cancel_scope.cancel()


async def level_of(kind: Level, root: Path) -> SandboxLevel:
    if kind == "confined":
        if not await can_confine():
            pytest.skip("this system has no Landlock")
        return SandboxLevel("confined")
    found = await find_sandbox(str(root))
    if found.kind != "sandboxed":
        pytest.skip(f"no sandbox here: {found.why} {found.remedy}")
    return found


async def begin(kernels: Kernels, folder: str) -> Kernel:
    return await kernels.get(NOTEBOOK, folder=folder, cwd=folder, wanted="python3")


async def run(
    kernel: Kernel, code: str, timeout_s: float | None = None
) -> tuple[CodeRunResult, str]:
    outputs = CellOutputs(Displays())
    result = await kernel.execute(code, outputs, timeout_s=timeout_s)
    return result, "".join(output.get("text", "") for output in outputs.outputs())


@pytest.mark.parametrize("kind", ["sandboxed", "confined"])
async def test_a_kernel_in_the_sandbox_works_in_its_folder_and_reaches_nothing_else(
    kind: Level, tmp_path: Path
) -> None:
    root, secret, other = (tmp_path / name for name in ("work", "recto-home", "other"))
    (root / "sub").mkdir(parents=True)
    (root / ".git").mkdir()
    for folder in (secret, other):
        folder.mkdir()
        (folder / "key").write_text("sk-secret", encoding="utf-8")
    paths = [str(other / "planted"), str(secret / "planted"), "/etc/planted"]
    git = str(root / ".git" / "config")
    with socket.create_server(("127.0.0.1", 0)) as server:
        away = AWAY.format(
            paths=[*paths, *([git] if kind == "sandboxed" else [])],
            secrets=[str(other / "key"), str(secret / "key")],
            port=server.getsockname()[1],
        )
        level = await level_of(kind, root)
        rights: list[KernelRights] = ["sandbox"]
        async with held_in(root, secret, level, rights) as kernels:
            cwd = str(root / "sub")
            kernel = await kernels.get(NOTEBOOK, folder=str(root), cwd=cwd, wanted="python3")
            status = kernels.status(NOTEBOOK)
            assert status is not None
            assert status.rights == "sandbox"
            code = "import os\nprint(os.getcwd())\n_ = open('../a.txt', 'w').write('of the kernel')"
            assert await run(kernel, code) == (CodeRunResult("ok"), f"{cwd}\n")
            assert (root / "a.txt").read_text(encoding="utf-8") == "of the kernel"
            assert (await run(kernel, away))[1].splitlines()[-1] == "no connection"
            assert "sk-secret" not in (await run(kernel, away))[1]
            # A home of its own may take it; the real one does not have it.
            assert not any(map(os.path.exists, [*paths, git]))
            assert (await run(kernel, TO_ITS_KEEPER))[1] == "not heard\n"
            # A run is interrupted, and the kernel goes on.
            result, _ = await run(kernel, "import time\nwhile True: time.sleep(0.01)", 1)
            assert result == CodeRunResult("timed_out")
            assert (await run(kernel, "print('goes on')"))[1] == "goes on\n"
            rights[0] = "own"
            kernel = await kernels.restart(NOTEBOOK)
            reach = AWAY.format(paths=[], secrets=[], port=server.getsockname()[1])
            assert (await run(kernel, reach))[1] == "connected\n"


async def test_what_git_would_obey_is_neither_changed_nor_made_where_there_is_none(
    tmp_path: Path,
) -> None:
    root = tmp_path / "work"
    (root / "lib" / ".git").mkdir(parents=True)
    plant = PLANT.format(root=root)
    level = await level_of("sandboxed", root)
    other = "/other.ipynb"
    async with held_in(root, tmp_path / "none", level, ["sandbox"]) as kernels:
        first, second = [
            await kernels.get(name, folder=str(root), cwd=str(root), wanted="python3")
            for name in (NOTEBOOK, other)
        ]
        assert (await run(first, plant))[1] == ""
        await kernels.shut_down(NOTEBOOK)
        # The stand-in is the other's, too.
        assert (await run(second, plant))[1] == ""
        assert os.listdir(root / ".git") == []
        await kernels.shut_down(other)
        assert sorted(path.name for path in root.rglob("*")) == [".git", "lib"]
        third = await begin(kernels, str(root))
        # A person may make a repository meanwhile, and it stays theirs.
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        assert (await run(third, plant))[1] == ""
        await kernels.shut_down(NOTEBOOK)
        assert [path.name for path in (root / ".git").iterdir()] == ["HEAD"]


async def test_the_network_is_there_when_it_is_allowed_and_a_missing_sandbox_is_said(
    tmp_path: Path,
) -> None:
    level = await level_of("sandboxed", tmp_path)
    rights: list[KernelRights] = ["network"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        away = AWAY.format(paths=[], secrets=[], port=server.getsockname()[1])
        async with held_in(tmp_path, tmp_path / "none", level, rights) as kernels:
            kernel = await begin(kernels, str(tmp_path))
            assert (await run(kernel, away))[1] == "connected\n"
    for broken, why in (
        (SandboxLevel("confined"), "Install bubblewrap"),
        (SandboxLevel("unsandboxed", "It is left out here.", "Put it in."), "It is left out here"),
    ):
        async with held_in(tmp_path, tmp_path / "none", broken, rights) as kernels:
            with pytest.raises(KernelFailed, match=why):
                await begin(kernels, str(tmp_path))
