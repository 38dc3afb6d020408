"""Does one thing with a Word document, in a process with little memory and time.

Its input: eight bytes of length and that much JSON, which names the operation and tells how long
the files are that follow. Its output is MessagePack; a failure is one, too.
"""

import gc
import os
import resource
import sys

import msgspec

from recto.word.failures import EditRefused, NotWord, PassageMissing, WordFailure
from recto.word.operations import OPERATIONS, OperationResult, perform

MAX_MEMORY = 3 << 29
MAX_CPU_S = 40


class WorkOrder(msgspec.Struct, frozen=True):
    """What to do, and how long each of the files is."""

    operation: str
    arguments: msgspec.Raw
    sizes: tuple[int, ...]


class WorkAnswer(msgspec.Struct, frozen=True):
    """What came of it, or why nothing did."""

    result: OperationResult | None = None
    failure: str = ""
    message: str = ""


def main() -> None:
    """Read, work, answer, end."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
    # All of it goes with the process: to look for what could go before costs more than the work.
    gc.disable()
    size = int.from_bytes(sys.stdin.buffer.read(8))
    order = msgspec.json.decode(sys.stdin.buffer.read(size), type=WorkOrder)
    files = [sys.stdin.buffer.read(length) for length in order.sizes]
    answer = work(order, files)
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))
    sys.stdout.buffer.flush()
    # Whoever asked waits for the end: nothing is taken apart before that.
    os._exit(0)


def work(order: WorkOrder, files: list[bytes]) -> WorkAnswer:
    """Do what is asked."""
    kind, _ = OPERATIONS[order.operation]
    try:
        asked = msgspec.json.decode(order.arguments, type=kind)
        return WorkAnswer(perform(order.operation, asked, files))
    except WordFailure as failure:
        return WorkAnswer(failure=type(failure).__name__, message=failure.message)
    except (RecursionError, MemoryError):
        return WorkAnswer(failure=NotWord.__name__, message=NotWord("it is too large").message)


FAILURES: dict[str, type[WordFailure]] = {
    kind.__name__: kind for kind in (NotWord, EditRefused, PassageMissing)
}


if __name__ == "__main__":
    main()
