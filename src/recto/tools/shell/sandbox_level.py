"""How far commands are kept apart here: found out by trying, said in plain words."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import anyio

from recto.processes import ProcessFailure, ProgramMissing, can_confine, run
from recto.tools.shell.private_folder import PrivateFolder, private_folder
from recto.tools.shell.sandbox import Sandbox, find_programs, prepare

USERNS_LOCK = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
TRY_S = 10
NOT_LINUX = (
    "Commands can be kept apart on Linux only.",
    "Run Recto on Linux, or in a Linux virtual machine.",
)
WHOLE_DISK = ("The folder is the whole disk.", "Open a folder of it.")
UNLOCK = "Allow user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0"
ALLOW = (
    "Let Recto use user namespaces and overlay mounts (a container may need more rights), and"
    " keep TMPDIR on an ordinary disk."
)
PACKAGES = {"bwrap": "bubblewrap", "unshare": "util-linux", "mount": "util-linux", "sh": "dash"}


@dataclass(frozen=True, slots=True)
class SandboxLevel:
    """Sandboxed; confined to the folder, in which it works directly; or unsandboxed.

    Where it is not the first, with the reason and what to do about it.
    """

    kind: Literal["sandboxed", "confined", "unsandboxed"]
    why: str = ""
    remedy: str = ""


async def find_sandbox(root: str | None = None) -> SandboxLevel:
    """Try whether commands can be kept apart in this folder, or at all."""
    if sys.platform != "linux":
        return SandboxLevel("unsandboxed", *NOT_LINUX)
    if root == "/":
        return SandboxLevel("unsandboxed", *WHOLE_DISK)
    level = await find_overlay(root)
    if level.kind == "unsandboxed" and await can_confine():
        return replace(level, kind="confined")
    return level


async def find_overlay(root: str | None) -> SandboxLevel:
    """Try whether commands can run on an overlay of the folder."""
    try:
        find_programs()
    except ProgramMissing as missing:
        package = PACKAGES[missing.program]
        remedy = f"Install {package}, so that commands can be kept inside the folder."
        return SandboxLevel("unsandboxed", f"{package} is not installed.", remedy)
    async with private_folder() as private:
        return await attempt(private, root)


async def attempt(private: PrivateFolder, root: str | None) -> SandboxLevel:
    """Set up the sandbox around a command that does nothing."""
    if root is None:
        root = private.inside("root")
        await anyio.Path(root).mkdir()
    try:
        await anyio.to_thread.run_sync(prepare, private, root, ())
        argv = Sandbox(root, ()).argv(private, "true", allow_network=False)
        done = await run(argv, cwd=root, timeout_s=TRY_S, max_bytes=1000)
    except (ProcessFailure, OSError) as failure:
        return SandboxLevel("unsandboxed", f"The system refuses it: {failure}", remedy())
    if done.code:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.code}"
        return SandboxLevel("unsandboxed", f"The system refuses it: {said}", remedy())
    return SandboxLevel("sandboxed")


def remedy() -> str:
    """What most likely helps when the system refuses."""
    if USERNS_LOCK.exists() and USERNS_LOCK.read_text(encoding="ascii").strip() == "1":
        return UNLOCK
    return ALLOW
