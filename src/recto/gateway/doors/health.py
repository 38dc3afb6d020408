"""Which deployment is asked next: by order and weight, without those that just failed.

What is known comes from real calls alone. After a failure a deployment rests: as long as its
provider asks for, or longer with each failure in a row. Then one call tries it again. One whose
provider says that its limit is used up is left alone until there is room again.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recto.access import BOOKS_CLOSED, Deployment
from recto.messages import Failure, FailureKind

FAILURES_IN_A_ROW = 3
SHORTEST_REST_S = 5.0
LONGEST_REST_S = 60.0
AT_ONCE: frozenset[FailureKind] = frozenset({"auth", "quota", "not_found", "rate_limit"})
"""Failures that the very next call would meet, too."""
BLAMED: frozenset[FailureKind] = frozenset(
    {*AT_ONCE, "overloaded", "network", "timeout", "upstream"}
)
"""Failures that are the deployment's, not the request's: another one may do better."""


@dataclass(slots=True)
class DeploymentState:
    """What real calls have told of one deployment."""

    in_a_row: int = 0
    rests_until: float = 0.0
    full_until: float = 0.0
    """Its provider takes no more until then."""
    is_tried: bool = False
    """It rested, and one call tries whether it is well again."""
    is_known: bool = False
    """Some worker has called it."""
    failures: int = 0
    last: Failure | None = None
    untold_failures: int = 0
    """Failures that other workers have not heard of."""
    is_well_again: bool = False
    """It has answered after a failure, and other workers have not heard of it."""


class DeploymentHealth:
    """The states of all deployments, as this worker has seen them."""

    def __init__(self, monotonic: Callable[[], float], chance: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._chance = chance
        self._states: dict[str, DeploymentState] = {}
        self.on_change: Callable[[str], None] = ignore
        """Told of each deployment of which others should know more."""

    def state(self, deployment: str) -> DeploymentState:
        """What is known of one."""
        found = self._states.get(deployment)
        if found is None:
            found = self._states[deployment] = DeploymentState()
        return found

    def in_turn(self, deployments: Iterable[Deployment]) -> list[Deployment]:
        """Those that can be asked now, the first one first: by order, within it by weight."""
        ready = [way for way in deployments if self._is_ready(self.state(way.id))]
        if len(ready) < 2:
            return ready
        # Drawn without putting back: the share of each as the first one is that of its weight.
        keys = {way.id: self._chance() ** (1 / way.weight) for way in ready}
        return sorted(ready, key=lambda way: (way.order, -keys[way.id]))

    def wait_s(self, deployments: Iterable[Deployment]) -> float:
        """How long until one of them may be asked again."""
        now = self._monotonic()
        states = [self.state(way.id) for way in deployments]
        return max(0.0, min(max(one.rests_until, one.full_until) for one in states) - now)

    def is_trial(self, deployment: str) -> bool:
        """Whether the next call is the one that finds out if it is well again."""
        return self.state(deployment).rests_until > 0

    def began(self, deployment: str) -> None:
        """A call goes there."""
        state = self.state(deployment)
        state.is_tried = state.rests_until > 0

    def succeeded(self, deployment: str) -> None:
        """It began to answer."""
        state = self.state(deployment)
        if state.in_a_row or state.rests_until:
            state.is_well_again, state.untold_failures = True, 0
            self.on_change(deployment)
        elif not state.is_known:
            self.on_change(deployment)
        state.is_known = True
        state.in_a_row, state.rests_until, state.is_tried = 0, 0.0, False

    def is_full(self, deployment: str, seconds: float) -> None:
        """Its provider has said that the next call would be refused for so long."""
        state = self.state(deployment)
        until = self._monotonic() + min(seconds, LONGEST_REST_S)
        if until > state.full_until:
            state.full_until = until
            self.on_change(deployment)

    def left(self, deployment: str) -> None:
        """The client left before it was known how the call would end."""
        state = self.state(deployment)
        if state.is_tried:
            state.is_tried = False
            self.on_change(deployment)

    def failed(self, deployment: str, failure: Failure) -> None:
        """It did not answer; what is wrong with a request says nothing of the deployment."""
        state = self.state(deployment)
        state.is_tried = False
        if not moves_on(failure):
            return
        state.is_known = True
        state.in_a_row += 1
        state.failures += 1
        state.untold_failures += 1
        state.last = failure
        rest = rest_s(failure, state.in_a_row)
        if rest is not None:
            state.rests_until = self._monotonic() + rest
        self.on_change(deployment)

    def _is_ready(self, state: DeploymentState) -> bool:
        is_free = self._monotonic() >= max(state.rests_until, state.full_until)
        return is_free and not state.is_tried


def rest_s(failure: Failure, in_a_row: int) -> float | None:
    """How long a deployment rests after its last failure; None: not at all."""
    asked = failure.retry_after_s
    if asked is not None:
        return asked
    if failure.kind not in AT_ONCE and in_a_row < FAILURES_IN_A_ROW:
        return None
    return min(LONGEST_REST_S, SHORTEST_REST_S * 2 ** min(10, max(0, in_a_row - 1)))


def ignore(deployment: str) -> None:
    """Nobody else wants to know."""


def moves_on(failure: Failure) -> bool:
    """Whether another deployment may do better with the same request."""
    return failure.kind in BLAMED and failure.code != BOOKS_CLOSED.code
