"""Several processes that serve a gateway on one address; one that ends is begun again."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable

from recto import processes
from recto.app.gateway_observers import (
    empty_metrics_folder,
    forget_worker,
    metrics_folder,
    worker_environment,
)
from recto.app.gateway_services import (
    GatewaySetup,
    ReadyGateway,
    first_admin_link,
    open_gateway,
    supervised,
)
from recto.app.server import CannotStart
from recto.clock import SystemClock
from recto.server import logging_to
from recto.server.listen import bind_beside

WORKER_READY = "ready"

log = logging.getLogger(__name__)


async def serve_workers(
    reserved: socket.socket,
    setup: GatewaySetup,
    ready: Callable[[ReadyGateway], None],
    count: int,
) -> None:
    """Serve in several processes that share the address; one that ends is begun again."""
    clock = SystemClock()
    with logging_to(setup.log_file, setup.settings.logs.level, [], clock):
        async with open_gateway(setup) as parts:
            link = await first_admin_link(parts.services)
        if (folder := metrics_folder(setup.home, setup.settings)) is not None:
            empty_metrics_folder(folder)
        workers = [GatewayWorker(reserved, setup, number) for number in range(1, count + 1)]
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        async with supervised(clock) as supervisor:
            for worker in workers:
                supervisor.keep(f"worker {worker.number}", worker.run)
            for worker in workers:
                await worker.until_ready()
            ready(ReadyGateway(setup.address.url, link, stop.set))
            await stop.wait()
            for worker in workers:
                worker.stop()
            for worker in workers:
                await worker.until_ended()


class WorkerEnded(Exception):
    """A worker is not there any more, and nobody told it to stop."""


class GatewayWorker:
    """One of several processes that serve."""

    def __init__(self, reserved: socket.socket, setup: GatewaySetup, number: int) -> None:
        self._reserved = reserved
        self._setup = setup
        self.number = number
        self._metrics = metrics_folder(setup.home, setup.settings)
        self._began = asyncio.Event()
        self._is_ready = False
        self._last_words = ""
        self._pid: int | None = None
        self._has_ended = asyncio.Event()
        self._has_ended.set()
        self._is_stopping = False

    async def run(self) -> None:
        """Have it serve until it is told to stop. Raises WorkerEnded: it ended by itself."""
        if self._is_stopping:
            return
        listener = bind_beside(self._reserved)
        fd = listener.fileno()
        argv = [sys.executable, "-m", "recto", "gateway", f"--worker={self.number}", f"--fd={fd}"]
        # It calls providers: it gets their keys as they stand in the environment.
        folder = str(self._setup.home.folder)
        environment = {**worker_environment(self._metrics), "RECTO_HOME": folder}
        self._has_ended.clear()
        try:
            async with processes.start(
                argv, cwd=folder, env=environment, talks=True, passes=[fd]
            ) as program:
                # The worker's alone: once it takes no more connections, the others get them.
                listener.close()
                self._pid = program.pid
                self._is_ready |= (await program.line()).decode().strip() == WORKER_READY
                if not self._is_ready:
                    await program.wait()
                    self._last_words = (await program.errors()).decode(errors="replace")
                else:
                    log.info("worker %d serves as process %d", self.number, program.pid)
                self._began.set()
                await program.wait()
        finally:
            listener.close()
            if self._metrics is not None and self._pid is not None:
                forget_worker(self._metrics, self._pid)
            self._pid = None
            self._has_ended.set()
        if not self._is_stopping:
            raise WorkerEnded

    async def until_ready(self) -> None:
        """Return when it serves. Raises CannotStart: it ended before it ever did."""
        await self._began.wait()
        if not self._is_ready:
            words = self._last_words.strip().removeprefix("recto: ")
            raise CannotStart(f"Worker {self.number} did not start: {words}")

    async def until_ended(self) -> None:
        """Return when its process is gone."""
        await self._has_ended.wait()

    def stop(self) -> None:
        """Have it take no more requests, and end when those it has are done."""
        self._is_stopping = True
        if self._pid is not None:
            processes.signal_group(self._pid, signal.SIGTERM)
