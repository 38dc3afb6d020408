"""The built-in model when things go wrong: cancelled, killed, closed, busy, missing."""

import os
import shutil
import signal
import sys
from pathlib import Path

import anyio
import pytest

from recto.llm.builtin import BuiltinModel
from recto.llm.builtin.installed import installed_model
from recto.messages import Failure, Finished, Message, PromptProgress, assistant
from recto.processes import start
from tests.llm.builtin.asking import (
    PATIENCE_S,
    ask,
    collect,
    finish,
    go_on,
    is_running,
    until_ended,
    until_gone,
    until_text,
    until_unloaded,
    worker_of,
)

pytestmark = pytest.mark.anyio
LONG = "Tell me a very long story about a small boat."
LONGEST = 8000


async def test_an_answer_closed_in_the_middle_leaves_the_worker_to_the_next(
    model: BuiltinModel,
) -> None:
    events = model.stream(ask(LONG, max_output=LONGEST))
    await until_text(events)
    pid = worker_of(model)
    await events.aclose()

    end = await finish(model.stream(ask("Say hello.", max_output=3)))

    assert (end.reason, end.failure, worker_of(model)) == ("max_tokens", None, pid)


async def test_a_task_cancelled_in_the_middle_of_an_answer_leaves_the_worker_to_the_next(
    model: BuiltinModel,
) -> None:
    with anyio.fail_after(PATIENCE_S), anyio.CancelScope() as scope:
        async for event in model.stream(ask(LONG, max_output=LONGEST)):
            if event.type == "text_delta":
                scope.cancel()
    assert scope.cancelled_caught
    pid = worker_of(model)

    end = await finish(model.stream(ask("Say hello.", max_output=3)))

    assert (end.reason, end.failure, worker_of(model)) == ("max_tokens", None, pid)


async def test_requests_at_the_same_time_are_answered_in_the_order_they_came(
    model: BuiltinModel,
) -> None:
    order: list[tuple[int, str]] = []

    async def one(number: int) -> None:
        async for event in model.stream(ask("Count to ten.", max_output=3)):
            order.append((number, event.type))

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(one, number)

    assert [number for number, _ in order] == sorted(number for number, _ in order)
    assert [number for number, kind in order if kind == "finished"] == [0, 1, 2]


async def test_a_request_cancelled_while_it_waits_does_not_hold_the_others_up(
    model: BuiltinModel,
) -> None:
    first = model.stream(ask(LONG, max_output=LONGEST))
    await until_text(first)
    with anyio.move_on_after(0) as waiting:
        await collect(model.stream(ask("Say hello.")))
    await first.aclose()

    end = await finish(model.stream(ask("Say hello.", max_output=3)))

    assert waiting.cancelled_caught
    assert end.failure is None


async def test_a_worker_killed_in_the_middle_ends_the_answer_once_and_is_replaced(
    model: BuiltinModel,
) -> None:
    events = model.stream(ask(LONG, max_output=LONGEST))
    await until_text(events)
    os.kill(worker_of(model), signal.SIGKILL)

    end = await finish(events)
    after = await finish(model.stream(ask("Say hello.", max_output=3)))

    assert end.message.text != ""
    assert end.failure == Failure(
        "upstream", "The built-in model was ended by signal 9.", "builtin"
    )
    assert (after.reason, after.failure) == ("max_tokens", None)


async def test_a_worker_that_died_between_requests_is_not_noticed(model: BuiltinModel) -> None:
    await finish(model.stream(ask("Hello.", max_output=1)))
    pid = worker_of(model)
    os.kill(pid, signal.SIGKILL)
    await until_gone(pid)

    end = await finish(model.stream(ask("Hello.", max_output=3)))

    assert (end.reason, end.failure) == ("max_tokens", None)
    assert worker_of(model) != pid


async def test_a_worker_that_falls_silent_is_ended() -> None:
    model = BuiltinModel(silence_s=0.0)

    end = await finish(model.stream(ask("Hello.")))

    assert end.failure == Failure("timeout", "The built-in model stopped answering.", "builtin")
    assert model.worker_pid is None


