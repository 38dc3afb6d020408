"""`recto trace`, as people run it, beside a Recto that runs."""

import json
from pathlib import Path

import anyio.to_thread
import pytest

from tests.chats.record.runs import KEY, MODELS, open_world
from tests.cli.recto import Command
from tests.fakes.providers import says

pytestmark = pytest.mark.anyio


async def test_it_prints_what_was_sent_and_received(recto: Command, tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        server = world.servers["anthropic"]
        server.answer(says("Ebb."))
        entries = await world.talk.ask("What now?", model=MODELS["anthropic"])
        request_id = entries[-1]["source"]["requestId"]
        plain = await anyio.to_thread.run_sync(recto.run, "trace", request_id)
        script = await anyio.to_thread.run_sync(recto.run, "trace", request_id, "--json")
        sent, received = server.last.incoming.body.decode(), server.last.sent.decode()

    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout.startswith(f"request {request_id}\nrun {entries[-1]['turnId']}, step 1,")
    assert f"--- try 1: sent, {len(sent.encode()):,} bytes\n{sent}\n" in plain.stdout
    assert f"--- try 1: received, {len(received.encode()):,} bytes\n{received}" in plain.stdout
    assert "--- try 1: status 200\n" in plain.stdout
    assert KEY not in plain.stdout
    (one,) = json.loads(script.stdout)["tries"]
    assert (one["request"], one["answer"]) == ({"text": sent}, {"text": received})


def test_an_unknown_request_is_refused_in_one_line(recto: Command) -> None:
    outcome = recto.run("trace", "nobody")

    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("recto: There is no record of the request nobody.")
    assert outcome.stderr.count("\n") == 1
