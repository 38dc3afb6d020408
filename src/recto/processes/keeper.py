"""A program that runs another one and outlives all that it starts, where nothing else could.

Processes that lose their parent become its own, so that none can slip away. When the program has
ended, or the input of this one has, it ends every one of them, then itself. Only the standard
library is used, and little of it: this starts with every command.

The line "interrupt" on its input is passed on as Ctrl+C is; any other asks for the end. A limit
that is empty is none.

Usage: keeper.py GROUP MAX_MEMORY MAX_TASKS PROGRAM [ARGUMENT...]
   or: keeper.py --talks HANDLE PROGRAM [ARGUMENT...]
   or: keeper.py --held SOCKET PROGRAM [ARGUMENT...]
The second is for a program that has our input and output as its own; then the end of what HANDLE
reads is the sign to end everything.
The third is for a program that may outlive whoever started it: after the line "keep" it goes on
without anybody, until "release" or "end" comes by the socket. The socket's folder goes with it.
"""

import ctypes
import os
import resource
import select
import signal
import socket
import sys

PR_SET_CHILD_SUBREAPER = 36
INTERRUPT = b"interrupt"
KEEP = b"keep"
RELEASE = b"release"
CHUNK = 1 << 16
MAX_INPUT = 4096


def main() -> int:
    """Run the program; its exit code, 128 and more for a signal."""
    if sys.argv[1] == "--talks":
        return keep_talking(int(sys.argv[2]), sys.argv[3:])
    if sys.argv[1] == "--held":
        return hold(sys.argv[2], sys.argv[3:])
    group, memory, tasks, *argv = sys.argv[1:]
    # Taken before the program starts: what is there already is nobody's child of ours.
    foreign = pids()
    join(group)
    adopt_orphans()
    limit(resource.RLIMIT_DATA, memory)
    limit(resource.RLIMIT_NPROC, tasks)
    limit(resource.RLIMIT_CORE, "0")
    wake = listen()
    child = begin(argv)
    return end_family(wait(child, wake, 0), child, foreign)


def keep_talking(lifeline: int, argv: list[str]) -> int:
    """Run a program that talks to whoever started this; its exit code."""
    foreign = pids()
    adopt_orphans()
    wake = listen()
    os.set_inheritable(lifeline, False)
    child = os.posix_spawnp(
        argv[0],
        argv,
        os.environ,
        setsid=True,
        setsigdef=[signal.SIGTERM, signal.SIGPIPE, signal.SIGINT],
    )
    # Held here, its output would seem open after it has closed it.
    for pipe in (0, 1):
        os.dup2(os.open(os.devnull, os.O_RDWR), pipe)
    return end_family(wait(child, wake, lifeline), child, foreign)


def hold(path: str, argv: list[str]) -> int:
    """Run a program in a process that whoever started this one can leave behind; its exit code."""
    # Whoever started this ends its group: the one that holds has a session of its own.
    holder = os.fork()
    if holder:
        return exit_code(os.waitpid(holder, 0)[1])
    os.setsid()
    foreign = pids()
    adopt_orphans()
    wake = listen()
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind(path)
    door.listen()
    heard, said = os.pipe()
    child = spawn(argv, (said, said))
    os.close(said)
    os.set_blocking(1, False)
    ears = {0}
    code = attend(child, wake, heard, door, ears)
    code = end_family(code, child, foreign)
    tell(ears, f"exit {code}\n".encode())
    remove_folder(os.path.dirname(path))
    return code


def attend(child: int, wake: int, heard: int, door: socket.socket, ears: set[int]) -> int | None:
    """Pass on what is said until the program ends; None when it has to."""
    is_kept = False
    open_ends = {wake, heard, door.fileno()}
    while ears or is_kept:
        ready, _, _ = select.select([*open_ends, *ears], [], [])
        if heard in ready and not pass_on_output(heard):
            open_ends.discard(heard)
        if door.fileno() in ready:
            ears.add(door.accept()[0].detach())
        for ear in ears & set(ready):
            words = listen_to(ear)
            if not words:
                ears.discard(ear)
                os.close(ear)
            for word in words:
                if word == INTERRUPT:
                    send(-child, signal.SIGINT)
                elif word in (KEEP, RELEASE):
                    is_kept = word == KEEP
                else:
                    return None
        if wake in ready:
            os.read(wake, MAX_INPUT)
            code = reap().get(child)
            if code is not None:
                return code
    return None


def listen_to(ear: int) -> list[bytes]:
    """What somebody wants; nothing when they are gone."""
    try:
        return os.read(ear, MAX_INPUT).split()
    except ConnectionResetError:
        return []


def pass_on_output(heard: int) -> bool:
    """Hand on what the program says, if anybody is there for it; whether more may come."""
    words = os.read(heard, CHUNK)
    tell({1}, words)
    return bool(words)


