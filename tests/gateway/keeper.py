"""Knows when a call was kept."""

import anyio
import pytest

from recto.gateway import KeptCalls
from recto.gateway.kept_calls import AnsweredCall


class Keeper:
    """Notes what is kept, which may be after the client has its answer."""

    def __init__(self) -> None:
        self.count = 0
        self._more = anyio.Event()

    def note(self) -> None:
        self.count += 1
        self._more.set()

    async def until(self, count: int) -> None:
        with anyio.fail_after(30):
            while self.count < count:
                self._more = anyio.Event()
                await self._more.wait()


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Keeper:
    found, keep = Keeper(), KeptCalls.keep

    async def noted(self: KeptCalls, call: AnsweredCall) -> None:
        await keep(self, call)
        found.note()

    monkeypatch.setattr(KeptCalls, "keep", noted)
    return found
