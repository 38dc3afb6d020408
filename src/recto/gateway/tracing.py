"""OpenTelemetry traces of a gateway: a span for each request, and one for each deployment asked.

Configured by the standard OTEL_ variables. Spans are made when a call is over, from what was noted:
they tell of times, models, deployments and statuses, never of prompts, people or keys.
"""

from importlib.metadata import version

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import (
    SERVICE_NAME,
    SERVICE_VERSION,
    OTELResourceDetector,
    Resource,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from recto.gateway.doors.observation import AttemptRecord, CallRecord
from recto.storage import LedgerRow

NS = 1_000_000_000
SERVICE = "recto-gateway"


class GatewayTraces:
    """Sends spans to where OTEL_EXPORTER_OTLP_ENDPOINT says, a batch at a time."""

    def __init__(self) -> None:
        about = {SERVICE_NAME: SERVICE, SERVICE_VERSION: version("recto")}
        # The variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
        resource = Resource.create(about).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("recto.gateway", version("recto"))
        self._propagator = TraceContextTextMapPropagator()

    def call_began(self, call: CallRecord) -> None:
        """Nothing is sent before the end."""

    def call_waits(self, call: CallRecord) -> None:
        """Waiting is part of the request's span."""

    def attempt_ended(self, attempt: AttemptRecord) -> None:
        """It is sent with its call."""

    def booked(self, row: LedgerRow) -> None:
        """Money is told by the metrics and the ledger."""

    def call_ended(self, call: CallRecord) -> None:
        """Make the spans of a call."""
        carried = {} if call.parent is None else {"traceparent": call.parent}
        span = self._tracer.start_span(
            f"{call.door} {call.action}",
            context=self._propagator.extract(carried, Context()),
            kind=SpanKind.SERVER,
            start_time=at_ns(call, call.began),
            attributes=facts_of(call),
        )
        within = set_span_in_context(span, Context())
        for attempt in call.attempts:
            self._add_attempt(call, attempt, within)
        if call.status >= 500:
            span.set_status(Status(StatusCode.ERROR))
        span.end(at_ns(call, call.ended))

    def _add_attempt(self, call: CallRecord, attempt: AttemptRecord, within: Context) -> None:
        span = self._tracer.start_span(
            f"ask {attempt.provider}",
            context=within,
            kind=SpanKind.CLIENT,
            start_time=at_ns(call, attempt.began),
            attributes={
                "recto.deployment": attempt.deployment,
                "gen_ai.provider.name": attempt.provider,
                "gen_ai.request.model": attempt.model,
            },
        )
        if attempt.failure is not None:
            span.set_attribute("error.type", attempt.failure)
            span.set_status(Status(StatusCode.ERROR))
        # A client that leaves ends an attempt without a word.
        span.end(at_ns(call, attempt.ended or call.ended))

    def close(self) -> None:
        """Send what is left. Takes as long as whoever receives it."""
        self._provider.shutdown()


def facts_of(call: CallRecord) -> dict[str, str | int | float]:
    """What a span tells of a request."""
    facts: dict[str, str | int | float] = {
        "recto.door": call.door,
        "recto.action": call.action,
        "http.response.status_code": call.status or 499,
    }
    if call.model:
        facts["gen_ai.request.model"] = call.model
    if call.first_byte is not None:
        facts["recto.first_byte_s"] = call.first_byte - call.began
    if call.refusal is not None:
        facts["recto.refusal"] = call.refusal
    return facts


def at_ns(call: CallRecord, moment: float) -> int:
    """A moment of the monotonic clock as nanoseconds since 1970."""
    return call.began_ms * 1_000_000 + int((moment - call.began) * NS)
