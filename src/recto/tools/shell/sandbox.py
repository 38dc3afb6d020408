"""The sandbox: bubblewrap around a shell, with the folder under an overlay.

Nothing the command writes reaches the real folder; it lands in a private upper layer. Files that
are kept from the AI are covered by a layer of empty ones.
"""

import os
import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from recto.processes import ProgramMissing, find_program, sandbox_filter
from recto.tools.shell.limits import max_memory, max_tasks
from recto.tools.shell.machine import COVERED, COVERED_FILES, SYSTEM, own_programs
from recto.tools.shell.private_folder import PrivateFolder
from recto.tools.shell.repository import CONFIG, FOLDER

LAYERS = ("upper", "work", "merged", "mask", "tmp")
CALLS = "calls.bpf"
# userxattr: without root, overlayfs may only mark with user attributes. volatile: no need to flush.
OVERLAY = (
    "lowerdir={mask}:.,upperdir={upper},workdir={work},userxattr,redirect_dir=nofollow,"
    "metacopy=off,index=off,xino=off,volatile"
)
# mounts the overlay in a mount namespace of its own, then becomes bubblewrap
LAUNCH = (
    '[ -z "$1" ] || echo $$ >"$1/cgroup.procs" || exit 1; [ -z "$5" ] || exec 9<"$5" || exit 1;'
    ' "$2" -t overlay overlay -o "$3" "$4" && shift 5 && exec "$@"'
)
# process 1 of the sandbox: when it ends, the kernel ends all others before anybody is told
FIRST = (
    "exec 2>&1; ulimit -c 0; ulimit -d {memory_kb} 2>/dev/null;"
    " ulimit -u {tasks} 2>/dev/null || ulimit -p {tasks} 2>/dev/null;"
    ' echo 500 2>/dev/null >/proc/self/oom_score_adj; "$1" -c "$2"; exit $?'
)
# what to cover when somebody works in the home folder itself
HOME_SECRETS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config",
    ".local/share",
    ".mozilla",
    ".thunderbird",
    ".password-store",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".cargo/credentials.toml",
    ".bash_history",
    ".zsh_history",
)
FOREIGN_RIGHTS = ("CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN")


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs a sandbox is made of."""

    bwrap: str
    unshare: str
    mount: str
    sh: str


def find_programs() -> Programs:
    """Find them. Raises ProgramMissing."""
    return Programs(*(find_program(name) for name in ("bwrap", "unshare", "mount", "sh")))


def find_shell() -> str:
    """The shell that commands are written for, or the one that is always there."""
    try:
        return find_program("bash")
    except ProgramMissing:
        return find_program("sh")


def kernel_paths() -> list[str]:
    """What an administrator could change the kernel by: everything in /proc but processes."""
    if os.geteuid():
        return []
    with os.scandir("/proc") as found:
        entries = [item for item in found if not item.name.isdecimal() and not item.is_symlink()]
    return sorted(entry.path for entry in entries if entry.is_dir() or is_writable(entry.path))


def is_writable(path: str) -> bool:
    """Whether permissions let anybody write."""
    return bool(os.stat(path).st_mode & 0o222)


def prepare(
    private: PrivateFolder, root: str, hidden: Collection[str], git_config: bytes | None = None
) -> int:
    """Make the layers; answers the moment after which a change in the folder is not the command's.

    It blocks. The upper layer gets the folder's own permissions, the layer above the real files an
    empty file for each path that is kept from the AI, and git's configuration if there is another.
    """
    for name in LAYERS:
        os.mkdir(private.inside(name), 0o700)
    calls = sandbox_filter()
    if calls is not None:
        Path(private.inside(CALLS)).write_bytes(calls)
    for name in ("upper", "mask"):
        imitate(root, private.inside(name))
    for path in sorted(hidden):
        cover(private, root, path)
    if git_config is not None:
        cover(private, root, os.path.join(FOLDER, CONFIG), git_config)
    # The file system's own clock: `time()` may be ahead of its ticks.
    return os.stat(private.inside("work")).st_ctime_ns


def cover(private: PrivateFolder, root: str, path: str, data: bytes | None = None) -> None:
    """Put an empty file that nobody may read over a path of the folder, folders on the way too.

    With data, the file has that, and can be read.
    """
    if not os.path.lexists(os.path.join(root, path)):
        return  # it went away meanwhile
    folder = ""
    for name in path.split("/")[:-1]:
        folder = os.path.join(folder, name)
        over = private.inside(os.path.join("mask", folder))
        if os.path.isfile(over):
            return  # a folder above is covered whole
        if not os.path.isdir(over):
            os.mkdir(over, 0o700)
            imitate(os.path.join(root, folder), over)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    over = private.inside(os.path.join("mask", path))
    with open(os.open(over, flags, 0o000 if data is None else 0o644), "wb") as file:
        file.write(data or b"")


def imitate(real: str, ours: str) -> None:
    """Give a folder of ours the owner and permissions of a real one."""
    status = os.lstat(real)
    if os.geteuid() == 0:
        os.chown(ours, status.st_uid, status.st_gid)
    os.chmod(ours, stat.S_IMODE(status.st_mode))


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How the sandbox of one folder looks; `secret` are folders that nobody in it may see."""

    root: str
    secret: Sequence[str]

    def argv(
        self,
        private: PrivateFolder,
        command: str,
        *,
        allow_network: bool,
    ) -> list[str]:
        """The program to start, in the folder itself."""
        programs = find_programs()
        layers = {name: private.inside(name) for name in LAYERS}
        has_filter = os.path.exists(private.inside(CALLS))
        filter_file = private.inside(CALLS) if has_filter else ""
        apart = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        first = FIRST.format(memory_kb=max_memory() // 1024, tasks=max_tasks())
        return [
            *(programs.unshare, *apart, "--mount", programs.sh, "-c", LAUNCH, "sh"),
            *(private.group or "", programs.mount, OVERLAY.format(**layers), layers["merged"]),
            *(filter_file, programs.bwrap, "--as-pid-1", "--new-session", *self.rights()),
            *([] if allow_network else ["--unshare-net"]),
            *(["--seccomp", "9"] * has_filter),
            *self.view(["--bind", layers["tmp"], "/tmp"], private.path, network=allow_network),
            *("--bind", layers["merged"], self.root),
            # Last, over the folder's own mount: bubblewrap works through its options in order.
            *self.covers(),
            *("--remount-ro", "/", "--chdir", self.root, "--setenv", "TMPDIR", "/tmp", "--"),
            *(programs.sh, "-c", first, "sh", find_shell(), command),
        ]

    def rights(self) -> list[str]:
        """Namespaces and rights. The administrator may only do what the folder's owner may."""
        common = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
        if os.geteuid():
            uid, gid = str(os.geteuid()), str(os.getegid())
            return [*common, "--unshare-user", "--uid", uid, "--gid", gid]
        # Root without these could not even write into a folder that belongs to a user.
        foreign = FOREIGN_RIGHTS if os.stat(self.root).st_uid else ()
        return [*common, "--cap-drop", "ALL", *(o for cap in foreign for o in ("--cap-add", cap))]

    def view(self, tmp: Sequence[str], private: str, *, network: bool) -> list[str]:
        """The machine, read-only, without what is nobody's business; `tmp` makes its /tmp."""
        home = os.path.realpath(os.path.expanduser("~"))
        covered = {*COVERED, home, private, *self.secret} - {"/"}
        folders = [path for path in sorted(covered) if os.path.isdir(path)]
        files = [path for path in COVERED_FILES if os.path.exists(path)]
        tools = own_programs()
        # systemd keeps it in /run, which is covered: without it no name could be looked up.
        names = os.path.realpath("/etc/resolv.conf")
        if network and names.startswith("/run/") and os.path.exists(names):
            tools.append(names)
        return [
            *(option for path in SYSTEM for option in ("--ro-bind-try", path, path)),
            *("--dev", "/dev", "--proc", "/proc", "--symlink", "/run", "/var/run"),
            *(option for path in kernel_paths() for option in ("--ro-bind", path, path)),
            *(option for path in folders for option in ("--tmpfs", path)),
            *tmp,
            *(option for path in files for option in ("--ro-bind", "/dev/null", path)),
            *(option for path in tools for option in ("--ro-bind", path, path)),
        ]

    def covers(self) -> list[str]:
        """What stays closed in the folder itself: Recto's own files, and secrets of a home."""
        home = os.path.realpath(os.path.expanduser("~"))
        inside = [*self.secret, *(os.path.join(home, name) for name in HOME_SECRETS)]
        covered = [path for path in inside if path.startswith(self.root + "/")]
        options: list[str] = []
        for path in covered:
            if os.path.isdir(path):
                options += ["--tmpfs", path]
            elif os.path.exists(path):
                options += ["--ro-bind", "/dev/null", path]
        own = os.path.join(self.root, ".recto")
        if os.path.isdir(own) and not os.path.islink(own):
            options += ["--ro-bind", own, own]
        return options
