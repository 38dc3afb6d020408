"""Word documents handled by a process of its own that can be ended: a file may be hostile."""

from contextlib import suppress

import anyio
import msgspec

from recto.processes import InputClosed, ProcessFailure
from recto.word.failures import NotWord, WordFailure
from recto.word.operations import OPERATIONS, Operation, OperationResult
from recto.word.waiting import worker
from recto.word.worker import FAILURES, WorkAnswer, WorkOrder

DEADLINE_S = 60.0
MAX_ANSWER = 100_000_000
NAMES = {kind: name for name, (kind, _) in OPERATIONS.items()}


async def ask_worker(operation: Operation, *files: bytes) -> OperationResult:
    """What comes of an operation. Raises a WordFailure."""
    order = WorkOrder(
        NAMES[type(operation)],
        msgspec.Raw(msgspec.json.encode(operation)),
        tuple(map(len, files)),
    )
    try:
        with anyio.fail_after(DEADLINE_S):
            answer = await exchange(msgspec.json.encode(order), files)
    except TimeoutError as error:
        raise NotWord(f"it takes over {DEADLINE_S:g} s") from error
    except ProcessFailure as error:
        raise WordFailure(error.message) from error
    if answer.result is None:
        failure = FAILURES[answer.failure]("")
        failure.message = answer.message
        raise failure
    return answer.result


async def exchange(order: bytes, files: tuple[bytes, ...]) -> WorkAnswer:
    """Tell the worker, and hear what it says. Raises NotWord when it says nothing."""
    found = bytearray()
    async with worker() as running:
        with suppress(InputClosed):  # it gave up before the end
            await running.send(len(order).to_bytes(8) + order + b"".join(files))
        async for chunk in running.chunks():
            found += chunk
            if len(found) > MAX_ANSWER:
                raise NotWord(f"it makes over {MAX_ANSWER // 1_000_000} MB")
        if await running.wait() != 0:
            raise NotWord("it is too large, or damaged in a way that nobody expects")
    return msgspec.msgpack.decode(found, type=WorkAnswer)
