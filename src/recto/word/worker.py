"""Does one thing with a Word document, in a process with little memory and time.

Where that is asked for, it does more with the same document. Its input: eight bytes of length and
that much JSON, which names the operation and tells how long the files are that follow. Its output
is as long, and then MessagePack; a failure is one, too.
"""

import gc
import os
import resource
import select
import sys
from pathlib import Path

import msgspec

from recto.word.failures import EditRefused, NotWord, PassageMissing, WordFailure
from recto.word.operations import ON_HELD, OPERATIONS, OperationResult, perform
from recto.word.page.held import HeldDocument

MAX_MEMORY = 3 << 29
MAX_CPU_S = 40
MAX_HELD_KIB = 400_000
MAX_HELD_CPU_S = 20
HELD_S = 600
"""Who is asked nothing for so long ends."""
KINDS = {name: kind for name, (kind, _) in (*OPERATIONS.items(), *ON_HELD.items())}


class WorkOrder(msgspec.Struct, frozen=True):
    """What to do, and how long each of the files is."""

    operation: str
    arguments: msgspec.Raw
    sizes: tuple[int, ...]
    holds: bool = False
    """Whether more may be asked about the same document."""


class WorkAnswer(msgspec.Struct, frozen=True):
    """What came of it, or why nothing did."""

    result: OperationResult | None = None
    failure: str = ""
    message: str = ""
    holds: bool = False
    """Whether the document is still there for what is asked next."""


def main() -> None:
    """Read, work, answer, end."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
    # All of it goes with the process: to look for what could go before costs more than the work.
    gc.disable()
    held = HeldDocument()
    while select.select([sys.stdin], [], [], HELD_S)[0] and (head := sys.stdin.buffer.read(8)):
        order = msgspec.json.decode(sys.stdin.buffer.read(int.from_bytes(head)), type=WorkOrder)
        files = [sys.stdin.buffer.read(length) for length in order.sizes]
        answer = work(order, files, held)
        told = msgspec.msgpack.encode(answer)
        sys.stdout.buffer.write(len(told).to_bytes(8) + told)
        sys.stdout.buffer.flush()
        if not answer.holds:
            break
    # Whoever asked waits for the end: nothing is taken apart before that.
    os._exit(0)


def work(order: WorkOrder, files: list[bytes], held: HeldDocument) -> WorkAnswer:
    """Do what is asked."""
    try:
        asked = msgspec.json.decode(order.arguments, type=KINDS[order.operation])
        result = perform(order.operation, asked, files, held)
        return WorkAnswer(result, holds=order.holds and has_room())
    except WordFailure as failure:
        holds = order.holds and has_room()
        return WorkAnswer(failure=type(failure).__name__, message=failure.message, holds=holds)
    except (RecursionError, MemoryError):
        return WorkAnswer(failure=NotWord.__name__, message=NotWord("it is too large").message)


def has_room() -> bool:
    """Whether this process is far from what it may use."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return resident_kib() < MAX_HELD_KIB and used.ru_utime + used.ru_stime < MAX_HELD_CPU_S


def resident_kib() -> int:
    """What this process has in memory."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    # On Linux that is at least what the program had that started this one, however large.
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1024


FAILURES: dict[str, type[WordFailure]] = {
    kind.__name__: kind for kind in (NotWord, EditRefused, PassageMissing)
}


if __name__ == "__main__":
    main()
