"""A notebook's kernel in the sandbox of commands, but for the overlay: it works in the folder.

What it writes there is there at once, as with any kernel; nothing else can be written.
"""

import os
from collections.abc import Collection, Iterator, Sequence
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
# Around that, where the folder has no .git: an empty one stands there, which can only be read, and
# goes with the last kernel. All of them hold it: one that is gone meanwhile is made again.
STAND_IN = (
    'trap \'\' INT; git=$1; flock=$2; shift 2; until mkdir -p "$git" && exec 8<"$git" &&'
    ' "$flock" -s 8 && [ "$git" -ef /proc/self/fd/8 ]; do [ -d "$git/.." ] && [ -w "$git/.." ] ||'
    ' exit 1; done; "$@" 8<&-; code=$?; "$flock" -n -x 8 && rmdir "$git" 2>/dev/null; exit "$code"'
)
CONFINEMENT = "confinement.json"
GIT = ".git"
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
        git = os.path.join(root, GIT)
        # An empty one is of another kernel, perhaps, which may end while this one lives.
        stands_in = is_empty_folder(git) or (not os.path.lexists(git) and os.access(root, os.W_OK))
        sh, covers = find_program("sh"), sandbox.covers()
        read_only = [*obeyed(root, covers), *([git] if stands_in else [])]
        started = [
            *((sh, "-c", STAND_IN, "sh", git, find_program("flock")) if stands_in else ()),
            *(sh, "-c", LAUNCH, "sh", filter_file, find_program("bwrap")),
            *sandbox.rights(),
            *([] if network else ["--unshare-net"]),
            *(["--seccomp", "9"] if filter_file else []),
            *sandbox.view(["--tmpfs", "/tmp"], private, network=network),
            *(option for path in folders for option in ("--ro-bind", path, path)),
            *("--bind", root, root, *covers),
            *(option for path in read_only for option in ("--ro-bind", path, path)),
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


def obeyed(root: str, closed: Collection[str]) -> Iterator[str]:
    """What other programs obey in the folder, git's parts of it say: it can only be read."""
    for folder, folders, files in os.walk(root):
        found = sorted(name for name in (*folders, *files) if is_protected(name))
        folders[:] = [
            name
            for name in folders
            if name not in found and os.path.join(folder, name) not in closed
        ]
        for path in (os.path.join(folder, name) for name in found):
            # bubblewrap would follow a link.
            if not os.path.islink(path):
                yield path


def is_empty_folder(path: str) -> bool:
    """Whether a folder is there, and nothing in it."""
    return os.path.isdir(path) and not os.path.islink(path) and not os.listdir(path)
