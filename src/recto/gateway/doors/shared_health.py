"""What workers tell each other of deployments: failures, rests, limits that are used up."""

from dataclasses import replace
from typing import Any, cast

import anyio

from recto.clock import Clock
from recto.gateway.doors.health import DeploymentHealth, rest_s
from recto.messages import Failure, FailureKind
from recto.storage import DeploymentRecord, Storage

LOOK_S = 1.0
"""How old what is known of others' calls may be."""


class SharedHealth:
    """Keeps a worker's `DeploymentHealth` in step with the others'."""

    def __init__(self, health: DeploymentHealth, storage: Storage, clock: Clock) -> None:
        self._health = health
        self._storage = storage
        self._clock = clock
        self._changed: set[str] = set()
        self._wanted = anyio.Event()
        self._version = 0
        health.on_change = self._note

    async def keep_in_step(self) -> None:
        """Tell and hear, for ever: at once what happened here, within a second the rest."""
        while True:
            await self.exchange()
            with anyio.move_on_after(LOOK_S):
                await self._wanted.wait()
            self._wanted = anyio.Event()

    async def exchange(self) -> None:
        """Tell what has changed here, and hear what has changed anywhere."""
        telling, self._changed = self._changed, set[str]()
        try:
            if telling:
                async with self._storage.write() as write:
                    known = await self._storage.deployments.get(write, telling)
                    merged = [
                        self._merged(known.get(id, DeploymentRecord(id))) for id in sorted(telling)
                    ]
                    await self._storage.deployments.put(write, merged)
                for id in telling:
                    state = self._health.state(id)
                    state.untold_failures, state.is_well_again = 0, False
        except BaseException:
            self._changed |= telling
            raise
        for record in await self._storage.deployments.since(self._version):
            self._version = record.version
            # What happened here since is told next, and then heard with the rest.
            if record.id not in self._changed:
                self._learn(record)

    async def may_try(self, deployment: str) -> bool:
        """Whether a call may go there: after a rest one call of all workers finds out how it is."""
        if not self._health.is_trial(deployment):
            return True
        async with self._storage.write() as write:
            return await self._storage.deployments.claim_trial(write, deployment)

    def _note(self, deployment: str) -> None:
        self._changed.add(deployment)
        self._wanted.set()

    def _merged(self, known: DeploymentRecord) -> DeploymentRecord:
        """What others know, with what has happened here since."""
        state = self._health.state(known.id)
        if state.is_well_again:
            known = replace(known, in_a_row=0, rests_until_ms=0)
        in_a_row = known.in_a_row + state.untold_failures
        rests_ms = max(known.rests_until_ms, self._in_ms(state.rests_until))
        if state.untold_failures and state.last is not None:
            # Failures that each worker saw too few of are enough together.
            rest = rest_s(state.last, in_a_row)
            if rest is not None:
                rests_ms = max(rests_ms, self._clock.now_ms() + round(rest * 1000))
        return replace(
            known,
            failures=known.failures + state.untold_failures,
            in_a_row=in_a_row,
            rests_until_ms=rests_ms,
            full_until_ms=max(known.full_until_ms, self._in_ms(state.full_until)),
            tried_until_ms=0,
            last=known.last if state.last is None else written(state.last),
        )

    def _learn(self, record: DeploymentRecord) -> None:
        state = self._health.state(record.id)
        state.is_known = True
        state.failures = record.failures
        state.in_a_row = record.in_a_row
        state.rests_until = self._in_s(record.rests_until_ms)
        state.full_until = self._in_s(record.full_until_ms)
        state.is_tried = record.tried_until_ms > self._clock.now_ms()
        state.last = None if record.last is None else read(record.last)

    def _in_ms(self, moment: float) -> int:
        if not moment:
            return 0
        return self._clock.now_ms() + round((moment - self._clock.monotonic()) * 1000)

    def _in_s(self, moment_ms: int) -> float:
        if not moment_ms:
            return 0.0
        return self._clock.monotonic() + (moment_ms - self._clock.now_ms()) / 1000


def written(failure: Failure) -> dict[str, Any]:
    """A failure as it is kept: its kind and status. Its words may quote a prompt."""
    return {"kind": failure.kind, "status": failure.status, "code": failure.code}


def read(kept: dict[str, Any]) -> Failure:
    """The failure that `written` kept."""
    kind = cast("FailureKind", kept["kind"])
    return Failure(kind, "", status=kept["status"], code=kept["code"])
