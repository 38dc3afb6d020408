"""What a gateway tells whoever watches over it: metrics and traces, and nothing private."""

import gzip
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from recto.app.gateway_observers import forget_worker, wants_traces
from recto.config import GatewaySettings, Home, Secret, Settings, load_keys, save_keys
from tests.fakes.providers import AnthropicServer, Fault, says
from tests.gateway.served import ServedGateway, served_gateway
from tests.gateway.test_whole_gateway import ask, key_of, lay_models

pytestmark = pytest.mark.anyio

TOKEN = "a-token-for-the-metrics"
WATCHED = Settings(gateway=GatewaySettings(metrics_key="METRICS_TOKEN"))


def samples(text: str) -> dict[str, float]:
    """The numbers by their names and labels."""
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(number) for name, _, number in lines}


async def read_metrics(gateway: ServedGateway, token: str) -> tuple[int, str]:
    async with gateway.client(token) as client:
        answer = await client.get("/metrics")
        return answer.status_code, answer.text


async def test_calls_are_counted_for_whoever_has_the_token(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with AnthropicServer() as upstream:
        await lay_models(home, upstream)
        save_keys(Home(home), {**load_keys(Home(home)), "METRICS_TOKEN": Secret(TOKEN)})
        async with served_gateway(home, WATCHED) as gateway:
            member = await gateway.member(await gateway.admin(), "ann-with-a-name")
            key = await key_of(gateway, member)
            upstream.answer(says("At noon."))
            answered = await ask(gateway, key)
            poor = await key_of(gateway, member, limits={"monthlyMicros": 0})
            await ask(gateway, poor)
            await ask(gateway, "sk-nobody")
            upstream.script(Fault(status=401))
            await ask(gateway, key)
            strangers = [(await read_metrics(gateway, token))[0] for token in ("wrong", member)]
            status, text = await read_metrics(gateway, TOKEN)
    assert (strangers, status) == ([401, 401], 200)
    found = samples(text)
    door = 'door="anthropic-messages"'
    asked = f'recto_gateway_requests_total{{action="answer",{door},model="sonnet"'
    assert found[f'{asked},status="200"}}'] == 1
    counted = answered.json()["usage"]
    sold = 'model="claude-sonnet-5-5",provider="anthropic"'
    tokens = f'recto_gateway_tokens_total{{kind="output",{sold}}}'
    assert found[tokens] == counted["output_tokens"]
    dollars = (counted["input_tokens"] * 2 + counted["output_tokens"] * 10) / 1e6
    assert found[f"recto_gateway_cost_dollars_total{{{sold}}}"] == pytest.approx(dollars)
    assert found['recto_gateway_refused_requests_total{reason="budget"}'] == 1
    assert found['recto_gateway_refused_requests_total{reason="unknown"}'] == 1
    whole = f'recto_gateway_request_seconds_count{{{door},model="sonnet"}}'
    first = f'recto_gateway_first_byte_seconds_count{{{door},model="sonnet"}}'
    assert found[whole] == found[first] == 3
    assert found[f"recto_gateway_open_requests{{{door}}}"] == 0
    assert found["recto_gateway_waiting_requests"] == 0
    attempts = 'recto_gateway_attempts_total{deployment="sonnet#0",outcome='
    assert found[f'{attempts}"answered"}}'] == found[f'{attempts}"auth"}}'] == 1
    rests = 'recto_gateway_deployment_rests_until_seconds{deployment="sonnet#0"}'
    assert found[rests] > 1_600_000_000, "it has just refused the gateway's key"
    private = ("ann-with-a-name", "high water", "noon", key, "test-key", TOKEN)
    assert [word for word in private if word in text] == []


async def test_there_are_no_metrics_unless_they_are_wanted(tmp_path: Path) -> None:
    async with served_gateway(tmp_path) as gateway:
        assert (await read_metrics(gateway, TOKEN))[0] == 401
        admin = await gateway.admin()
        assert (await read_metrics(gateway, admin))[0] == 404


def test_a_worker_that_is_gone_has_nothing_under_way(tmp_path: Path) -> None:
    names = ("gauge_livesum_7.db", "gauge_livemax_7.db", "gauge_livesum_77.db", "counter_7.db")
    for name in names:
        (tmp_path / name).touch()
    forget_worker(tmp_path, 7)
    left = sorted(file.name for file in tmp_path.iterdir())
    assert left == ["counter_7.db", "gauge_livesum_77.db"]


@dataclass
class SpanReceiver:
    """Receives OTLP over HTTP, as collectors do."""

    url: str = ""
    spans: list[Any] = field(default_factory=list[Any])
    resources: list[Any] = field(default_factory=list[Any])

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.read()
        if request.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        told = ExportTraceServiceRequest()
        told.ParseFromString(body)
        for resource in told.resource_spans:
            self.resources.append(resource.resource)
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)
        return web.Response(content_type="application/x-protobuf")


