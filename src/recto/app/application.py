"""The whole application behind its page."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from recto.app.services import open_services
from recto.clock import SystemClock, SystemIds
from recto.server import Site, build_application
from recto.word import waiting_worker

if TYPE_CHECKING:
    from recto.app.server import ServerSetup

OpenApplication = Callable[
    ["ServerSetup", Site, SystemClock, SystemIds], AbstractAsyncContextManager[ASGIApp]
]


@asynccontextmanager
async def open_application(
    setup: "ServerSetup", site: Site, clock: SystemClock, ids: SystemIds
) -> AsyncGenerator[ASGIApp]:
    """Every service, and the routes before them, for the length of the block."""
    home, settings, folder = setup.home, setup.settings, setup.options.folder
    async with (
        waiting_worker(),
        open_services(home, settings, folder, clock, ids, supervise=setup.supervise) as services,
    ):
        yield build_application(services, site)
