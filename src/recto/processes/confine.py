"""A program that gives up rights, then becomes another one: Landlock and seccomp, no bubblewrap.

Only the standard library is used, and little of it: this starts with every command. What it is to
hold to stands in a JSON file: `{"reads": [...], "writes": [...], "network": false,
"listens": false, "sockets": []}`. What `listens` may have sockets by name, in the folders it writes
and in those for `sockets`, and connects to none itself.

Usage: confine.py FILE PROGRAM [ARGUMENT...]
   or: confine.py --probe
The second says by its exit code whether this system can do it.
"""

import ctypes
import errno
import json
import os
import platform
import stat
import struct
import sys

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RULESET_VERSION, RULE_PATH_BENEATH = 1, 1
SCOPES = 3  # abstract sockets, and signals to others

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
MAKE_AND_REMOVE = sum(1 << bit for bit in range(4, 13))
MAKE_SOCKET = 1 << 9
REFER, TRUNCATE, IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
BIND_TCP, CONNECT_TCP = 1, 2
# by the version of the interface that first knew them
SINCE = {2: REFER, 3: TRUNCATE, 5: IOCTL_DEVICE}
LEAST = 3  # without TRUNCATE, a file outside could be emptied

# Numbers of calls: those above 400 are the same on every machine.
IO_URING = (425, 426, 427)
NEWER_MOUNTS = (428, 429, 430, 431, 432, 433, 442)
CLONE3 = 435
CALLS = {
    "x86_64": {
        "arch": 0xC000003E,
        "socket": 41,
        "connect": 42,
        "socketpair": 53,
        "clone": 56,
        "unshare": 272,
        "ioctl": 16,
    },
    "aarch64": {
        "arch": 0xC00000B7,
        "socket": 198,
        "connect": 203,
        "socketpair": 199,
        "clone": 220,
        "unshare": 97,
        "ioctl": 29,
    },
}
# mount, umount2, pivot_root, setns, bpf, keys, perf, userfaultfd, modules, kexec
CLOSED = {
    "x86_64": (165, 166, 155, 308, 321, 248, 249, 250, 298, 323, 175, 313, 176, 246, 320),
    "aarch64": (40, 39, 41, 268, 280, 217, 218, 219, 241, 282, 105, 273, 106, 104, 294),
}
X32 = 0x40000000
CLONE_NEWUSER = 0x10000000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
LOAD, JEQ, JGE, JSET, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
SOCK_STREAM, TYPES = 1, 0xF
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, ARCH, ARGUMENTS = 0, 4, 16

libc = ctypes.CDLL(None, use_errno=True)


def is_known_machine() -> bool:
    """Whether the numbers of calls are known here."""
    return sys.platform == "linux" and platform.machine() in CALLS