@asynccontextmanager
async def receiving() -> AsyncGenerator[SpanReceiver]:
    receiver = SpanReceiver()
    application = web.Application()
    application.router.add_post("/v1/traces", receiver.receive)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    receiver.url = f"http://{host}:{port}"
    try:
        yield receiver
    finally:
        await runner.cleanup()


def told(span: Any) -> dict[str, Any]:
    """The attributes of a span."""
    return {
        item.key: item.value.int_value or item.value.double_value or item.value.string_value
        for item in span.attributes
    }


async def test_a_call_is_a_span_with_one_for_each_deployment_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    trace = "0af7651916cd43dd8448eb211c80319c"
    async with AnthropicServer() as upstream, receiving() as receiver:
        await lay_models(home, upstream)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
        async with served_gateway(home) as gateway:
            key = await key_of(gateway, await gateway.admin())
            upstream.answer(says("At noon."))
            headers = {"x-api-key": key, "traceparent": f"00-{trace}-b7ad6b7169203331-01"}
            body = {"model": "sonnet", "max_tokens": 100}
            words = [{"role": "user", "content": "When is high water?"}]
            async with gateway.client() as client:
                answer = await client.post(
                    "/v1/messages", headers=headers, json={**body, "messages": words}
                )
                assert answer.status_code == 200, answer.text
        # Everything is sent before the gateway ends.
        child, parent = receiver.spans
    assert (parent.name, child.name) == ("anthropic-messages answer", "ask anthropic")
    assert parent.trace_id.hex() == child.trace_id.hex() == trace
    assert (parent.parent_span_id.hex(), child.parent_span_id) == (
        "b7ad6b7169203331",
        parent.span_id,
    )
    facts = told(parent)
    assert facts.pop("recto.first_byte_s") > 0
    assert facts == {
        "recto.door": "anthropic-messages",
        "recto.action": "answer",
        "http.response.status_code": 200,
        "gen_ai.request.model": "sonnet",
    }
    assert told(child) == {
        "recto.deployment": "sonnet#0",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-sonnet-5-5",
    }
    starts, ends = (parent.start_time_unix_nano, parent.end_time_unix_nano)
    assert starts <= child.start_time_unix_nano <= child.end_time_unix_nano <= ends
    about = told(receiver.resources[0])
    assert about["service.name"] == "recto-gateway"
    sent = b"".join(span.SerializeToString() for span in receiver.spans)
    assert b"high water" not in sent
    assert key.encode() not in sent


async def test_a_receiver_that_is_gone_does_not_keep_the_gateway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2")
    with anyio.fail_after(60):
        async with served_gateway(tmp_path) as gateway, gateway.client() as client:
            assert (await client.get("/v1/models")).status_code == 401
    # Its pauses are drawn by chance, which hypothesis would notice in whatever test comes next.
    for thread in threading.enumerate():
        if thread.name.startswith("OtelBatch"):
            await anyio.to_thread.run_sync(thread.join)


@pytest.mark.parametrize(
    ("environment", "is_wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, False),
    ],
)
def test_traces_are_off_unless_the_standard_variables_ask_for_them(
    environment: dict[str, str], is_wanted: bool
) -> None:
    assert wants_traces(environment) is is_wanted
