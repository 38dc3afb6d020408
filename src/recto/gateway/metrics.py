"""Prometheus metrics of a gateway, for all of its workers on this machine together.

With several workers each writes its numbers into files of one folder (PROMETHEUS_MULTIPROC_DIR),
and whichever is asked adds them up. Labels are names of models.json and of protocols: no prompts,
no people, no keys.
"""

import hmac
import os
from collections.abc import Callable

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from recto.config import Secret
from recto.gateway.doors.http import AsgiSend, ClientRequest, Receive, Scope, send_answer
from recto.gateway.doors.observation import AttemptRecord, CallRecord
from recto.storage import LedgerRow

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000)
MICROS = 1_000_000
ANSWER = {"content-type": CONTENT_TYPE_LATEST, "cache-control": "no-store"}
REFUSED = {"content-type": "text/plain", "www-authenticate": "Bearer"}


class GatewayMetrics:
    """Counts what becomes of calls."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        registry = self._registry = CollectorRegistry()
        self._now_s = now_s
        self._requests = Counter(
            "recto_gateway_requests",
            "Requests to the doors",
            ["door", "action", "model", "status"],
            registry=registry,
        )
        self._whole = Histogram(
            "recto_gateway_request_seconds",
            "From a request to the end of its answer",
            ["door", "model"],
            buckets=SECONDS,
            registry=registry,
        )
        self._first = Histogram(
            "recto_gateway_first_byte_seconds",
            "From a request to the first byte of its answer",
            ["door", "model"],
            buckets=SECONDS,
            registry=registry,
        )
        self._open = Gauge(
            "recto_gateway_open_requests",
            "Requests and streams under way",
            ["door"],
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._waiting = Gauge(
            "recto_gateway_waiting_requests",
            "Requests that wait to be let in",
            multiprocess_mode="livesum",
            registry=registry,
        )
        self._refused = Counter(
            "recto_gateway_refused_requests",
            "Requests that were not let in, by the reason; budget: no money could be reserved",
            ["reason"],
            registry=registry,
        )
        self._attempts = Counter(
            "recto_gateway_attempts",
            "Requests to deployments, by how they ended",
            ["deployment", "outcome"],
            registry=registry,
        )
        self._rests = Gauge(
            "recto_gateway_deployment_rests_until_seconds",
            "Until when a deployment that failed is not asked, since 1970; 0: it is well",
            ["deployment"],
            multiprocess_mode="livemax",
            registry=registry,
        )
        self._tokens = Counter(
            "recto_gateway_tokens", "Tokens", ["provider", "model", "kind"], registry=registry
        )
        self._dollars = Counter(
            "recto_gateway_cost_dollars", "Money", ["provider", "model"], registry=registry
        )

    def call_began(self, call: CallRecord) -> None:
        """A request came to a door."""
        self._open.labels(call.door).inc()

    def call_waits(self, call: CallRecord) -> None:
        """It begins, or ends, to wait for a place."""
        self._waiting.inc(1 if call.is_waiting else -1)

    def attempt_ended(self, attempt: AttemptRecord) -> None:
        """A deployment answered, or did not."""
        self._attempts.labels(attempt.deployment, attempt.failure or "answered").inc()
        until = self._now_s() + attempt.rests_s if attempt.rests_s else 0
        self._rests.labels(attempt.deployment).set(until)

    def call_ended(self, call: CallRecord) -> None:
        """The client has its answer, or left: then the status is 499."""
        self._open.labels(call.door).dec()
        status = str(call.status or 499)
        self._requests.labels(call.door, call.action, call.model, status).inc()
        self._whole.labels(call.door, call.model).observe(call.ended - call.began)
        if call.first_byte is not None:
            self._first.labels(call.door, call.model).observe(call.first_byte - call.began)
        if call.refusal is not None:
            self._refused.labels(call.refusal).inc()

    def booked(self, row: LedgerRow) -> None:
        """Something was paid."""
        spend = row.spend
        used = {
            "input": spend.input_tokens,
            "cache_read": spend.cache_read_tokens,
            "cache_write": spend.cache_write_tokens,
            "output": spend.output_tokens,
        }
        for kind, count in used.items():
            self._tokens.labels(spend.provider, spend.model, kind).inc(count)
        self._dollars.labels(spend.provider, spend.model).inc((spend.cost_micros or 0) / MICROS)

    def write(self) -> bytes:
        """All numbers, as Prometheus reads them."""
        if FOLDER not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)
        return generate_latest(together)


class MetricsPage:
    """Answers whoever has the token."""

    def __init__(self, metrics: GatewayMetrics, token: Secret) -> None:
        self._metrics = metrics
        self._token = token.reveal().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: AsgiSend) -> None:
        """Answer one request."""
        request = ClientRequest.of(scope, receive)
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        is_known = hmac.compare_digest(token.strip().encode(), self._token)
        if scheme.lower() != "bearer" or not is_known:
            await send_answer(send, 401, b"The token of the metrics is wanted.\n", REFUSED)
        else:
            await send_answer(send, 200, self._metrics.write(), ANSWER)
