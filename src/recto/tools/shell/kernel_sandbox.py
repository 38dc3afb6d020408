"""A notebook's kernel in the sandbox of commands, but for the overlay: it works in the folder.

What it writes there is there at once, as with any kernel; nothing else can be written.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from recto.notebooks import HeldArgv, HeldPlace, SandboxMissing
from recto.processes import confined, find_program, first_program, python_folders, sandbox_filter
from recto.tools.shell.machine import COVERED_FILES, SYSTEM, installation, own_programs, without
from recto.tools.shell.sandbox import CALLS, Sandbox
from recto.tools.shell.sandbox_level import SandboxLevel, find_sandbox
from recto.tools.shell.unsandboxed import DEVICES
from recto.workspace import is_protected

# Ctrl+C goes to all of a kernel's group: what is around the kernel must outlast it.
LAUNCH = 'trap \'\' INT; [ -z "$1" ] || exec 9<"$1" || exit 1; shift; exec "$@"'
CONFINEMENT = "confinement.json"
NEEDS_BUBBLEWRAP = (
    "Without bubblewrap a kernel can't be held to the folder and have the network.",
    "Install bubblewrap, or leave the network out.",
)


@dataclass(frozen=True, slots=True)
class KernelSandbox:
    """Holds kernels to their folder; `secret` are Recto's own folders, which none may see."""

    secret: Sequence[str]
    _levels: dict[str, SandboxLevel] = field(default_factory=dict[str, SandboxLevel])

    async def hold(self, argv: Sequence[str], place: HeldPlace, *, network: bool) -> HeldArgv:
        """What starts a kernel that writes in its folder alone. Raises SandboxMissing."""
        root = place.root
        if root not in self._levels:
            self._levels[root] = await find_sandbox(root)
        level = self._levels[root]
        match level.kind:
            case "sandboxed":
                return await anyio.to_thread.run_sync(self._apart, argv, place, network)
            case "confined" if not network:
                return await anyio.to_thread.run_sync(self._confined, argv, place)
            case "confined":
                raise SandboxMissing(*NEEDS_BUBBLEWRAP)
            case "unsandboxed":
                raise SandboxMissing(level.why, level.remedy)

    def _apart(self, argv: Sequence[str], place: HeldPlace, network: bool) -> HeldArgv:
        root, private = place.root, place.private
        sandbox = Sandbox(root, self.secret)
        calls, filter_file = sandbox_filter(), ""
        if calls is not None:
            filter_file = os.path.join(private, CALLS)
            Path(filter_file).write_bytes(calls)
        folders = [path for path in programs_of(argv) if not self._is_secret(path)]
        started = [
            *(find_program("sh"), "-c", LAUNCH, "sh", filter_file, find_program("bwrap")),
            *sandbox.rights(),
            *([] if network else ["--unshare-net"]),
            *(["--seccomp", "9"] if filter_file else []),
            *sandbox.view(["--tmpfs", "/tmp"], private, network=network),
            *(option for path in folders for option in ("--ro-bind", path, path)),
            *("--bind", root, root, *sandbox.covers(), *obeyed(root)),
            *("--bind", private, private),
            # Whoever speaks to its keeper could have it outlive Recto.
            *("--ro-bind", "/dev/null", place.door),
            *("--remount-ro", "/", "--chdir", place.cwd, "--setenv", "TMPDIR", "/tmp", "--"),
            *first_program(argv),
        ]
        return HeldArgv(tuple(started), {})

    def _confined(self, argv: Sequence[str], place: HeldPlace) -> HeldArgv:
        root, private = place.root, place.private
        tmp = os.path.join(private, "tmp")
        os.mkdir(tmp, 0o700)
        closed = [*self.secret, *COVERED_FILES, "/etc/ssl/private"]
        seen = (*SYSTEM, *own_programs(), *programs_of(argv))
        reads = [path for one in seen for path in without(one, closed)]
        started = confined(
            argv,
            file=os.path.join(private, CONFINEMENT),
            reads=[*reads, "/proc"],
            writes=[*without(root, self.secret), private, *DEVICES],
            allow_network=False,
            listens=True,
        )
        # Its home can't be written: what it keeps there goes with the kernel.
        return HeldArgv(tuple(started), {"TMPDIR": tmp, "IPYTHONDIR": tmp, "MPLCONFIGDIR": tmp})

    def _is_secret(self, path: str) -> bool:
        return any(path == one or path.startswith(f"{one}/") for one in self.secret)


def programs_of(argv: Sequence[str]) -> list[str]:
    """The folders that a kernel's program and its libraries lie in, and what starts it."""
    named, real = os.path.dirname(argv[0]), os.path.dirname(os.path.realpath(argv[0]))
    found = [installation(named), installation(real), *python_folders()]
    return [path for path in dict.fromkeys(found) if path != "/" and os.path.isdir(path)]


def obeyed(root: str) -> list[str]:
    """What other programs obey in the folder, git's part of it say, can only be read."""
    names = [name for name in sorted(os.listdir(root)) if is_protected(name)]
    paths = [os.path.join(root, name) for name in names]
    found = [path for path in paths if not os.path.islink(path)]
    return [option for path in found for option in ("--ro-bind", path, path)]
