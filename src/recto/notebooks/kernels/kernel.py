"""One kernel: its process and its channels from start to end, and runs of code, one by one."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, closing, suppress
from typing import Any, Literal

import anyio

from recto.clock import Ids
from recto.notebooks.failures import KernelDied, KernelFailed, NotebookFailure, unexpected
from recto.notebooks.kernels.channels import KernelChannels, KernelMessage, KernelWire
from recto.notebooks.kernels.execution import (
    Answer,
    CodeRun,
    CodeRunResult,
    Heard,
    Reply,
    TellPrinted,
    answered,
    code_request,
    expression_request,
)
from recto.notebooks.kernels.held_kernels import HeldKernel
from recto.notebooks.kernels.keeper_connection import HeldProgram, found_again
from recto.notebooks.kernels.kernel_process import (
    KernelPlace,
    private_folder,
    reason,
    remedy,
    remove_folder,
    started,
)
from recto.notebooks.kernels.outputs import CellOutputs, Displays
from recto.processes import (
    InputClosed,
    ProcessFailure,
    ProcessUsage,
    end_marked,
    shielded,
    usage_of,
)

START_S = 120.0
"""The first start on a busy computer compiles hundreds of modules."""
ASK_AGAIN_S = 0.5
INTERRUPT_S = 10.0
SHUTDOWN_S = 2.0
KEEPER_S = 1.5
MAX_WORDS = 2000
KernelState = Literal["starting", "idle", "busy", "dead"]


class Kernel:
    """A kernel. `run` is its life; everything else waits for it, or raises when it is over."""

    def __init__(
        self,
        place: KernelPlace,
        ids: Ids,
        *,
        idle_s: float | None = None,
        found: HeldKernel | None = None,
    ) -> None:
        """After `idle_s` without a run it ends; `found` goes on already, from before a restart."""
        self.place = place
        self.displays = Displays()
        self._key = found.key if found else ids.secret()
        self._mark = found.mark if found else f"recto-kernel-{ids.new()}"
        self._found = found
        self._folder, self._idle_s = found.folder if found else "", idle_s
        self.is_kept = found is not None  # it goes on when Recto ends
        self.gives_way = False  # to another one, which takes its place at once
        self._used = anyio.Event()
        self._turn = anyio.Lock(fast_acquire=True)  # what was clicked is sent before all else
        self._ready, self._over, self._ending, self._heard, self._answered = (
            anyio.Event() for _ in range(5)
        )
        self._begun = anyio.Event()  # it is ready, or over
        self._why, self._words, self._wire = "", "", KernelWire()
        self._channels: KernelChannels | None = None
        self._program: HeldProgram | None = None
        self._executions: dict[str, CodeRun] = {}
        self._pings: set[str] = set()
        self._is_unwanted, self.queued = False, 0  # runs that wait or go on

    @property
    def state(self) -> KernelState:
        """How it is."""
        if self._over.is_set() and not self.gives_way:
            return "dead"
        if self.gives_way or not self._ready.is_set():
            return "starting" if self.gives_way or self._found is None else "busy"
        return "busy" if self.queued else "idle"

    @property
    def why_dead(self) -> str:
        """Why it is over; empty when somebody ended it."""
        return self._why

    @property
    def is_left_behind(self) -> bool:
        """Whether it goes on without this Recto."""
        return self.is_kept and not self._ending.is_set()

    async def run(self) -> None:
        """Start it and keep it going until it ends by itself, or `shut_down` is called."""
        try:
            for wire in [self._found.wire] if self._found else self.place.wires():
                if self._ending.is_set():  # it did not answer over the one before
                    self._ending, self._why, self._words = anyio.Event(), "", ""
                await self._live_in_folder(wire)
                if self._ready.is_set() or self._is_unwanted:
                    break
        except (ProcessFailure, NotebookFailure) as failure:
            self._why = str(failure).rstrip(".")
        except Exception as error:
            self._why = f"of {unexpected(error)}"
            raise
        finally:
            self._why = self._why or ("" if self._ending.is_set() else "it was ended from outside")
            self._channels = None
            self._over.set()
            self._begun.set()
            for execution in self._executions.values():
                execution.notify()

    async def _live_in_folder(self, wire: KernelWire) -> None:
        self._wire = wire
        if self._found is None:
            self._folder = await shielded(anyio.to_thread.run_sync(private_folder))
        try:
            await self._live()
        finally:
            if not self.is_left_behind:
                await shielded(anyio.to_thread.run_sync(remove_folder, self._folder))

    async def _live(self) -> None:
        program = (
            self._find_again()
            if self._found
            else started(self.place, self._folder, self._key, self._mark, self._wire)
        )
        async with program as self._program:
            with closing(KernelChannels(self._folder, self._key, self._wire)) as self._channels:
                try:
                    await self._attend(self._program)
                finally:
                    if not self.is_left_behind:
                        await shielded(self._end(self._program, self._channels))

    @asynccontextmanager
    async def _find_again(self) -> AsyncGenerator[HeldProgram]:
        try:
            async with found_again(self._folder) as program:
                yield program
        except OSError as error:
            self._ending.set()
            self._why = f"it ended while Recto was away ({error.strerror})"
            await end_marked(self._mark)

    async def _attend(self, program: HeldProgram) -> None:
        """Listen to it until it ends, or has to."""
        async with anyio.create_task_group() as tasks:
            for work in (self._read_shell, self._read_iopub, self._read_stdin, self._greet):
                tasks.start_soon(work)
            tasks.start_soon(self._watch, program)
            if self._idle_s is not None:
                tasks.start_soon(self._end_when_idle, self._idle_s)
            await self._ending.wait()
            tasks.cancel_scope.cancel()

    async def _end_when_idle(self, idle_s: float) -> None:
        """End it when nobody has used it for long; one that is kept stays."""
        while True:
            self._used = anyio.Event()
            with anyio.move_on_after(idle_s) as scope:
                await self._used.wait()
            if scope.cancelled_caught and self.state == "idle" and not self.is_kept:
                self._why = f"nobody used it for {idle_s / 60:g} minutes"
                self._ending.set()

    async def usage(self) -> ProcessUsage:
        """The memory and the time that it takes, with all that it has started."""
        program = self._program
        if program is None or not program.is_running:
            return ProcessUsage(0, 0)
        return await anyio.to_thread.run_sync(usage_of, program.pid)

    async def keep(self) -> HeldKernel:
        """Have it go on when Recto ends; what it takes to find it again. Raises KernelDied."""
        await self._tell_keeper(b"keep\n")
        if self._over.is_set():
            raise KernelDied(self._why or "it was shut down")
        self.is_kept = True
        place = self.place
        where = (self._folder, self._key, self._mark, place.root, place.rights, self._wire)
        return HeldKernel("", place.spec, place.cwd, *where)

    async def release(self) -> None:
        """Have it end with Recto again."""
        await self._tell_keeper(b"release\n")
        self.is_kept = False

    async def _watch(self, program: HeldProgram) -> None:
        """Notice its end; what it said last may be the reason."""
        async for chunk in program.chunks():
            self._words = (self._words + chunk.decode("utf-8", "replace"))[-MAX_WORDS:]
        code = await program.wait()
        if not self._ending.is_set():
            # A kernel that could start says nothing of its end, only how to connect to it.
            self._why = reason(code, "" if self._ready.is_set() else self._words)
            self._ending.set()

    async def _end(self, program: HeldProgram, channels: KernelChannels) -> None:
        """Have it end all that it has started; what holds out is killed."""
        if program.is_running and self._ready.is_set():
            with anyio.move_on_after(SHUTDOWN_S):
                await channels.send("control", "shutdown_request", {"restart": False})
                await program.wait()
        if program.is_running:
            with anyio.move_on_after(KEEPER_S):
                await self._tell_keeper(b"end\n")
                await program.wait()
        await end_marked(self._mark)

    async def _tell_keeper(self, words: bytes) -> None:
        with suppress(InputClosed):  # it has ended: there is nothing left to tell it
            if self._program is not None:
                await self._program.send(words)

    async def _greet(self) -> None:
        """Ask until it answers and is heard: what it says before that would be lost."""
        assert self._channels is not None
        # One from before a restart may be busy for as long as it likes.
        with anyio.move_on_after(START_S if self._found is None else None):
            while not (self._answered.is_set() and self._heard.is_set()):
                self._pings.add(await self._channels.send("shell", "kernel_info_request", {}))
                with anyio.move_on_after(ASK_AGAIN_S):
                    await self._answered.wait()
                    await self._heard.wait()
            self._ready.set()
            self._begun.set()
            return
        self._why = f"it did not answer within {START_S:g} s over its private sockets"
        self._ending.set()

    async def _read_shell(self) -> None:
        while True:
            message = await self._receive("shell")
            if message.parent_id in self._pings:
                self._answered.set()
            execution = self._executions.get(message.parent_id)
            if execution is not None and message.kind.endswith("_reply"):
                execution.take_reply(message.content)

    async def _read_iopub(self) -> None:
        while True:
            message = await self._receive("iopub")
            self._heard.set()
            execution = self._executions.get(message.parent_id)
            if execution is not None:
                execution.take(message.kind, message.content)

    async def _read_stdin(self) -> None:
        while True:
            message = await self._receive("stdin")
            execution = self._executions.get(message.parent_id)
            if execution is not None and message.kind == "input_request":
                execution.take_request(message.content)

    async def _receive(self, channel: Literal["shell", "iopub", "stdin"]) -> KernelMessage:
        assert self._channels is not None
        while (message := await self._channels.receive(channel)) is None:
            pass  # not from the kernel: whoever sent it does not know its key
        return message

    async def wait_until_ready(self) -> None:
        """Wait until code can run. Raises KernelFailed."""
        await self._begun.wait()
        if not self._ready.is_set():
            message = f"The kernel {self.place.spec.name} did not start: {self._why}."
            raise KernelFailed(message, remedy(self.place))

    async def execute(
        self,
        code: str,
        outputs: CellOutputs,
        *,
        timeout_s: float | None,
        answer: Answer | None = None,
        tell: TellPrinted | None = None,
        heard: Heard | None = None,
    ) -> CodeRunResult:
        """Run code after all that waits already. Raises KernelDied.

        A time-out, or the caller's cancellation, interrupts it.
        """
        async with self._queued():
            run = CodeRun(outputs, heard)
            return await self._execute(run, code_request(code, answer), timeout_s, answer, tell)

    @asynccontextmanager
    async def _queued(self) -> AsyncGenerator[None]:
        """Wait for all that waits already; while this lasts it is in use."""
        self.queued += 1
        try:
            async with self._turn:
                yield
        finally:
            self.queued -= 1
            self._used.set()

    async def _execute(
        self,
        execution: CodeRun,
        asked: Mapping[str, Any],
        timeout_s: float | None,
        answer: Answer | None,
        tell: TellPrinted | None,
    ) -> CodeRunResult:
        if self._over.is_set() or self._channels is None:
            raise KernelDied(self._why or "it was shut down")
        sent = await self._channels.send("shell", "execute_request", asked)
        self._executions[sent] = execution
        try:
            with anyio.move_on_after(timeout_s) as scope:
                await self._follow(execution, answer, tell)
            if scope.cancelled_caught:
                return await self._stop(execution)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._stop(execution)
            raise
        finally:
            del self._executions[sent]
        return CodeRunResult("error" if execution.has_failed else "ok")

    async def _follow(
        self, execution: CodeRun, answer: Answer | None, tell: TellPrinted | None
    ) -> None:
        """Pass on what happens until the run is over. Raises KernelDied."""
        while True:
            news = execution.news
            while execution.printed:
                words, execution.printed = "".join(execution.printed), []
                if tell is not None:
                    await tell(words)
            while execution.requests and answer is not None:
                value = await answer(execution.requests.pop(0))
                if self._channels is not None:  # it may have ended before somebody answered
                    await self._channels.send("stdin", "input_reply", {"value": value})
            if execution.is_over:
                return
            if self._over.is_set():
                raise KernelDied(self._why or "it was shut down")
            if news is execution.news:
                await news.wait()

    async def _stop(self, execution: CodeRun) -> CodeRunResult:
        """Interrupt a run, and wait for its end, though not for ever."""
        if not self._over.is_set() and not execution.is_over:
            await self.interrupt()
            with anyio.move_on_after(INTERRUPT_S):
                while not execution.is_over and not self._over.is_set():
                    await execution.news.wait()
        return CodeRunResult("timed_out", is_stuck=not execution.is_over)

    async def evaluate(self, expression: str, *, timeout_s: float) -> str | None:
        """What an expression is, in the kernel's words; None when it has no value.

        It leaves no trace in the kernel's history. Raises KernelDied.
        """
        run = CodeRun(CellOutputs(Displays()))
        async with self._queued():
            await self._execute(run, expression_request(expression), timeout_s, None, None)
        return run.value

    async def ask(self, kind: str, content: Mapping[str, Any], *, timeout_s: float) -> Reply:
        """What it answers to a question about code; nothing while it is busy, or after a time."""
        if self.state != "idle" or self._channels is None:
            return {}
        return await answered(self._channels, self._executions, kind, content, timeout_s)

    async def wait_until_over(self) -> None:
        """Wait for its end."""
        await self._over.wait()

    async def interrupt(self) -> None:
        """Stop what runs, as Ctrl+C does."""
        if self._channels is not None and self.place.spec.takes_messages:
            await self._channels.send("control", "interrupt_request", {})
        else:
            await self._tell_keeper(b"interrupt\n")

    async def shut_down(self) -> None:
        """End it, and wait until nothing of it is left."""
        self._is_unwanted = True
        self._ending.set()
        await self._over.wait()
