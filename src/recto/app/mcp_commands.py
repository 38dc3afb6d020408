"""What `recto mcp` does, without a server: reads the files, writes them, tries a connection."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import anyio

from recto.clock import SystemClock, SystemIds
from recto.config import Home
from recto.mcp import McpServers, McpSignIns, ServerRecords, ServerServices
from recto.supervisor import Supervisor
from recto.workspace import Workspace


def first_of(error: BaseException) -> BaseException:
    """The first failure of a group."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    return first_of(cast(BaseExceptionGroup[BaseException], error).exceptions[0])


@asynccontextmanager
async def alone() -> AsyncGenerator[None]:
    """One failure of the block is raised as itself, not as a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise first_of(group) from None


@asynccontextmanager
async def open_mcp(home: Home, folder: Path) -> AsyncGenerator[tuple[McpServers, Workspace]]:
    """The servers of a home and a folder, for the length of the block."""
    clock = SystemClock()
    ids = SystemIds(clock)
    workspace = await Workspace.open(folder, records=home.folder)
    async with alone(), anyio.create_task_group() as tasks:
        servers = McpServers(
            ServerServices(
                home=home,
                records=ServerRecords(home),
                sign_ins=McpSignIns(home),
                supervisor=Supervisor(tasks, clock.monotonic),
                now_ms=clock.now_ms,
                new_id=ids.new,
                changed=lambda: None,
            )
        )
        try:
            yield servers, workspace
        finally:
            with anyio.CancelScope(shield=True):
                await servers.close()
            tasks.cancel_scope.cancel()
