"""The models that are served and their deployments, as the pages see them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from recto.access import DeployedModel, Deployment
from recto.gateway.doors.health import DeploymentHealth
from recto.gateway.doors.models import GatewayModels
from recto.messages import Failure, FailureKind

HealthState = Literal["answers", "resting", "failing", "untried"]


KINDS: Mapping[FailureKind, str] = {
    "auth": "its key was refused",
    "quota": "its account has no money left",
    "rate_limit": "too many requests in a minute",
    "overloaded": "overloaded",
    "not_found": "it does not know the model",
    "network": "it could not be reached",
    "timeout": "it took too long",
    "upstream": "it failed",
}


@dataclass(frozen=True, slots=True)
class DeploymentStatus:
    """What calls have met at a deployment."""

    state: HealthState
    rests_s: float
    """How long it is left out; 0 when it is not."""
    last_failure: str | None
    """Of which kind the last failure was."""


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
        elif not known.is_known:
            state = "untried"
        return DeploymentStatus(state, rests_s, known.last and told(known.last))

    def names_of(self, model: DeployedModel) -> list[str]:
        """The names that clients may ask for it by."""
        provided = model.first.model
        is_its_own = self.models.find(provided) is model
        return [model.id, *([provided] if is_its_own and provided != model.id else [])]


def told(failure: Failure) -> str:
    """A failure without its provider's words, which may quote a prompt."""
    status = "" if failure.status is None else f" ({failure.status})"
    return KINDS.get(failure.kind, "it refused a request") + status