async def test_closing_ends_the_worker_and_the_answer_under_way() -> None:
    model = BuiltinModel()
    events = model.stream(ask(LONG, max_output=LONGEST))
    await until_text(events)
    pid = worker_of(model)
    await model.close()

    end = await finish(events)
    after = await finish(model.stream(ask("Hello.")))

    closed = Failure("cancelled", "The built-in model was closed.", "builtin")
    assert (end.failure, after.failure) == (closed, closed)
    assert not is_running(pid)


async def test_a_model_closed_while_its_worker_starts_has_none_afterwards() -> None:
    model = BuiltinModel()
    ends: list[Finished] = []

    async def one() -> None:
        ends.append(await finish(model.stream(ask("Hello."))))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one)
        await anyio.lowlevel.checkpoint()
        await model.close()

    assert [end.failure for end in ends] == [
        Failure("cancelled", "The built-in model was closed.", "builtin")
    ]
    assert model.worker_pid is None


async def test_a_worker_does_not_outlive_a_server_that_was_killed(tmp_path: Path) -> None:
    code = (
        "import asyncio\n"
        "from recto.llm.builtin import BuiltinModel\n"
        "from recto.messages import Request, user\n"
        "async def main():\n"
        "    model = BuiltinModel()\n"
        "    request = Request('m', (user('Once'),), 8000, continues=True)\n"
        "    async for event in model.stream(request):\n"
        "        if event.type == 'text_delta': print(model.worker_pid, flush=True)\n"
        "asyncio.run(main())"
    )
    async with start([sys.executable, "-c", code], cwd=str(tmp_path)) as server:
        with anyio.fail_after(PATIENCE_S):
            worker = int(await server.line())
        os.kill(server.pid, signal.SIGKILL)

        await until_ended(worker)


@pytest.mark.slow
async def test_an_idle_worker_gives_the_memory_back_and_loads_again() -> None:
    model = BuiltinModel(idle_s=0.01)
    try:
        first = await finish(model.stream(ask("Name three colours.")))
        pid = worker_of(model)
        await until_unloaded(pid)
        loading, *_, second = await collect(model.stream(ask("Name three colours.")))
        assert isinstance(second, Finished)
        assert (second.message, worker_of(model)) == (first.message, pid)
        # Of no tokens at all: it is not known yet how many there are.
        assert loading == PromptProgress(0, 0)
    finally:
        await model.close()


async def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gone.gguf"

    end = await finish(BuiltinModel(path).stream(ask("Hello.")))

    words = f"The model {path} can't be opened: no such file or directory. Choose a GGUF file."
    failure = Failure("not_found", words, "builtin")
    assert end == Finished("error", Message("assistant", ()), failure=failure)


async def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("These are only notes.", encoding="utf-8")

    end = await finish(BuiltinModel(path).stream(go_on("Hello", max_output=1)))

    words = f"{path} is not a GGUF model, or is damaged. Choose a GGUF file."
    assert end.failure == Failure("not_found", words, "builtin")


async def test_a_model_that_breaks_off_is_named_by_the_worker(tmp_path: Path) -> None:
    whole = installed_model()
    assert whole is not None
    path = tmp_path / "half.gguf"
    path.write_bytes(whole.read_bytes()[:20_000_000])
    model = BuiltinModel(path)

    end = await finish(model.stream(ask("Hello.")))
    await model.close()

    assert end.failure is not None
    assert (end.failure.kind, end.failure.provider) == ("not_found", "builtin")
    assert end.failure.message == (
        f"{path} can't be loaded: it is damaged, or this engine does not know its kind."
    )


async def test_any_model_file_can_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = installed_model()
    assert whole is not None
    shutil.copy(whole, tmp_path / "mine é.gguf")
    monkeypatch.chdir(tmp_path)
    model = BuiltinModel(Path("mine é.gguf"))

    end = await finish(model.stream(go_on("The capital of France is", max_output=1)))
    await model.close()

    assert end.message == assistant(" Paris")
