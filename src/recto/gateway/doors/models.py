"""The models a gateway serves, read again when their file or the keys change."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from recto.access import (
    DeployedModel,
    GatewayModelsFile,
    deployed_models,
    load_catalogue,
    load_credentials,
    load_gateway_file,
    load_prices,
)
from recto.clock import Clock
from recto.config import ConfigFailure, Home

LOOK_S = 1.0
FILES = ("models.json", "keys.env")

log = logging.getLogger(__name__)
Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class ServedModels:
    """What one reading of the files gave."""

    models: tuple[DeployedModel, ...]
    by_name: Mapping[str, DeployedModel]
    """By the id, and by what a provider calls it, where that is the name of one alone."""


class GatewayModels:
    """Finds models by the names that clients use. A broken file changes nothing, and is told of."""

    def __init__(
        self,
        home: Home,
        environment: Mapping[str, str],
        *,
        clock: Clock,
        today: Callable[[], date],
    ) -> None:
        self._home = home
        self._environment = environment
        self._clock = clock
        self._today = today
        self._catalogue = load_catalogue()
        self._prices = load_prices()
        self._stamp = self._stamp_now()
        self._looked_at = clock.monotonic()
        self.problem: str | None = None
        """Why the files as they are now are not what is served."""
        self._served = self._read()

    def find(self, name: str) -> DeployedModel | None:
        """The model a client asks for; None: there is none of that name."""
        return self._now().by_name.get(name)

    @property
    def models(self) -> tuple[DeployedModel, ...]:
        """All of them."""
        return self._now().models

    def _now(self) -> ServedModels:
        """What is served, after a look at the files if the last one is a second old."""
        now = self._clock.monotonic()
        if now - self._looked_at >= LOOK_S:
            self._looked_at = now
            stamp = self._stamp_now()
            if stamp != self._stamp:
                self._stamp = stamp
                self._reload()
        return self._served

    def _reload(self) -> None:
        try:
            self._served = self._read()
        except ConfigFailure as failure:
            self.problem = f"{failure.message} {failure.remedy}"
            log.error("The models as they were before are served on: %s", self.problem)
        else:
            self.problem = None
            log.info("The models were read again: %d are served", len(self._served.models))

    def _read(self) -> ServedModels:
        """Read the files. Raises ConfigFailure."""
        file: GatewayModelsFile = load_gateway_file(self._home)
        credentials = load_credentials(self._environment, self._home)
        models = deployed_models(file, self._catalogue, self._prices, credentials, self._today())
        by_name: dict[str, DeployedModel] = {}
        for model in reversed(models):
            by_name[model.first.model] = model
        by_name |= {model.id: model for model in models}
        return ServedModels(models, by_name)

    def _stamp_now(self) -> Stamp:
        """What tells that a file is another one than before."""
        return tuple(self._stamp_of(name) for name in FILES)

    def _stamp_of(self, name: str) -> tuple[int, int, int] | None:
        try:
            found = (self._home.folder / name).stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
