"""The models that are served and their deployments, as the pages see them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from recto.access import DeployedModel, Deployment
from recto.gateway.doors.health import DeploymentHealth
from recto.gateway.doors.models import GatewayModels

HealthState = Literal["answers", "resting", "failing", "untried"]


@dataclass(frozen=True, slots=True)
class DeploymentStatus:
    """What this worker's own calls have met at a deployment."""

    state: HealthState
    rests_s: float
    """How long it is left out; 0 when it is not."""
    last_failure: str | None
    """What the last failure said."""


@dataclass(frozen=True, slots=True)
class Upstreams:
    """Models and health of one worker."""

    models: GatewayModels
    health: DeploymentHealth
    monotonic: Callable[[], float]

    def names(self) -> dict[tuple[str, str], str]:
        """What people call a model, by its provider and what that calls it."""
        return {
            (way.access.provider.id, way.access.model): model.name
            for model in reversed(self.models.models)
            for way in model.deployments
        }

    def status(self, way: Deployment) -> DeploymentStatus:
        """How a deployment is."""
        known = self.health.state(way.id)
        rests_s = max(0.0, known.rests_until - self.monotonic())
        state: HealthState = "answers"
        if rests_s > 0:
            state = "resting"
        elif known.in_a_row > 0:
            state = "failing"
        elif known.calls == 0:
            state = "untried"
        last = known.last
        return DeploymentStatus(state, rests_s, None if last is None else last.message)

    def names_of(self, model: DeployedModel) -> list[str]:
        """The names that clients may ask for it by."""
        provided = model.first.model
        is_its_own = self.models.find(provided) is model
        return [model.id, *([provided] if is_its_own and provided != model.id else [])]