def call_filter(families: tuple[int, ...], *, only_listens: bool = False) -> bytes:
    """A filter of calls: no new user namespaces, no io_uring, sockets of these families alone.

    With `only_listens` they are streams, and none connects to anything.
    """
    calls = CALLS[platform.machine()]
    program = [
        (LOAD, 0, 0, ARCH),
        (JEQ, 1, 0, calls["arch"]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if platform.machine() == "x86_64":
        program += [(JGE, 0, 1, X32), refuse(errno.ENOSYS)]
    for number in (*IO_URING, *NEWER_MOUNTS, *CLOSED[platform.machine()]):
        program += [(JEQ, 0, 1, number), refuse(errno.EPERM)]
    # Its flags lie in memory, where no filter sees them: libraries take the older call then.
    program += [(JEQ, 0, 1, CLONE3), refuse(errno.ENOSYS)]
    for name in ("clone", "unshare"):
        program += on_argument(calls[name], 0, [(JSET, 0, 1, CLONE_NEWUSER), refuse(errno.EPERM)])
    terminals = [line for one in (TIOCSTI, TIOCLINUX) for line in ((JEQ, 0, 1, one), refuse(1))]
    program += on_argument(calls["ioctl"], 1, terminals)
    # A jump over the last line for each family that may be used.
    allowed = [(JEQ, len(families) - at, 0, one) for at, one in enumerate(families)]
    # The one refusal that libraries which look for networks take for none, and go on.
    refused = refuse(errno.EOPNOTSUPP if only_listens else errno.EACCES)
    program += on_argument(calls["socket"], 0, [*allowed, refused])
    if only_listens:
        program += [(JEQ, 0, 1, calls["connect"]), refuse(errno.EACCES)]
        # Datagrams need no connection to reach another program.
        stream = [(AND, 0, 0, TYPES), (JEQ, 1, 0, SOCK_STREAM), refuse(errno.EACCES)]
        for name in ("socket", "socketpair"):
            program += on_argument(calls[name], 1, stream)
    program.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in program)


def refuse(error: int) -> tuple[int, int, int, int]:
    """A line that has a call fail."""
    return (RETURN, 0, 0, REFUSE | error)


def on_argument(
    number: int, place: int, lines: list[tuple[int, int, int, int]]
) -> list[tuple[int, int, int, int]]:
    """Lines that look at an argument of one call; the number is there again afterwards."""
    look = (LOAD, 0, 0, ARGUMENTS + 8 * place)
    return [(JEQ, 0, len(lines) + 2, number), look, *lines, (LOAD, 0, 0, NUMBER)]


def close_calls(families: tuple[int, ...], *, only_listens: bool) -> None:
    """Put the filter on this process and all that come of it."""
    data = call_filter(families, only_listens=only_listens)
    lines = ctypes.create_string_buffer(data, len(data))
    # struct sock_fprog: how many lines, and where they are
    program = struct.pack("@HP", len(data) // 8, ctypes.addressof(lines))
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        fail("seccomp")


def version() -> int:
    """The version of Landlock that the system has; 0 when it has none."""
    return max(0, libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), RULESET_VERSION))


def close_files(reads: list[str], writes: list[str], sockets: list[str], *, network: bool) -> None:
    """Hold this process, and all that come of it, to these paths."""
    known = version()
    rights = EXECUTE | WRITE_FILE | READ_FILE | READ_DIR | MAKE_AND_REMOVE
    rights |= sum(right for since, right in SINCE.items() if known >= since)
    tcp = BIND_TCP | CONNECT_TCP if known >= 4 and not network else 0
    # As much of the description as this version knows: files, connections, scopes.
    fields = [rights, tcp if known >= 4 else None, SCOPES if known >= 6 else None]
    told = struct.pack("=Q", fields[0])
    told += b"".join(struct.pack("=Q", field) for field in fields[1:] if field is not None)
    ruleset = libc.syscall(CREATE_RULESET, told, ctypes.c_size_t(len(told)), 0)
    if ruleset < 0:
        fail("landlock")
    for path in reads:
        add_rule(ruleset, path, (EXECUTE | READ_FILE | READ_DIR) & rights)
    for path in writes:
        add_rule(ruleset, path, rights)
    for path in sockets:
        add_rule(ruleset, path, MAKE_SOCKET)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(RESTRICT_SELF, ruleset, 0):
        fail("landlock")
    os.close(ruleset)


def add_rule(ruleset: int, path: str, rights: int) -> None:
    """Allow something beneath a path; one that is not there needs no rule."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(fd).st_mode)
        rule = struct.pack("=Qi", rights if is_folder else rights & OF_FILES, fd)
        if libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0):
            fail(path)
    finally:
        os.close(fd)


def fail(what: str) -> None:
    """End, with what the system refused."""
    sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def main() -> int:
    """Give up rights and become the program; or only say whether that is possible."""
    if sys.argv[1:] == ["--probe"]:
        return 0 if is_known_machine() and version() >= LEAST else 1
    file, *argv = sys.argv[1:]
    with open(file, encoding="utf-8") as opened:
        held = json.load(opened)
    network = bool(held["network"])
    close_files(held["reads"], held["writes"], held["sockets"], network=network)
    # Without the network there is no socket at all: a message to another program leaves the folder.
    listens = bool(held["listens"])
    families = (AF_INET, AF_INET6, AF_NETLINK) if network else ((AF_UNIX,) if listens else ())
    close_calls(families, only_listens=listens)
    return os.execv(argv[0], argv)


if __name__ == "__main__":
    sys.exit(main())
