"""Word documents handled by a process of its own that can be ended: a file may be hostile."""

import hashlib
from contextlib import suppress
from dataclasses import dataclass

import anyio
import msgspec

from recto.processes import InputClosed, ProcessFailure, RunningProgram
from recto.word.failures import NotWord, WordFailure
from recto.word.operations import ON_HELD, OPERATIONS, Operation, OperationResult
from recto.word.waiting import WaitingWorker, held_worker, of_this_loop, worker
from recto.word.worker import FAILURES, WorkAnswer, WorkOrder

DEADLINE_S = 60.0
MAX_ANSWER = 100_000_000
HEAD = 8
NAMES = {kind: name for name, (kind, _) in (*OPERATIONS.items(), *ON_HELD.items())}
ENDED = "it is too large, or damaged in a way that nobody expects"


@dataclass(frozen=True, slots=True)
class Holding:
    """A document that its process may hold for what is asked next."""

    name: str
    """Of the document: where it lies."""
    shown: str = ""
    """The hash of the document whose page whoever asks has."""
    shorter: Operation | None = None
    """What to ask a process that told that page as its last."""


async def ask_worker(
    operation: Operation, *files: bytes, holding: Holding | None = None
) -> OperationResult:
    """What comes of an operation. Raises a WordFailure."""
    waiting = of_this_loop()
    try:
        with anyio.fail_after(DEADLINE_S):
            if holding is None or waiting is None:
                answer = await exchange(operation, files)
            else:
                answer = await go_on(waiting, holding, operation, files)
    except TimeoutError as error:
        raise NotWord(f"it takes over {DEADLINE_S:g} s") from error
    except ProcessFailure as error:
        raise WordFailure(error.message) from error
    if answer.result is None:
        failure = FAILURES[answer.failure]("")
        failure.message = answer.message
        raise failure
    return answer.result


async def exchange(operation: Operation, files: tuple[bytes, ...]) -> WorkAnswer:
    """Ask a process that ends then. Raises NotWord when it says nothing."""
    async with worker() as running:
        answer = await told(running, operation, files, holds=False)
        if answer is None or await running.wait() != 0:
            raise NotWord(ENDED)
    return answer


async def go_on(
    waiting: WaitingWorker, holding: Holding, operation: Operation, files: tuple[bytes, ...]
) -> WorkAnswer:
    """Ask the process that holds the document, or one that will. Raises NotWord."""
    while True:
        async with held_worker(waiting, holding.name) as held:
            is_known = held.told != "" and held.told == holding.shown
            asked = holding.shorter if is_known and holding.shorter is not None else operation
            answer = await told(held.running, asked, files, holds=True)
            if answer is None and held.is_new:
                raise NotWord(ENDED)
            if answer is None:
                continue  # it had reached its end while nobody asked it: another one reads it anew
            held.holds = answer.holds
            if answer.result is not None and answer.result.has_page:
                now = answer.result.data or files[0]
                held.told = hashlib.sha256(now).hexdigest()
            return answer


async def told(
    running: RunningProgram, operation: Operation, files: tuple[bytes, ...], *, holds: bool
) -> WorkAnswer | None:
    """Tell a process what to do, and hear what it says; none when it ends first. Raises NotWord."""
    order = msgspec.json.encode(
        WorkOrder(
            NAMES[type(operation)],
            msgspec.Raw(msgspec.json.encode(operation)),
            tuple(map(len, files)),
            holds,
        )
    )
    with suppress(InputClosed):  # it gave up before the end
        await running.send(len(order).to_bytes(HEAD) + order + b"".join(files))
    found = bytearray()
    async for chunk in running.chunks():
        found += chunk
        if len(found) > MAX_ANSWER:
            raise NotWord(f"it makes over {MAX_ANSWER // 1_000_000} MB")
        if len(found) >= HEAD and len(found) - HEAD >= int.from_bytes(found[:HEAD]):
            return msgspec.msgpack.decode(memoryview(found)[HEAD:], type=WorkAnswer)
    return None
