"""Opens what watches a gateway, if the operator wants it: metrics and traces. Off unless set."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import anyio
import anyio.to_thread
from starlette.types import ASGIApp

from recto.app.server import CannotStart
from recto.clock import Clock
from recto.config import Home, Settings, load_keys
from recto.gateway import CallListener

TRACE_ADDRESSES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
FLUSH_S = 5.0


@dataclass(frozen=True, slots=True)
class GatewayObservers:
    """Who is told of calls, and the page that shows the metrics."""

    listeners: tuple[CallListener, ...] = ()
    metrics: ASGIApp | None = None


@asynccontextmanager
async def open_observers(
    home: Home, settings: Settings, clock: Clock, environment: Mapping[str, str]
) -> AsyncGenerator[GatewayObservers]:
    """What the settings and the environment ask for, for the length of the block.

    Raises CannotStart.
    """
    listeners: list[CallListener] = []
    page: ASGIApp | None = None
    if settings.gateway.metrics_key:
        token = load_keys(home).get(settings.gateway.metrics_key)
        if token is None:
            name = settings.gateway.metrics_key
            raise CannotStart(
                f"keys.env has no {name}, which settings.toml names as metrics_key."
                f" Add it with: recto keys set {name}"
            )
        # Loaded only here: a gateway without metrics starts without it.
        module = import_module("recto.gateway.metrics")
        metrics = module.GatewayMetrics(lambda: clock.now_ms() / 1000)
        listeners.append(metrics)
        page = module.MetricsPage(metrics, token)
    if not wants_traces(environment):
        yield GatewayObservers(tuple(listeners), page)
        return
    if find_spec("opentelemetry.sdk") is None:
        raise CannotStart(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, and traces need OpenTelemetry. Install it with:"
            " pip install 'recto[tracing]', or unset the variable."
        )
    traces = import_module("recto.gateway.tracing").GatewayTraces()
    try:
        yield GatewayObservers((*listeners, traces), page)
    finally:
        with anyio.CancelScope(shield=True), anyio.move_on_after(FLUSH_S):
            # Whoever receives the spans may be gone: the gateway ends all the same.
            await anyio.to_thread.run_sync(traces.close, abandon_on_cancel=True)


def wants_traces(environment: Mapping[str, str]) -> bool:
    """Whether the standard variables name a place for traces, and don't switch them off."""
    is_off = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    is_off |= environment.get("OTEL_TRACES_EXPORTER", "") == "none"
    return not is_off and any(environment.get(name) for name in TRACE_ADDRESSES)


def metrics_folder(home: Home, settings: Settings) -> Path | None:
    """Where several workers put their numbers; None: there are no metrics."""
    return home.folder / "metrics" if settings.gateway.metrics_key else None


def empty_metrics_folder(folder: Path) -> None:
    """Begin from nothing, as counters do after a restart."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for file in folder.glob("*.db"):
        file.unlink()


def forget_worker(folder: Path, pid: int) -> None:
    """What a worker that is gone had under way does not count any more; what it did does."""
    for file in folder.glob(f"gauge_live*_{pid}.db"):
        file.unlink()


def worker_environment(folder: Path | None) -> dict[str, str]:
    """The environment of a worker, with its home and the place for its numbers."""
    found = dict(os.environ)
    return found if folder is None else {**found, METRICS_FOLDER: str(folder)}