def tell(ears: set[int], words: bytes) -> None:
    """Write to whoever still listens."""
    for ear in ears - {0}:
        try:
            os.write(ear, words)
        except (BrokenPipeError, BlockingIOError, ConnectionResetError):
            continue  # nobody hears it, or not now: the program must not wait for them


def remove_folder(folder: str) -> None:
    """Take away a folder with all that is in it; whoever else does so at once is welcome."""
    try:
        for place, folders, files in os.walk(folder, topdown=False):
            for name in files:
                os.unlink(os.path.join(place, name))
            for name in folders:
                path = os.path.join(place, name)
                (os.unlink if os.path.islink(path) else os.rmdir)(path)
        os.rmdir(folder)
    except FileNotFoundError:
        return


def exit_code(status: int) -> int:
    """The code of a process that has ended, 128 and more for a signal."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def end_family(code: int | None, child: int, foreign: set[int]) -> int:
    """End all that is left; the exit code to tell."""
    if foreign:
        end_all(foreign)
    else:  # a system that does not list its processes: at least the session
        send(-child, signal.SIGKILL)
    return 128 + signal.SIGKILL if code is None else code


def join(group: str) -> None:
    """Enter a group of processes that the system counts, if there is one."""
    if group:
        with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as members:
            members.write(str(os.getpid()))


def adopt_orphans() -> None:
    """Have processes whose parent ends become children of this one."""
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit("the system does not let this process adopt others")


def limit(which: int, wanted: str) -> None:
    """Lower a limit, for this process and all to come."""
    if not wanted:
        return
    most, hard = int(wanted), resource.getrlimit(which)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (most, most))


def listen() -> int:
    """A handle that can be read when a child has ended. Requests to end come by the input."""
    wake, woken = os.pipe()
    # A signal handler that blocks on a full pipe would hang the program.
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    # Without a handler the signal is dropped, and the wake-up handle never written.
    signal.signal(signal.SIGCHLD, on_ended)
    # By a signal it would die before its children do; whoever wants the end says so.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return wake


def on_ended(_number: int, _frame: object) -> None:
    """A child has ended: the handle that `listen` answers can be read."""


def begin(argv: list[str]) -> int:
    """Start the program in a session of its own, without input, errors among its output."""
    return spawn(argv, (1, 1))


def spawn(argv: list[str], outputs: tuple[int, int]) -> int:
    """Start a program in a session of its own, without input."""
    return os.posix_spawn(
        argv[0],
        argv,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, outputs[0], 1),
            (os.POSIX_SPAWN_DUP2, outputs[1], 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGTERM, signal.SIGPIPE, signal.SIGINT],
    )


def wait(child: int, wake: int, lifeline: int) -> int | None:
    """Wait for the program's end; None when the lifeline ended first."""
    while True:
        ready, _, _ = select.select([lifeline, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            code = reap().get(child)
            if code is not None:
                return code
        # It ended or has words: whoever started this is gone, or wants the end.
        if lifeline in ready and not passed_on(child, lifeline):
            return None


def passed_on(child: int, lifeline: int) -> bool:
    """Whether the lifeline had nothing but interrupts, which the program has got by now."""
    words = os.read(lifeline, MAX_INPUT).split()
    is_interrupt = bool(words) and all(word == INTERRUPT for word in words)
    if is_interrupt:
        send(-child, signal.SIGINT)
    return is_interrupt


def reap() -> dict[int, int]:
    """Let go of all children that have ended, with their codes."""
    ended: dict[int, int] = {}
    while has_children():
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            break
        ended[pid] = exit_code(status)
    return ended


def has_children() -> bool:
    """Whether anything that was started is left."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def end_all(foreign: set[int]) -> None:
    """Stop everything, then kill it: what is stopped starts nothing new."""
    while has_children():
        family = stop_all(foreign)
        for pid in family:
            send(pid, signal.SIGKILL)
        reap()
        foreign = set()  # a number may have been used again


def stop_all(foreign: set[int]) -> set[int]:
    """Stop every descendant, until a look finds no new one."""
    family = {os.getpid()}
    stopped: set[int] = set()
    while True:
        # Again and again: what was not stopped yet may have forked since the last look.
        new = {pid for pid in sorted(pids() - foreign - stopped) if parent_of(pid) in family}
        if not new:
            return stopped
        for pid in new:
            send(pid, signal.SIGSTOP)
        stopped |= new
        family |= new


def send(pid: int, number: signal.Signals) -> None:
    """Signal a process of ours, if it still is."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def pids() -> set[int]:
    """Every process that can be seen; none where the system does not tell."""
    if not os.path.isdir("/proc/self"):
        return set()
    return {int(name) for name in os.listdir("/proc") if name.isdecimal()}


def parent_of(pid: int) -> int:
    """The process that a process belongs to; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # Behind the last bracket: a process may have brackets and spaces in its name.
            return int(file.read().rpartition(b")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


if __name__ == "__main__":
    sys.exit(main())
