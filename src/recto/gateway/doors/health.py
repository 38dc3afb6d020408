"""Which deployment is asked next: by order and weight, without those that just failed.

What is known comes from real calls alone. After a failure a deployment rests: as long as its
provider asks for, or longer with each failure in a row. Then one call tries it again.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recto.access import Deployment
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
    is_tried: bool = False
    """It rested, and one call tries whether it is well again."""
    calls: int = 0
    failures: int = 0
    last: Failure | None = None


class DeploymentHealth:
    """The states of all deployments, as this worker has seen them."""

    def __init__(self, monotonic: Callable[[], float], chance: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._chance = chance
        self._states: dict[str, DeploymentState] = {}

    def state(self, deployment: str) -> DeploymentState:
        """What is known of one."""
        return self._states.setdefault(deployment, DeploymentState())

    def in_turn(self, deployments: Iterable[Deployment]) -> list[Deployment]:
        """Those that can be asked now, the first one first: by order, within it by weight."""
        ready = [way for way in deployments if self._is_ready(self.state(way.id))]
        # Drawn without putting back: the share of each as the first one is that of its weight.
        keys = {way.id: self._chance() ** (1 / way.weight) for way in ready}
        return sorted(ready, key=lambda way: (way.order, -keys[way.id]))

    def wait_s(self, deployments: Iterable[Deployment]) -> float:
        """How long until one of them may be asked again."""
        now = self._monotonic()
        return max(0.0, min(self.state(way.id).rests_until for way in deployments) - now)

    def began(self, deployment: str) -> None:
        """A call goes there."""
        state = self.state(deployment)
        state.calls += 1
        state.is_tried = state.rests_until > 0

    def succeeded(self, deployment: str) -> None:
        """It began to answer."""
        state = self.state(deployment)
        state.in_a_row, state.rests_until, state.is_tried = 0, 0.0, False

    def left(self, deployment: str) -> None:
        """The client left before it was known how the call would end."""
        self.state(deployment).is_tried = False

    def failed(self, deployment: str, failure: Failure) -> None:
        """It did not answer; what is wrong with a request says nothing of the deployment."""
        state = self.state(deployment)
        state.is_tried = False
        if failure.kind not in BLAMED:
            return
        state.in_a_row += 1
        state.failures += 1
        state.last = failure
        asked = failure.retry_after_s
        if asked is None and failure.kind not in AT_ONCE and state.in_a_row < FAILURES_IN_A_ROW:
            return
        grown = SHORTEST_REST_S * 2 ** min(10, max(0, state.in_a_row - 1))
        rest_s = min(LONGEST_REST_S, grown) if asked is None else asked
        state.rests_until = self._monotonic() + rest_s

    def _is_ready(self, state: DeploymentState) -> bool:
        return self._monotonic() >= state.rests_until and not state.is_tried


def moves_on(failure: Failure) -> bool:
    """Whether another deployment may do better with the same request."""
    return failure.kind in BLAMED
